"""Texture set for shading: PBR maps in memory, the source of mip chains."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.errors import ShapeError
from neuralshade.source.color import srgb_to_linear
from neuralshade.source.map_entry import MIPMAPS, Entry
from neuralshade.source.map_reader import ReadOptions, read_maps
from neuralshade.source.map_values import clipped
from neuralshade.source.material_map import MaterialMap
from neuralshade.source.material_mips import filled_map
from neuralshade.source.material_set import MaterialSet
from neuralshade.source.picture import check_finite

Floats = npt.NDArray[np.float32]
OPACITY = "opacity"
VECTORS = ("albedo", "normal")  # three numbers a texel; the others have one


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
    notes: tuple[str, ...]  # sentences for the user
    opacity: Floats | None = None  # [H, W], [0, 1]; None where all texels are equally visible

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

    Files of a folder are recognized by their names. A manifest is an object with the keys of
    ``maps`` and, optionally, a "name" for the set. Albedo in integers is sRGB, in floats linear;
    others are read unchanged. A DirectX normal map has its green flipped; its convention comes from
    ``normal_convention``, the manifest, the file's name, or else the slopes of the map itself. Maps
    of different sizes are resized to the largest. An albedo's alpha that is not 1 everywhere is the
    opacity, if no other file is. In a folder, maps besides albedo, normal and roughness that do not
    fit are left out, with notes.

    Args:
        source: a folder, FOLDER/wood for the files in it that start with wood, a manifest, or a
            dict of a manifest's contents, whose values may be pixels, too.
        normal_convention: "opengl" or "directx"; None: detected.
        memory_limit: bytes of one decoded file, at most.
        wrap: border where smaller maps are enlarged: "repeat" or "clamp".
        keep_hidden_color: where opacity is 0, keep all maps unchanged; else they are filled there
            from visible texels.
        maps: albedo, normal, roughness, metallic, ao, opacity; or a packed file by the order of
            its channels: arm, orm, rma ... Each replaces that of ``source``. A path, in a manifest
            relative to it; or {"path": ..., "convention": "opengl" or "directx" (normal),
            "channel": "r", "g", "b" or "a" (all but albedo and normal)}. A NumPy array, a PIL
            image, a torch tensor or a Picture may replace a path: [H, W, C] or [H, W], floats sRGB
            in [0, 1] for albedo, in [0, 1] or, where some are below 0, in [-1, 1] for normals.

    Raises: ConfigError for a source that is neither, an unknown key, two files for one map, or
        no albedo or roughness; PictureError for a file that cannot be read, does not match its
        name, or differs from the others in shape.
    """
    fills = () if keep_hidden_color else MIPMAPS.maps
    options = ReadOptions(MIPMAPS, normal_convention, memory_limit, wrap, fills)
    textures = textures_of(MaterialSet(*read_maps(source, maps, options, shaded_map)))
    return textures if keep_hidden_color else visible_textures(textures)


def as_textures(source: Any) -> Any:
    """Return the texture set of a MaterialSet, and anything else unchanged."""
    return textures_of(source) if isinstance(source, MaterialSet) else source


def textures_of(surface: MaterialSet) -> TextureSet:
    """Return a surface's maps for shading, with defaults for missing ones.

    Raises: ConfigError for a set without albedo or roughness.
    """
    notes: list[str] = list(surface.notes)
    surface["albedo"], surface["roughness"]  # raises if missing
    maps = {one.name: shaded_map(one, notes) for one in surface.maps if one.name in MIPMAPS.maps}
    values = {name: one.values for name, one in maps.items()}
    numbers = {name: of[..., 0] for name, of in values.items() if name not in VECTORS}
    flat = np.zeros((surface.height, surface.width), np.float32)
    if "normal" not in values:
        values["normal"] = np.dstack([flat, flat, flat + 1])
        notes.append("normal: no such map, taken as flat everywhere.")
    if "metallic" not in values:
        numbers["metallic"] = flat
        notes.append("metallic: no such map, taken as 0 everywhere.")
    opacity = _counted(numbers.get("opacity"), notes)
    paths = {name: one.path for name, one in maps.items() if one.path is not None}
    return TextureSet(surface.name, values["albedo"], values["normal"], numbers["roughness"],
                      numbers["metallic"], numbers.get("ao"), paths, tuple(notes),
                      opacity)  # fmt: skip


def checked_textures(textures: TextureSet) -> TextureSet:
    """Return a user-made set validated like one of files: clipped to [0, 1] with a note.

    Raises: ShapeError for invalid shapes, PictureError for NaN or infinity.
    """
    notes: list[str] = []
    maps: dict[str, Any] = {}
    for name in MIPMAPS.maps:
        values = getattr(textures, name)
        if values is None and name in ("ao", OPACITY):
            continue
        shape = (textures.height, textures.width, *([3] if name in VECTORS else []))
        if values.shape != shape:
            raise ShapeError(f"{textures.name}: got {name} {list(values.shape)}, need "
                             f"{list(shape)} beside albedo. Reshape it.")  # fmt: skip
        check_finite(f"{textures.name}: {name}", values.reshape(*shape[:2], -1))
        maps[name] = values if name == "normal" else clipped(name, values, notes, 1)
    if OPACITY in maps:
        maps[OPACITY] = _counted(maps[OPACITY].astype(np.float32, copy=False), notes)
    if all(values is getattr(textures, name) for name, values in maps.items()):
        return textures
    return replace(textures, notes=(*textures.notes, *notes), **maps)


def _counted(opacity: Floats | None, notes: list[str]) -> Floats | None:
    """Return the opacity that weights texels; None for one that hides nothing, or everything."""
    if opacity is None or (opacity.min() < 1 and opacity.max() > 0):
        return opacity
    notes.append(f"opacity: {opacity.min():g} everywhere, taken as none.")
    return None


def visible_textures(textures: TextureSet) -> TextureSet:
    """Return a set with texels of opacity 0 filled from visible ones, and a note.

    Unchanged without such texels, or if it is filled already.
    """
    opacity = textures.opacity
    if opacity is None or opacity.min() > 0 or opacity.max() <= 0:
        return textures
    maps: dict[str, Any] = {}
    for name in (*VECTORS, "roughness", "metallic", "ao"):
        values = getattr(textures, name)
        if values is not None:
            texels = values.reshape(*opacity.shape, -1).astype(np.float32, copy=False)
            one = MaterialMap(name, texels, "normal" if name == "normal" else "linear")
            maps[name] = filled_map(one, opacity).values.reshape(values.shape)
    if all(np.array_equal(values, getattr(textures, name)) for name, values in maps.items()):
        return textures
    note = ("opacity: where it is 0, all other maps are filled from texels that are seen. "
            "--keep-hidden-color keeps them.")  # fmt: skip
    return replace(textures, notes=(*textures.notes, note), **maps)


def shaded_map(one: MaterialMap, notes: list[str]) -> MaterialMap:
    """Return a map for shading: colors as three numbers of linear light, all in [0, 1]."""
    if one.meaning == "normal":
        return one
    values = srgb_to_linear(one.values) if one.meaning == "srgb" else one.values
    values = clipped(one.name, values, notes, 1)
    if one.name == "albedo":
        values = np.repeat(values, 3, axis=2) if values.shape[2] == 1 else values
        return replace(one, values=values, meaning="linear")
    return replace(one, values=values)
