"""measure/figures: of a fit's first snapshots those are shown that show something."""

import numpy as np
import pytest

from neuralshade.measure.figures import snapshot_strip


def flat(value):
    return np.full((12, 20, 3), value, np.float32)


@pytest.mark.parametrize("values, titles", [
    ([0.0, 0.001, 0.004, 0.3, 0.31, 0.31], ["1", "8", "16", "32"]),  # late ones stay
    ([0.2, 0.5], ["1", "2"]),
    ([0.2, 0.2, 0.2], ["1"]),
    ([0.4], ["1"]),
    ([], []),
])  # fmt: skip
def test_snapshots_like_the_first_are_left_out(values, titles):
    strip = snapshot_strip([(2**i, flat(value)) for i, value in enumerate(values)], None)
    assert [one.title for one in strip] == [f"step {title}" for title in titles]
