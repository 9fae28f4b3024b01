"""asset/tensors: stored numbers draw exactly what the training field drew."""

import dataclasses
import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralshade.asset.tensors import pack_field, unpack_field
from neuralshade.errors import AssetError
from neuralshade.kinds.image.field import build_field
from neuralshade.kinds.image.recipe import ImageRecipe

ENCODINGS = {
    "dense": "dense_grid:levels=3,features=2,coarsest=2,width=7,height=5",
    "hash": "hash_grid:levels=4,features=2,log2_entries=5,coarsest=2,finest=31",
    "both": "hash_grid:levels=2,log2_entries=4,coarsest=2,finest=9 + frequency:octaves=2 + "
    "dense_grid:features=3,width=4,height=4",
    "none": "one_blob:bins=4",
}
DTYPES = {8: np.int8, 16: np.float16, 32: np.float32}


def random_field(recipe, seed=5):
    """Return a field whose every number, biases included, differs from its start."""
    rng = torch.Generator().manual_seed(seed)
    field = build_field(recipe, 3, rng)
    with torch.no_grad():
        for parameter in field.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=rng))
    return field


def drawn(field):
    grid = torch.linspace(0, 1, 17)
    uv = torch.cartesian_prod(grid, grid)
    with torch.no_grad():
        return field(uv), field.combine(
            field.encoding.along(0, grid), field.encoding.along(1, grid), torch.float32
        )


def unpacked(recipe, tensors):
    field = build_field(recipe, 3, torch.Generator().manual_seed(99))
    unpack_field(field, tensors, "a.nsh")
    return field


def wide(recipe):
    return dataclasses.replace(recipe, hidden_layers=1, hidden_width=8)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("grid_bits, network_bits", [*itertools.product([4, 8, 16, 32], [8, 16]),
                                                         (32, 32)])  # fmt: skip
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_stored_field_draws_what_training_drew(encoding, grid_bits, network_bits, bias):
    recipe = wide(ImageRecipe(encoding=ENCODINGS[encoding], grid_bits=grid_bits,
                              network_bits=network_bits, bias=bias))  # fmt: skip
    trained = random_field(recipe)
    stored = unpacked(recipe, pack_field(trained))
    for ours, theirs in zip(drawn(stored), drawn(trained), strict=True):
        assert torch.equal(ours, theirs)


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_numbers_have_the_bits_of_the_recipe(bits):
    recipe = wide(ImageRecipe(encoding=ENCODINGS["both"], grid_bits=bits, network_bits=bits))
    tensors = pack_field(random_field(recipe))
    kinds = {name: value.dtype for name, value in tensors.items()}
    scales = [name for name in kinds if name.endswith(".scale")]
    biases = [name for name in kinds if name.endswith(".bias")]
    assert {kinds.pop(name) for name in scales} <= {np.dtype(np.float32)}
    assert {kinds.pop(name) for name in biases} == {np.dtype(DTYPES[max(16, bits)])}
    assert set(kinds.values()) == {np.dtype(DTYPES[bits])}
    assert len(scales) == (len(kinds) if bits == 8 else 0)


def test_shapes_are_the_portable_layout():
    recipe = wide(ImageRecipe(encoding=ENCODINGS["both"], grid_bits=8, network_bits=8, bias=False))
    shapes = {name: value.shape for name, value in pack_field(random_field(recipe)).items()}
    assert shapes == {
        "encoding.parts.0.vertices.0": (2, 9),
        "encoding.parts.0.vertices.0.scale": (2,),
        "encoding.parts.0.vertices.1": (2, 16),
        "encoding.parts.0.vertices.1.scale": (2,),
        "encoding.parts.2.texels.0": (3, 4, 4),
        "encoding.parts.2.texels.0.scale": (3,),
        "network.layers.0.weight": (8, 15),
        "network.layers.0.weight.scale": (8,),
        "network.layers.1.weight": (3, 8),
        "network.layers.1.weight.scale": (3,),
    }


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.floats(1e-20, 1e20))
def test_int8_is_within_half_a_step(seed, size):
    recipe = wide(ImageRecipe(encoding=ENCODINGS["dense"], grid_bits=8, network_bits=32))
    field = random_field(recipe, seed)
    with torch.no_grad():
        for texels in field.encoding.parameters():
            texels.mul_(size)
    tensors, stored = pack_field(field), unpacked(recipe, pack_field(field))
    for (name, before), after in zip(field.named_parameters(), stored.parameters(), strict=True):
        if "texels" in name:
            step = torch.from_numpy(tensors[f"{name}.scale"])[:, None, None]
            # 0.51: the division by the step and the product with it round once each
            assert ((before - after).abs() <= 0.51 * step).all()
        else:
            assert torch.equal(before, after)


def test_all_zero_grid_stays_zero():
    recipe = wide(ImageRecipe(encoding=ENCODINGS["dense"], grid_bits=8))
    field = random_field(recipe)
    with torch.no_grad():
        for texels in field.encoding.parameters():
            texels.zero_()
    for texels in unpacked(recipe, pack_field(field)).encoding.parameters():
        assert torch.equal(texels, torch.zeros_like(texels))


def test_packing_changes_nothing_and_shares_nothing():
    recipe = wide(ImageRecipe(encoding=ENCODINGS["both"], grid_bits=32, network_bits=32))
    field = random_field(recipe)
    before = [p.detach().clone() for p in field.parameters()]
    for value in pack_field(field).values():
        value += 1
    for was, now in zip(before, field.parameters(), strict=True):
        assert torch.equal(was, now)


def test_four_bits_are_two_numbers_in_a_byte():
    recipe = wide(ImageRecipe(encoding=ENCODINGS["dense"], grid_bits=4))
    field = random_field(recipe)
    tensors = pack_field(field)
    stored = tensors["encoding.parts.0.texels.2"]
    assert stored.dtype == np.uint8
    assert stored.shape == (2, 5, 4)  # 7 texels a row
    step = tensors["encoding.parts.0.texels.2.scale"]
    first, second = stored[0, 0, 0] & 15, stored[0, 0, 0] >> 4
    shown = [(int(level) - 8 + 0.5) * step[0] for level in (first, second)]
    texels = unpacked(recipe, tensors).encoding.parts[0].texels[2]
    np.testing.assert_allclose(texels[0, 0, :2].detach(), shown, rtol=1e-6)


def test_missing_tensor_refused(same_message):
    recipe = wide(ImageRecipe(encoding=ENCODINGS["dense"]))
    tensors = pack_field(random_field(recipe))
    del tensors["network.layers.1.bias"]
    with pytest.raises(AssetError) as caught:
        unpacked(recipe, tensors)
    same_message(str(caught.value), "a.nsh", "Fit")


def test_wrong_shape_refused():
    recipe = wide(ImageRecipe(encoding=ENCODINGS["dense"], grid_bits=8))
    tensors = pack_field(random_field(recipe))
    name = "encoding.parts.0.texels.2"
    tensors[name] = np.ascontiguousarray(tensors[name].transpose(0, 2, 1))
    with pytest.raises(AssetError) as caught:
        unpacked(recipe, tensors)
    assert str(caught.value) == (
        f"a.nsh: got shape [2, 7, 5] for {name}, need [2, 5, 7] as its recipe says. Fit it again."
    )


@pytest.mark.parametrize("steps", [np.ones(3, np.float32), None])
def test_wrong_steps_refused(steps):
    """Without its steps an int8 tensor would be read as whole numbers up to 127."""
    recipe = wide(ImageRecipe(encoding=ENCODINGS["dense"]))
    tensors = pack_field(random_field(recipe))
    name = "encoding.parts.0.texels.2.scale"
    tensors.pop(name)
    got = "no such tensor"
    if steps is not None:
        tensors[name], got = steps, "shape [3]"
    with pytest.raises(AssetError) as caught:
        unpacked(recipe, tensors)
    assert str(caught.value) == (
        f"a.nsh: got {got} for {name}, need [2] as its recipe says. Fit it again."
    )
