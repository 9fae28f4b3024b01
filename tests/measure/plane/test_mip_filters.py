"""mip_filters: Toksvig and LEAN are what their papers say."""

import math

import numpy as np
import pytest

from neuralshade.measure.plane.mip_filters import (
    FILTERS,
    Maps,
    alpha_of,
    lean_chain,
    toksvig_chain,
    unit,
)


def maps_of(normal, roughness=0.5, albedo=0.25, metallic=0.75):
    """Return maps of one normal [H, W, 3] each; all else is the same everywhere."""
    normal = unit(np.float32(normal))
    ones = np.ones(normal.shape[:2], np.float32)
    return Maps(np.full((*ones.shape, 3), albedo, np.float32), normal, roughness * ones,
                metallic * ones)  # fmt: skip


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize("height, width", [(8, 8), (7, 5), (1, 6)])
def test_a_flat_map_stays_as_it_is(name, height, width):
    tilted = maps_of(np.broadcast_to([0.3, -0.2, 0.9], (height, width, 3)))
    chain = FILTERS[name](tilted, 2)
    assert [m.albedo.shape[:2] for m in chain] == [
        (max(1, height >> i), max(1, width >> i)) for i in (1, 2)
    ]
    for level in chain:
        for field, values in level.arrays().items():
            rest = getattr(tilted, field)[:1, :1]
            assert values.dtype == np.float32
            np.testing.assert_allclose(values, np.broadcast_to(rest, values.shape), atol=1e-5)


def ridge(slope, roughness):
    """Return two texels that lean against each other."""
    return maps_of([[[slope, 0, 1], [-slope, 0, 1]]], roughness)


def test_toksvig_by_hand():
    """alpha 0.25; normals of slope +-0.75 have length 1 and cosine 0.8 with their mean."""
    level = toksvig_chain(ridge(0.75, 0.5), 1)[0]
    power = 2 / 0.25**2 - 2
    shorter = 0.8 / (0.8 + power * 0.2)
    alpha = math.sqrt(2 / (shorter * power + 2))
    np.testing.assert_allclose(level.normal, [[[0, 0, 1]]], atol=1e-7)
    np.testing.assert_allclose(level.roughness, [[math.sqrt(alpha)]], rtol=1e-6)


def test_lean_by_hand():
    """Of slopes +-0.75 the variance is 0.5625 along x, and alpha^2 grows by as much."""
    level = lean_chain(ridge(0.75, 0.5), 1)[0]
    alpha = math.sqrt(0.25**2 + 0.75**2)
    np.testing.assert_allclose(level.normal, [[[0, 0, 1]]], atol=1e-7)
    np.testing.assert_allclose(level.roughness, [[math.sqrt(alpha)]], rtol=1e-6)


def test_lean_adds_up_over_levels():
    """Variance of all slopes below, not of means."""
    normal = np.random.default_rng(1).normal(0, 0.3, (4, 4, 3))
    normal[..., 2] += 1
    maps = maps_of(normal, 0.4)
    slope = (maps.normal[..., :2] / maps.normal[..., 2:]).reshape(-1, 2).astype(np.float64)
    alpha = math.sqrt(0.4**4 + slope.var(axis=0).sum())
    level = lean_chain(maps, 2)[1]
    np.testing.assert_allclose(level.roughness, [[math.sqrt(alpha)]], rtol=1e-5)
    up = np.append(slope.mean(axis=0), 1)
    np.testing.assert_allclose(level.normal[0, 0], up / np.linalg.norm(up), atol=1e-6)


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize("roughness", [0.0, 1.0])
def test_normals_that_cancel_leave_finite_levels(name, roughness):
    """Opposite normals, and the roughest and the smoothest surface."""
    normal = np.zeros((2, 2, 3))
    normal[..., 0] = [[1, -1], [-1, 1]]
    for level in FILTERS[name](maps_of(normal, roughness), 1):
        for values in level.arrays().values():
            assert np.isfinite(values).all()
        assert level.roughness.min() >= 0 and level.roughness.max() <= 1
        np.testing.assert_allclose(level.normal, [[[0, 0, 1]]], atol=1e-6)


def random_maps(height, width, seed=0):
    """Return maps of random texels, half of them of opacity 0."""
    rng = np.random.default_rng(seed)
    normal = unit(np.float32(rng.normal([0, 0, 1], 0.4, (height, width, 3))))
    albedo, (rough, metal) = rng.random((height, width, 3)), rng.random((2, height, width))
    opacity = np.where(rng.random((height, width)) < 0.5, 0, rng.random((height, width)))
    return Maps(*map(np.float32, (albedo, normal, rough, metal, opacity)))


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize("height, width", [(8, 8), (7, 5), (1, 6)])
def test_what_opacity_hides_changes_no_level(name, height, width):
    """But those under which it hides all."""
    maps, other = random_maps(height, width), random_maps(height, width, 1)
    mixed = {field: np.where(maps.opacity.reshape(height, width, *[1] * (values.ndim - 2)) > 0,
                             values, getattr(other, field))
             for field, values in maps.arrays().items() if field != "opacity"}  # fmt: skip
    mixed = Maps(**mixed, opacity=maps.opacity)
    assert not np.array_equal(mixed.albedo, maps.albedo)
    for level, same in zip(FILTERS[name](maps, 3), FILTERS[name](mixed, 3), strict=True):
        seen = level.opacity > 0
        for field, values in level.arrays().items():
            np.testing.assert_array_equal(values[seen], getattr(same, field)[seen])


def test_texels_count_by_opacity():
    maps = random_maps(4, 8)
    weights = maps.opacity
    slope = maps.normal[..., :2] / np.maximum(maps.normal[..., 2:], 0.05)
    levels = {name: make(maps, 3)[-1] for name, make in FILTERS.items()}
    np.testing.assert_allclose(levels["box"].opacity, [[weights.mean()]], rtol=1e-5)
    for level in levels.values():
        average = np.average(maps.albedo.reshape(-1, 3), axis=0, weights=weights.ravel())
        np.testing.assert_allclose(level.albedo[0, 0], average, rtol=1e-5)
        metallic = np.average(maps.metallic, weights=weights)
        np.testing.assert_allclose(level.metallic, [[metallic]], rtol=1e-5)
    normal = np.average(maps.normal.reshape(-1, 3), axis=0, weights=weights.ravel())
    rough = np.average(maps.roughness, weights=weights)
    np.testing.assert_allclose(levels["box"].roughness, [[rough]], rtol=1e-5)
    np.testing.assert_allclose(levels["box"].normal[0, 0], normal / np.linalg.norm(normal),
                               atol=1e-6)  # fmt: skip
    length, power = np.linalg.norm(normal), 2 / max(rough**2, 1e-3) ** 2 - 2
    shorter = length / (length + power * (1 - length))
    np.testing.assert_allclose(levels["toksvig"].roughness,
                               [[(2 / (shorter * power + 2)) ** 0.25]], rtol=1e-4)  # fmt: skip
    mean = np.average(slope.reshape(-1, 2), axis=0, weights=weights.ravel())
    apart = (slope.reshape(-1, 2) - mean) ** 2
    variance = np.average(apart, axis=0, weights=weights.ravel()).sum()
    width = np.average(alpha_of(maps.roughness) ** 2, weights=weights)
    rough = min(1, math.sqrt(width + variance)) ** 0.5
    np.testing.assert_allclose(levels["lean"].roughness, [[rough]], rtol=1e-4)
