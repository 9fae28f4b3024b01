"""source/material_map: what a map must be, and the form of it at another size."""

import numpy as np
import pytest

from neuralshade.errors import ConfigError, PictureError, ShapeError
from neuralshade.source.color import linear_to_srgb, srgb_to_linear
from neuralshade.source.material_map import MaterialMap, resized_map


def refusal(kind, *values):
    with pytest.raises(kind) as caught:
        MaterialMap(*values)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("values, meaning, got", [
    (np.zeros((2, 3), np.float32), "data", "float32 [2, 3], need float32 [H, W, C] with H, W >= "
                                           "1 and C 1 to 3"),
    (np.zeros((2, 0, 1), np.float32), "data", "float32 [2, 0, 1], need float32 [H, W, C] with H, "
                                              "W >= 1 and C 1 to 3"),
    (np.zeros((2, 3, 4), np.float32), "srgb", "float32 [2, 3, 4], need float32 [H, W, C] with H, "
                                              "W >= 1 and C 1 to 3"),
    (np.zeros((2, 3, 1), np.uint8), "srgb", "uint8 [2, 3, 1], need float32 [H, W, C] with H, W "
                                            ">= 1 and C 1 to 3"),
    (np.zeros((2, 3, 2), np.float32), "normal", "float32 [2, 3, 2], need float32 [H, W, C] with "
                                                "H, W >= 1 and C 3"),
])  # fmt: skip
def test_other_shapes_refused(values, meaning, got):
    assert refusal(ShapeError, "wet", values, meaning) == (
        f"wet: got {got}. Pass grey as [H, W, 1]."
    )


def test_other_meanings_and_values_refused(same_message):
    values = np.zeros((2, 3, 1), np.float32)
    same_message(refusal(ConfigError, "wet", values, "color"), "wet", "Say")
    assert "bits 12," in refusal(ConfigError, "wet", values, "data", 12)
    values[1, 2] = np.nan
    same_message(refusal(PictureError, "wet", values, "data"), "wet", "Replace")


@pytest.mark.parametrize("meaning", ["srgb", "linear", "data"])
@pytest.mark.parametrize("channels", [1, 2, 3])
def test_equal_values_stay_so_at_any_size(meaning, channels):
    one = MaterialMap("wet", np.full((2, 3, channels), 0.3, np.float32), meaning, 8)
    other = resized_map(one, 5, 7)
    assert (other.meaning, other.bits, other.name) == (meaning, 8, "wet")
    assert other.values.shape == (5, 7, channels) and other.values.dtype == np.float32
    np.testing.assert_allclose(other.values, 0.3, atol=1e-7)
    assert resized_map(one, 2, 3) is one


def test_colors_between_two_lie_between_them_in_light(rng):
    values = rng.random((1, 2, 3), dtype=np.float32)
    middle = resized_map(MaterialMap("a", values, "srgb"), 2, 4).values[0, 1]
    wanted = linear_to_srgb(srgb_to_linear(values[0]).T @ np.float32([0.75, 0.25]))
    np.testing.assert_allclose(middle, wanted, atol=1e-6)


def test_normals_stay_unit(rng, textures):
    values = textures.height_field(rng, 4, 6).astype(np.float32)
    normal = resized_map(MaterialMap("normal", values, "normal"), 9, 13).values
    np.testing.assert_allclose(np.linalg.norm(normal, axis=-1), 1, atol=1e-6)
