"""Parser of the dialect of shader forms: statements by line, calls inside expressions."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

NAME = r"[A-Za-z]\w*"
DECLARED = re.compile(rf"(?P<const>const )?(?P<type>{NAME}) (?P<name>{NAME}) = (?P<value>.+);")
ARRAY = re.compile(rf"(?P<type>{NAME}) (?P<name>{NAME})\[(?P<count>\d+)\];")
BARE = re.compile(rf"(?P<type>{NAME}) (?P<name>{NAME});")
LOOP = re.compile(rf"for \(int (?P<name>{NAME}) = (?P<first>.+); (?P<while>.+); \+\+(?P=name)\)")
RETURNED_IF = re.compile(r"if \((?P<condition>.+)\) return (?P<value>.+);")
FLOATS = re.compile(r"(?<![\w.])(?:\d+\.\d*(?:e[-+]?\d+)?|\d+e[-+]?\d+)(?!\w)")
KEYWORDS = ("return", "const", "if", "for")


@dataclass(frozen=True)
class Statement:
    """One line: its kind, and its parts by name."""

    kind: str  # comment, declared, array, bare, loop, returned_if, other
    parts: dict[str, str]


def statement(line: str) -> Statement:
    """Parse a line of a body."""
    text = line.strip()
    if text.startswith("//"):
        return Statement("comment", {"text": text})
    rules = {"loop": LOOP, "returned_if": RETURNED_IF, "declared": DECLARED, "array": ARRAY,
             "bare": BARE}  # fmt: skip
    for kind, rule in rules.items():
        found = rule.fullmatch(text)
        if found and found.groupdict().get("type") not in KEYWORDS:
            return Statement(kind, {k: v or "" for k, v in found.groupdict().items()})
    return Statement("other", {"text": text})


def replaced_calls(text: str, name: str, made: Callable[[list[str]], str]) -> str:
    """Return an expression with calls of ``name`` replaced by ``made`` of their arguments."""
    pattern = re.compile(rf"(?<![\w.]){name}\(")
    found = pattern.search(text)
    while found:
        arguments, end = _arguments(text, found.end())
        inner = [replaced_calls(argument, name, made) for argument in arguments]
        new = made(inner)
        text = text[: found.start()] + new + text[end:]
        found = pattern.search(text, found.start() + len(new))
    return text


def _arguments(text: str, begin: int) -> tuple[list[str], int]:
    """Return the arguments of a call whose parenthesis opens before ``begin``, and its end."""
    depth, first, found = 0, begin, list[str]()
    for place in range(begin, len(text)):
        letter = text[place]
        if letter == ")" and depth == 0:
            return [*found, text[first:place].strip()], place + 1
        if letter == "," and depth == 0:
            found.append(text[first:place].strip())
            first = place + 1
        depth += (letter in "([") - (letter in ")]")
    raise AssertionError(f"no end of a call in {text!r}")


def renamed(text: str, names: dict[str, str]) -> str:
    """Return text with whole words replaced, except members after a dot."""
    if not names:
        return text
    listed = "|".join(map(re.escape, names))
    return re.sub(rf"(?<![\w.])({listed})\b", lambda found: names[found[1]], text)
