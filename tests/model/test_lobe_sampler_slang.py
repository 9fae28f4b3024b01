"""model/lobe_sampler.slang: a mixture's samples and densities are those of the Python half."""

import numpy as np
import pytest
import torch

from neuralshade.model.lobe_sampler import LobeSampler
from neuralshade.model.lobes import LobeInputs

FEATURES, SAMPLES, GIVEN = 5, 64, 6  # wo and u of a sample, then its mixture
TEXT = """
import neuralshade.model.lobe_sampler;
StructuredBuffer<float> given;
RWStructuredBuffer<float> drawn;
static const int COUNT = {count};
static const uint STRIDE = 6 + 8 * COUNT + COUNT + 1;

float3 vector(uint at) {{ return float3(given[at], given[at + 1], given[at + 2]); }}

[shader("compute")]
[numthreads(64, 1, 1)]
void draw(uint thread : SV_DispatchThreadID)
{{
    uint at = thread * STRIDE;
    float3 wo = vector(at), u = vector(at + 3);
    Mixture<COUNT> mixture;
    for (int i = 0; i < COUNT; ++i)
    {{
        uint first = at + 6 + 8 * i;
        mixture.lobes[i] = {{ vector(first), vector(first + 3),
                              float2(given[first + 6], given[first + 7]) }};
    }}
    for (int i = 0; i <= COUNT; ++i)
        mixture.weights[i] = given[at + 6 + 8 * COUNT + i];
    float3 wi = mixture.sample(wo, u);
    float numbers[5] = {{ wi.x, wi.y, wi.z, mixture.pdf(wi, wo), mixture.pdf(-wi, wo) }};
    for (int i = 0; i < 5; ++i)
        drawn[5 * thread + i] = numbers[i];
}}
"""


@pytest.mark.parametrize("count", [1, 3])
def test_both_halves_agree(count, gpu, rng):
    lobes, sampler = (kind(FEATURES, count, rng=rng) for kind in (LobeInputs, LobeSampler))
    torch.nn.init.normal_(lobes.read.weight, 0, 0.5, generator=rng)
    latents, wo = (torch.randn(n, SAMPLES, generator=rng) for n in (FEATURES, 3))
    wo[2] = wo[2].abs() + 0.05
    wo, u = wo / wo.norm(dim=0), torch.rand(3, SAMPLES, generator=rng)
    with torch.no_grad():
        mixture = sampler.mixture(lobes, latents, wo)
    wi, density = mixture.sample(wo, u)
    each = torch.cat([mixture.normal, mixture.tangent, mixture.widths]).permute(2, 1, 0)
    given = torch.cat([wo.t(), u.t(), each.flatten(1), mixture.weights.t()], dim=1).contiguous()
    drawn = gpu.buffer(np.zeros((SAMPLES, 5), np.float32))
    variables = {"given": gpu.buffer(given.numpy()), "drawn": drawn}
    kernel = gpu.kernel(TEXT.format(count=count), "draw", variables)
    commands = gpu.commands()
    commands.run(gpu.steps([(kernel, 1)]))
    commands.submit()
    found = drawn.read().view(np.float32).reshape(SAMPLES, 5)
    np.testing.assert_allclose(found[:, :3], wi.t(), atol=2e-4)
    # densities of narrow lobes change by several times what directions are rounded by
    np.testing.assert_allclose(found[:, 3], density, rtol=5e-3)
    assert not found[:, 4].any()
