"""kinds/material/summary: what `info` says of an asset's levels."""

import pytest

from neuralshade.kinds.material.summary import levels_summary, shared_summary


@pytest.mark.parametrize("kept, told", [
    (["trained"] * 3, "4: the finest, and 3 trained below it in 1,200 bytes"),
    (["filtered"] * 3, "4: the finest, and 3 box-filtered below it in 1,200 bytes"),
    (["trained", "filtered", "trained"],
     "4: the finest, and 2 trained and 1 box-filtered below it in 1,200 bytes"),
    ([], "1: there is no coarser one"),
])  # fmt: skip
def test_levels_are_counted_by_what_they_are(kept, told):
    """It was "of the 6 coarse ones 6 trained and the others box-filtered"."""
    levels = [{"kept": way} for way in ("trained", *kept)]
    assert levels_summary(levels, 1200) == told


def test_a_layer_that_others_may_have_is_told_by_its_digest():
    """And an asset of an earlier version has none."""
    assert shared_summary({"layers": 1, "digest": "0123456789abcdef" * 4}) == {
        "shared": "the decoder's first layer, digest 0123456789abcdef: the same in all assets "
                  "that share it"}  # fmt: skip
    assert shared_summary(None) == {}
