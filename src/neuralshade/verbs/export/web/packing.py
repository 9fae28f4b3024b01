"""Packed arrays: numbers that a page carries in few bytes. Read by page/unpack.js.

A head for each array comes first, then the streams of all arrays. The numbers of heads are
little-endian in base 128. A stream as long as its content is the content, else raw DEFLATE.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.errors import ShapeError

TYPES = ("uint8", "uint32", "float32")  # by number in a head
PLANES, DELTAS = 1, 2  # flags of a head: bytes sorted by significance, differences of neighbors
# Levels of a few bits have no repeats worth a reference: Huffman codes alone are smaller
STRATEGIES = (zlib.Z_DEFAULT_STRATEGY, zlib.Z_HUFFMAN_ONLY)
EFFORT = 6  # 9 takes ten times as long on such levels, and saves nothing
BASE = 128

Array = npt.NDArray[Any]


def packed(*arrays: Array) -> bytes:
    """Return arrays [n] of uint8, uint32 or float32 as few bytes; each is kept bit for bit.

    Raises: ShapeError for other arrays.
    """
    for one in arrays:
        if str(one.dtype) not in TYPES or one.ndim != 1:
            raise ShapeError(f"packed: got {one.dtype} {list(one.shape)}, need one dimension of "
                             f"{', '.join(TYPES)}. Convert it.")  # fmt: skip
    parts = [_smallest(one) for one in arrays]
    heads = b"".join(map(_number, [len(arrays), *(each for head, _ in parts for each in head)]))
    return heads + b"".join(stream for _, streams in parts for stream in streams)


def _smallest(array: Array) -> tuple[list[int], list[bytes]]:
    """Return the head and the streams of the smallest layout of an array."""
    number = TYPES.index(str(array.dtype))
    found = []
    for planes, deltas in product((0, PLANES), (0, DELTAS)):
        if (planes and array.itemsize == 1) or (deltas and array.dtype.kind == "f"):
            continue
        streams = list(map(_stream, _contents(array, bool(planes), bool(deltas))))
        head = [number, planes | deltas, len(array), *map(len, streams)]
        found.append((head, streams))
    return min(found, key=lambda one: sum(map(len, one[1])))


def _contents(array: Array, planes: bool, deltas: bool) -> Iterator[bytes]:
    """Yield what each stream of a layout holds."""
    if deltas:
        array = np.diff(array, prepend=array.dtype.type(0))  # modulo 2**bits
    content = array.astype(array.dtype.newbyteorder("<")).tobytes()
    step = array.itemsize if planes else 1
    yield from (content[place::step] for place in range(step))


def _stream(content: bytes) -> bytes:
    """Return the fewest bytes that hold a content; as many as it has only where they are it."""
    found = [content]
    for strategy in STRATEGIES:
        deflate = zlib.compressobj(EFFORT, zlib.DEFLATED, -zlib.MAX_WBITS, 9, strategy)
        found.append(deflate.compress(content) + deflate.flush())
    return min(found, key=len)


def _number(value: int) -> bytes:
    """Return a number in base 128, the lowest digit first, all but the last marked."""
    digits = bytearray()
    while value >= BASE:
        digits.append(BASE | value % BASE)
        value //= BASE
    return bytes([*digits, value])
