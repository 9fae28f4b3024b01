"""kinds/mipmaps/family/footprints: covariances are what they say, and turn with the maps."""

import numpy as np
import pytest

from neuralshade.kinds.mipmaps.family.footprints import INVARIANTS, VECTORS, footprints
from neuralshade.measure.plane.mip_filters import Maps, unit

RADIUS = slice(1, 4)  # vectors: where roughness, metallic and albedo are larger


def maps_of(height=8, width=8, seed=0):
    """Return maps of random numbers."""
    rng = np.random.default_rng(seed)
    slope = rng.normal(0, 0.4, (height, width, 2))
    normal = unit(np.float32(np.concatenate([slope, np.ones((height, width, 1))], axis=2)))
    single = [rng.uniform(0.1, 0.9, (height, width)).astype(np.float32) for _ in range(2)]
    return Maps(rng.random((height, width, 3)).astype(np.float32), normal, *single)


def turned(maps):
    """Return the maps turned by a quarter to the left: what pointed right points up."""
    normal = maps.normal[..., [1, 0, 2]] * np.float32([-1, 1, 1])
    found = {"albedo": maps.albedo, "normal": normal, "roughness": maps.roughness,
             "metallic": maps.metallic}  # fmt: skip
    return Maps(**{name: np.rot90(values).copy() for name, values in found.items()})


def mirrored(maps):
    """Return the maps with left and right exchanged."""
    normal = maps.normal * np.float32([-1, 1, 1])
    found = {**maps.arrays(), "normal": normal}
    return Maps(**{name: values[:, ::-1].copy() for name, values in found.items()})


@pytest.mark.parametrize("height, width, levels", [(8, 8, 3), (7, 5, 2), (1, 6, 2), (37, 23, 5)])
def test_every_texel_of_every_level(height, width, levels):
    found = footprints(maps_of(height, width), levels)
    sizes = [max(1, height >> i) * max(1, width >> i) for i in range(1, levels + 1)]
    assert found.invariants.shape == (sum(sizes), INVARIANTS)
    assert found.vectors.shape == (sum(sizes), VECTORS, 2)
    assert found.invariants.dtype == found.vectors.dtype == np.float32
    assert [int((found.level == i + 1).sum()) for i in range(levels)] == sizes
    assert np.isfinite(found.invariants).all() and np.isfinite(found.vectors).all()


@pytest.mark.parametrize("change, axes", [
    (turned, lambda v: np.stack([-v[..., 1], v[..., 0]], axis=-1)),
    (mirrored, lambda v: v * np.float32([-1, 1])),
])  # fmt: skip
def test_invariants_stay_and_vectors_turn(change, axes):
    maps, first = maps_of(), 16  # texels of level 1
    before, after = footprints(maps, 2), footprints(change(maps), 2)
    move = {turned: np.rot90, mirrored: lambda v: v[:, ::-1]}[change]

    def moved(values):
        return move(values[:first].reshape(4, 4, -1)).reshape(first, -1)

    np.testing.assert_allclose(after.invariants[:first], moved(before.invariants), atol=2e-4)
    there = moved(axes(before.vectors).reshape(len(before.level), -1))
    np.testing.assert_allclose(after.vectors[:first].reshape(first, -1), there, atol=1e-4)
    assert np.abs(before.vectors).mean() > 0.01


def test_covariances_are_those_of_the_texels():
    maps = maps_of(4, 4)
    found = footprints(maps, 2)
    slope = (maps.normal[..., :2] / maps.normal[..., 2:]).reshape(-1, 2).astype(np.float64)
    spread = np.trace(np.cov(slope.T, bias=True))
    single = [maps.roughness, maps.metallic, maps.albedo.mean(axis=2)]
    along = [
        ((slope - slope.mean(0)) * (m.reshape(-1, 1) - m.mean())).mean(0) / m.std() for m in single
    ]
    np.testing.assert_allclose(found.vectors[-1, RADIUS], along, rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(found.invariants[-1, 1], np.log(spread) / 2, rtol=1e-4)
    np.testing.assert_allclose(found.invariants[-1, 5], maps.metallic.mean(), rtol=1e-5)
    correlations = np.corrcoef([m.ravel() for m in single])[np.triu_indices(3, 1)]
    np.testing.assert_allclose(found.invariants[-1, 13:16], correlations, rtol=1e-3, atol=1e-4)


def test_a_flat_map_has_no_directions():
    ones = np.ones((8, 8), np.float32)
    flat = Maps(np.full((8, 8, 3), 0.5, np.float32), np.float32([0, 0, 1]) * ones[..., None],
                0.5 * ones, 0 * ones)  # fmt: skip
    found = footprints(flat, 3)
    assert np.abs(found.vectors).max() < 1e-6
    np.testing.assert_allclose(found.invariants[0, :-1], found.invariants[-1, :-1], atol=1e-5)


def test_texels_count_by_opacity():
    maps, other = maps_of(8, 4), maps_of(8, 4, seed=1)
    opacity = np.random.default_rng(3).random((8, 4)).astype(np.float32)
    opacity[::2, ::2] = opacity[:2, :2] = 0
    mixed = {name: np.where((opacity > 0).reshape(8, 4, *[1] * (values.ndim - 2)), values,
                            getattr(other, name))
             for name, values in maps.arrays().items()}  # fmt: skip
    found, same = (footprints(Maps(**fields, opacity=opacity), 3)
                   for fields in (maps.arrays(), mixed))  # fmt: skip
    assert found.level.tolist() == [1] * 8 + [2, 2, 3]
    np.testing.assert_array_equal(found.invariants[1:], same.invariants[1:])  # one is all hidden
    np.testing.assert_array_equal(found.vectors[1:], same.vectors[1:])
    assert not np.array_equal(found.invariants[0], same.invariants[0])
    metallic = np.average(maps.metallic, weights=opacity)
    np.testing.assert_allclose(found.invariants[-1, 5], metallic, rtol=1e-5)
    slope = (maps.normal[..., :2] / maps.normal[..., 2:]).reshape(-1, 2).astype(np.float64)
    spread = np.trace(np.cov(slope.T, aweights=opacity.ravel(), ddof=0))
    np.testing.assert_allclose(found.invariants[-1, 1], np.log(spread) / 2, rtol=1e-4)
