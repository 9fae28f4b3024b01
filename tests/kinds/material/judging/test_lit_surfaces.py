"""kinds/material/judging/lit_surfaces: a sky that is drawn from is the sky of many lights."""

import math

import numpy as np
import pytest
from fixtures.small_material import paint

from neuralshade.kinds.material.judging.lit_surfaces import WEAK, key, plane, sky, sphere

MANY = 3000


def by_cosine(uv, wo, u):
    """Return directions of a cosine's density."""
    radius, angle = np.sqrt(u[:, 0]), 2 * math.pi * u[:, 1]
    height = np.sqrt(1 - u[:, 0])
    wi = np.stack([radius * np.cos(angle), radius * np.sin(angle), height], 1)
    return wi.astype(np.float32), (height / math.pi).astype(np.float32)


def shade(uv, wi, wo, footprint):
    return paint(uv, wi, wo).astype(np.float32)


@pytest.mark.parametrize("surface", [sphere(40, 40), plane(24, 24)], ids=["sphere", "plane"])
def test_a_drawn_sky_is_on_average_that_of_many_lights(surface):
    """Of each half of what is seen: it is brighter above, also where a sphere's frames turn."""
    weak = [(towards, WEAK * radiance) for towards, radiance in sky(MANY)]
    wanted, found = (
        surface.lit_over(shade, [key(), *weak]),
        surface.lit_by_default(shade, by_cosine),
    )
    half = len(wanted) // 2
    for part in (slice(0, half), slice(half, None)):
        np.testing.assert_allclose(found[part].mean((0, 1)), wanted[part].mean((0, 1)), rtol=0.02)
    assert not found[~surface.inside].any()
    np.testing.assert_array_equal(found, surface.lit_by_default(shade, by_cosine))


def test_a_mirror_of_the_sky_has_no_dots():
    """Where each pixel's directions are of the lobe that it mirrors the sky by."""
    width = 0.02

    def lobe(uv, wi, wo, footprint=None):
        around = np.exp(-((wi - wo * [-1, -1, 1]) ** 2).sum(1, keepdims=True) / width)
        return np.repeat(around / (math.pi * width), 3, 1).astype(np.float32)

    def draw(uv, wo, u):
        radius, angle = np.sqrt(-width * np.log1p(-u[:, 0])), 2 * math.pi * u[:, 1]
        wi = wo * np.float32([-1, -1, 1])
        wi[:, :2] += np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1)
        flat = (wi[:, :2] ** 2).sum(1)
        wi[:, 2] = np.sqrt(np.clip(1 - flat, 0, 1))
        return wi, np.maximum(lobe(uv, wi, wo)[:, 0], 1e-6)

    seen = sphere(64, 64)
    middle = np.zeros((64, 64), bool)
    middle[24:40, 24:40] = True  # whose eyes look about straight down
    wanted, dots = (WEAK * seen.lit(lobe, sky(count))[middle] for count in (MANY, 48))
    found = (seen.lit_by_default(lobe, draw) - seen.lit(lobe, [key()]))[middle]
    assert np.abs(found - wanted).mean() < 0.03 * wanted.mean()
    assert np.abs(dots - wanted).mean() > 0.5 * wanted.mean()


def test_where_tiles_meet_is_at_a_spheres_sides():
    """A material that does not tile had its border in the middle of all that is shown of it."""
    seen = sphere(64, 64)
    u = np.full((64, 64), np.nan)
    u[seen.inside] = seen.uv[:, 0]
    front = u[:, 8:-8]
    steps = np.abs(np.diff(front, axis=1))
    assert np.nanmax(steps) < 0.2 and np.nanmax(front) - np.nanmin(front) > 0.5
