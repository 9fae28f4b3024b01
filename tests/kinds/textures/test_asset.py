"""kinds/textures/asset: codes without gaps, and headers whose parts belong together."""

import copy

import numpy as np
import pytest
import torch
from fixtures.texture_sets import DATA, stored_set
from hypothesis import given, settings
from hypothesis import strategies as st

import neuralshade
from neuralshade.asset.asset import asset_file, read_asset
from neuralshade.asset.file import write_asset_file
from neuralshade.errors import AssetError, ConfigError
from neuralshade.kinds.textures.asset import (
    pack_bits,
    pack_field,
    round_decoder,
    stored_field,
    unpack_bits,
)
from neuralshade.kinds.textures.byte_budget import decoder_bytes
from neuralshade.kinds.textures.channels import codings_of
from neuralshade.kinds.textures.engine import latent_grids
from neuralshade.kinds.textures.field import build_field
from neuralshade.kinds.textures.layout import shapes_for
from neuralshade.kinds.textures.recipe import TexturesRecipe
from neuralshade.kinds.textures.schema import (
    decoder_count,
    field_forms,
    latent_counts,
    packed_size,
)
from neuralshade.model.latent_position import LatentPosition

STORED = DATA / "textures.nsh"


@settings(max_examples=80, deadline=None, derandomize=True)
@given(st.integers(1, 8).flatmap(lambda bits: st.tuples(
    st.just(bits), st.lists(st.integers(0, 2**bits - 1), max_size=60))))  # fmt: skip
def test_codes_come_back_and_lie_without_gaps(drawn):
    bits, codes = drawn
    packed = pack_bits(np.array(codes, np.uint8), bits)
    assert packed.dtype == np.uint8 and len(packed) == packed_size(len(codes), bits)
    assert unpack_bits(packed, bits, len(codes)).tolist() == codes
    number = sum(code << (bits * place) for place, code in enumerate(codes))  # lowest bit first
    assert int.from_bytes(packed.tobytes(), "little") == number


@settings(max_examples=10, deadline=None, derandomize=True)
@given(st.integers(1, 30), st.integers(1, 30), st.integers(1, 16),
       st.sampled_from([0.3, 1.11, 5.0, 18.0]),
       st.sampled_from(["repeat", "clamp"]), st.integers(1, 4),
       st.sampled_from([8, 16]))  # fmt: skip
def test_a_field_comes_back(width, height, channels, bpp, wrap, layers, network_bits):
    recipe = TexturesRecipe(bpp=bpp, wrap=wrap, hidden_layers=layers, hidden_width=16,
                            network_bits=network_bits)  # fmt: skip
    field = build_field(recipe, (width, height), channels, torch.Generator().manual_seed(0))
    tensors = pack_field(field)
    forms = field_forms(recipe, (width, height), channels)
    assert {name: (str(t.dtype), t.shape) for name, t in tensors.items()} == dict(forms)
    again = stored_field(recipe, (width, height), channels, tensors)
    for one, two in zip(latent_grids(field), latent_grids(again), strict=True):
        assert np.array_equal(one.codes(), two.codes())
    size = sum(t.nbytes for name, t in tensors.items() if name.startswith("decoder."))
    inputs = sum(shape.features for shape in shapes_for(recipe)) + LatentPosition.width
    assert size == decoder_bytes(inputs, channels, recipe, network_bits)
    round_decoder(field)
    for one, two in zip(field.network.parameters(), again.network.parameters(), strict=True):
        torch.testing.assert_close(one, two, rtol=1e-6, atol=0)  # steps are found once more


@pytest.mark.parametrize("latents", ["plain", "bc1"])
@pytest.mark.parametrize("size", [(1, 1), (37, 5), (64, 64)])
@pytest.mark.parametrize("bpp", [0.3, 2.5, 18.0])
def test_forms_and_counts_are_those_of_the_field(latents, size, bpp, rng):
    """They are found without it."""
    recipe = TexturesRecipe(bpp=bpp, latents=latents, hidden_width=16)
    field = build_field(recipe, size, 3, rng)
    found = {name: (str(t.dtype), t.shape) for name, t in pack_field(field).items()}
    assert list(field_forms(recipe, size, 3).items()) == list(found.items())
    assert decoder_count(recipe, 3) == sum(p.numel() for p in field.network.parameters())
    if latents == "plain":
        counts = [grid.texels.numel() for grid in latent_grids(field)]
        assert latent_counts(recipe, size) == counts


@pytest.mark.parametrize("latents", ["plain", "bc1"])
def test_forms_are_found_without_loading_a_compiler(latents, monkeypatch):
    """PyTorch loads one, a second's work, to draw normal numbers of which there are none."""

    def refused(*given, **named):
        raise AssertionError("drawn")

    monkeypatch.setattr(torch._refs, "normal", refused)
    recipe = TexturesRecipe(bpp=5.0, latents=latents, hidden_width=16)
    assert field_forms(recipe, (16, 16), 3)["latents.0"][0] == "uint8"


@pytest.fixture
def changed(tmp_path):
    """Give a function that writes the stored asset with its header changed, and its path."""

    def changed(change):
        asset = read_asset(STORED)
        file = asset_file("textures", copy.deepcopy(asset.header), asset.tensors)
        change(file.header["textures"])
        write_asset_file(tmp_path / "x.nsh", file)
        return tmp_path / "x.nsh"

    return changed


def in_map(index, **facts):
    return lambda header: header["maps"][index].update(facts)


@pytest.mark.parametrize("change, name", [
    (in_map(1, first=2), "normal"), (in_map(0, channels=1), "normal"),
    (in_map(2, high=0.0), "roughness"), (in_map(1, channels=2), "normal"),
    (in_map(3, constant=[0.5, 0.5]), "metallic"), (in_map(2, constant=[0.1, 0.2]), "roughness"),
])  # fmt: skip
def test_maps_that_do_not_belong_together_are_refused(refusal, changed, change, name):
    path = changed(change)
    assert refusal(AssetError, neuralshade.load, path) == (
        f"{path}: got a map '{name}' that does not belong to the others, need a whole header. "
        "Fit it again."
    )


@pytest.mark.parametrize("change", [
    in_map(1, name="albedo"), lambda header: header.update(mips=3),
    lambda header: header.update(maps=header["maps"][3:4]),
    lambda header: header.update(width=header["width"] * 3),
])  # fmt: skip
def test_headers_that_cannot_be_are_refused(refusal, changed, change):
    path = changed(change)
    message = refusal(AssetError, neuralshade.load, path)
    assert message.startswith(f"{path}: got ") and message.endswith("Fit it again.")


def test_what_another_version_knows_is_passed_over(changed):
    path = changed(in_map(0, swizzle="rgb"))
    assert neuralshade.load(path).codings == neuralshade.load(STORED).codings


def test_maps_are_decoded_by_name_and_level():
    opened, textures = neuralshade.load(STORED), stored_set()
    assert opened.codings == codings_of(textures)
    for one in textures.maps:
        for level, (width, height) in enumerate(opened.sizes):
            decoded = opened.map(one.name, level)
            assert decoded.shape == (height, width, one.values.shape[2])
            assert decoded.dtype == np.float32 and np.isfinite(decoded).all()
    assert np.array_equal(opened.map("metallic"), textures["metallic"].values)  # constant
    normals = opened.map("normal")
    assert normals[..., 2].min() >= 0
    inside = np.linalg.norm(normals[..., :2], axis=2) <= 1
    np.testing.assert_allclose(np.linalg.norm(normals, axis=2)[inside], 1, atol=1e-5)


@pytest.mark.parametrize("given_, message", [
    ({"map": "albdo"}, "map: got 'albdo', need one of ['albedo', 'normal', 'roughness', "
     "'metallic']. Did you mean albedo?"),
    ({"level": 4}, "level: got 4, need 0 to 3. 0 is the finest."),
    ({"level": "-1"}, "level: got '-1', need 0 to 3. 0 is the finest."),
    ({"level": True}, "level: got True, need 0 to 3. 0 is the finest."),
    ({"colour": 1}, f"set: got 'colour' for {STORED}, need map or level."),
])  # fmt: skip
def test_what_is_drawn_is_refused_where_it_is_not_there(refusal, given_, message):
    assert refusal(ConfigError, neuralshade.render, STORED, size=(2, 2), values=given_) == message


@pytest.mark.parametrize("name", ["albedo", "normal", "roughness"])
def test_a_texel_under_each_pixel_is_drawn(name):
    opened = neuralshade.load(STORED)
    (coding,) = (one for one in opened.codings if one.name == name)
    drawn = neuralshade.render(STORED, size=(6, 4), values={"map": name, "level": "1"})
    decoded = opened.map(name, 1)
    shown = decoded * 0.5 + 0.5 if name == "normal" else decoded
    np.testing.assert_allclose(drawn, shown, atol=1e-5)
    twice = neuralshade.render(STORED, size=(12, 8), values={"map": name, "level": 1})
    np.testing.assert_allclose(twice, np.repeat(np.repeat(shown, 2, 0), 2, 1), atol=1e-5)
    assert coding.channels == drawn.shape[2]
