"""Data of a page: a header as JSON, deflated, then segments of bytes. Read by page/data.js."""

from __future__ import annotations

import json
import struct
import zlib
from typing import Any

MAGIC = b"SNB1"


class Container:
    """Collects segments; ``data`` returns all of it."""

    def __init__(self) -> None:
        self._segments: list[dict[str, Any]] = []
        self._bytes = bytearray()

    def add(self, content: bytes) -> int:
        """Add a segment, deflated where that is smaller, and return its number."""
        deflated = deflate(content)
        kept = min(content, deflated, key=len)
        self._segments.append({"at": len(self._bytes), "bytes": len(kept),
                               "deflated": kept is deflated})  # fmt: skip
        self._bytes += kept
        return len(self._segments) - 1

    def data(self, header: dict[str, Any]) -> bytes:
        """Return the bytes of a header and of all segments."""
        text = json.dumps({**header, "segments": self._segments}, allow_nan=False)
        first = deflate(text.encode())
        return MAGIC + struct.pack("<I", len(first)) + first + bytes(self._bytes)


def deflate(content: bytes) -> bytes:
    """Return content as a raw deflate stream."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(content) + packer.flush()
