"""A set of PBR maps in memory: what mip chains are trained from."""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from neuralshade.errors import PictureError
from neuralshade.source.color import srgb_to_linear
from neuralshade.source.image_file import load_picture
from neuralshade.source.map_entry import CHANNELS, Entry, MapFile, check_convention
from neuralshade.source.map_files import MapFiles, find_maps
from neuralshade.source.normal_convention import detect_convention
from neuralshade.source.normal_map import decode_normals, make_unit
from neuralshade.source.picture import Picture
from neuralshade.source.resize import resized, same_shape

Floats = npt.NDArray[np.float32]

GREY_ALIKE = 0.02  # mean distance of channels that still counts as grey: JPEG's, not a packed map's
FLAT_GREEN = 2 / 255  # no green beyond: which way it points makes no difference
CALLED = {"opengl": "OpenGL", "directx": "DirectX"}


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
    source: str | os.PathLike[str] | None = None,
    *,
    normal_convention: str | None = None,
    memory_limit: int = 4 * 2**30,
    **maps: Entry | None,
) -> TextureSet:
    """Return the maps of a folder, a JSON manifest, or single files.

    Files of a folder are told by their names. A manifest is an object with the keys of ``maps``
    and, if need be, a "name" for the set. Albedo in integers is sRGB, in floats linear; all else
    is taken as it is. A DirectX normal map has its green flipped; whether it is one, say
    ``normal_convention``, the manifest, the file's name, or else the slopes of the map itself.
    Maps of different sizes are brought to the largest.

    Args:
        normal_convention: "opengl" or "directx"; None to find out.
        memory_limit: bytes that one decoded file may take.
        maps: albedo, normal, roughness, metallic, ao; or a packed file by the order of its
            channels: arm, orm, rma ... Each replaces what ``source`` has. A path, relative to
            the manifest there; or {"path": ..., "convention": "opengl" or "directx" (normal),
            "channel": "r", "g", "b" or "a" (roughness, metallic, ao)}.

    Raises: ConfigError for a source that is neither, an unknown key, two files for one map, or
        no albedo, normal or roughness; PictureError for a file that cannot be read, is not
        what its name says, or differs from the others in shape.
    """
    if normal_convention is not None:
        check_convention("normal_convention", normal_convention)
    found = find_maps(source, maps)
    notes = list(found.notes)
    files = {file.path for file in found.files.values()}
    pictures = {path: load_picture(path, memory_limit=memory_limit) for path in sorted(files)}
    read: dict[str, Floats] = {}
    for name, file in found.files.items():
        picture = pictures[file.path]
        if name == "albedo":
            read[name] = _albedo(picture, notes)
        elif name == "normal":
            said = normal_convention or file.convention
            read[name] = _normal(file.path, picture, said, notes)
        else:
            read[name] = _scalar(name, file, picture, notes)
    _to_one_size(found, read, notes)
    if "metallic" not in read:
        read["metallic"] = np.zeros_like(read["roughness"])
        notes.append("metallic: no such map, taken as 0 everywhere.")
    files_read = {name: file.path for name, file in found.files.items()}
    return TextureSet(found.name, read["albedo"], read["normal"], read["roughness"],
                      read["metallic"], read.get("ao"), files_read, tuple(notes))  # fmt: skip


def _color(picture: Picture) -> Floats:
    """Return float32 [H, W, 1 or 3] without alpha, not multiplied by it."""
    values = picture.as_float()
    if not picture.has_alpha:
        return values
    color, alpha = values[..., :-1].copy(), values[..., -1:]
    if picture.color_space == "linear":
        np.divide(color, alpha, out=color, where=alpha > 0)
    return color


def _albedo(picture: Picture, notes: list[str]) -> Floats:
    if picture.has_alpha and float(picture.as_float()[..., -1].min()) < 1:
        notes.append("albedo: its alpha is left out.")
    if picture.pixels.dtype.kind == "f":
        values = _clipped("albedo", _color(picture), notes)
    else:
        peak = np.iinfo(picture.pixels.dtype).max
        curve = srgb_to_linear(np.arange(peak + 1) / peak)
        channels = picture.channels - picture.has_alpha
        values = curve[picture.pixels[..., :channels]]
    return np.repeat(values, 3, axis=2) if values.shape[2] == 1 else values


def _scalar(name: str, file: MapFile, picture: Picture, notes: list[str]) -> Floats:
    """Return a map of one number per texel, [H, W]."""
    if file.channel is not None:
        return _clipped(name, _channel(name, file, picture), notes)
    values = _color(picture)
    if values.shape[2] == 3:
        apart = values.max(axis=-1) - values.min(axis=-1)
        if float(apart.mean()) > GREY_ALIKE:
            raise PictureError(
                f"{file.path}: got a picture in color for {name}, need a grey one. If it is a "
                "packed map, give it by its channels' order, such as arm=PATH."
            )
    # Green: JPEG and block compression keep it best.
    return _clipped(name, np.ascontiguousarray(values[..., values.shape[2] // 2]), notes)


def _channel(name: str, file: MapFile, picture: Picture) -> Floats:
    assert file.channel is not None
    if file.channel == 3 and picture.has_alpha:
        return np.ascontiguousarray(picture.as_float()[..., -1])
    color = _color(picture)
    if file.channel >= color.shape[2] or color.shape[2] == 1:
        got = ("grey", "grey and alpha", "RGB", "RGBA")[picture.channels - 1]
        raise PictureError(
            f"{file.path}: got a picture of {got}, need channel {CHANNELS[file.channel]} for "
            f"{name}. Give {name} a file of its own."
        )
    return np.ascontiguousarray(color[..., file.channel])


def _clipped(name: str, values: Floats, notes: list[str]) -> Floats:
    beyond = int(np.count_nonzero((values < 0) | (values > 1)))
    if beyond:
        counted = "1 value" if beyond == 1 else f"{beyond} values"
        notes.append(f"{name}: {counted} beyond [0, 1] clipped.")
        np.clip(values, 0, 1, out=values)
    return values


def _normal(path: Path, picture: Picture, said: str | None, notes: list[str]) -> Floats:
    """Return unit normals, green up, whichever way the file has them."""
    normal, told = decode_normals(path, picture, _color(picture))
    notes += told
    found = detect_convention(normal)
    measured = f"margin {abs(found.margin):.2f} of 1"
    seen = found.convention
    if said is None and np.abs(normal[..., 1]).max() > FLAT_GREEN:
        if seen is None:
            notes.append(
                "normal: taken as OpenGL (green up); neither its name nor its slopes say "
                f"({measured}). If light comes from the wrong side, say DirectX."
            )
        else:
            notes.append(f"normal: found to be {CALLED[seen]} by its slopes ({measured}).")
    elif said is not None and seen not in (None, said):
        assert seen is not None
        notes.append(
            f"normal: taken as {CALLED[said]} as it was said, but its slopes look like "
            f"{CALLED[seen]} ({measured}): check its green channel."
        )
    if (said or seen) == "directx":
        normal[..., 1] *= -1
        notes.append("normal: green flipped from DirectX to OpenGL.")
    return normal


def _to_one_size(found: MapFiles, maps: dict[str, Floats], notes: list[str]) -> None:
    """Bring all maps to the size of the largest, in place: nothing that was stored is lost."""
    sizes = {name: (values.shape[0], values.shape[1]) for name, values in maps.items()}
    largest = max(sizes, key=lambda name: sizes[name][0] * sizes[name][1])
    height, width = sizes[largest]
    for name, size in sizes.items():
        if size == (height, width):
            continue
        if not same_shape(size, (height, width)):
            raise PictureError(
                f"{found.place}: got {name} of {size[1]} x {size[0]} beside {largest} of "
                f"{width} x {height}, need one aspect ratio. Scale or crop one of them."
            )
        maps[name] = resized(maps[name], height, width)
        if name == "normal":
            make_unit(maps[name])
        notes.append(
            f"{name}: {size[1]} x {size[0]} brought to {width} x {height}, the size of "
            f"{largest} (bilinear, wrapping around)."
        )
