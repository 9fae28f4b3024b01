"""sampler/material_directions: a thread makes of its numbers what the host half makes of them."""

import numpy as np
import pytest
import torch

from neuralshade.gpu.random import Random
from neuralshade.sampler.material_directions import half_vector_pairs, hemisphere, mirror_pairs

COUNT = 2048
NORMAL = (0.28, -0.1, 0.955)
TEXT = """
import neuralshade.gpu.random;
import neuralshade.sampler.material_directions;

DirectionPair drawn(uint index, float share)
{{
    Random random = {{ index, 5u, 9u, 0u }};
    return mixed_pair(normalize(float3{normal}), share, random);
}}

float3 light(uint index, float share) {{ return drawn(index, share).wi; }}
float3 eye(uint index, float share) {{ return drawn(index, share).wo; }}
float3 upper(uint index, float share)
{{
    Random random = {{ index, 5u, 9u, 0u }};
    DirectionPair pair = upper_pair(normalize(float3{normal}), share, random);
    return pair.seen() ? pair.wi : float3(0.0f);
}}
int seen(uint index, float share) {{ return drawn(index, share).seen() ? 1 : 0; }}
"""


@pytest.fixture(scope="module")
def kernels(device):
    spy = pytest.importorskip("slangpy")
    text = TEXT.format(normal=NORMAL)
    return spy.Module(device.load_module_from_source("test_material_directions_slang", text))


@pytest.mark.parametrize("way, share", [("half", 0.2), ("uniform", 0.6), ("mirror", 0.9)])
def test_both_halves_draw_the_same(kernels, way, share):
    indices = np.arange(COUNT, dtype=np.uint32)
    wi, wo = (getattr(kernels, name)(indices, share, _result="numpy") for name in ("light", "eye"))
    random = Random(indices, 5, 9)
    u = torch.from_numpy(np.concatenate([random.next_uniform(), random.next_uniform()], 1).T)
    normals = torch.nn.functional.normalize(torch.tensor(NORMAL), dim=0)[:, None].expand(3, COUNT)
    wanted = {
        "half": lambda: half_vector_pairs(u[:4]),
        "uniform": lambda: (hemisphere(u[0], u[1]), hemisphere(u[2], u[3])),
        "mirror": lambda: mirror_pairs(normals, u[:5]),
    }[way]()
    for found, directions in zip((wi, wo), wanted, strict=True):
        np.testing.assert_allclose(found, directions.t().numpy(), atol=2e-4)  # a driver's cosine
    seen = kernels.seen(indices, share, _result="numpy")
    assert (seen == (np.minimum(wi[:, 2], wo[:, 2]) > 1e-3)).all()
    assert seen.all() if way == "uniform" else 0.3 < seen.mean() < 1


def test_what_lies_below_is_drawn_again(kernels):
    """And what does not stays as it is."""
    indices = np.arange(COUNT, dtype=np.uint32)
    share = (indices.astype(np.float32) + 0.5) / COUNT
    first, seen, again = (getattr(kernels, name)(indices, share, _result="numpy")
                          for name in ("light", "seen", "upper"))  # fmt: skip
    above = seen.astype(bool)
    np.testing.assert_array_equal(again[above], first[above])
    assert above.mean() < 0.85 and (again[:, 2] > 0).mean() > 0.97
