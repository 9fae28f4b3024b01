"""Translation of the dialect's statements to batched Python, one row per sample."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import ClassVar, Protocol

from neuralshade.languages.statements import Statement, statement

MADE = "torch:"  # prefix of lines that are Python already
NUMBER = re.compile(r"-?[\d.]+(e-?\d+)?")
IF = re.compile(r"if \((?P<condition>.+)\)")
ASSIGNED = re.compile(r"(?P<to>[\w.\[\]]+) (?P<op>\+?)= (?P<value>.+);")
RETURNED = re.compile(r"return (?P<value>.+);")
INDENT = "    "


class Expressions(Protocol):
    """Translator of expressions."""

    def expression(self, text: str) -> str: ...


class Rows:
    """The lines of one function.

    The lines after ``if`` are computed for all rows and masked; a loop runs as
    often as its longest row needs; early returns are selected at the end.
    """

    select: ClassVar[str] = "_select"  # functions that its lines call
    chosen: ClassVar[str] = "_chosen"

    def __init__(self, expressions: Expressions):
        self._write = expressions.expression
        self._depth = 0  # of Python's blocks: loops alone
        self._masks: list[str] = []  # names of the active masks, each within the previous ones
        self._blocks: list[str] = []  # "if" or "loop", of each open brace
        self._early = False
        self._count = 0
        self.found: list[str] = []

    def lines(self, body: Iterable[str]) -> list[str]:
        """Return the lines of a body."""
        for line in body:
            self._add(line.strip())
        return self.found

    def _add(self, text: str) -> None:
        if text == "{":
            return
        if text == "}":
            self._end(self._blocks.pop())
            return
        one = statement(text)
        if one.kind == "loop":
            self._loop(one)
        elif found := IF.fullmatch(text):
            self._blocks.append("if")
            self._mask("holds", self._write(found["condition"]))
        elif one.kind == "returned_if":
            self._return_early(one)
        else:
            self._say(self._plain(one))

    def _say(self, line: str) -> None:
        self.found.append(INDENT * self._depth + line)

    def _mask(self, name: str, condition: str) -> None:
        """Begin a mask within the active one."""
        self._count += 1
        name = f"{name}{self._count}"
        around = f"{self._masks[-1]} & " if self._masks else ""
        self._say(f"{name} = {around}({condition})")
        self._masks.append(name)

    def _end(self, block: str) -> None:
        """End a block."""
        self._depth -= block == "loop"
        if block != "loop" or (self._masks and self._masks[-1].startswith("going")):
            self._masks.pop()

    def _loop(self, one: Statement) -> None:
        parts = one.parts
        name, limit = parts["name"], re.fullmatch(rf"{parts['name']} < (.+)", parts["while"])
        assert limit is not None, parts["while"]
        self._blocks.append("loop")
        if parts["first"].isdigit() and limit[1].isdigit():
            self._say(f"for {name} in range({parts['first']}, {limit[1]}):")
            self._depth += 1
            return
        self._count += 1
        self._counted(name, self._write(parts["first"]), self._write(limit[1]))

    def _counted(self, name: str, begin: str, end: str) -> None:
        """Begin a loop from ``begin`` to before ``end``, which depend on the row."""
        first, last, step = (f"{each}{self._count}" for each in ("first", "last", "step"))
        self._say(f"{first}, {last} = {begin}, {end}")
        self._say(f"for {step} in range(_most({last} - {first})):")
        self._depth += 1
        self._say(f"{name} = {first} + {step}")
        self._mask("going", f"{name} < {last}")

    def _return_early(self, one: Statement) -> None:
        if not self._early:
            assert self._depth == 0, "an early return within a loop before any other"
            self._say("early = []")
        self._early = True
        condition = f"({self._write(one.parts['condition'])})"
        if self._masks:
            condition = f"{self._masks[-1]} & {condition}"
        self._say(f"early.append(({condition}, {self._write(one.parts['value'])}))")

    def _plain(self, one: Statement) -> str:
        parts = one.parts
        if one.kind == "comment":
            return parts["text"].replace("//", "#", 1)
        if one.kind == "declared":
            return f"{parts['name']} = {self._declared(parts)}"
        if one.kind == "bare":
            return f"{parts['name']} = {self._struct(parts['type'])}"
        if one.kind == "array":
            return f"{parts['name']} = [None] * {parts['count']}"
        text = parts["text"]
        if text.startswith(MADE):
            return text[len(MADE) :]
        if found := RETURNED.fullmatch(text):
            value = self._write(found["value"])
            if NUMBER.fullmatch(value):
                value = self._constant(value)
            return (f"return {self.chosen}([*early, (None, {value})])" if self._early
                    else "return " + value)  # fmt: skip
        found = ASSIGNED.fullmatch(text)
        assert found is not None, text
        to, value = found["to"], self._write(found["value"])
        value = f"{to} + ({value})" if found["op"] else value
        if self._masks:
            value = f"{self.select}({self._masks[-1]}, {value}, {to})"
        return f"{to} = {value}"

    def _declared(self, parts: Mapping[str, str]) -> str:
        """Return the first value of a variable."""
        return self._write(parts["value"])

    def _struct(self, name: str) -> str:
        """Return a new struct."""
        return "SimpleNamespace()"

    def _constant(self, number: str) -> str:
        """Return a number of all rows."""
        return f"_repeated({number}, 1)"
