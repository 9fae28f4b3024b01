"""Schema of file headers: rules for plain data, checked once before use.

Each kind has its rules in a schema.py. No library is used: jsonschema and pydantic take 0.1 s to
import, have error texts of their own and know no tensors; here, seven rules are enough.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from neuralshade.base.message_text import named, shown
from neuralshade.errors import AssetError

HEXADECIMAL = frozenset("0123456789abcdef")
LONGEST_NAME = 4096  # characters; that of a file, at most
Form = tuple[str, tuple[int, ...]]  # dtype and shape of a tensor
SCALE = ".scale"  # suffix of the steps that belong to a quantized tensor


class Misfit(Exception):  # noqa: N818 - caught here
    """A value that breaks a rule: what it is, where, and the requirement (None: a whole file)."""


class Rule(Protocol):
    """Requirement for a value."""

    def check(self, value: Any, where: str) -> None:
        """Raise Misfit where ``value`` does not meet it."""


def _refuse(value: Any, where: str, need: str) -> None:
    raise Misfit(f"{shown(value)} for {where} in the header", need)


@dataclass(frozen=True)
class Number:
    """A finite number in [low, high]; no bool. ``whole``: an int."""

    low: float = -math.inf
    high: float = math.inf
    whole: bool = False
    or_none: bool = False

    def check(self, value: Any, where: str) -> None:
        if value is None and self.or_none:
            return
        fits = type(value) is int or (type(value) is float and not self.whole)
        if not fits or not self.low <= value <= self.high or not _is_finite(value):
            _refuse(value, where, self._need())

    def _need(self) -> str:
        kind = "a whole number" if self.whole else "a finite number"
        if not math.isfinite(self.low):
            return kind
        above = f"{self.low:g} or more" if math.isinf(self.high) else None
        return f"{kind}, {above or f'{self.low:g} to {self.high:g}'}"


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)  # an int too, as it becomes a float
    except OverflowError:
        return False


@dataclass(frozen=True)
class Text:
    """A text of at most ``longest`` characters; one of ``choices`` where there are any."""

    longest: float = LONGEST_NAME
    choices: tuple[str, ...] = ()
    or_none: bool = False

    def check(self, value: Any, where: str) -> None:
        if value is None and self.or_none:
            return
        if not isinstance(value, str) or len(value) > self.longest:
            _refuse(value, where, "a text" if math.isinf(self.longest)
                    else f"a text of {self.longest:g} characters at most")  # fmt: skip
        if self.choices and value not in self.choices:
            _refuse(value, where, f"one of {list(self.choices)}")


@dataclass(frozen=True)
class Digits:
    """A text of ``count`` hexadecimal digits, such as a digest's."""

    count: int

    def check(self, value: Any, where: str) -> None:
        written = isinstance(value, str) and len(value) == self.count
        if not written or not HEXADECIMAL.issuperset(value):
            _refuse(value, where, f"{self.count} digits of 0 to 9 and a to f")


@dataclass(frozen=True)
class Boolean:
    """true or false."""

    def check(self, value: Any, where: str) -> None:
        if not isinstance(value, bool):
            _refuse(value, where, "true or false")


@dataclass(frozen=True)
class AnyOf:
    """A value that meets one of several rules; ``need`` describes them."""

    rules: tuple[Rule, ...]
    need: str

    def check(self, value: Any, where: str) -> None:
        for rule in self.rules:
            try:
                return rule.check(value, where)
            except Misfit:
                continue
        _refuse(value, where, self.need)


@dataclass(frozen=True)
class ListOf:
    """A list of ``least`` to ``most`` values that meet one rule."""

    rule: Rule
    least: int = 0
    most: float = math.inf

    def check(self, value: Any, where: str) -> None:
        if not isinstance(value, list) or not self.least <= len(value) <= self.most:
            count = f"{self.least}" if self.least == self.most else f"{self.least} to {self.most:g}"
            need = "a list" if math.isinf(self.most) else f"a list of {count}"
            _refuse(value, where, need)
        for index, item in enumerate(value):
            self.rule.check(item, f"{where}[{index}]")


@dataclass(frozen=True)
class MapOf:
    """An object with free names, whose values meet one rule."""

    rule: Rule

    def check(self, value: Any, where: str) -> None:
        if not isinstance(value, dict):
            _refuse(value, where, "an object")
        for name, item in value.items():
            if len(name) > LONGEST_NAME:
                _refuse(name, where, f"names of {LONGEST_NAME} characters at most")
            self.rule.check(item, f"{where}.{named(name)}")


@dataclass(frozen=True)
class ObjectOf:
    """An object with the parts ``needed``, and optionally ``others``.

    Unknown parts are ignored: a later version may write them.
    """

    needed: Mapping[str, Rule]
    others: Mapping[str, Rule] = field(default_factory=dict)

    def check(self, value: Any, where: str) -> None:
        if not isinstance(value, dict):
            _refuse(value, where, "an object")
        before = f"{where}." if where else ""
        for name in self.needed:
            if name not in value:
                raise Misfit(f"no {before + name!r} in the header", None)
        for name, rule in {**self.needed, **self.others}.items():
            if name in value:
                rule.check(value[name], before + name)


def check_header(place: str, header: Any, rule: Rule, what: str, remedy: str) -> None:
    """Raise AssetError for the file ``place``, a ``what``, where its header breaks ``rule``."""
    try:
        rule.check(header, "")
    except Misfit as fault:
        got, need = fault.args
        raise AssetError(f"{place}: got {got}, need {need or f'a whole {what}'}. "
                         f"{remedy}") from None  # fmt: skip


def check_numbers(place: str, tensors: Mapping[str, NDArray[Any]], remedy: str) -> None:
    """Raise AssetError where a tensor holds NaN or infinity."""
    for name, values in tensors.items():
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            raise AssetError(f"{place}: got NaN or infinity in tensor {named(name)}, need finite "
                             f"numbers. {remedy}")  # fmt: skip


def stored_form(name: str, shape: tuple[int, ...], bits: int) -> dict[str, Form]:
    """Return dtype and shape of a parameter, and of its steps if it is quantized.

    ``shape``: of a quantized one with the axis first that has steps of its own.
    """
    if bits >= 16:
        return {name: ("float16" if bits == 16 else "float32", shape)}
    *outer, count = shape
    width = (count + 1) // 2 if bits == 4 else count
    return {name: ("uint8" if bits == 4 else "int8", (*outer, width)),
            name + SCALE: ("float32", shape[:1])}  # fmt: skip


def check_forms(
    place: str, tensors: Mapping[str, NDArray[Any]], forms: Mapping[str, Form], remedy: str
) -> None:
    """Raise AssetError unless the tensors have these ``forms``, by name, dtype and shape."""
    for name, form in forms.items():
        values = tensors.get(name)
        got = None if values is None else (values.dtype.name, values.shape)
        if got != form:
            found = "no such tensor" if got is None else f"{got[0]} {shown(list(got[1]))}"
            raise AssetError(f"{place}: got {found} for {name}, need {form[0]} {list(form[1])}. "
                             f"{remedy}")  # fmt: skip
    for name in tensors:
        if name not in forms:
            raise AssetError(f"{place}: got a tensor {named(name)}, need none of that name. "
                             f"{remedy}")  # fmt: skip
