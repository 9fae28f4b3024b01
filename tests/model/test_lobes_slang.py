"""model/lobes: the device half equals the host half in value and gradient."""

import numpy as np
import pytest
import torch

from neuralshade.model.lobes import LobeInputs

KERNEL = """
import neuralshade.engine.kernels.step.gradients;
import neuralshade.model.encoding;
import neuralshade.model.parameters;
StructuredBuffer<float> read_out;
StructuredBuffer<float> asked;      // [samples][FEATURES + 6]: latents, wi, wo
StructuredBuffer<float> d_columns;  // [samples][Tested.WIDTH]
RWStructuredBuffer<float> columns;
RWStructuredBuffer<float> d_latents;
RWStructuredBuffer<Atomic<float>> d_read;
uniform uint samples;

[shader("compute")]
[numthreads(32, 1, 1)]
void both_ways(uint thread : SV_DispatchThreadID)
{
    bool counts = thread < samples; // all lanes of a wave take part
    uint sample = min(thread, samples - 1u);
    const int FEATURES = TestedLobes.FEATURES;
    uint first = sample * (FEATURES + 6);
    float latents[FEATURES];
    for (int i = 0; i < FEATURES; ++i)
        latents[i] = asked[first + i];
    first += FEATURES;
    float3 wi = float3(asked[first], asked[first + 1], asked[first + 2]);
    float3 wo = float3(asked[first + 3], asked[first + 4], asked[first + 5]);
    FloatParameters read = { read_out };
    Columns<Tested.WIDTH> found = {}, given = {};
    for (int part = 0; part < PARTS; ++part)
        Tested.eval(latents, wi, wo, read, part, PARTS, found);
    for (int i = 0; i < Tested.WIDTH; ++i)
    {
        columns[sample * Tested.WIDTH + i] = found.values[i];
        given.values[i] = d_columns[sample * Tested.WIDTH + i];
    }
    FloatGradients sums = { d_read, 0u, 0u, 0u };
    WaveRows<FloatGradients> d_read_out = { sums };
    float d[FEATURES] = Tested.backward(latents, wi, wo, read, given, d_read_out, true, counts);
    for (int i = 0; i < FEATURES; ++i)
        d_latents[sample * FEATURES + i] = d[i];
}
"""
LOWEST = (1.0, 0.3, 1e-2, 1e-3)  # z of directions


def directions(count, rng):
    """Return unit directions above the surface, a quarter of them as low as each of LOWEST."""
    angle = 2 * np.pi * torch.rand(count, generator=rng, dtype=torch.float64)
    z = torch.tensor(LOWEST, dtype=torch.float64).repeat(-(-count // len(LOWEST)))[:count]
    z = z * (1 - 0.5 * torch.rand(count, generator=rng, dtype=torch.float64))
    z = z[torch.randperm(count, generator=rng)]
    radius = (1 - z * z).sqrt()
    return torch.stack([radius * angle.cos(), radius * angle.sin(), z])


class OnDevice:
    """What the device makes of latents [features, N] and directions [3, N]."""

    def __init__(self, dispatch, lobes, latents, wi, wo, d_columns, parts):
        samples, half = latents.shape[1], lobes.slang("Tested")
        lines = [f"import {module};\n" for module in half.modules]
        text = "".join([*lines, half.declarations, f"typealias Tested = {half.type};\n",
                        f"static const int PARTS = {parts};\n", KERNEL])  # fmt: skip
        read = [p.detach().float().numpy().ravel() for p in (lobes.read.weight, lobes.read.bias)]
        asked = torch.cat([latents.detach(), wi, wo]).t().float()
        run = dispatch(text, {
            "read_out": np.concatenate(read), "asked": asked.contiguous().numpy(),
            "d_columns": d_columns.t().float().contiguous().numpy(),
            "columns": np.full(samples * lobes.width, np.nan, np.float32),
            "d_latents": np.full(latents.numel(), np.nan, np.float32),
            "d_read": np.zeros(sum(map(len, read)), np.float32),
        }, samples=samples)  # fmt: skip
        run.run(("both_ways", -(-samples // 32)))
        found = run.read("columns", np.float32, samples * lobes.width)
        d_found = run.read("d_latents", np.float32, latents.numel())
        self.d_read = run.read("d_read", np.float32, sum(map(len, read)))
        self.columns = found.reshape(samples, -1).T
        self.d_latents = d_found.reshape(samples, -1).T


@pytest.mark.slow
@pytest.mark.parametrize("features, count, columns, below, samples, parts", [
    (8, 4, 4, 0.1, 97, 2), (8, 3, 3, 0.0, 33, 2), (5, 1, 5, 0.3, 64, 1),
])  # fmt: skip
def test_both_halves_agree(dispatch, rng, features, count, columns, below, samples, parts):
    lobes = LobeInputs(features, count, columns, below, rng=rng)
    torch.nn.init.normal_(lobes.read.weight, 0, 0.3, generator=rng)
    latents = torch.randn(features, samples, generator=rng, dtype=torch.float64)
    wi, wo = directions(samples, rng), directions(samples, rng)
    d_columns = torch.randn(lobes.width, samples, generator=rng, dtype=torch.float64)
    found = OnDevice(dispatch, lobes, latents, wi, wo, d_columns, parts)
    latents.requires_grad_()
    wanted = lobes.double()(latents, wi, wo)
    read = (lobes.read.weight, lobes.read.bias)
    d_wanted, *d_read = torch.autograd.grad(wanted, (latents, *read), d_columns)
    np.testing.assert_allclose(found.columns, wanted.detach().numpy(), atol=1e-4, rtol=1e-4)
    # rounding of directions to float32, which a narrow lobe's slope multiplies by up to 200
    scale = np.abs(d_wanted.numpy()).max(0)
    np.testing.assert_allclose(found.d_latents / scale, d_wanted.numpy() / scale, atol=5e-4, rtol=0)
    d_numbers = np.concatenate([d.numpy().ravel() for d in d_read])
    scale = np.abs(d_numbers).max()
    np.testing.assert_allclose(found.d_read / scale, d_numbers / scale, atol=5e-4, rtol=0)


@pytest.mark.slow
def test_all_is_finite_of_any_latents_at_grazing_angles(dispatch, rng):
    """Both ways: latents of all sizes, directions along x, towards each other and alike."""
    lobes, samples = LobeInputs(8, 3, rng=rng), 64
    latents = torch.randn(8, samples, generator=rng) * 10 ** torch.linspace(-3, 4, samples)
    wi = torch.tensor([[1.0], [0.0], [1e-3]]).expand(3, samples)
    wo = torch.cat([wi[:2] * torch.where(torch.arange(samples) % 2 == 0, 1.0, -1.0), wi[2:]])
    found = OnDevice(dispatch, lobes, latents, wi, wo, torch.ones(lobes.width, samples), 2)
    assert np.isfinite(found.columns).all() and found.columns.std() > 0.1
    assert np.isfinite(found.d_latents).all() and found.d_latents.any()
