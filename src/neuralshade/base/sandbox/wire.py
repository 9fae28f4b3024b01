"""Wire format of the sandbox: JSON and arrays, never pickled objects.

A message is the length of its JSON in 8 bytes, the JSON, and the bytes of its arrays, whose types
and shapes are in the JSON under ARRAYS.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from neuralshade.base.strict_json import strict_json

ARRAYS = "arrays"
DTYPES = ("float32", "float16", "uint8", "uint16", "uint32", "int8")
MOST_JSON = 64 * 2**20  # bytes
LENGTH = 8

Array = npt.NDArray[Any]


class BrokenError(Exception):
    """An invalid or truncated message."""


def send(stream: IO[bytes], message: dict[str, Any], arrays: Sequence[Array] = ()) -> None:
    """Write a message; data that ``strict_json`` takes, and arrays of DTYPES. Raises OSError."""
    forms = [[array.dtype.name, list(array.shape)] for array in arrays]
    text = json.dumps(message | {ARRAYS: forms}).encode()
    stream.write(len(text).to_bytes(LENGTH, "little") + text)
    for array in arrays:
        stream.write(np.ascontiguousarray(array).data)
    stream.flush()


def receive(
    stream: IO[bytes], most_bytes: int, most_json: int = MOST_JSON
) -> tuple[dict[str, Any], list[Array]]:
    """Return the next message: plain data and arrays, of at most ``most_bytes`` together.

    Raises: BrokenError for an invalid or too large message; OSError.
    """
    length = int.from_bytes(_exactly(stream, LENGTH), "little")
    if length > most_json:
        raise BrokenError(f"{length} bytes of JSON")
    try:
        message = strict_json(_exactly(stream, length), file_names=True)
        forms = [(_dtype(dtype), _shape(shape)) for dtype, shape in message.pop(ARRAYS)]
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise BrokenError(f"{type(error).__name__} in its JSON") from error
    if sum(dtype.itemsize * math.prod(shape) for dtype, shape in forms) > most_bytes:
        raise BrokenError("arrays above the limit")
    arrays = []
    for dtype, shape in forms:
        raw = _exactly(stream, dtype.itemsize * math.prod(shape))
        arrays.append(np.frombuffer(raw, dtype).reshape(shape))
    return message, arrays


def _dtype(name: Any) -> np.dtype[Any]:
    if name not in DTYPES:
        raise ValueError(name)
    return np.dtype(name)


def _shape(sides: Any) -> tuple[int, ...]:
    if not all(type(side) is int and 0 <= side < 2**40 for side in sides):
        raise ValueError(sides)
    return tuple(sides)


def _exactly(stream: IO[bytes], count: int) -> bytes:
    data = stream.read(count)
    if len(data) < count:
        raise BrokenError("cut off")
    return data
