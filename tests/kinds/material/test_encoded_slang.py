"""kinds/material/encoded: what an encoder and its decoder read, on a device as in PyTorch."""

import copy

import numpy as np
import pytest
import torch

from neuralshade.engine.kernels.infer.field_inference import field_inference
from neuralshade.gpu.gpu import run_once
from neuralshade.kinds.material.encoded import EncodedLobes, GraphValues
from neuralshade.model.field import Field
from neuralshade.model.lobes import LobeInputs
from neuralshade.model.mlp import MLP
from neuralshade.sampler.material_directions import unit

COUNT = 40
BY_PARTS = """{imports}{declarations}
typealias Encoding = {type};
StructuredBuffer<float> asked;
RWStructuredBuffer<float> results;

[shader("compute")]
[numthreads(32, 1, 1)]
void by_parts(uint3 thread : SV_DispatchThreadID)
{{
    uint count, stride;
    asked.GetDimensions(count, stride);
    if (thread.x * {dimensions} >= count)
        return;
    Encoding.Position at = {{}};
    for (int axis = 0; axis < {dimensions}; ++axis)
        at.set(axis, asked[thread.x * {dimensions} + axis]);
    NoParameters none = {{}};
    for (int part = 0; part < 3; ++part)
    {{
        Columns<Encoding.WIDTH> columns = {{}};
        Encoding.eval(at, none, part, 3, columns);
        for (int i = 0; i < Encoding.WIDTH; ++i)
            results[thread.x * Encoding.WIDTH + i] += columns.values[i];
    }}
}}
"""


def agree(gpu, encoding, at, rng):
    """Compare both halves, behind a network of one layer, and each column put by one of parts."""
    field = Field(encoding, MLP(encoding.width, 3, 0, rng=rng))
    found = field_inference(gpu, field, exact=True).at_positions(at.numpy())
    np.testing.assert_allclose(found, field(at).detach(), rtol=1e-4, atol=1e-4)
    assert np.ptp(found, axis=0).min() > 0.1
    half = encoding.slang("Parted")
    text = BY_PARTS.format(imports="".join(f"import {name};\n" for name in half.modules),
                           declarations=half.declarations, type=half.type,
                           dimensions=encoding.dimensions)  # fmt: skip
    results = gpu.buffer(size=4 * COUNT * encoding.width)
    bound = {name: gpu.buffer(values) for name, values in encoding.fixed_buffers("Parted").items()}
    bound |= {"asked": gpu.buffer(at.numpy()), "results": results}
    run_once(gpu, [(gpu.kernel(text, "by_parts", bound), -(-COUNT // 32))])
    summed = results.read().view(np.float32)[: COUNT * encoding.width].reshape(COUNT, -1)
    np.testing.assert_allclose(summed, encoding(at), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("values", [1, 2, 3, 6])
def test_values_are_less_their_mean_over_their_spread(gpu, rng, values):
    mean = torch.randn(values, generator=rng)
    spread = 0.1 + torch.rand(values, generator=rng)
    encoding = GraphValues(mean, spread)
    at = torch.randn(COUNT, values, generator=rng)
    assert torch.equal(encoding(at), (at - mean) / spread)
    agree(gpu, encoding, at, rng)


@pytest.mark.parametrize("features, count, columns, varied", [(8, 3, 4, 0), (5, 2, 3, 2)])
def test_lobes_are_those_of_latents(gpu, rng, features, count, columns, varied):
    """As of a texel's numbers; shares lie behind, from -1 to 1."""
    lobes = LobeInputs(features, count, columns, rng=rng)
    latents = torch.randn(COUNT, features, generator=rng)
    wi, wo = (unit(torch.rand(3, COUNT, generator=rng) + 0.1) for _ in range(2))
    shares = torch.rand(COUNT, varied, generator=rng)
    held = copy.deepcopy(lobes)
    held.freeze_read_out()
    encoding = EncodedLobes(held, varied)
    at = torch.cat([latents, wi.t(), wo.t(), shares], dim=1)
    need = torch.cat([lobes(latents.t(), wi, wo), 2 * shares.t() - 1]).t()
    torch.testing.assert_close(encoding(at), need.detach())
    assert list(encoding.parameters()) == [] and encoding.width == need.shape[1]
    agree(gpu, encoding, at, rng)
