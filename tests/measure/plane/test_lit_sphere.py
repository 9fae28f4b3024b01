"""measure/plane/lit_sphere: a sphere that shows maps."""

import numpy as np
import pytest

from neuralshade.measure.plane import lit_sphere as module
from neuralshade.measure.plane.lit_sphere import SIDE_PX, lights, lit_sphere

MIDDLE = SIDE_PX // 2


def flat(value, channels=1):
    return np.full((32, 48, channels), value, np.uint8)


@pytest.fixture(scope="module")
def plain():
    return lit_sphere({"albedo": flat(188, 3)})  # 0.5 in linear light


def test_light_comes_from_above_left(plain):
    assert plain.shape == (SIDE_PX, SIDE_PX, 3) and plain.dtype == np.float32
    assert plain.min() >= 0 and plain.max() <= 1
    quarter = SIDE_PX // 4
    upper_left, lower_right = plain[quarter, quarter], plain[-quarter, -quarter]
    assert (upper_left > 2 * lower_right).all()
    np.testing.assert_array_equal(plain[0, 0], plain[-1, -1])  # the background


def test_missing_maps_are_what_their_neutral_values_are(plain):
    rough = round(module.ROUGH * 255)
    told = {"albedo": flat(188, 3), "roughness": flat(rough), "metallic": flat(0), "ao": flat(255)}
    np.testing.assert_allclose(lit_sphere(told), plain, atol=2e-3)
    up = flat(128, 3)
    up[..., 2] = 255
    np.testing.assert_allclose(lit_sphere(told | {"normal": up}), plain, atol=0.02)  # 128 / 255


@pytest.mark.parametrize("name, value", [("roughness", 40), ("metallic", 255), ("ao", 0)])
def test_each_map_shows(name, value):
    dark = {"albedo": flat(90, 3)}
    assert np.abs(lit_sphere(dark | {name: flat(value)}) - lit_sphere(dark)).max() > 0.05


def test_normals_turn_towards_the_light(plain):
    tilted = flat(128, 3)
    tilted[..., 0] = 255 * 0.2  # to the left
    tilted[..., 2] = 255 * 0.9
    lit = lit_sphere({"albedo": flat(188, 3), "normal": tilted})
    assert lit[MIDDLE, -60].mean() > plain[MIDDLE, -60].mean()  # on the dark side


def test_up_in_the_map_is_up_on_the_sphere():
    """Row 0 is the top; the middle of the maps is the middle of the sphere."""
    albedo = np.zeros((400, 400, 3), np.uint8)
    albedo[:200, 200:] = (0, 255, 0)
    lit = lit_sphere({"albedo": albedo})
    above, below = lit[MIDDLE - 12, MIDDLE + 12], lit[MIDDLE + 12, MIDDLE + 12]
    assert above[1] > above[0] + 0.2 and np.ptp(below) < 0.05
    assert np.ptp(lit[MIDDLE - 12, MIDDLE - 12]) < 0.05


def test_maps_that_a_surface_does_not_show():
    assert lights({"albedo": flat(0, 3)}) and lights({"normal": flat(0, 3)})
    assert not lights({"displacement": flat(0), "ao": flat(0)})
