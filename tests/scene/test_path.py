"""scene/path: light that is known in closed form, or by a sum over all directions."""

import pathlib

import numpy as np
import pytest
from fixtures.scenes import DARK, GREY, constant

import neuralshade
from neuralshade.kinds.material.traced import traced_material
from neuralshade.scene.bound_scene import SceneContents
from neuralshade.scene.entries import Camera, LightEntry
from neuralshade.scene.environment import environment_of
from neuralshade.scene.plain_surface import plain_scattering
from neuralshade.scene.shapes import box, quad, sphere

DATA = pathlib.Path(__file__).parents[1] / "data"
WHITE = plain_scattering((1, 1, 1), (0, 0, 0), 0.5)
GOLD = plain_scattering((0, 0, 0), (1.0, 0.7, 0.3), 0.6)
SLANTED = (2.0, 2.0, 1.0)


def upper(count=256):
    """Return directions over y = 0 and their solid angles."""
    up = (np.arange(count) + 0.5) / count
    turn = (np.arange(2 * count) + 0.5) / (2 * count) * 2 * np.pi
    y, t = (part.reshape(-1) for part in np.meshgrid(up, turn))
    around = np.sqrt(1 - y * y)
    return np.stack([around * np.cos(t), y, around * np.sin(t)], 1), np.pi / count**2


def gold(wi, wo):
    """Return f * cos of GOLD on a square that looks up, by Heitz 2014 and Schlick 1994."""
    half = wi + wo
    half /= np.linalg.norm(half, axis=1, keepdims=True)
    square = 0.6**4
    density = square / (np.pi * (1 + (square - 1) * half[:, 1] ** 2) ** 2)

    def masking(cosine):
        return 2 * cosine / (cosine + np.sqrt(square + (1 - square) * cosine**2))

    f0, over = np.array([1.0, 0.7, 0.3]), (1 - (wi * half).sum(1)[:, None]) ** 5
    shadow = masking(wi[:, 1]) * masking(wo[1])
    return (f0 + (1 - f0) * over) * (density * shadow / (4 * wo[1]))[:, None]


def near(found, wanted):
    """Whether a mean is what it should be, within four standard errors and a thousandth."""
    mean, error = found
    return (np.abs(mean - wanted) < 4 * error + 1e-3 * np.abs(wanted) + 1e-6).all()


def test_a_white_sphere_vanishes_in_a_furnace(seen):
    contents = SceneContents([(sphere(), 0, 1.0)], [WHITE], constant(0.7))
    found = seen(contents, Camera((0, 0, 4), (0, 0, 0)), samples=32, bounces=3)
    assert abs(found.mean() - 0.7) < 0.01


def test_no_light_leaks_into_a_closed_box(seen):
    contents = SceneContents([(box(), 0, 1.0)], [WHITE], constant(1.0))
    found = seen(contents, Camera((0.1, 0.2, 0.3), (1, 1, 1), 150), samples=32, bounces=4)
    assert (found == 0).all()


@pytest.mark.parametrize(
    "light, wanted",
    [
        (LightEntry("directional", (2, 1, 0.5), direction=(3, 4, 0)), 0.8),
        (LightEntry("point", (2, 1, 0.5), position=(0, 2, 2)), np.sqrt(0.5) / 8),
    ],
)
def test_single_lights_in_closed_form(at_center, light, wanted):
    found = at_center(quad(), lights=(light,))
    assert near(found, 0.5 / np.pi * wanted * np.array([2, 1, 0.5]))


def rectangle(height=1.5, half=1.0):
    return LightEntry("rectangle", (3, 2, 1), position=(-half, height, -half),
                      across=(2 * half, 0, 0), up=(0, 0, 2 * half))  # fmt: skip


def test_a_rectangle_in_closed_form(at_center):
    """Four times the form factor of a corner (Howell, A Catalog of Radiation, C-11)."""
    x = 1.0 / 1.5
    root = np.sqrt(1 + x * x)
    factor = 4 * (x / root * np.arctan(x / root)) / np.pi
    found = at_center(quad(), lights=(rectangle(),), position=(4, 1, 0), samples=64)
    assert near(found, 0.5 * factor * np.array([3, 2, 1]))


def test_a_rough_mirror_under_a_rectangle_equals_a_sum(at_center):
    wi, solid = upper()
    at = wi * (1.5 / wi[:, 1:2])
    lit = (np.abs(at[:, 0]) < 1) & (np.abs(at[:, 2]) < 1)
    wo = np.array([4, 1, 0]) / 17**0.5
    wanted = (gold(wi[lit], wo) * solid).sum(0) * [3, 2, 1]
    found = at_center(quad(), GOLD, lights=(rectangle(),), position=(4, 1, 0), samples=64)
    assert near(found, wanted)


@pytest.mark.parametrize("material", ["diffuse", "mirror"])
def test_a_sky_picture_equals_a_sum(at_center, noise, material):
    """What one way of drawing misses or counts twice, two that are mixed would show here."""
    radiance = noise.random((8, 16, 3)).astype(np.float32)
    radiance[2, 5] = 60.0
    wi, solid = upper(512)
    row = np.arccos(wi[:, 1]) / np.pi * 8
    col = np.arctan2(wi[:, 2], wi[:, 0]) / (2 * np.pi) % 1 * 16
    light = radiance[row.astype(int), np.minimum(col.astype(int), 15)]
    wo = np.array(SLANTED) / 3
    f = 0.5 / np.pi * wi[:, 1:2] if material == "diffuse" else gold(wi, wo)
    found = at_center(quad(), GREY if material == "diffuse" else GOLD, environment_of(radiance),
                      position=SLANTED, samples=64)  # fmt: skip
    assert near(found, (f * light * solid).sum(0))


@pytest.mark.slow
def test_a_fitted_material_under_a_sky_picture_equals_a_sum(at_center, noise):
    """Of what it scatters from the middle of its tile, which its sampler weighs and the sky."""
    radiance = noise.random((8, 16, 3)).astype(np.float32)
    radiance[1, 5] = 40.0
    wi, solid = upper(256)
    row, col = np.arccos(wi[:, 1]) / np.pi * 8, np.arctan2(wi[:, 2], wi[:, 0]) / (2 * np.pi) % 1
    light = radiance[row.astype(int), np.minimum((16 * col).astype(int), 15)]
    paint = neuralshade.load(DATA / "material.nsh")
    local = np.stack([wi[:, 0], -wi[:, 2], wi[:, 1]], 1).astype(np.float32)
    wo = np.tile(np.float32([[SLANTED[0], -SLANTED[2], SLANTED[1]]]) / 3, (len(wi), 1))
    f = paint.eval(np.full((len(wi), 2), 0.5, np.float32), local, wo)
    found = at_center(quad(), traced_material(paint), environment_of(radiance), position=SLANTED,
                      samples=64)  # fmt: skip
    assert near(found, (f * light * solid).sum(0))


def test_what_stands_in_the_way_casts_a_shadow(seen):
    light = LightEntry("directional", (1, 1, 1), direction=(0, 1, 0))
    lid = quad().moved(2, (0, 0, 0), (0, 3, 0))
    contents = SceneContents([(quad(), 0, 1.0), (lid, 0, 1.0)], [GREY], DARK, (light,))
    assert (seen(contents, Camera((0, 2, 0.5), (0, 0, 0), 20)) == 0).all()
