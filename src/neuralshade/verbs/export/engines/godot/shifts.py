"""Shifts as Godot takes them: both sides of one type, where the dialect shifts by a uint."""

from __future__ import annotations

import re
from collections.abc import Mapping

SHIFT = re.compile(r"<<|>>")
PRIMARY = re.compile(r"\(*-?([A-Za-z_]\w*|\d+u?)")
LITERAL = re.compile(r"(\d+)u")
WHOLE = ("int", "int2", "int3")


def with_equal_sides(text: str, types: Mapping[str, str]) -> str:
    """Return an expression whose integers are shifted by integers, and uints by uints.

    ``types``: of variables, and of functions' results, by name.
    """
    at = 0
    while found := SHIFT.search(text, at):
        left = text[_begin(text, found.start()) : found.start()].strip()
        at = found.end()
        if _is_int(left, types):
            end = _end(text, at)
            right = text[at:end].strip()
            plain = LITERAL.fullmatch(right)
            text = f"{text[:at]} {plain[1] if plain else f'int({right})'}{text[end:]}"
    return text


def _is_int(operand: str, types: Mapping[str, str]) -> bool:
    """Return whether an operand is an int: all primaries of an expression have one type."""
    found = PRIMARY.match(operand)
    assert found is not None, operand
    name = found[1]
    if name[0].isdigit():
        return not name.endswith("u")
    return name not in ("uint", "min", "max", "clamp") and types.get(name, name) in WHOLE


def _begin(text: str, end: int) -> int:
    """Return where the operand before a shift begins: a name, a call or parentheses."""
    place = len(text[:end].rstrip())
    if text[place - 1] == ")":
        depth = 0
        while True:
            place -= 1
            depth += (text[place] == ")") - (text[place] == "(")
            if depth == 0:
                break
    while place and (text[place - 1].isalnum() or text[place - 1] in "_."):
        place -= 1
    return place


def _end(text: str, begin: int) -> int:
    """Return where the operand after a shift ends."""
    place = begin + len(text[begin:]) - len(text[begin:].lstrip())
    while place < len(text) and (text[place].isalnum() or text[place] in "_."):
        place += 1
    if place < len(text) and text[place] == "(":
        depth = 0
        while True:
            depth += (text[place] == "(") - (text[place] == ")")
            place += 1
            if depth == 0:
                break
    return place
