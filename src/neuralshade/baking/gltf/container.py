"""The document of a .glb file whose images are replaced, and its one buffer.

Rows of bufferViews, images and textures keep their numbers, as extensions may name any of them;
new ones take the rows of what nobody names any more, then rows of their own.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from neuralshade.asset.glb import ALIGNMENT, glb_bytes
from neuralshade.baking.gltf.images import image_bytes
from neuralshade.scene.gltf_file import GltfFile

DDS, DDS_TYPE, PNG_TYPE = "MSFT_texture_dds", "image/vnd-ms.dds", "image/png"


class GlbDocument:
    """A copy of a model's JSON, with its buffers joined when it is written."""

    def __init__(self, file: GltfFile):
        self.file = file
        self.json: dict[str, Any] = copy.deepcopy(file.json)
        self._views: dict[int, bytes] = {}  # content of rows that are new or were replaced
        self._free: dict[str, list[int]] = {"textures": [], "images": [], "bufferViews": []}

    def check(self) -> None:
        """Raise ConfigError for a model that could not be written: before anything is fitted."""
        self.file.rows(self.json, "extensionsUsed")
        for index in range(self._count("bufferViews")):
            self.file.view(index)
        self.forget_unused()

    def forget_unused(self) -> None:
        """Free the textures that no material names, their images, and the views of these."""
        file = self.file
        named = set(_texture_rows(self.json.get("materials", [])))
        rows = {i: file.entry("textures", i) for i in named}
        self._free["textures"] = [i for i in range(self._count("textures")) if i not in named]
        kept = {image for row in rows.values() for image in _sources(row)}
        unused = [i for i in range(self._count("images")) if i not in kept]
        self._free["images"] = unused
        images = {i: file.entry("images", i) for i in (*kept, *unused)}
        elsewhere = {**self.json, "images": [images[i] for i in kept]}
        needed = set(_view_rows(elsewhere))
        views = {images[i].get("bufferView") for i in unused}
        self._free["bufferViews"] = [
            i for i in range(self._count("bufferViews")) if i in views and i not in needed
        ]
        for view in self._free["bufferViews"]:
            self._views[view] = b"\0" * ALIGNMENT  # until it is taken
        for i in kept:
            if "uri" in images[i]:  # it may lie beside the model
                self._embed(i)

    def _count(self, table: str) -> int:
        return len(self.file.rows(self.json, table))

    def _embed(self, index: int) -> None:
        image = self.json["images"][index]
        content = image_bytes(self.file, index)
        image.pop("uri")
        image |= {"bufferView": self._add_view(content)}
        image.setdefault("mimeType", _type_of(content))

    def add_texture(self, png: bytes, dds: bytes | None, sampler: int | None, name: str) -> int:
        """Add a texture of these files; return its row."""
        row: dict[str, Any] = {"source": self.add_image(png, PNG_TYPE, name), "name": name}
        if sampler is not None:
            row["sampler"] = sampler
        if dds is not None:
            row["extensions"] = {DDS: {"source": self.add_image(dds, DDS_TYPE, name)}}
            used = self.json.setdefault("extensionsUsed", [])
            used += [] if DDS in used else [DDS]
        return self._add("textures", row)

    def add_image(self, content: bytes, kind: str, name: str) -> int:
        """Add an image; return its row. One of the same content is the same image."""
        view = next((at for at, held in self._views.items() if held == content), None)
        if view is not None:
            for index, image in enumerate(self.json["images"]):
                if image.get("bufferView") == view:
                    return index
        row = {"bufferView": self._add_view(content), "mimeType": kind, "name": name}
        return self._add("images", row)

    def _add_view(self, content: bytes) -> int:
        index = self._add("bufferViews", {})
        self._views[index] = content
        return index

    def _add(self, table: str, row: dict[str, Any]) -> int:
        rows = self.json.setdefault(table, [])
        if self._free[table]:
            index = self._free[table].pop(0)
            rows[index] = row
            return index
        rows.append(row)
        return len(rows) - 1

    def content(self) -> bytes:
        """Return the whole file."""
        self._drop_free()
        data = bytearray()
        for index, row in enumerate(self.json.get("bufferViews", [])):
            held = self._views.get(index)
            data += b"\0" * (-len(data) % ALIGNMENT)
            part = self.file.view(index) if held is None else held
            kept = {} if held is not None else row
            self.json["bufferViews"][index] = {**kept, "buffer": 0, "byteOffset": len(data),
                                               "byteLength": len(part)}  # fmt: skip
            data += part
        self.json["buffers"] = [{"byteLength": len(data)}] if data else []
        return glb_bytes(self.json, data)

    def _drop_free(self) -> None:
        """Remove free rows at the ends of tables; others have to say something valid."""
        for table, free in self._free.items():
            rows = self.json.get(table, [])
            while free and rows and len(rows) - 1 in free:
                free.remove(len(rows) - 1)
                rows.pop()
                if table == "bufferViews":
                    self._views.pop(len(rows), None)
            for index in free:
                if table == "textures":
                    rows[index] = {}
                elif table == "images":
                    rows[index] = dict(next(rows[i] for i in range(len(rows)) if i not in free))
            if table in self.json and not rows:
                del self.json[table]


def _texture_rows(node: Any, key: str = "") -> Iterator[int]:
    """Yield the rows of ``textures`` that materials name, in extensions, too."""
    if isinstance(node, dict):
        index = node.get("index")
        if key.lower().endswith("texture") and type(index) is int:
            yield index
        for name, below in node.items():
            yield from _texture_rows(below, name)
    elif isinstance(node, list):
        for below in node:
            yield from _texture_rows(below, key)


def _view_rows(node: Any) -> Iterator[int]:
    """Yield the rows of ``bufferViews`` that anything names."""
    for key, below in node.items() if isinstance(node, dict) else enumerate(node):
        if key == "bufferView" and type(below) is int:
            yield below
        elif isinstance(below, dict | list):
            yield from _view_rows(below)


def _sources(texture: dict[str, Any]) -> Iterator[int]:
    """Yield the images of a texture."""
    extensions = texture.get("extensions")
    others = extensions.values() if isinstance(extensions, dict) else ()
    for row in (texture, *(one for one in others if isinstance(one, dict))):
        if type(row.get("source")) is int:
            yield row["source"]


def _type_of(content: bytes) -> str:
    starts = {b"\x89PNG": PNG_TYPE, b"\xff\xd8": "image/jpeg", b"RIFF": "image/webp",
              b"\xabKTX": "image/ktx2", b"DDS ": DDS_TYPE}  # fmt: skip
    return next((kind for start, kind in starts.items() if content.startswith(start)), PNG_TYPE)
