"""A glTF model: its materials, images, and what is left as it is."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path

from neuralshade.baking.gltf.images import Image, UnreadImage, read_image
from neuralshade.baking.gltf.materials import (
    SLOTS,
    STRENGTH,
    TRANSFORM,
    UNLIT,
    Material,
    read_materials,
)
from neuralshade.base.message_text import shown
from neuralshade.scene.gltf_file import GltfFile

SUFFIXES = (".glb", ".gltf")
FOLLOWED = (STRENGTH, UNLIT, TRANSFORM)
MESHOPT = ("EXT_meshopt_compression", "KHR_meshopt_compression")


@dataclass(frozen=True, eq=False)
class Model:
    """One model file, read; its geometry is not."""

    file: GltfFile
    materials: list[Material]
    images: dict[int, Image]  # those of slots, by their rows in ``images``
    notes: list[str] = field(default_factory=list)  # sentences for users

    @property
    def path(self) -> Path:
        return self.file.path

    @property
    def name(self) -> str:
        """Return the file's name without its suffix."""
        return self.path.stem

    @property
    def image_bytes(self) -> int:
        """Return the bytes of the images of all slots, each counted once."""
        return sum(len(one.content) for one in {i.digest: i for i in self.images.values()}.values())


def read_model(path: str | os.PathLike[str]) -> Model:
    """Return a .gltf or .glb file's materials and images.

    Slots whose image no reader knows lose it, with a note: they keep what they have.

    Raises: ConfigError for an unreadable or invalid file, and one whose buffers meshopt compresses.
    """
    file = GltfFile(path, "a model in valid glTF 2.0")
    for table in ("buffers", "bufferViews"):
        for index in range(len(file.rows(file.json, table))):
            found = file.entry(table, index).get("extensions")
            for name in MESHOPT:
                if isinstance(found, dict) and name in found:
                    raise file.compressed(name)
    materials = read_materials(file)
    images: dict[int, Image] = {}
    notes = list[str]()
    unread = dict[int, str]()
    for index in sorted({slot.image for one in materials for slot in one.slots.values()}):
        try:
            images[index] = read_image(file, index)
        except UnreadImage as reason:
            unread[index] = str(reason)
    for index, why in unread.items():
        notes.append(f"images[{index}] {why}, and stays as it is.")
    kept = [_without(one, unread) for one in materials]
    return Model(file, kept, images, [*notes, *_unfollowed(file)])


def _without(material: Material, unread: dict[int, str]) -> Material:
    slots = {name: slot for name, slot in material.slots.items() if slot.image not in unread}
    return replace(material, slots=slots)


def _unfollowed(file: GltfFile) -> list[str]:
    """Return a note on extensions of materials that are neither fitted nor shown."""
    found = dict[str, None]()
    for row in file.rows(file.json, "materials"):
        extensions = row.get("extensions", {})
        for name in extensions:
            if name not in FOLLOWED:
                found[name] = None
    if not found:
        return []
    listed = ", ".join(map(shown, found))
    return [f"{listed}: kept as they are, neither fitted nor shown on the page."]


def slots_of(material: Material) -> list[str]:
    """Return a material's slots with an image, in order."""
    return [slot for slot in SLOTS if slot in material.slots]
