"""source/map_in_memory: maps that are in memory are taken as their files would be."""

import numpy as np
import pytest
import torch
from PIL import Image

import neuralshade
from neuralshade.errors import ConfigError, PictureError, ShapeError
from neuralshade.source.material_set import load_material_set
from neuralshade.source.texture_set import load_texture_set


@pytest.fixture
def maps(rng):
    """Return albedo, normal and roughness in 8 bits."""
    normal = np.full((12, 16, 3), 250, np.uint8)
    normal[..., :2] = rng.integers(100, 156, (12, 16, 2), dtype=np.uint8)
    return {
        "albedo": rng.integers(0, 256, (12, 16, 3), dtype=np.uint8),
        "normal": normal,
        "roughness": rng.integers(0, 256, (12, 16), dtype=np.uint8),
    }


def in_files(folder, maps):
    for name, texels in maps.items():
        Image.fromarray(texels).save(folder / f"{name}.png")
    return folder


MAKES = {
    "numpy": lambda texels: texels,
    "pil": Image.fromarray,
    "torch": torch.from_numpy,
    "picture": neuralshade.picture_from_array,
}


@pytest.mark.parametrize("make", MAKES.values(), ids=MAKES)
def test_they_are_what_their_files_are(tmp_path, maps, make):
    given = {name: make(texels) for name, texels in maps.items()}
    one, two = load_texture_set(given), load_texture_set(in_files(tmp_path, maps))
    for name in ("albedo", "normal", "roughness", "metallic"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    assert one.name == "maps" and one.paths == {} and one.notes == two.notes
    first, second = load_material_set(given), load_material_set(tmp_path)
    assert first.names == second.names == ("albedo", "normal", "roughness")
    for mine, theirs in zip(first.maps, second.maps, strict=True):
        np.testing.assert_array_equal(mine.values, theirs.values)
        assert (mine.meaning, mine.bits, mine.path) == (theirs.meaning, theirs.bits, None)


def test_floats_are_srgb_for_colors_and_numbers_for_all_else(maps):
    unit = {name: texels.astype(np.float32) / 255 for name, texels in maps.items()}
    signed = {**unit, "normal": unit["normal"] * 2 - 1}
    whole = load_texture_set(maps)
    for given in (unit, signed):
        found = load_texture_set(given)
        for name in ("albedo", "normal", "roughness"):
            np.testing.assert_allclose(getattr(found, name), getattr(whole, name), atol=1e-5)
    linear = neuralshade.picture_from_array(whole.albedo, "linear")
    found = load_texture_set({**unit, "albedo": linear})
    np.testing.assert_allclose(found.albedo, whole.albedo, atol=1e-6)
    assert load_material_set({"albedo": linear})["albedo"].meaning == "linear"
    assert load_material_set(unit)["albedo"].meaning == "srgb"


def test_a_packed_map_and_one_of_a_folder(tmp_path, maps):
    packed = np.stack([maps["roughness"], maps["roughness"] // 2, maps["roughness"] // 3], axis=2)
    only = {"albedo": maps["albedo"]}
    found = load_texture_set(in_files(tmp_path, only), arm=packed)
    np.testing.assert_allclose(found.roughness, packed[..., 1] / 255, atol=1e-6)
    np.testing.assert_allclose(found.metallic, packed[..., 2] / 255, atol=1e-6)
    assert set(found.paths) == {"albedo"} and found.name == tmp_path.name


def test_a_set_has_a_name_and_keys_are_those_of_a_manifest(maps):
    given = {"name": "moss", "baseColor": maps["albedo"], "rough": maps["roughness"],
             "nor_dx": maps["normal"], "wet": maps["roughness"]}  # fmt: skip
    found = load_material_set(given)
    assert found.name == "moss" and found.names == ("albedo", "normal", "roughness", "wet")
    up, down = load_material_set({"normal": maps["normal"]}, normal_convention="opengl"), found
    np.testing.assert_array_equal(up["normal"].values * [1, -1, 1], down["normal"].values)


@pytest.mark.parametrize("given, error, message", [
    ({"albedo": np.zeros((4, 4, 3)), "roughness": np.zeros((4, 4), np.uint8)}, ShapeError,
     "texture set: albedo: got dtype float64, need one of uint8, uint16, float16, float32. "
     "Pass values.astype(numpy.float32)."),
    ({"albedo": np.full((4, 4, 3), 2, np.float32)}, PictureError,
     "texture set: albedo: got sRGB values from 2 to 2, need [0, 1]. Clip them, or pass "
     'color_space="linear".'),
    ({"albedo": torch.zeros(3, 9, 9)}, PictureError,
     "texture set: albedo: got a tensor of shape [3, 9, 9], need [H, W, C]. Pass "
     "tensor.permute(1, 2, 0) where channels come first."),
    ({"albedo": 3}, ConfigError,
     "texture set: albedo.path: got 3, need the name of a file. Give a string."),
    ({"albedo": np.zeros((4, 4, 3), np.uint8), "normal": np.zeros((4, 4), np.uint8)}, PictureError,
     "normal: got a grey picture, need a normal map in color. If it is a height map, make normals "
     "of it first."),
])  # fmt: skip
def test_what_cannot_be_is_refused_in_a_line(given, error, message):
    with pytest.raises(error) as caught:
        load_material_set(given)
    assert str(caught.value) == message


def test_an_empty_dict_is_no_set():
    for load in (load_texture_set, load_material_set):
        with pytest.raises(ConfigError):
            load({})
