"""A set of PBR maps in memory: what mip chains are trained from."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.source.color import srgb_to_linear
from neuralshade.source.map_entry import Entry, check_convention
from neuralshade.source.map_files import find_maps
from neuralshade.source.map_values import (
    alpha_matters,
    clipped,
    color_values,
    normal_values,
    number_values,
    picture_of,
)
from neuralshade.source.normal_map import make_unit
from neuralshade.source.picture import Picture
from neuralshade.source.resize import common_size, resized

Floats = npt.NDArray[np.float32]


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
    if normal_convention is not None:
        check_convention("normal_convention", normal_convention)
    found = find_maps(source, maps)
    notes = list(found.notes)
    files = {file.read_once: file for file in found.files.values()}
    pictures = {once: picture_of(file, memory_limit) for once, file in sorted(files.items())}
    read: dict[str, Floats] = {}
    for name, file in found.files.items():
        picture = pictures[file.read_once]
        if name == "albedo":
            read[name] = _albedo(picture, notes)
        elif name == "normal":
            said = normal_convention or file.convention
            read[name] = normal_values(file.path, picture, said, notes)
        else:
            read[name] = clipped(name, number_values(name, file, picture), notes, 1)
    _to_one_size(found.place, read, notes)
    if "normal" not in read:
        read["normal"] = np.zeros((*read["roughness"].shape, 3), np.float32)
        read["normal"][..., 2] = 1
        notes.append("normal: no such map, taken as flat everywhere.")
    if "metallic" not in read:
        read["metallic"] = np.zeros_like(read["roughness"])
        notes.append("metallic: no such map, taken as 0 everywhere.")
    read_from = ((name, file.on_disk) for name, file in found.files.items())
    files_read = {name: path for name, path in read_from if path is not None}
    return TextureSet(found.name, read["albedo"], read["normal"], read["roughness"],
                      read["metallic"], read.get("ao"), files_read, tuple(notes))  # fmt: skip


def _albedo(picture: Picture, notes: list[str]) -> Floats:
    if alpha_matters(picture):
        notes.append("albedo: its alpha is left out.")
    if picture.color_space == "linear":
        values = clipped("albedo", color_values(picture), notes, 1)
    elif picture.pixels.dtype.kind == "f":
        values = srgb_to_linear(color_values(picture))
    else:
        peak = np.iinfo(picture.pixels.dtype).max
        curve = srgb_to_linear(np.arange(peak + 1) / peak)
        channels = picture.channels - picture.has_alpha
        values = curve[picture.pixels[..., :channels]]
    return np.repeat(values, 3, axis=2) if values.shape[2] == 1 else values


def _to_one_size(place: str, maps: dict[str, Floats], notes: list[str]) -> None:
    """Bring all maps to the size of the largest, in place."""
    sizes = {name: (values.shape[0], values.shape[1]) for name, values in maps.items()}
    height, width = common_size(place, sizes, notes)
    for name, size in sizes.items():
        if size != (height, width):
            maps[name] = resized(maps[name], height, width)
            if name == "normal":
                make_unit(maps[name])
