"""A set of PBR maps in memory: what mip chains are trained from."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.source.color import srgb_to_linear
from neuralshade.source.map_entry import MIPMAPS, Entry
from neuralshade.source.map_reader import Reading, read_maps
from neuralshade.source.map_values import clipped
from neuralshade.source.map_words import MAPS
from neuralshade.source.material_map import MaterialMap
from neuralshade.source.material_set import MaterialSet

Floats = npt.NDArray[np.float32]
VECTORS = ("albedo", "normal")  # three numbers a texel; of the others one


@dataclass(frozen=True, eq=False)
class TextureSet:
    """The maps of one material, all of one size, in a metalness workflow; do not write to them.

    Row 0 is the top of the picture. Tangent space: x right, y up, z away from the surface.
    """

    name: str
    albedo: Floats  # [H, W, 3], linear, [0, 1]
    normal: Floats  # [H, W, 3], unit, OpenGL (green up), z > 0
    roughness: Floats  # [H, W], perceptual, [0, 1]
    metallic: Floats  # [H, W], [0, 1]; 0 where the set has none
    ao: Floats | None  # [H, W], [0, 1]
    paths: dict[str, Path]  # the file of each map that was read
    notes: tuple[str, ...]  # sentences to tell the user

    @property
    def height(self) -> int:
        return int(self.albedo.shape[0])

    @property
    def width(self) -> int:
        return int(self.albedo.shape[1])


def load_texture_set(
    source: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    *,
    normal_convention: str | None = None,
    memory_limit: int = 4 * 2**30,
    wrap: str = "repeat",
    keep_hidden_color: bool = False,
    **maps: Entry | None,
) -> TextureSet:
    """Return the maps of a folder, a JSON manifest, single files, or pixels in memory.

    Files of a folder are told by their names. A manifest is an object with the keys of ``maps``
    and, if need be, a "name" for the set. Albedo in integers is sRGB, in floats linear; all else
    is taken as it is. A DirectX normal map has its green flipped; whether it is one, say
    ``normal_convention``, the manifest, the file's name, or else the slopes of the map itself.
    Maps of different sizes are brought to the largest.

    Args:
        source: a folder, FOLDER/wood for what begins so of several sets in it, a manifest, or a
            dict of what one holds, whose values may be pixels too.
        normal_convention: "opengl" or "directx"; None to find out.
        memory_limit: bytes that one decoded file may take.
        wrap: what lies beyond the border where smaller maps are enlarged: "repeat" or "clamp".
        keep_hidden_color: where the albedo's alpha is 0, keep all maps as they are; else they are
            filled there from texels that are seen.
        maps: albedo, normal, roughness, metallic, ao; or a packed file by the order of its
            channels: arm, orm, rma ... Each replaces what ``source`` has. A path, relative to
            the manifest there; or {"path": ..., "convention": "opengl" or "directx" (normal),
            "channel": "r", "g", "b" or "a" (roughness, metallic, ao)}. A NumPy array, a PIL image,
            a torch tensor or a Picture stands for a path: [H, W, C] or [H, W], floats of albedo
            sRGB in [0, 1], of normals in [0, 1] or, where some are below 0, in [-1, 1].

    Raises: ConfigError for a source that is neither, an unknown key, two files for one map, or
        no albedo or roughness; PictureError for a file that cannot be read, is not
        what its name says, or differs from the others in shape.
    """
    reading = Reading(MIPMAPS, normal_convention, memory_limit, wrap, keep_hidden_color)
    return textures_of(MaterialSet(*read_maps(source, maps, reading, shaded_map)))


def as_textures(source: Any) -> Any:
    """Return the texture set of a MaterialSet, and anything else as it is."""
    return textures_of(source) if isinstance(source, MaterialSet) else source


def textures_of(surface: MaterialSet) -> TextureSet:
    """Return what shading reads of a surface's maps, with what is missing filled in.

    Raises: ConfigError for a set without albedo or roughness.
    """
    notes: list[str] = list(surface.notes)
    surface["albedo"], surface["roughness"]  # refused where there is none
    maps = {one.name: shaded_map(one, notes) for one in surface.maps if one.name in MAPS}
    values = {name: one.values for name, one in maps.items()}
    numbers = {name: of[..., 0] for name, of in values.items() if name not in VECTORS}
    flat = np.zeros((surface.height, surface.width), np.float32)
    if "normal" not in values:
        values["normal"] = np.dstack([flat, flat, flat + 1])
        notes.append("normal: no such map, taken as flat everywhere.")
    if "metallic" not in values:
        numbers["metallic"] = flat
        notes.append("metallic: no such map, taken as 0 everywhere.")
    paths = {name: one.path for name, one in maps.items() if one.path is not None}
    return TextureSet(surface.name, values["albedo"], values["normal"], numbers["roughness"],
                      numbers["metallic"], numbers.get("ao"), paths, tuple(notes))  # fmt: skip


def shaded_map(one: MaterialMap, notes: list[str]) -> MaterialMap:
    """Return a map as shading reads it: colors as three numbers of linear light, all in [0, 1]."""
    if one.meaning == "normal":
        return one
    values = srgb_to_linear(one.values) if one.meaning == "srgb" else one.values
    values = clipped(one.name, values, notes, 1)
    if one.name == "albedo":
        values = np.repeat(values, 3, axis=2) if values.shape[2] == 1 else values
        return replace(one, values=values, meaning="linear")
    return replace(one, values=values)
