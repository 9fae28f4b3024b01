"""source/halving: every texel is the mean of the area that it covers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralshade.source.halving import halved, halved_along, halved_by_weight

SIDE = st.integers(1, 19)


def area_mean(values):
    """Return values [H, W] at half the size: repeated until every texel covers whole numbers."""
    for axis in range(2):
        before = values.shape[axis]
        size = max(1, before // 2)
        parts = np.repeat(values, size, axis)
        shape = (*parts.shape[:axis], size, before, *parts.shape[axis + 1 :])
        values = parts.reshape(shape).mean(axis + 1)
    return values


@settings(deadline=None, max_examples=60)
@given(height=SIDE, width=SIDE, seed=st.integers(0, 99))
def test_halved_is_the_mean_of_an_area(height, width, seed):
    values = np.random.default_rng(seed).random((height, width)).astype(np.float32)
    half = halved(values)
    assert half.shape == (max(1, height // 2), max(1, width // 2)) and half.dtype == np.float32
    assert half.flags.c_contiguous
    np.testing.assert_allclose(half, area_mean(values.astype(np.float64)), rtol=2e-6)
    np.testing.assert_allclose(half.mean(), values.mean(), rtol=2e-6)  # nothing is lost


@settings(deadline=None, max_examples=60)
@given(height=SIDE, width=SIDE, value=st.floats(-(2.0**100), 2.0**100, width=32))
def test_equal_values_stay_exactly_equal(height, width, value):
    assert (halved(np.full((height, width, 2), value, np.float32)) == np.float32(value)).all()


def test_thirds_of_an_odd_size():
    """Five texels make two: each covers two and a half."""
    values = np.float32([[1, 2, 3, 4, 5]])
    np.testing.assert_allclose(halved_along(values, 1), [[4.5 / 2.5, 10.5 / 2.5]], rtol=1e-6)
    np.testing.assert_allclose(halved_along(values[:, :3], 1), [[2]], rtol=1e-6)
    np.testing.assert_array_equal(halved_along(values, 0), values)


def test_colors_are_halved_one_by_one():
    values = np.random.default_rng(0).random((5, 8, 3)).astype(np.float32)
    apart = np.stack([halved(values[..., i]) for i in range(3)], axis=2)
    np.testing.assert_array_equal(halved(values), apart)


@pytest.mark.parametrize("dtype", [np.float16, np.float64])
def test_other_floats_become_float32(dtype):
    values = np.random.default_rng(0).random((6, 5)).astype(dtype)
    half = halved(values)
    assert half.dtype == np.float32
    np.testing.assert_allclose(half, area_mean(values.astype(np.float64)), rtol=2e-6)


@settings(deadline=None, max_examples=60)
@given(height=SIDE, width=SIDE, seed=st.integers(0, 99))
def test_by_weight_it_is_the_weighted_mean_of_an_area(height, width, seed):
    rng = np.random.default_rng(seed)
    values = rng.random((height, width, 2)).astype(np.float32)
    weights = rng.random((height, width)).clip(0.4).astype(np.float32) - np.float32(0.4)
    half, left = halved_by_weight(values, weights)
    np.testing.assert_array_equal(left, halved(weights))
    sums = np.stack([area_mean(values[..., i].astype(np.float64) * weights) for i in (0, 1)], 2)
    seen = left > 0
    whole = area_mean(weights.astype(np.float64))[seen]
    np.testing.assert_allclose(half[seen], sums[seen] / whole[:, None], rtol=1e-4)
    np.testing.assert_array_equal(half[~seen], halved(values)[~seen])


@settings(deadline=None, max_examples=60)
@given(height=SIDE, width=SIDE, seed=st.integers(0, 99), value=st.floats(-9, 9, width=32))
def test_values_of_no_weight_never_bleed(height, width, seed, value):
    """Equal ones stay exactly equal down to the last texel, whatever the others are."""
    rng = np.random.default_rng(seed)
    weights = rng.choice(np.float32([0, 0, 0.3, 1]), (height, width))
    values = np.where(weights > 0, np.float32(value), rng.random((height, width)))[..., None]
    while values.shape[:2] != (1, 1):
        values, weights = halved_by_weight(values, weights)
        assert (values[weights > 0] == np.float32(value)).all()
