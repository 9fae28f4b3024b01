"""point_order: points along the Z curve, and neighbours that come before them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralshade.kinds.splats.coding.point_order import (
    FAR,
    FIRST,
    NEAREST,
    ONE,
    log2_16ths,
    morton,
    neighborhood,
    square_bits,
    unmorton,
)


def sorted_points(count, width, height, seed=5):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, width, count), rng.integers(0, height, count)
    order = np.argsort(morton(x, y, square_bits(width, height)))
    return x[order], y[order]


@given(st.integers(0, 2**20 - 1), st.integers(0, 2**20 - 1))
def test_unmorton_undoes_morton(x, y):
    place = morton(np.array([x]), np.array([y]), 20)
    assert 0 <= place[0] < 2**40
    assert [int(axis[0]) for axis in unmorton(place, 20)] == [x, y]


def test_the_curve_goes_through_quarters():
    x, y = unmorton(np.arange(16), 2)
    assert x.tolist() == [0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3]
    assert y.tolist() == [0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3]


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 300), st.integers(1, 50), st.integers(1, 50))
def test_each_point_comes_once_and_after_its_neighbors(count, width, height):
    hood = neighborhood(*sorted_points(count, width, height), width, height)
    known = np.zeros(count, bool)
    for each in hood.passes:
        assert known[each.neighbors].all()
        assert not known[each.points].any()
        assert (each.weights >= 0).all() and (each.weights.sum(axis=1) <= ONE).all()
        assert (each.contact >= 0).all() and (each.contact <= ONE).all()
        known[each.points] = True
    assert known.all()
    assert len(hood.passes[0].points) <= FIRST
    assert hood.spread.shape == (count,)


def test_found_neighbors_are_nearly_the_nearest():
    x, y = sorted_points(2000, 3073, 2049)
    last = neighborhood(x, y, 3073, 2049).passes[-1]
    square = (x[last.points][:, None] - x) ** 2 + (y[last.points][:, None] - y) ** 2
    square[:, last.points] = FAR
    nearest = np.sort(square, axis=1)[:, :NEAREST]
    found = np.take_along_axis(square, last.neighbors, axis=1)
    # along one curve alone it is 0.86 and 0.38
    assert np.mean(found[:, 0] == nearest[:, 0]) > 0.97
    assert np.mean(found == nearest) > 0.8


def test_spread_tells_dense_from_empty():
    x, y = sorted_points(2000, 1000, 1000)
    dense = (x < 500) & (y < 500)
    kept = dense | (np.arange(2000) % 8 == 0)
    spread = neighborhood(x[kept], y[kept], 1000, 1000).spread
    # an eighth as many points: 3 octaves of area, in 16ths; borders blur it
    difference = np.median(spread[~dense[kept]]) - np.median(spread[dense[kept]])
    assert difference == pytest.approx(48, abs=6)


def test_logarithm_is_exact_at_powers_of_two():
    values = 2.0 ** np.arange(-4, 5)
    assert log2_16ths(values).tolist() == list(range(-64, 65, 16))
    assert log2_16ths(np.array([1.5, 3.0])).tolist() == [8, 24]
