"""measure/figures: of a fit's first snapshots those are shown that show something."""

import numpy as np
import pytest

from neuralshade.measure.display import PagePicture
from neuralshade.measure.figures import snapshot_strip, within_bytes


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


@pytest.mark.parametrize("contrasts, titles", [
    ([0.0, 0.003, 0.02, 0.09, 0.2, 1.0, 0.9], ["16", "32", "64"]),
    ([1.0, 0.01, 0.9], ["1", "2", "4"]),  # what comes later is of interest, whatever it is
    ([0.0, 0.0], ["1", "2"]),  # nor is there at the end
])  # fmt: skip
def test_snapshots_before_there_is_something_to_see_are_left_out(contrasts, titles):
    """Black, or of one color: networks begin so."""
    ramp = np.linspace(0, 1, 20, dtype=np.float32)[None, :, None] * flat(1.0)
    shown = [(2**i, 0.02 * i + 0.8 * contrast * ramp) for i, contrast in enumerate(contrasts)]
    strip = snapshot_strip(shown, None)
    assert [one.title for one in strip] == [f"step {title}" for title in titles]


def page_pictures(side, byte_counts, most_px=640):
    """Yield squares of so many bytes a pixel, whose sides are at most ``side``."""
    px = min(side, most_px)
    for number, count in enumerate(byte_counts):
        yield PagePicture(str(number), "", "x" * int(px * px * count), px, px)


@pytest.mark.parametrize("most, fits", [
    (10**9, 640), (640**2 * 4, 640), (640**2 * 4 - 1, 384), (384**2 * 4, 384),
    (384**2 * 4 - 1, 256), (256**2 * 4, 256), (256**2 * 4 - 1, 100), (1, 100),
])  # fmt: skip
def test_the_largest_side_that_fits(most, fits):
    found = within_bytes(((800, 384, 256, 100), most), lambda side: page_pictures(side, [1, 1, 2]))
    assert [one.width for one in found] == [fits] * 3


@pytest.mark.parametrize("most, sides", [
    (640**2 * 2, [640] * 2), (500**2 * 2, [640] * 2 + [500] * 2),
    # more a pixel where it is smaller: 320 might fit and does not, and ends where that is seen
    (320**2 * 2, [640] * 2 + [320] + [200] * 2), (1, [640] * 2 + [100] * 2),
])  # fmt: skip
def test_what_cannot_fit_is_not_drawn(most, sides):
    drawn = []

    def draw(side):
        for picture in page_pictures(side, [3, 1] if side == 320 else [1, 1]):
            drawn.append(side)
            yield picture

    within_bytes(((640, 500, 320, 200, 100), most), draw)
    assert drawn == sides
