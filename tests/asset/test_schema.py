"""asset/schema, asset/rules: each rule takes what it says, and its line says what it needs."""

import math

import numpy as np
import pytest

from neuralshade.asset.rules import ASSET, CHECKPOINT
from neuralshade.asset.schema import (
    AnyOf,
    Boolean,
    Digits,
    ListOf,
    MapOf,
    Number,
    ObjectOf,
    Text,
    check_forms,
    check_header,
    check_numbers,
)
from neuralshade.errors import AssetError

WHOLE = Number(0, 9, whole=True)
REFUSED = [
    (WHOLE, True, "True for a in the header, need a whole number, 0 to 9"),
    (WHOLE, 1.0, "1.0 for a in the header, need a whole number, 0 to 9"),
    (WHOLE, 10, "10 for a in the header, need a whole number, 0 to 9"),
    (WHOLE, None, "None for a in the header, need a whole number, 0 to 9"),
    (Number(0), -1, "-1 for a in the header, need a finite number, 0 or more"),
    (Number(), "1", "'1' for a in the header, need a finite number"),
    (Number(), math.nan, "nan for a in the header, need a finite number"),
    (Number(), 10**400, "a number of about 401 digits for a in the header, need a finite number"),
    (Text(), 5, "5 for a in the header, need a text of 4096 characters at most"),
    (Text(2), "xyz", "'xyz' for a in the header, need a text of 2 characters at most"),
    (Text(math.inf), [], "[] for a in the header, need a text"),
    (Text(choices=("x", "y")), "z", "'z' for a in the header, need one of ['x', 'y']"),
    (Digits(2), "0", "'0' for a in the header, need 2 digits of 0 to 9 and a to f"),
    (Digits(2), "0A", "'0A' for a in the header, need 2 digits of 0 to 9 and a to f"),
    (Digits(2), 12, "12 for a in the header, need 2 digits of 0 to 9 and a to f"),
    (Boolean(), 1, "1 for a in the header, need true or false"),
    (AnyOf((Boolean(), WHOLE), "a bit"), "x", "'x' for a in the header, need a bit"),
    (ListOf(WHOLE), {}, "{} for a in the header, need a list"),
    (ListOf(WHOLE, 2, 2), [1], "[1] for a in the header, need a list of 2"),
    (ListOf(WHOLE, 1, 2), [], "[] for a in the header, need a list of 1 to 2"),
    (ListOf(ListOf(WHOLE)), [[1], [2, -1]],
     "-1 for a[1][1] in the header, need a whole number, 0 to 9"),
    (MapOf(WHOLE), [], "[] for a in the header, need an object"),
    (MapOf(WHOLE), {"\x1b": "x"}, "'x' for a.'\\x1b' in the header, need a whole number, 0 to 9"),
    (ObjectOf({"b": WHOLE}), {}, "no 'a.b' in the header, need a whole asset"),
    (ObjectOf({"b": WHOLE}), 5, "5 for a in the header, need an object"),
    (ObjectOf({}, {"c": Boolean()}), {"c": 0}, "0 for a.c in the header, need true or false"),
]  # fmt: skip
TAKEN = [
    (WHOLE, 0), (WHOLE, 9), (Number(), -1e300), (Number(or_none=True), None), (Number(), 3),
    (Text(), "x" * 4096), (Text(or_none=True), None), (Boolean(), False), (ListOf(WHOLE), []),
    (MapOf(WHOLE), {"b": 1}), (ObjectOf({"b": WHOLE}, {"c": WHOLE}), {"b": 1, "of later": "x"}),
    (AnyOf((Boolean(), WHOLE), "a bit"), 5), (Digits(2), "f0"),
]  # fmt: skip


@pytest.mark.parametrize("rule, value, got", REFUSED)
def test_refused(rule, value, got):
    with pytest.raises(AssetError) as caught:
        check_header("x.nsh", {"a": value}, ObjectOf({"a": rule}), "asset", "Fit it again.")
    assert str(caught.value) == f"x.nsh: got {got}. Fit it again."


@pytest.mark.parametrize("rule, value", TAKEN)
def test_taken(rule, value):
    check_header("x.nsh", {"a": value}, ObjectOf({"a": rule}), "asset", "Fit it again.")


@pytest.mark.parametrize("steps", [-(2**63), -1, 2**63, True, 0.5, "1"])
@pytest.mark.parametrize("rule, place", [(ASSET, "training.steps"), (CHECKPOINT, "progress.step")])
def test_steps_that_nothing_counts_to(rule, place, steps):
    """A fit that goes on from step -2^63 would never end."""
    part, name = place.split(".")
    header = {"recipe": {}, "quality": {}, "picture": {"name": "a", "digest": "0" * 64}}
    if rule is ASSET:
        header["picture"] |= {"width": 1, "height": 1, "channels": 1, "color_space": "srgb",
                              "dtype": "uint8"}  # fmt: skip
    header[part] = {"seconds": 0.5, name: steps}
    with pytest.raises(AssetError) as caught:
        check_header("x.nsh", header, rule, "asset", "Fit it again.")
    assert str(caught.value) == (
        f"x.nsh: got {steps!r} for {place} in the header, need a whole number, 0 to 9.0072e+15. "
        "Fit it again."
    )


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_numbers_that_are_none(value, dtype, same_message):
    with pytest.raises(AssetError) as caught:
        check_numbers("x.nsh", {"a": np.zeros(3), "b": np.array([0, value], dtype)}, "Fit again.")
    same_message(str(caught.value), "x.nsh", "Fit")
    check_numbers("x.nsh", {"a": np.array([2**62])}, "Fit again.")


@pytest.mark.parametrize("tensors, got", [
    ({}, "no such tensor for a, need int8 [2, 1]"),
    ({"a": np.zeros((1, 2), np.int8)}, "int8 [1, 2] for a, need int8 [2, 1]"),
    ({"a": np.zeros((2, 1), np.uint8)}, "uint8 [2, 1] for a, need int8 [2, 1]"),
    ({"a": np.zeros((2, 1), np.int8), "\x1b": np.zeros(1)},
     "a tensor '\\x1b', need none of that name"),
])  # fmt: skip
def test_other_tensors(tensors, got):
    with pytest.raises(AssetError) as caught:
        check_forms("x.nsh", tensors, {"a": ("int8", (2, 1))}, "Fit again.")
    assert str(caught.value) == f"x.nsh: got {got}. Fit again."
