"""Data of a page: a header as JSON, then segments: packed arrays, or files. See page/data.js."""

from __future__ import annotations

import json
import struct
import zlib
from typing import Any

import numpy.typing as npt

from neuralshade.verbs.export.web.packing import packed

MAGIC = b"SNB1"


class Container:
    """Collects segments; ``data`` returns all of it."""

    def __init__(self) -> None:
        self._segments: list[tuple[int, int]] = []  # first byte and length of each
        self._bytes = bytearray()

    def add(self, *arrays: npt.NDArray[Any]) -> int:
        """Add arrays as one segment, see ``packed``, and return its number."""
        return self.add_file(packed(*arrays))

    def add_file(self, content: bytes) -> int:
        """Add bytes as they are, and return the number of their segment."""
        self._segments.append((len(self._bytes), len(content)))
        self._bytes += content
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
