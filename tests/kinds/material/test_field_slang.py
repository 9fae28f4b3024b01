"""kinds/material/field: on the device the encoding and the field equal their host halves."""

import numpy as np
import pytest
import torch
from fixtures.small_material import upper_pairs

from neuralshade.engine.kernels.infer.field_inference import field_inference
from neuralshade.kinds.material.field import build_field, encoding_of
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.testing.lanes import Lanes


def started(features=8, lobes=3, wrap="repeat", side=5, vary=""):
    """Return a field whose texels, range and read-out are no longer those of the start."""
    rng = torch.Generator().manual_seed(features)
    recipe = MaterialRecipe(size=side, features=features, lobes=lobes, hidden_width=16, wrap=wrap,
                            vary=vary)  # fmt: skip
    field = build_field(recipe, side, rng)
    encoding = encoding_of(field)
    torch.nn.init.uniform_(encoding.grid.texels, 0, 1, generator=rng)
    for name, end in (("low", -1.5), ("high", 0.5)):
        encoding.get_buffer(name).copy_(end + torch.rand(features, generator=rng))
    encoding.lobes.freeze_read_out()
    return field


def positions(count, seed=0, varied=0):
    """Return (u, v, mip, wi, wo, shares), a third of the directions to the light grazing."""
    uv, wi, wo = upper_pairs(count, seed)
    wi[::3, 2] = np.float32(2e-3)
    wi /= np.linalg.norm(wi, axis=1, keepdims=True)
    shares = np.random.default_rng(seed).random((count, varied)).astype(np.float32)
    rows = [uv, np.zeros((count, 1), np.float32), wi, wo, shares]
    return torch.from_numpy(np.concatenate(rows, axis=1))


@pytest.mark.parametrize("features, lobes, wrap, varied", [
    pytest.param(8, 3, "repeat", 0, marks=pytest.mark.slow), (3, 2, "clamp", 2),
])  # fmt: skip
def test_the_encoding_equals_its_host_half(gpu, features, lobes, wrap, varied):
    """By two lanes a sample, as matrix units' kernels have it, in value and gradient."""
    vary = ",".join(f"input_{i}=0..1" for i in range(varied))
    encoding = encoding_of(started(features, lobes, wrap, vary=vary))
    lanes = Lanes(gpu, encoding, positions(40, varied=varied), packed=features == 8)
    assert (lanes.counts == 1).all()
    assert np.isfinite(lanes.encoded).all() and abs(lanes.expected_gradients).max() > 0.1
    np.testing.assert_allclose(lanes.encoded, lanes.expected, atol=1e-4, rtol=1e-4)
    scale = abs(lanes.expected_gradients).max()
    np.testing.assert_allclose(lanes.gradients / scale, lanes.expected_gradients / scale, atol=5e-4)


def test_the_field_equals_its_host_half(gpu):
    field, at = started(vary="wetness=0..1"), positions(200, varied=1)
    wanted = field(at).detach().numpy()
    found = field_inference(gpu, field, exact=True).at_positions(at.numpy())
    assert wanted.std() > 0.01
    np.testing.assert_allclose(found, wanted, atol=1e-4, rtol=5e-4)


def test_a_held_read_out_is_no_parameter():
    rng = torch.Generator().manual_seed(0)
    field = build_field(MaterialRecipe(size=4), 4, rng)
    at = positions(20)
    before, names = field(at), {name for name, _ in encoding_of(field).named_parameters()}
    encoding_of(field).lobes.freeze_read_out()
    assert torch.equal(field(at), before)
    held = names - {name for name, _ in encoding_of(field).named_parameters()}
    assert held == {"lobes.read.weight", "lobes.read.bias"}
