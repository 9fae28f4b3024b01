"""source/normal_map: 8 and 16 bits, floats, lost blue, holes, and what is no normal map."""

from pathlib import Path

import numpy as np
import pytest

from neuralshade.errors import PictureError
from neuralshade.source.normal_map import decode_normals
from neuralshade.source.picture import picture_from_array

PATH = Path("n.png")


def decode(values):
    space = "linear" if values.dtype.kind == "f" else "srgb"
    picture = picture_from_array(values, space)
    return decode_normals(PATH, picture, picture.as_float())


@pytest.mark.parametrize("dtype, error", [(np.uint8, 0.008), (np.uint16, 3e-5)])
def test_integers(rng, textures, dtype, error):
    """Half a step of rounding in three channels at most: error is sqrt(3) steps of 2 / peak / 2."""
    wanted = textures.height_field(rng, 20, 30, 1.0)
    normal, notes = decode(textures.stored(wanted, dtype))
    assert normal.dtype == np.float32 and notes == []
    assert np.linalg.norm(normal - wanted, axis=-1).max() < error
    np.testing.assert_allclose(np.linalg.norm(normal, axis=-1), 1, atol=1e-6)


def test_green_flipped_in_the_file_is_exactly_the_opposite(rng, textures):
    values = textures.stored(textures.height_field(rng, 20, 30))
    up, down = decode(values)[0], decode(textures.flipped(values))[0]
    np.testing.assert_allclose(down, up * [1, -1, 1], atol=1e-6)


def test_flat_is_within_half_a_step():
    normal, notes = decode(np.full((4, 4, 3), (128, 128, 255), np.uint8))
    np.testing.assert_allclose(normal, np.broadcast_to([0, 0, 1], (4, 4, 3)), atol=1 / 255)
    assert notes == []


def test_floats_from_zero_to_one(rng, textures):
    wanted = textures.height_field(rng, 8, 9)
    normal, notes = decode(((wanted + 1) / 2).astype(np.float32))
    np.testing.assert_allclose(normal, wanted, atol=1e-6)
    assert notes == []


def test_floats_that_are_directions(rng, textures):
    wanted = textures.height_field(rng, 8, 9)
    normal, notes = decode(wanted.astype(np.float32))
    np.testing.assert_allclose(normal, wanted, atol=1e-6)
    assert notes == ["normal: values below 0, so taken as directions in [-1, 1] already."]


@pytest.mark.parametrize("blue", [0, 128, 255])
def test_constant_blue_is_rebuilt(rng, textures, blue):
    wanted = textures.height_field(rng, 20, 30, 1.0)
    values = textures.stored(wanted, np.uint16)
    values[..., 2] = blue * 257
    normal, notes = decode(values)
    np.testing.assert_allclose(normal, wanted, atol=1e-3)  # z is steep where it is small
    assert notes == ["normal: blue is constant, so z is rebuilt from red and green."]


def test_constant_blue_beyond_the_circle_lies_at_the_horizon():
    values = np.full((2, 2, 3), (128, 128, 0), np.uint8)
    values[0, 0] = (255, 255, 0)
    normal, notes = decode(values)
    np.testing.assert_allclose(normal[0, 0], [0.5**0.5, 0.5**0.5, 0.001], atol=1e-5)
    assert notes[-1] == "normal: 1 texel is at or below the horizon, raised to it."


def test_lengths_far_from_one_are_told(rng, textures):
    wanted = textures.height_field(rng, 10, 10)
    shorter = wanted.copy()
    shorter[:3] *= 0.6
    normal, notes = decode(textures.stored(shorter, np.uint16))
    np.testing.assert_allclose(normal, wanted, atol=1e-4)
    assert notes == [
        "normal: 30% of the texels were more than 0.1 longer or shorter than 1; all are made unit."
    ]


@pytest.mark.parametrize("hole", [(0, 0, 0), (1, 0, 1), (127, 128, 127)])
def test_holes_are_made_flat(rng, textures, hole):
    values = textures.stored(textures.height_field(rng, 10, 10))
    values[2, 3:5] = hole
    normal, notes = decode(values)
    assert normal[2, 3:5].tolist() == [[0, 0, 1]] * 2
    assert notes == ["normal: 2 texels are black or without direction, made flat."]


def test_below_the_horizon(rng, textures):
    values = textures.stored(textures.height_field(rng, 10, 10))
    values[0, 0], values[0, 1] = (255, 128, 100), (128, 128, 0)  # sideways; straight down
    normal, notes = decode(values)
    assert normal[0, 0, 0] > 0.99 and 0 < normal[0, 0, 2] < 0.002
    assert normal[0, 1].tolist() == [0, 0, 1]
    assert notes == ["normal: 2 texels are at or below the horizon, raised to it."]
    np.testing.assert_allclose(np.linalg.norm(normal, axis=-1), 1, atol=1e-6)


def refusal(values):
    with pytest.raises(PictureError) as caught:
        decode(values)
    return str(caught.value)


def test_grey_refused(same_message):
    same_message(refusal(np.full((4, 4, 1), 128, np.uint8)), "n.png", "normals")


@pytest.mark.parametrize("level", [0, 127, 128])
def test_nothing_there_refused(level, same_message):
    values = np.full((4, 4, 3), level, np.uint8)
    values[0, 0, 2] += 1  # constant blue would say nothing of z, and be rebuilt
    same_message(refusal(values), "n.png", "Export")


def test_object_space_refused(rng, same_message):
    values = rng.integers(0, 256, (10, 10, 3), dtype=np.uint8)
    values[..., 2] = np.linspace(0, 200, 100).reshape(10, 10)
    same_message(refusal(values), "n.png", "Bake")
