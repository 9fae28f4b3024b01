"""base/did_you_mean: names that one slip of a finger makes of each other."""

import pytest

from neuralshade.base.did_you_mean import one_apart


@pytest.mark.parametrize("name, other, apart", [
    ("bbp", "bpp", True), ("bp", "bpp", True), ("bpp", "bp", True), ("sede", "seed", True),
    ("bpp", "bpp", False), ("pp", "bpp", True), ("quiet", "quality", False), ("", "a", True),
    ("preset", "resume", False), ("abc", "acbd", False), ("ab", "ba", True), ("abc", "cba", False),
])  # fmt: skip
def test_one_letter_apart(name, other, apart):
    assert one_apart(name, other) == apart == one_apart(other, name)
