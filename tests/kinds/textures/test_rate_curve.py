"""kinds/textures/rate_curve: short fits drawn out to whole ones, and rates between known ones."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralshade.kinds.textures.rate_curve import (
    EXPONENT,
    OFFSET,
    RateCurve,
    bracket,
    extrapolated,
)

quick = settings(max_examples=60, deadline=None, derandomize=True)
DECIBELS = st.floats(5, 90)


@quick
@given(st.floats(20, 60), st.floats(0, 2000), st.integers(1, 3000), st.integers(1, 3000),
       st.integers(0, 10**6))  # fmt: skip
def test_exact_where_fits_follow_the_law(best, slope, first, more, rest):
    steps = (first, first + more, first + more + rest)
    early, late, whole = ({"ao": best - slope * (OFFSET + n) ** -EXPONENT} for n in steps)
    assert extrapolated(early, late, steps)["ao"] == pytest.approx(whole["ao"], abs=1e-6)


@quick
@given(DECIBELS, DECIBELS, st.integers(100, 10**5), st.integers(0, 10**5))
def test_more_steps_never_are_worse(early, late, steps, more):
    """A whole fit is never below the longer one, and falls no lower with more steps."""
    found = [
        extrapolated({"ao": early}, {"ao": late}, (20, 60, n))["ao"] for n in (steps, steps + more)
    ]
    assert late <= found[0] <= found[1]


def curves():
    count = st.integers(1, 5)
    return count.flatmap(lambda n: st.tuples(
        st.lists(st.floats(0.3, 32), min_size=n, max_size=n, unique=True).map(sorted),
        st.lists(DECIBELS, min_size=n, max_size=n),
    ))  # fmt: skip


@quick
@given(curves(), st.lists(st.floats(0.1, 40), min_size=2, max_size=8))
def test_more_bits_never_are_worse(drawn, asked):
    rates, quality = drawn
    curve = RateCurve(rates, [{"ao": value} for value in quality])
    found = [curve.at(rate)["ao"] for rate in sorted(asked)]
    assert all(after >= before - 1e-9 for before, after in itertools.pairwise(found))
    assert min(quality) <= found[0] and found[-1] <= max(quality)


def test_exact_over_the_root_of_the_rate():
    rates = [1.0, 4.0, 9.0]
    curve = RateCurve(rates, [{"ao": 20 + 3 * np.sqrt(r), "normal": 30.0} for r in rates])
    for rate in (1.0, 2.0, 4.0, 7.5, 9.0):
        assert curve.at(rate) == pytest.approx({"ao": 20 + 3 * np.sqrt(rate), "normal": 30.0})
    assert curve.at(20.0) == pytest.approx(curve.at(9.0))  # beyond it nothing is known


def test_a_point_below_one_of_fewer_bits_is_raised():
    curve = RateCurve([1.0, 4.0], [{"ao": 30.0}, {"ao": 29.0}])
    assert curve.at(4.0) == {"ao": 30.0}


@pytest.mark.parametrize("spares, tried", [
    ([-4, -3, -2, -1, -1], [2, 3, 4]),  # beyond reach
    ([-4, -3, -2, 1, 2], [2, 3]),
    ([-4, -3, 0, 1, 2], [1, 2]),
    ([-1, 1, 2, 3, 4], [0, 1, 2]),
    ([1, 2, 3, 4, 5], [0, 1, 2]),  # all reach
])  # fmt: skip
def test_no_more_layouts_are_tried_than_are_needed(spares, tried):
    calls = []

    def spare(index):
        calls.append(index)
        return spares[index]

    assert bracket(spare, 5) == tried == sorted(calls)
