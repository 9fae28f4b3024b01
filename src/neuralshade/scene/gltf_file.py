"""glTF file: its JSON and its buffers, with all sizes and indices checked.

Parsed here instead of by a package: the file is untrusted, so every size and offset has to be
checked in any case, and a path tracer needs only a few arrays.
"""

from __future__ import annotations

import base64
import binascii
import os
import struct
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from neuralshade.asset.glb import BIN, JSON, MAGIC
from neuralshade.base.message_text import read_failure, shown
from neuralshade.base.regular_file import check_regular
from neuralshade.base.strict_json import strict_json
from neuralshade.errors import ConfigError

MOST_BYTES = 2**30  # of the file, and of its buffers
DATA = "base64,"
# Extensions that may be required but are ignored, by prefix: appearance and animation.
PASSED = ("KHR_materials_", "KHR_texture_", "EXT_texture_", "MSFT_texture_", "MSFT_packing_",
          "ADOBE_materials_", "KHR_lights_", "EXT_lights_", "KHR_xmp", "KHR_animation_",
          "KHR_audio", "KHR_interactivity", "KHR_physics", "EXT_structural_metadata",
          "EXT_mesh_features", "AGI_", "VRM")  # fmt: skip
TAKEN = ("KHR_mesh_quantization", "EXT_mesh_gpu_instancing", "KHR_node_visibility")
COMPRESSED = ("KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression")


class GltfFile:
    """A .gltf or .glb file: ``json`` as written, and its buffers."""

    def __init__(self, path: str | os.PathLike[str], need: str = "glTF 2.0 of plain triangles"):
        """``need``: what messages ask for.

        Raises: ConfigError for an unreadable file, or one that is not glTF 2.0.
        """
        self.path, self.need = Path(path), need
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
        self._check_required()
        self._buffers: dict[int, bytes] = {}

    def wrong(self, got: str, need: str = "", remedy: str = "Export it again.") -> ConfigError:
        """Return the error for invalid content."""
        return ConfigError(f"{self.path}: got {got}, need {need or self.need}. {remedy}")

    def _check_required(self) -> None:
        """Refuse required extensions that change the triangles."""
        required = self.json.get("extensionsRequired", [])
        if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
            raise self.wrong(f"extensionsRequired of {shown(required)}")
        for name in required:
            if name in COMPRESSED:
                raise self.compressed(name)
            if name not in TAKEN and not name.startswith(PASSED):
                raise self.wrong(f"the extension {shown(name)}, which it requires",
                                 remedy="Export it without.")  # fmt: skip

    def compressed(self, name: str) -> ConfigError:
        """Return the error for triangles compressed by an extension."""
        return self.wrong(f"triangles compressed by {name}", "plain ones",
                          "Export it without mesh compression.")  # fmt: skip

    def check_extensions(self, row: dict[str, Any], place: str) -> None:
        """Refuse a part of the file whose numbers are stored compressed by an extension."""
        found = row.get("extensions", {})
        if not isinstance(found, dict):
            raise self.wrong(f"{place}.extensions that are no object")
        for name in COMPRESSED:
            if name in found:
                raise self.compressed(name)

    def entry(self, table: str, index: Any) -> dict[str, Any]:
        """Return an object of a table by index."""
        rows = self.json.get(table)
        if not isinstance(rows, list) or not is_whole(index) or index >= len(rows):
            raise self.wrong(f"{table}[{shown(index)}], which is not there")
        if not isinstance(rows[index], dict):
            raise self.wrong(f"{table}[{index}] that is no object")
        found: dict[str, Any] = rows[index]
        return found

    def rows(self, row: dict[str, Any], name: str) -> list[Any]:
        """Return a list of an object by name; empty where it is missing."""
        found = row.get(name, [])
        if not isinstance(found, list):
            raise self.wrong(f"{name} that are no list")
        return found

    def buffer(self, index: Any) -> bytes:
        """Return a buffer's bytes: from the file, from base64 text, or from a file beside it."""
        row = self.entry("buffers", index)
        if index not in self._buffers:
            uri = row.get("uri")
            if uri is None and index == 0 and self._inside is not None:
                self._buffers[index] = self._inside
            else:
                if uri is None:  # an extension may have replaced it
                    self.check_extensions(row, f"buffers[{index}]")
                self._buffers[index] = self.linked(uri, "a buffer")
            if sum(map(len, self._buffers.values())) > MOST_BYTES:
                raise self.wrong(f"buffers of more than {MOST_BYTES:,} bytes", "fewer",
                                 "Split it.")  # fmt: skip
        return self._buffers[index]

    def view(self, index: Any) -> bytes:
        """Return the bytes of a bufferView, which hold no numbers of an accessor."""
        row = self.entry("bufferViews", index)
        data = self.buffer(row.get("buffer"))
        start: Any = row.get("byteOffset", 0)
        length: Any = row.get("byteLength")
        if not is_whole(start) or not is_whole(length) or start + length > len(data):
            raise self.wrong(f"bufferViews[{index}], which lies beyond its buffer")
        return data[start : start + length]

    def linked(self, uri: Any, what: str) -> bytes:
        """Return the content of a URI: base64 text, or a file of the same folder or below it."""
        if not isinstance(uri, str):
            raise self.wrong(f"{what} at {shown(uri)}")
        if uri.startswith("data:") and DATA in uri[:200]:
            try:
                return base64.b64decode(uri[uri.index(DATA) + len(DATA) :], validate=True)
            except (binascii.Error, ValueError) as error:
                raise self.wrong(f"{what} that is no base64") from error
        place = Path(unquote(uri))
        if place.is_absolute() or ".." in place.parts or ":" in uri or "\0" in place.name:
            raise self.wrong(f"{what} at {shown(uri)}, beyond its own folder")
        return self._bytes(self.path.parent / place)

    def _bytes(self, path: Path) -> bytes:
        try:
            check_regular(path)
            if path.stat().st_size > MOST_BYTES:
                raise self.wrong(f"a file of more than {MOST_BYTES:,} bytes")
            return path.read_bytes()
        except OSError as error:
            raise ConfigError(f"{path}: got {read_failure(error)}, need a glTF file. Check the "
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


def is_whole(value: Any) -> bool:
    """Return whether a value is a valid count or index."""
    return type(value) is int and 0 <= value < 2**40
