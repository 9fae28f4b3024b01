"""MessagePack reader for snapshots of tiny-cuda-nn and instant-ngp: plain data only.

Source: the MessagePack specification, "Formats".
"""

from __future__ import annotations

import struct
from typing import Any

DEEPEST = 32  # maps and arrays in each other
# first byte -> how its length is written, and what it is of
SIZED = {0xC4: ("B", "bytes"), 0xC5: (">H", "bytes"), 0xC6: (">I", "bytes"),
         0xC7: ("B", "ext"), 0xC8: (">H", "ext"), 0xC9: (">I", "ext"),
         0xD9: ("B", "text"), 0xDA: (">H", "text"), 0xDB: (">I", "text"),
         0xDC: (">H", "array"), 0xDD: (">I", "array"),
         0xDE: (">H", "map"), 0xDF: (">I", "map")}  # fmt: skip
NUMBERS = {0xCA: ">f", 0xCB: ">d", 0xCC: "B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q",
           0xD0: "b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q"}  # fmt: skip
PLAIN = {0xC0: None, 0xC2: False, 0xC3: True}


def unpacked(data: bytes) -> Any:
    """Return the one value of ``data``: dict by text, list, str, bytes, number, bool or None.

    An extension is its bytes: what nlohmann's JSON library makes of binary data with a subtype.

    Raises: ValueError for what is no MessagePack, is cut, goes on behind its value, or is nested
        deeper than DEEPEST.
    """
    reader = _Reader(data)
    value = reader.value(0)
    if reader.at != len(data):
        raise ValueError(f"{len(data) - reader.at} bytes behind the end")
    return value


class _Reader:
    def __init__(self, data: bytes):
        self.data, self.at = data, 0

    def take(self, count: int) -> bytes:
        if count > len(self.data) - self.at:
            raise ValueError("a cut file")
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, form: str) -> Any:
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def value(self, depth: int) -> Any:
        if depth > DEEPEST:
            raise ValueError("nested too deep")
        first = self.take(1)[0]
        if first < 0x80:
            return first
        if first >= 0xE0:
            return first - 0x100
        if first < 0xC0:
            kind, bits = (("map", 4), ("array", 4), ("text", 5), ("text", 5))[(first >> 4) & 3]
            return self.sized(kind, first & (2**bits - 1), depth)
        if first in PLAIN:
            return PLAIN[first]
        if first in NUMBERS:
            return self.number(NUMBERS[first])
        if first in SIZED:
            form, kind = SIZED[first]
            return self.sized(kind, self.number(form), depth)
        if 0xD4 <= first <= 0xD8:
            return self.sized("ext", 1 << (first - 0xD4), depth)
        raise ValueError(f"byte {first:#x}")

    def sized(self, kind: str, count: int, depth: int) -> Any:
        if kind == "text":
            return self.take(count).decode()
        if kind == "bytes":
            return self.take(count)
        if kind == "ext":
            self.take(1)
            return self.take(count)
        if count > len(self.data) - self.at:  # each takes a byte at least
            raise ValueError("a cut file")
        if kind == "array":
            return [self.value(depth + 1) for _ in range(count)]
        found: dict[str, Any] = {}
        for _ in range(count):
            name = self.value(depth + 1)
            if not isinstance(name, str) or name in found:
                twice = isinstance(name, str)
                raise ValueError("a name twice" if twice else "a name that is no text")
            found[name] = self.value(depth + 1)
        return found
