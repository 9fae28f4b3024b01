"""base/message_text: numbers as people read them."""

import pytest

from neuralshade.base.message_text import decimals, memory_text, rate_text, rounded_db


@pytest.mark.parametrize("per_second, told", [
    (0.0, "0 samples/s"), (0.26, "0.26 samples/s"), (12.345, "12 samples/s"),
    (1234.5, "1.2 k samples/s"), (98_765.0, "98.8 k samples/s"), (340_000.0, "0.34 M samples/s"),
    (12.3e6, "12.30 M samples/s"), (4.58e9, "4.58 G samples/s"),
])  # fmt: skip
def test_a_speed_has_a_unit_that_leaves_something_of_it(per_second, told):
    assert rate_text(per_second, "samples") == told


def test_many_bits_per_pixel_have_no_decimals():
    """Of a picture of one pixel its header alone is thousands."""
    assert [decimals(bits, 2) for bits in (3.976, 999.0, 25_264.0)] == ["3.98", "999.00", "25,264"]
    assert memory_text(3_158, 1, "pixel") == "3,158 bytes, 25,264 bits per pixel"


@pytest.mark.parametrize("measured, kept", [
    (41.2912, 41.291), (41.2947, 41.2947), (10.565, 10.565), (41.29496, 41.2949),
    (41.29499999, 41.2949), (41.3499996, 41.3499), (200.0, 200.0),
])  # fmt: skip
def test_what_a_file_keeps_is_told_as_what_was_measured(measured, kept):
    assert rounded_db(measured) == rounded_db(kept) == kept and abs(kept - measured) < 1e-3
    assert (f"{kept:.2f}", f"{kept:.1f}") == (f"{measured:.2f}", f"{measured:.1f}")
