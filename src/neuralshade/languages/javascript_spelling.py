"""Spelling of scalars in JavaScript: float64 for floats, 32-bit operators for whole numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from neuralshade.languages.network import layer_rows, row_count
from neuralshade.languages.numbers import fours
from neuralshade.languages.scalar_spelling import COMPARED, Item, Line, Spelling
from neuralshade.languages.scalar_values import (
    BIT_OR,
    CHOICE,
    SHIFT,
    UNARY,
    Scalar,
)
from neuralshade.model.shader_form import Function, Network

WHOLE = ("int", "uint")
WITHIN = {"int": " | 0", "uint": " >>> 0"}  # back from float64
EXACT = 2**20  # its product with 32 bits is exact in float64
RESERVED = """
arguments async await break case catch class const continue debugger default delete do else
enum eval export extends false finally for function if implements import in instanceof
interface let new null package private protected public return static super switch this throw true
try typeof undefined var void while with yield Float32Array Float64Array Infinity Int32Array Math
NaN Uint32Array Uint8Array atob
"""


class JavaScriptSpelling(Spelling):
    """JavaScript. Names of the module have a ``$``, which names of the dialect have not."""

    reserved = frozenset(RESERVED.split())

    def __init__(self, name: str, first_rows: Sequence[int]):
        """``first_rows``: of each of the form's networks, in fours of words."""
        super().__init__(name)
        self._first_rows = first_rows

    def literal(self, value: float, kind: str) -> Scalar:
        text = repr(value).removesuffix(".0")
        return replace(super().literal(value, kind), text=text)

    def settled(self, a: Scalar) -> Scalar:
        if not a.loose:
            return a
        if a.kind == "uint":
            return Scalar(f"{a.within(SHIFT)} >>> 0", a.kind, SHIFT)
        return Scalar(f"{a.within(BIT_OR)} | 0", a.kind, BIT_OR)

    def binary(self, op: str, a: Scalar, b: Scalar) -> Scalar:
        if op in COMPARED:
            found = super().binary(op, self._sure(a), self._sure(b))
            return replace(found, text=found.text.replace(" == ", " === "))
        if a.kind not in WHOLE:
            return super().binary(op, a, b)
        if op in ("&", "|", "^", "<<", ">>"):
            return self._bits(op, a, b)
        if op in ("/", "%"):
            found = super().binary(op, self._sure(a), self._sure(b))
            return self.settled(replace(found, loose=True))
        if op == "*" and not (_small(a) or _small(b)):
            return Scalar(f"Math.imul({a.text}, {b.text})", a.kind, loose=a.kind == "uint")
        return replace(super().binary(op, a, b), loose=True)

    def _sure(self, a: Scalar) -> Scalar:
        """Return a number whose value counts: of int, sums beyond 32 bits do not occur."""
        return self.settled(a) if a.kind == "uint" else a

    def single(self, a: Scalar) -> Scalar:
        return Scalar(f"Math.fround({a.text})", "float")

    def _bits(self, op: str, a: Scalar, b: Scalar) -> Scalar:
        """Return an operator that takes the lowest 32 bits of its operands."""
        if op == ">>":
            op = ">>>" if a.kind == "uint" else op
            return Scalar(f"{a.within(SHIFT)} {op} {b.within(SHIFT + 1)}", a.kind, SHIFT)
        found = super().binary(op, a, b)
        positive = op == "&" and any(_small(one) for one in (a, b))
        return replace(found, loose=a.kind == "uint" and not positive)

    def negative(self, a: Scalar) -> Scalar:
        found = super().negative(a)
        literal = a.fixed and not a.text.startswith("-") and not a.text[0].isalpha()
        return replace(found, simple=literal, fixed=literal)

    def inverted(self, a: Scalar) -> Scalar:
        return Scalar(f"!{a.within(UNARY)}", "bool", UNARY)

    def cast(self, kind: str, a: Scalar) -> Scalar:
        if a.kind == "bool":
            return Scalar(f"{a.within(CHOICE + 1)} ? 1 : 0", kind, CHOICE)
        if kind == "float":
            return replace(self._sure(a), kind="float", loose=False)
        if a.kind == "float":
            return self.settled(replace(a, kind=kind, simple=False, fixed=False, loose=True))
        return replace(a, kind=kind, loose=a.loose or not a.text.isdigit(),
                       simple=a.text.isdigit(), fixed=a.text.isdigit())  # fmt: skip

    def call(self, name: str, arguments: Sequence[Scalar]) -> Scalar:
        listed = ", ".join(self._sure(one).text for one in arguments)
        return Scalar(f"Math.{name}({listed})", arguments[0].kind)

    def word(self, index: Scalar, kind: str = "uint") -> Scalar:
        array = "words" if kind == "uint" else "floats"
        return Scalar(f"{self.name}${array}[{index.text}]", kind)

    def as_float(self, bits: Scalar) -> Scalar:
        return Scalar(f"{self.name}$as_float({bits.text})", "float")

    def half(self, bits: Scalar) -> Scalar:
        return Scalar(f"{self.name}$half({bits.text})", "float")

    def constants(self, items: Sequence[Item]) -> str:
        return f"const {', '.join(f'{item.name} = {item.text}' for item in items)};"

    def variables(self, items: Sequence[Item]) -> str:
        listed = (f"{item.name} = {item.text}" if item.text else item.name for item in items)
        return f"let {', '.join(listed)};"

    def loop(self, name: str, first: str, limit: str) -> str:
        return f"for (let {name} = {first}; {name} < {limit}; ++{name}) {{"

    def calls(self, function: Function, arguments: Sequence[str], items: Sequence[Item],
              depth: int) -> list[Line]:  # fmt: skip
        call = f"{function.name}({', '.join(arguments)})"
        if len(items) == 1:
            return [Line(depth, constants=(replace(items[0], text=call),))]
        array = self.array(len(items))
        found = tuple(replace(item, text=f"{array}[{place}]{WITHIN.get(item.kind, '')}")
                      for place, item in enumerate(items))  # fmt: skip
        return [Line(depth, f"{call};"), Line(depth, constants=found)]

    def array(self, count: int) -> str:
        """Return the name of the array that functions return with so many numbers."""
        return f"{self.name}$found{count}"

    def returned(self, items: Sequence[Item]) -> list[str]:
        if len(items) == 1:
            return [f"return {items[0].text};"]
        found = self.array(len(items))
        return [*(f"{found}[{place}] = {item.text};" for place, item in enumerate(items)),
                f"return {found};"]  # fmt: skip

    def network(self, index: int, network: Network, inputs: Sequence[str],
                outputs: Sequence[str], depth: int) -> list[Line]:  # fmt: skip
        """Return calls of a function for each layer, which skip inputs that are 0."""
        name, at = self.name, 4 * self._first_rows[index]
        lines = [f"{name}$sums[{place}] = {text};" for place, text in enumerate(inputs)]
        before = "none"
        for layer in network.layers:
            count, width = layer.weight.shape
            stride = 4 * (4 * fours(width) + 1)
            lines.append(f"{name}$layer({name}${before}({width}), {at}, {stride}, {count}); "
                         f"// {width} to {count}")  # fmt: skip
            at += 4 * layer_rows(layer)
            before = layer.activation
        read = f"{name}$sums[{{}}]"
        read = read if before == "none" else f"{name}${before}_of({read})"
        items = tuple(Item("float", output, read.format(place))
                      for place, output in enumerate(outputs))  # fmt: skip
        return [*(Line(depth, line) for line in lines), Line(depth, constants=items)]


def _small(a: Scalar) -> bool:
    """Return whether a whole number is a small literal."""
    return a.text.isdigit() and int(a.text) < EXACT


def first_rows(networks: Sequence[Network], words: int) -> list[int]:
    """Return the first row of each network in a buffer, after so many words."""
    counts = list(map(row_count, networks))
    return [-(-words // 4) + sum(counts[:place]) for place in range(len(counts))]
