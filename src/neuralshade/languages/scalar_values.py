"""Values of the dialect as scalars: a text for each number of a vector or a struct."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from neuralshade.languages.numbers import LANES
from neuralshade.model.shader_form import Struct

VECTOR = re.compile(r"(?P<each>float|int|uint)(?P<count>[234])")
# How tightly an operator binds; C and JavaScript agree.
(CHOICE, OR, AND, BIT_OR, BIT_XOR, BIT_AND, EQUAL, LESS, SHIFT, SUM, PRODUCT, UNARY,
 ATOM) = range(13)  # fmt: skip


@dataclass(frozen=True)
class Scalar:
    """Text of one number."""

    text: str
    kind: str  # float, int, uint or bool
    level: int = ATOM  # of its outermost operator
    simple: bool = False  # a name or a literal, which costs nothing to repeat
    fixed: bool = False  # likewise, and nothing changes it
    loose: bool = False  # a whole number that may exceed 32 bits yet, where a language has that

    def within(self, level: int) -> str:
        """Return the text for an operand of an operator that binds as ``level`` does."""
        return f"({self.text})" if self.level < level else self.text


@dataclass(frozen=True)
class Value:
    """A value of the dialect: its type, and its numbers in order."""

    kind: str
    parts: tuple[Scalar, ...]


class Shapes:
    """The numbers of each type."""

    def __init__(self, structs: Iterable[Struct]):
        self._members = {one.name: one.members for one in structs}

    def leaves(self, kind: str) -> list[tuple[str, str]]:
        """Return the path and the scalar type of each number; the path of a scalar is empty."""
        if kind in self._members:
            return [(f"{name}_{path}" if path else name, leaf)
                    for inner, name in self._members[kind]
                    for path, leaf in self.leaves(inner)]  # fmt: skip
        found = VECTOR.fullmatch(kind)
        if found is None:
            return [("", kind)]
        return [(lane, found["each"]) for lane in LANES[: int(found["count"])]]

    def member(self, value: Value, name: str) -> Value:
        """Return a member of a struct, or some lanes of a vector."""
        if value.kind not in self._members:
            found = VECTOR.fullmatch(value.kind)
            assert found is not None, (value.kind, name)
            parts = tuple(value.parts[LANES.index(lane)] for lane in name)
            return vector(found["each"], parts)
        first = 0
        for kind, member in self._members[value.kind]:
            count = len(self.leaves(kind))
            if member == name:
                return Value(kind, value.parts[first : first + count])
            first += count
        raise AssertionError(f"no {name} in {value.kind}")


def vector(each: str, parts: Sequence[Scalar]) -> Value:
    """Return a vector, or a scalar of one number."""
    return Value(each if len(parts) == 1 else f"{each}{len(parts)}", tuple(parts))
