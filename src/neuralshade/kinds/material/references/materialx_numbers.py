"""Constant folding of MaterialX inputs: numbers that are equal everywhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.kinds.material.references.materialx_bindings import (
    DEEPEST,
    Binding,
    Passed,
    Placed,
    bound,
    inner_output,
)

Numbers = npt.NDArray[np.float64]
Found = tuple[Numbers | None, frozenset[Passed]]  # None for varying or unknown numbers
UNKNOWN: Found = (None, frozenset())
COUNTS = {"float": 1, "integer": 1, "boolean": 1, "vector2": 2, "vector3": 3, "color3": 3,
          "vector4": 4, "color4": 4}  # fmt: skip
LUMINANCE = np.array([0.2722287, 0.6740818, 0.0536895])  # MaterialX's own, for ACEScg
ARITHMETIC: Mapping[str, Callable[[Numbers, Numbers], Numbers]] = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide,
    "min": np.minimum, "max": np.maximum, "power": np.power, "modulo": np.mod,
}  # fmt: skip
COMPARED: Mapping[str, Callable[[Numbers, Numbers], Any]] = {
    "ifgreater": np.greater, "ifgreatereq": np.greater_equal, "ifequal": np.equal,
}  # fmt: skip
ALONE: Mapping[str, Callable[[Numbers], Numbers]] = {
    "constant": np.array, "dot": np.array, "absval": np.abs, "sqrt": np.sqrt, "floor": np.floor,
    "ceil": np.ceil, "round": np.round,
    "luminance": lambda color: np.repeat(color[:3] @ LUMINANCE, 3),
}  # fmt: skip


class KnownNumbers:
    """Known constant numbers of a document, cached."""

    def __init__(self) -> None:
        self._found: dict[tuple[Any, str], Found] = {}

    def of(self, placed: Placed, name: str, depth: int = 0) -> Found:
        """Return an input's numbers, and the inputs of outer nodes that they depend on.

        Numbers are None if they vary over the surface or are unknown.
        """
        binding = bound(placed, name)
        found, passed = self._bound(binding, depth)
        return found, passed | binding.passed

    def _bound(self, binding: Binding, depth: int) -> Found:
        if binding.placed is not None:
            return self._computed(binding.placed, binding.output, depth + 1)
        return _written(binding.element), frozenset()

    def _computed(self, placed: Placed, output: str, depth: int) -> Found:
        """Return the numbers that a node computes."""
        key = (placed.key, output)
        if depth > DEEPEST:
            return UNKNOWN
        if key not in self._found:
            self._found[key] = UNKNOWN  # in the meantime: graphs may be cyclic
            with np.errstate(all="ignore"):
                found, passed = self._node(placed, output, depth)
            is_known = found is not None and np.isfinite(found).all()
            self._found[key] = (found if is_known else None), passed
        return self._found[key]

    def _node(self, placed: Placed, output: str, depth: int) -> Found:
        category = placed.node.getCategory()

        def number(name: str) -> Numbers | None:
            found, names = self.of(placed, name, depth)
            passed.update(names)
            return found

        passed = set[Passed]()
        if category in ALONE:
            one = number("value" if category == "constant" else "in")
            return (None if one is None else ALONE[category](one)), frozenset(passed)
        if category in ARITHMETIC:
            return _arithmetic(category, number("in1"), number("in2")), frozenset(passed)
        if category in ("mix", "switch", "invert", "clamp", "convert", "extract", *COMPARED):
            return _chosen(category, number, placed.node), frozenset(passed)
        if category in ("combine2", "combine3", "combine4"):
            parts = [number(f"in{index + 1}") for index in range(int(category[-1]))]
            known = [part for part in parts if part is not None]
            return (np.concatenate(known) if len(known) == len(parts) else None), frozenset(passed)
        binding = inner_output(placed, output)
        found, names = self._bound(binding, depth)
        return found, names | binding.passed


def _written(element: Any) -> Numbers | None:
    """Return the numbers of an element's value, or None."""
    value: Any = element.getValue() if element is not None else None
    if isinstance(value, bool | int | float):
        return np.array([value], np.float64)
    return np.array(value.asTuple(), np.float64) if hasattr(value, "asTuple") else None


def _arithmetic(category: str, first: Numbers | None, second: Numbers | None) -> Numbers | None:
    """Return the result of an arithmetic node; a product with 0 is always 0."""
    if category == "multiply":
        for one in (first, second):
            if one is not None and not one.any():
                return one
    if first is None or second is None:
        return None
    return ARITHMETIC[category](first, second)


def _chosen(
    category: str, number: Callable[[str], Numbers | None], node: Any
) -> Numbers | None:  # fmt: skip
    """Return the result of a node that may ignore some inputs."""
    if category == "mix":
        return mixed(number("mix"), lambda: number("fg"), lambda: number("bg"))
    if category in COMPARED:
        one, other = number("value1"), number("value2")
        if one is None or other is None:
            return _either(number("in1"), number("in2"))
        return number("in1" if COMPARED[category](one, other).all() else "in2")
    if category == "switch":
        which = number("which")
        return None if which is None else number(f"in{int(which[0]) + 1}")
    inside = number("in")
    if inside is None:
        return None
    if category == "extract":
        index = number("index")
        return None if index is None or index[0] >= len(inside) else inside[int(index[0]), None]
    if category == "invert":
        amount = number("amount")
        return None if amount is None else amount - inside
    if category == "clamp":
        low, high = number("low"), number("high")
        return None if low is None or high is None else np.clip(inside, low, high)
    count = COUNTS.get(node.getType())
    return None if count is None else _resized(inside, count)


def mixed(
    weight: Numbers | None, front: Callable[[], Numbers | None], back: Callable[[], Numbers | None]
) -> Numbers | None:
    """Return a mix of two colors; a weight of 0 or 1 ignores one of them."""
    if weight is not None and (weight <= 0).all():
        return back()
    if weight is not None and (weight >= 1).all():
        return front()
    one, other = front(), back()
    if weight is None or one is None or other is None:
        return _either(one, other)
    return weight * one + (1 - weight) * other


def _either(one: Numbers | None, other: Numbers | None) -> Numbers | None:
    """Return the common value of two alternatives, or None if they differ."""
    same = one is not None and other is not None and np.array_equal(one, other)
    return one if same else None


def _resized(values: Numbers, count: int) -> Numbers:
    """Return values of another type: one number for all, cut off, or filled up by 1."""
    if len(values) == 1:
        return np.repeat(values, count)
    return np.concatenate([values, np.ones(count)])[:count]
