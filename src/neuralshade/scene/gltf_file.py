"""A glTF file's tables of numbers, with every size and index of a stranger's checked.

Read here and not by a package: such a file is a stranger's, so that every size and offset has to be
checked in any case, and what a path tracer takes of it are a few arrays.
"""

from __future__ import annotations

import base64
import binascii
import os
import struct
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import numpy.typing as npt

from neuralshade.base.message_text import shown, unread
from neuralshade.base.regular_file import check_regular
from neuralshade.base.strict_json import strict_json
from neuralshade.errors import ConfigError

MOST_BYTES = 2**30
MOST_VALUES = 2**26  # of an accessor
TYPES = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
COUNTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
MAGIC, JSON, BIN = b"glTF", 0x4E4F534A, 0x004E4942
DATA = "base64,"


class GltfFile:
    """A .gltf or .glb file: ``json`` as it is written, and its accessors as arrays."""

    def __init__(self, path: str | os.PathLike[str]):
        """Raises: ConfigError for what cannot be read or is no glTF 2.0."""
        self.path = Path(path)
        raw = self._bytes(self.path)
        text, self._inside = self._chunks(raw) if raw[:4] == MAGIC else (raw, None)
        try:
            found = strict_json(text)
        except ValueError as error:
            raise self.wrong(f"JSON that is none ({shown(str(error))})") from error
        self.json: dict[str, Any] = found if isinstance(found, dict) else {}
        asset = self.json.get("asset")
        if not isinstance(asset, dict) or not str(asset.get("version")).startswith("2."):
            raise self.wrong("no asset of version 2")
        if required := self.json.get("extensionsRequired"):
            raise self.wrong(f"extensions that it requires, {shown(required)}")
        self._buffers: dict[int, bytes] = {}

    def wrong(self, got: str) -> ConfigError:
        """Return the error for a file that says something it may not."""
        return ConfigError(f"{self.path}: got {got}, need glTF 2.0 of plain triangles. Export it "
                           "again.")  # fmt: skip

    def entry(self, table: str, index: Any) -> dict[str, Any]:
        """Return an object of a table by its index."""
        rows = self.json.get(table)
        if not isinstance(rows, list) or not _whole(index) or index >= len(rows):
            raise self.wrong(f"{table}[{shown(index)}], which is not there")
        if not isinstance(rows[index], dict):
            raise self.wrong(f"{table}[{index}] that is no object")
        found: dict[str, Any] = rows[index]
        return found

    def array(self, index: Any, kinds: tuple[str, ...]) -> npt.NDArray[Any]:
        """Return an accessor's numbers: [count, 1 to 4]; normalized integers as float32."""
        row = self.entry("accessors", index)
        kind, code = row.get("type"), row.get("componentType")
        count: Any = row.get("count")
        if (
            kind not in kinds
            or not _whole(code)
            or code not in TYPES
            or not _whole(count)
            or "sparse" in row
        ):
            raise self.wrong(f"accessors[{index}] of {shown(kind)}, {shown(code)} and "
                             f"{shown(count)}")  # fmt: skip
        width, dtype = COUNTS[kind], np.dtype(TYPES[code])
        view = self.entry("bufferViews", row.get("bufferView"))
        size, at = width * dtype.itemsize, row.get("byteOffset", 0)
        start: Any = view.get("byteOffset", 0)
        length: Any = view.get("byteLength")
        stride = view.get("byteStride", size)
        whole = all(map(_whole, (at, start, length, stride))) and size <= stride <= 252 + size
        data = self._buffer(view.get("buffer"))
        if (not whole or not 0 < count * width <= MOST_VALUES or start + length > len(data)
                or at + stride * (count - 1) + size > length):  # fmt: skip
            raise self.wrong(f"accessors[{index}], which lies beyond its buffer")
        rows = np.ndarray((count, width), dtype, data, start + at, (stride, dtype.itemsize))
        if row.get("normalized") and dtype.kind in "iu":
            return np.maximum(rows.astype(np.float32) / np.iinfo(dtype).max, -1)
        return rows.copy()

    def _buffer(self, index: Any) -> bytes:
        """Return a buffer's bytes: of the file itself, of text in it, or of a file beside it."""
        row = self.entry("buffers", index)
        if index not in self._buffers:
            uri = row.get("uri")
            if uri is None and index == 0 and self._inside is not None:
                self._buffers[index] = self._inside
            else:
                self._buffers[index] = self._at(uri)
        return self._buffers[index]

    def _at(self, uri: Any) -> bytes:
        if not isinstance(uri, str):
            raise self.wrong(f"a buffer at {shown(uri)}")
        if uri.startswith("data:") and DATA in uri[:200]:
            try:
                return base64.b64decode(uri[uri.index(DATA) + len(DATA) :], validate=True)
            except (binascii.Error, ValueError) as error:
                raise self.wrong("a buffer that is no base64") from error
        place = Path(unquote(uri))
        if place.is_absolute() or ".." in place.parts or ":" in uri or "\0" in place.name:
            raise self.wrong(f"a buffer at {shown(uri)}, beyond its own folder")
        return self._bytes(self.path.parent / place)

    def _bytes(self, path: Path) -> bytes:
        try:
            check_regular(path)
            if path.stat().st_size > MOST_BYTES:
                raise self.wrong(f"a file of more than {MOST_BYTES:,} bytes")
            return path.read_bytes()
        except OSError as error:
            raise ConfigError(f"{path}: got {unread(error)}, need a glTF file. Check the "
                              "path.") from error  # fmt: skip

    def _chunks(self, raw: bytes) -> tuple[bytes, bytes | None]:
        """Return a .glb file's JSON and its buffer."""
        found: dict[int, bytes] = {}
        at = 12
        while at + 8 <= len(raw):
            length, kind = struct.unpack_from("<II", raw, at)
            if at + 8 + length > len(raw):
                raise self.wrong("a chunk that is cut off")
            found.setdefault(kind, raw[at + 8 : at + 8 + length])
            at += 8 + length
        if JSON not in found:
            raise self.wrong("no JSON")
        return found[JSON], found.get(BIN)


def _whole(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**40
