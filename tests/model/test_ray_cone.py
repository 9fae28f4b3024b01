"""model/ray_cone: both halves agree, and a footprint is what a pixel covers."""

import numpy as np
import pytest

from neuralshade.gpu.gpu import run_once
from neuralshade.model.ray_cone import LEAST_SLANT, cone_footprint

COUNT = 128
KERNEL = """
import neuralshade.model.ray_cone;
StructuredBuffer<float> asked; // [triangles][19]: corners, uv, width, along
RWStructuredBuffer<float> answers;
[shader("compute")] [numthreads(64, 1, 1)]
void answer(uint3 thread : SV_DispatchThreadID)
{
    uint at = 19u * thread.x;
    float3 corners[3];
    float2 uv[3];
    for (uint i = 0u; i < 3u; ++i)
    {
        for (uint axis = 0u; axis < 3u; ++axis)
            corners[i][axis] = asked[at + 3u * i + axis];
        uv[i] = float2(asked[at + 9u + 2u * i], asked[at + 10u + 2u * i]);
    }
    float3 along = float3(asked[at + 16u], asked[at + 17u], asked[at + 18u]);
    answers[thread.x] = cone_footprint(corners, uv, asked[at + 15u], along);
}
"""


def test_both_halves_agree(gpu, noise):
    """Of any triangle, also of one without area in uv, and one seen along itself."""
    corners = noise.normal(size=(COUNT, 3, 3)).astype(np.float32)
    uv = noise.random((COUNT, 3, 2)).astype(np.float32)
    uv[0] = uv[0, :1]
    along = noise.normal(size=(COUNT, 3))
    along[1] = corners[1, 1] - corners[1, 0]
    along = (along / np.linalg.norm(along, axis=1, keepdims=True)).astype(np.float32)
    width = noise.random((COUNT, 1)).astype(np.float32)
    asked = [corners.reshape(COUNT, 9), uv.reshape(COUNT, 6), width, along]
    variables = {"asked": gpu.buffer(np.concatenate(asked, axis=1)),
                 "answers": gpu.buffer(size=4 * COUNT)}  # fmt: skip
    run_once(gpu, [(gpu.kernel(KERNEL, "answer", variables), COUNT // 64)])
    found = variables["answers"].read().view(np.float32)

    sides, of_uv = corners[:, 1:] - corners[:, :1], uv[:, 1:] - uv[:, :1]
    normal = np.cross(sides[:, 0], sides[:, 1])
    area = np.linalg.norm(normal, axis=1)
    slant = (normal * along).sum(1) / area
    wanted = cone_footprint(width[:, 0], np.abs(np.linalg.det(of_uv)) / area, slant)
    np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-6)
    assert found[0] == 0 and abs(slant[1]) < LEAST_SLANT


@pytest.mark.parametrize("degrees", [0, 30, 60])
def test_it_is_the_longer_side_of_what_a_pixel_covers(degrees):
    """A square meter with one tile, seen from 5 m by a pixel of 0.01: 0.05 m, longer at a slant."""
    slant = np.cos(np.radians(degrees))
    assert cone_footprint(5 * 0.01, 1.0, -slant) == pytest.approx(0.05 / slant)
