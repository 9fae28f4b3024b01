"""Binary glTF (.glb): its chunks, as the glTF 2.0 specification has them in section 4.4."""

from __future__ import annotations

import json
import struct
from typing import Any

MAGIC, VERSION = b"glTF", 2
JSON, BIN = 0x4E4F534A, 0x004E4942  # kinds of chunks
ALIGNMENT = 4  # bytes that chunks, and views of a buffer, begin at a multiple of


def glb_bytes(tree: dict[str, Any], data: bytes | bytearray) -> bytes:
    """Return a file of a glTF tree and its buffer; an empty buffer has no chunk."""
    text = json.dumps(tree, separators=(",", ":"), allow_nan=False).encode()
    chunks = _chunk(JSON, text, b" ") + (_chunk(BIN, data, b"\0") if data else b"")
    return MAGIC + struct.pack("<II", VERSION, 12 + len(chunks)) + chunks


def _chunk(kind: int, content: bytes | bytearray, filler: bytes) -> bytes:
    whole = bytes(content) + filler * (-len(content) % ALIGNMENT)
    return struct.pack("<II", len(whole), kind) + whole
