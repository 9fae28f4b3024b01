"""Strict JSON parser for untrusted text: the grammar alone, without Python's extensions."""

import json
import math
from typing import Any, NoReturn

from neuralshade.base.message_text import named

DEEPEST = 32  # nested lists and objects; fits write 5
MOST_DIGITS = 64  # of an integer


def strict_json(text: str | bytes, *, file_names: bool = False) -> Any:
    """Return the data of ``text``.

    ``file_names``: text may hold surrogate escapes, which os.fsdecode makes of bytes in file names.

    Raises: ValueError for invalid JSON, and for what parsers treat differently: duplicate names
        in one object, NaN and infinity (1e999 too), integers of more than MOST_DIGITS digits, lone
        surrogates, and nesting deeper than DEEPEST.
    """
    try:
        data = json.loads(text, object_pairs_hook=_object, parse_constant=_constant,
                          parse_float=_number, parse_int=_whole)  # fmt: skip
    except RecursionError as error:
        raise ValueError("nested too deep") from error
    _check(data, "surrogateescape" if file_names else "strict", 0)
    return data


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"{named(name)} twice")
        found[name] = value
    return found


def _constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON")


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is beyond all numbers")
    return number


def _whole(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise ValueError(f"a number of {len(text)} digits")
    return int(text)


def _check(data: Any, halves: str, depth: int) -> None:
    """Raise ValueError where ``data`` is nested too deep, or holds invalid text.

    ``halves``: error handler for lone surrogates when text is encoded.
    """
    if depth > DEEPEST:
        raise ValueError("nested too deep")
    if isinstance(data, str):
        data.encode(errors=halves)  # UnicodeEncodeError is a ValueError
    elif isinstance(data, dict):
        for name, value in data.items():
            name.encode(errors=halves)
            _check(value, halves, depth + 1)
    elif isinstance(data, list):
        for value in data:
            _check(value, halves, depth + 1)
