"""Materials of a glTF file: their factors, and the texture of each slot with its mapping."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from neuralshade.base.message_text import shown
from neuralshade.scene.gltf_file import GltfFile, is_whole

BASE, NORMAL, ROUGH, OCCLUSION, EMISSIVE = (
    "baseColorTexture", "normalTexture", "metallicRoughnessTexture", "occlusionTexture",
    "emissiveTexture",
)  # fmt: skip
SLOTS = (BASE, NORMAL, ROUGH, OCCLUSION, EMISSIVE)
INSIDE = "pbrMetallicRoughness"  # holds these slots, the others are the material's own
OF_PBR = (BASE, ROUGH)
TRANSFORM, STRENGTH, UNLIT = (
    "KHR_texture_transform", "KHR_materials_emissive_strength", "KHR_materials_unlit",
)  # fmt: skip
WEBP = "EXT_texture_webp"
WRAPS = {10497: "repeat", 33071: "clamp", 33648: "mirror"}
ALPHA_MODES = ("OPAQUE", "MASK", "BLEND")
MOST_MATERIALS, MOST_NUMBER = 4096, 1e6


@dataclass(frozen=True)
class Mapping2D:
    """How a texture lies on a mesh: slots of one mapping see the same texel at each point."""

    tex_coord: int = 0
    offset: tuple[float, ...] = (0.0, 0.0)
    rotation: float = 0.0  # radians, counter-clockwise
    scale: tuple[float, ...] = (1.0, 1.0)
    wraps: tuple[str, str] = ("repeat", "repeat")  # along u and v

    @property
    def wrap(self) -> str:
        """Return the border of a fit: a mirrored one has the texels of its own edge beyond it."""
        return "repeat" if self.wraps == ("repeat", "repeat") else "clamp"

    @property
    def rows(self) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        """Return the rows that take (u, v, 1) to the texture's u and v."""
        c, s = math.cos(self.rotation), math.sin(self.rotation)
        (x, y), (a, b) = self.offset, self.scale
        return (a * c, b * s, x), (-a * s, b * c, y)


@dataclass(frozen=True)
class Slot:
    """The texture of a slot: its row in ``textures``, and its image."""

    texture: int
    image: int
    mapping: Mapping2D


@dataclass(frozen=True)
class Material:
    """One material; slots without a texture that can be read are missing."""

    index: int
    name: str
    slots: Mapping[str, Slot]
    alpha_mode: str = "OPAQUE"
    cutoff: float = 0.5
    double_sided: bool = False
    unlit: bool = False
    base: tuple[float, ...] = (1.0, 1.0, 1.0, 1.0)
    emissive: tuple[float, ...] = (0.0, 0.0, 0.0)  # times its strength
    metallic: float = 1.0
    roughness: float = 1.0
    normal_scale: float = 1.0
    occlusion: float = 1.0  # strength


def read_materials(file: GltfFile) -> list[Material]:
    """Return all materials. Raises ConfigError for invalid ones."""
    rows = file.rows(file.json, "materials")
    if len(rows) > MOST_MATERIALS:
        raise file.wrong(f"over {MOST_MATERIALS:,} materials", "fewer", "Split it.")
    return [_material(file, index) for index in range(len(rows))]


def texture_row(row: dict[str, Any], slot: str) -> Any:
    """Return a slot's textureInfo of a material as written, None without one."""
    holder = row.get(INSIDE, {}) if slot in OF_PBR else row
    return holder.get(slot) if isinstance(holder, dict) else None


def _material(file: GltfFile, index: int) -> Material:
    row, place = file.entry("materials", index), f"materials[{index}]"
    pbr, extensions = _object(file, row, INSIDE, place), _object(file, row, "extensions", place)
    mode, name = row.get("alphaMode", "OPAQUE"), row.get("name")
    if mode not in ALPHA_MODES:
        raise file.wrong(f"{place}.alphaMode of {shown(mode)}")
    slots = {slot: found for slot in SLOTS if (found := _slot(file, row, slot, place)) is not None}
    strength = _object(file, extensions, STRENGTH, place)
    factor = _number(file, strength, "emissiveStrength", 1.0, place)
    emissive = _numbers(file, row, "emissiveFactor", (0.0, 0.0, 0.0), place)
    normal, occlusion = (_object(file, row, slot, place) for slot in (NORMAL, OCCLUSION))
    scale = _number(file, normal, "scale", 1.0, place)
    return Material(
        index, name if isinstance(name, str) and name else f"material_{index}", slots, mode,
        _number(file, row, "alphaCutoff", 0.5, place), row.get("doubleSided") is True,
        UNLIT in extensions, _numbers(file, pbr, "baseColorFactor", (1.0, 1.0, 1.0, 1.0), place),
        tuple(factor * one for one in emissive),
        _number(file, pbr, "metallicFactor", 1.0, place),
        _number(file, pbr, "roughnessFactor", 1.0, place), scale,
        _number(file, occlusion, "strength", 1.0, place),
    )  # fmt: skip


def _slot(file: GltfFile, material: dict[str, Any], slot: str, place: str) -> Slot | None:
    """Return a slot's texture; None without one, or without an image that glTF itself has."""
    row = texture_row(material, slot)
    if row is None:
        return None
    place = f"{place}.{slot}"
    if not isinstance(row, dict):
        raise file.wrong(f"{place} that is no object")
    texture = file.entry("textures", row.get("index"))
    image = texture.get("source")
    if image is None:
        webp = _object(file, _object(file, texture, "extensions", place), WEBP, place)
        image = webp.get("source")
    if image is None:
        return None
    file.entry("images", image)
    return Slot(row["index"], image, _mapping(file, row, texture, place))


def _mapping(file: GltfFile, row: dict[str, Any], texture: dict[str, Any], place: str) -> Mapping2D:
    changed = _object(file, _object(file, row, "extensions", place), TRANSFORM, place)
    coordinate: Any = changed.get("texCoord", row.get("texCoord", 0))
    if not is_whole(coordinate):
        raise file.wrong(f"{place}.texCoord of {shown(coordinate)}")
    sampler = file.entry("samplers", texture["sampler"]) if "sampler" in texture else {}
    wraps = [sampler.get(name, 10497) for name in ("wrapS", "wrapT")]
    for one in wraps:
        if not is_whole(one) or one not in WRAPS:
            raise file.wrong(f"samplers[{texture['sampler']}] that wraps by {shown(one)}")
    return Mapping2D(
        coordinate, _numbers(file, changed, "offset", (0.0, 0.0), place),
        _number(file, changed, "rotation", 0.0, place),
        _numbers(file, changed, "scale", (1.0, 1.0), place), (WRAPS[wraps[0]], WRAPS[wraps[1]]),
    )  # fmt: skip


def _object(file: GltfFile, row: dict[str, Any], name: str, place: str) -> dict[str, Any]:
    found = row.get(name, {})
    if not isinstance(found, dict):
        raise file.wrong(f"{place}.{name} that is no object")
    return found


def _number(
    file: GltfFile, row: dict[str, Any], name: str, usual: float, place: str
) -> float:  # fmt: skip
    return _numbers(file, {name: [row[name]]} if name in row else {}, name, (usual,), place)[0]


def _numbers(
    file: GltfFile, row: dict[str, Any], name: str, usual: tuple[float, ...], place: str
) -> tuple[float, ...]:
    found = row.get(name, list(usual))
    right = isinstance(found, list) and len(found) == len(usual)
    if not right or not all(type(x) in (int, float) and abs(x) <= MOST_NUMBER for x in found):
        raise file.wrong(f"{place}.{name} of {shown(row[name])}")
    return tuple(map(float, found))
