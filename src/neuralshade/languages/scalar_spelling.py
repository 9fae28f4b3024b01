"""Spelling of scalar expressions and statements; the defaults are those of C."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from neuralshade.languages.scalar_values import (
    AND,
    BIT_AND,
    BIT_OR,
    BIT_XOR,
    EQUAL,
    LESS,
    OR,
    PRODUCT,
    SHIFT,
    SUM,
    UNARY,
    Scalar,
)
from neuralshade.model.shader_form import Function, Network

LEVELS = {
    "||": OR, "&&": AND, "|": BIT_OR, "^": BIT_XOR, "&": BIT_AND, "==": EQUAL, "!=": EQUAL,
    "<": LESS, "<=": LESS, ">": LESS, ">=": LESS, "<<": SHIFT, ">>": SHIFT, "+": SUM, "-": SUM,
    "*": PRODUCT, "/": PRODUCT, "%": PRODUCT,
}  # fmt: skip
COMPARED = ("==", "!=", "<", "<=", ">", ">=", "&&", "||")


@dataclass(frozen=True)
class Item:
    """A variable of a line: its scalar type, its name, and the text of its value."""

    kind: str
    name: str
    text: str = ""


@dataclass(frozen=True)
class Line:
    """A line of a body; constants alone may be left out where nothing reads them."""

    depth: int
    text: str = ""
    constants: tuple[Item, ...] = ()


class Spelling:
    """One language. ``name``: of the asset, begins the names of everything outside functions."""

    separator = "_"  # between a variable's name and that of its member
    signed: bool = False  # a uint is an int with the same bits, and may look negative
    reserved: frozenset[str] = frozenset()  # words that no variable may have for a name

    def __init__(self, name: str):
        self.name = name

    def literal(self, value: float, kind: str) -> Scalar:
        """Return a number that is not negative; a literal of Python keeps its digits."""
        return Scalar(repr(value), kind, simple=True, fixed=True)

    def settled(self, a: Scalar) -> Scalar:
        """Return a whole number within its 32 bits."""
        return a

    def binary(self, op: str, a: Scalar, b: Scalar) -> Scalar:
        """Return the result of an operator; both have one type, but for shifts."""
        kind = "bool" if op in COMPARED else a.kind
        level = LEVELS[op]
        return Scalar(f"{a.within(level)} {op} {b.within(level + 1)}", kind, level)

    def single(self, a: Scalar) -> Scalar:
        """Return a float rounded to 32 bits, where the language has more."""
        return a

    def negative(self, a: Scalar) -> Scalar:
        return Scalar(f"-{a.within(UNARY + 1)}", a.kind, UNARY)

    def inverted(self, a: Scalar) -> Scalar:
        return Scalar(f"!{a.within(UNARY + 1)}", "bool", UNARY)

    def cast(self, kind: str, a: Scalar) -> Scalar:
        raise NotImplementedError

    def call(self, name: str, arguments: Sequence[Scalar]) -> Scalar:
        """Return a call of min, max, abs, floor, sqrt, exp, log, sin, cos or tanh."""
        listed = ", ".join(one.text for one in arguments)
        return Scalar(f"{name}({listed})", arguments[0].kind)

    def word(self, index: Scalar, kind: str = "uint") -> Scalar:
        """Return a word of the asset, or its bits as a float."""
        raise NotImplementedError

    def as_float(self, bits: Scalar) -> Scalar:
        raise NotImplementedError

    def half(self, bits: Scalar) -> Scalar:
        """Return the float16 in the lower 16 bits; the others are 0."""
        raise NotImplementedError

    def constants(self, items: Sequence[Item]) -> str:
        """Return the line that declares constants."""
        raise NotImplementedError

    def variables(self, items: Sequence[Item]) -> str:
        """Return the line that declares variables, which may have values."""
        raise NotImplementedError

    def loop(self, name: str, first: str, limit: str) -> str:
        """Return the head of a loop, with its opening brace."""
        raise NotImplementedError

    def calls(self, function: Function, arguments: Sequence[str], items: Sequence[Item],
              depth: int) -> list[Line]:  # fmt: skip
        """Return the lines that call a function and keep all its numbers."""
        raise NotImplementedError

    def returned(self, items: Sequence[Item]) -> list[str]:
        """Return the lines that return a function's numbers."""
        raise NotImplementedError

    def network(self, index: int, network: Network, inputs: Sequence[str],
                outputs: Sequence[str], depth: int) -> list[Line]:  # fmt: skip
        """Return the lines that evaluate the form's network ``index`` and keep its outputs."""
        raise NotImplementedError
