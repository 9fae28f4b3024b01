"""measure/plane/sphere_view: a sphere at any size, under a light from anywhere."""

import numpy as np
import pytest

from neuralshade.measure.plane import sphere_view
from neuralshade.measure.plane.lit_sphere import BACKGROUND, LIGHT, RADIUS, lit_sphere
from neuralshade.measure.plane.sphere_view import SphereView, to_light, usual_light
from neuralshade.source.color import linear_to_srgb

WHOLE = (0.0, 0.0, 1.0, 1.0)


def test_the_usual_light_is_that_of_the_still_sphere():
    np.testing.assert_allclose(to_light(*usual_light()), np.array(LIGHT) / np.linalg.norm(LIGHT))
    np.testing.assert_allclose(to_light(0, 90), [0, 0, 1], atol=1e-9)  # behind the eye
    np.testing.assert_allclose(to_light(90, -40), to_light(90, sphere_view.LOWEST_DEG))
    assert to_light(90, 10)[0] > 0.98 and to_light(0, 10)[1] > 0.98  # right, above


@pytest.mark.parametrize("size", [(64, 64), (96, 40), (40, 96)])
def test_a_part_is_cut_out_of_the_whole(size):
    whole = SphereView.of(size, WHOLE, *size).lit({}, (30.0, 40.0))
    part = SphereView.of(size, (0.25, 0.5, 0.75, 1.0), size[0] // 2, size[1] // 2)
    cut = whole[size[1] // 2 :, size[0] // 4 : 3 * size[0] // 4]
    np.testing.assert_allclose(part.lit({}, (30.0, 40.0)), cut, atol=1e-5)
    area = SphereView.of(size, WHOLE, *size).cover.sum()
    assert area == pytest.approx(np.pi * (RADIUS * min(size) / 2) ** 2, rel=2e-3)
    background = linear_to_srgb(np.float32([BACKGROUND]))[0]
    np.testing.assert_allclose(whole[0, 0], background, atol=1e-6)


def test_in_the_middle_a_pixel_is_a_texel_and_maps_go_around():
    sphere = SphereView.of((64, 32), WHOLE, 64, 32)
    index = np.full((32, 64), -1)
    index[sphere.cover > 0] = sphere.texels(64, 32)
    np.testing.assert_array_equal(index[16, 31:34], 16 * 64 + np.arange(31, 34))
    np.testing.assert_array_equal(index[15:18, 32], np.arange(15, 18) * 64 + 32)
    coarse = np.full((32, 64), -1)
    coarse[sphere.cover > 0] = sphere.texels(4, 2)  # a mip: the same places in larger texels
    assert coarse[16, 33] == 1 * 4 + 2 and coarse.max() < 8
    assert sphere.u.min() >= 0 and sphere.u.max() < 1 and sphere.v.min() >= 0


def test_it_is_lit_as_the_still_sphere_is():
    rough = np.full((512, 512, 1), 128, np.uint8)
    still = lit_sphere({"roughness": rough})
    sphere = SphereView.of((256, 256), WHOLE, 256, 256)
    level = {"roughness": np.full((len(sphere.up), 1), 128 / 255, np.float32)}
    error = np.abs(sphere.lit(level, usual_light()) - still)
    assert error[128].mean() < 2e-3 and np.median(error) < 2e-3  # four samples of a pixel, or one
