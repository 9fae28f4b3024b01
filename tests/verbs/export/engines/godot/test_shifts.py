"""engines/godot/shifts: both sides of a shift have one type."""

import pytest

from neuralshade.verbs.export.engines.godot.shifts import with_equal_sides

TYPES = {"at": "int", "w": "uint", "size": "int2", "bits": "uint", "first": "int", "word": "uint"}


@pytest.mark.parametrize(
    "text, expected",
    [
        ("at >> 2u", "at >> 2"),
        ("w >> 2u", "w >> 2u"),
        ("(w >> bits) & 255u", "(w >> bits) & 255u"),
        ("first + (at >> bits)", "first + (at >> int(bits))"),
        ("((size.y + 3) >> 2u) + (at << 1u)", "((size.y + 3) >> 2) + (at << 1)"),
        ("word(at >> 2u) >> uint(8 * at)", "word(at >> 2) >> uint(8 * at)"),
        ("int(8) >> uint(at)", "int(8) >> int(uint(at))"),
        ("(word(at + 1) << 1u) << (31u - bits)", "(word(at + 1) << 1u) << (31u - bits)"),
        ("at < first", "at < first"),
    ],
)
def test_sides_are_equal(text, expected):
    assert with_equal_sides(text, TYPES) == expected
