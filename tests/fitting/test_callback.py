"""fitting/callback: how often a fit is told of."""

import itertools

import pytest

from neuralshade.fitting.callback import Tick


def test_long_fits_have_fewer_lines():
    tick = Tick(0.05, 2.0, 0.001)
    due = [tenth for tenth in range(10_000) if tick.is_due(tenth / 10)]
    assert due[:20] == list(range(20))
    gaps = [(b - a) / 10 for a, b in itertools.pairwise(due)]
    assert gaps[-1] == pytest.approx(1, abs=0.11)  # a thousandth of 1000 s
    assert Tick(0.1, 2.0, 0.001).is_due(1e6)
    late = Tick(0.1, 2.0, 0.001)
    assert late.is_due(1e6) and not late.is_due(1e6 + 1.9) and late.is_due(1e6 + 2.1)
