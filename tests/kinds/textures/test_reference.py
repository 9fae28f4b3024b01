"""kinds/textures/reference: the maps that an asset was fitted to, and no others."""

import dataclasses

import numpy as np
import pytest
from fixtures.small_textures import small_set
from PIL import Image

import neuralshade.kinds.textures.fit as fitting
from neuralshade.errors import AssetError
from neuralshade.fitting.options import FitOptions
from neuralshade.kinds import open_asset
from neuralshade.kinds.textures.reference import (
    OTHERS,
    byte_maps,
    decoded_maps,
    reference_set,
    same_set,
)
from neuralshade.measure.map_psnr import map_psnr_db
from neuralshade.source.material_set import MaterialSet, load_material_set


def test_what_was_fitted_is_taken_as_it_is(moss):
    found = reference_set(moss.opened, moss.textures)
    assert found.names == moss.textures.names and found.notes == moss.textures.notes
    assert same_set(moss.opened, moss.textures).names == found.names


def test_other_numbers_of_the_same_form_are_noted(moss):
    other = small_set(seed=1)
    assert reference_set(moss.opened, other).notes[-1] == OTHERS
    assert same_set(moss.opened, other) is None


def test_what_else_a_set_has_is_left_out(moss):
    more = dataclasses.replace(moss.textures["roughness"], name="ao")
    wide = MaterialSet("moss", (more, *moss.textures.maps))
    assert same_set(moss.opened, wide).names == moss.textures.names


def test_others_are_refused(moss):
    place, maps = moss.opened.path, moss.textures.maps
    with pytest.raises(AssetError) as found:
        reference_set(moss.opened, MaterialSet("fern", maps[:2]))
    assert str(found.value) == (
        f"{place}: got no roughness map from fern, which has albedo, normal, need albedo, normal, "
        "roughness, metallic, flow, emissive. Give the maps that it was fitted to."
    )
    with pytest.raises(AssetError) as found:
        reference_set(moss.opened, small_set(16, 16))
    assert str(found.value) == (
        f"{place}: got maps of 16 x 16 from moss, need 24 x 16. Give the maps that it was fitted "
        "to."
    )
    color = dataclasses.replace(moss.textures["albedo"], name="roughness")
    with pytest.raises(AssetError) as found:
        reference_set(moss.opened, MaterialSet("fern", (*maps[:2], color, *maps[3:])))
    assert str(found.value) == (
        f"{place}: got roughness as srgb with 3 channels from fern, need data with 1. Give the "
        "maps that it was fitted to."
    )
    assert same_set(moss.opened, "no such folder") is None


def test_a_convention_that_the_fit_was_given_is_found_again(tmp_path):
    textures = small_set()
    folder = tmp_path / "fern"
    folder.mkdir()
    for name in ("albedo", "normal"):
        values = textures[name].values
        shown = values if name == "albedo" else values / 2 + 0.5
        Image.fromarray(np.rint(shown * 255).astype(np.uint8)).save(folder / f"{name}.png")
    usual = load_material_set(folder)
    for convention in ("opengl", "directx"):
        path = tmp_path / f"{convention}.nsh"
        fitting.fit_textures(folder, path, normal_convention=convention, steps=2, batch=64,
                             options=FitOptions(engine="torch"))  # fmt: skip
        opened = open_asset(path)
        wanted = load_material_set(folder, normal_convention=convention)["normal"].values
        np.testing.assert_array_equal(reference_set(opened, folder)["normal"].values, wanted)
        same = np.array_equal(usual["normal"].values, wanted)
        assert (same_set(opened, usual) is not None) == same


def test_both_sides_are_compared_as_the_fit_compares_them(moss):
    given, decoded = byte_maps(moss.opened, moss.textures), decoded_maps(moss.opened)
    assert list(given.levels) == ["albedo", "normal", "roughness", "flow", "emissive"]
    assert given.normals == {"normal"} and given.colors == {"albedo"} and given.wrap
    for name, stored in moss.opened.header.quality["maps"].items():
        found = [map_psnr_db(*pair) for pair in zip(given.levels[name], decoded[name], strict=True)]
        # a fit keeps its texels in 16 bits: few of them round to another of 256
        np.testing.assert_allclose(found, stored, atol=0.15)
