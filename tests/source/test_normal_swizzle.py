"""source/normal_swizzle: normals whose x and y lie in alpha, green or grey come out right."""

import numpy as np
import pytest
from PIL import Image

from neuralshade.errors import PictureError
from neuralshade.source.material_set import load_material_set

ONE_STEP = 0.012  # radians: 8 bits of x and y, where a normal is no steeper than these


@pytest.fixture
def normal(rng, textures):
    """Give normals, green up, and the 8 bits of them."""
    wanted = textures.height_field(rng, 64, 48)
    return wanted, textures.stored(wanted)


def angle(found, wanted):
    return np.arccos(np.clip((found * wanted).sum(axis=-1), -1, 1)).max()


def loaded(tmp_path, *channels):
    pixels = np.dstack(channels)
    Image.fromarray(np.ascontiguousarray(pixels)).save(tmp_path / "rock_normal.png")
    return load_material_set(tmp_path / "rock_normal.png")


@pytest.mark.parametrize("layout, said", [
    ("1y1x", "alpha and y in green"), ("1yyx", "alpha and y in green"),
    ("0yzx", "alpha and y in green"), ("1y0x", "alpha and y in green"),
    ("yyyx", "alpha and y in green"), ("xxxy", "green and y in alpha"),
    ("xy", "grey and y in alpha"), ("yx", "alpha and y in grey"),
])  # fmt: skip
def test_x_and_y_are_found(tmp_path, normal, layout, said):
    wanted, bits = normal
    planes = {"x": bits[..., 0], "y": bits[..., 1], "z": bits[..., 2],
              "0": np.zeros_like(bits[..., 0]), "1": np.full_like(bits[..., 0], 255)}  # fmt: skip
    found = loaded(tmp_path, *(planes[one] for one in layout))
    assert angle(found["normal"].values, wanted) < ONE_STEP
    assert found.notes[0] == f"normal: x is in {said}, so z is rebuilt from both."
    assert found.names == ("normal",)  # no height


def test_what_block_compression_leaves_of_a_constant_is_one(tmp_path, normal, rng):
    wanted, bits = normal
    red = rng.integers(250, 256, bits.shape[:2], dtype=np.uint8)
    blue = rng.integers(0, 256, bits.shape[:2], dtype=np.uint8)
    found = loaded(tmp_path, red, bits[..., 1], blue, bits[..., 0])
    assert angle(found["normal"].values, wanted) < ONE_STEP


def test_a_flat_one_is_flat(tmp_path):
    whole, half = np.full((8, 8), 255, np.uint8), np.full((8, 8), 128, np.uint8)
    values = loaded(tmp_path, whole, half, whole, half)["normal"].values
    assert angle(values, np.float32([0, 0, 1])) < ONE_STEP


def test_directx_is_turned_here_too(tmp_path, normal):
    wanted, bits = normal
    one = np.full_like(bits[..., 0], 255)
    found = loaded(tmp_path, one, 255 - bits[..., 1], one, bits[..., 0])
    assert angle(found["normal"].values, wanted) < ONE_STEP


def test_blue_that_compression_has_left_near_0_is_rebuilt(tmp_path, normal, rng):
    wanted, bits = normal
    noise = rng.integers(0, 4, bits.shape[:2], dtype=np.uint8)
    found = loaded(tmp_path, bits[..., 0], bits[..., 1], noise)
    assert angle(found["normal"].values, wanted) < ONE_STEP


def test_what_could_be_no_normals_is_still_refused(tmp_path, rng):
    grey = rng.integers(0, 256, (16, 16), dtype=np.uint8)
    cut = np.where(grey > 99, 255, 0).astype(np.uint8)
    with pytest.raises(PictureError, match="got a grey picture, need a normal map in color"):
        loaded(tmp_path, grey, cut)


def test_an_alpha_beside_whole_normals_is_the_height(tmp_path, normal, rng):
    wanted, bits = normal
    height = rng.integers(20, 200, bits.shape[:2], dtype=np.uint8)
    found = loaded(tmp_path, *np.moveaxis(bits, 2, 0), height)
    assert angle(found["normal"].values, wanted) < ONE_STEP
    np.testing.assert_array_equal(found["displacement"].values[..., 0], height / np.float32(255))
    assert "displacement: taken from the alpha of rock_normal.png." in found.notes


@pytest.mark.parametrize("multiplied", [False, True])
@pytest.mark.parametrize("signed", [False, True])
def test_floats_are_divided_by_alpha_where_they_were_multiplied(
    tmp_path, normal, rng, textures, multiplied, signed
):
    wanted = normal[0]
    height = rng.uniform(0.1, 0.9, (*wanted.shape[:2], 1))
    color = wanted if signed else wanted / 2 + 0.5
    pixels = np.concatenate([color * height if multiplied else color, height], axis=2)
    textures.write(tmp_path / "x_normal.exr", pixels.astype(np.float32))
    found = load_material_set(tmp_path)
    assert angle(found["normal"].values, wanted) < ONE_STEP
    np.testing.assert_allclose(found["displacement"].values, height, atol=1e-6)


def test_a_cutout_beside_normals_is_no_height(tmp_path, normal):
    bits = normal[1]
    cut = np.where(bits[..., 0] > 128, 255, 0).astype(np.uint8)
    found = loaded(tmp_path, *np.moveaxis(bits, 2, 0), cut)
    assert found.names == ("normal",)
    assert "normal: the alpha of rock_normal.png is left out." in found.notes
