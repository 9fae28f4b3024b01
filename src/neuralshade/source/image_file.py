"""Picture files into memory, read by OpenImageIO."""

import logging
import math
import os
import re
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import OpenImageIO

from neuralshade.base.message_text import plain_name
from neuralshade.base.utf8_path import file_name, utf8_path
from neuralshade.errors import PictureError
from neuralshade.source.channels import (
    color_channels,
    divide_by_alpha,
    multiply_by_alpha,
    shown_names,
    upright,
)
from neuralshade.source.file_kind import (
    damaged,
    file_kind,
    gif_size,
    is_animated_png,
    too_large,
    zero_size,
)
from neuralshade.source.picture import Picture, check_finite

# Sample types: as stored, as read. OpenImageIO widens 1..7 and 9..15 bits by itself.
READ_AS = {
    "uint8": "uint8",
    "uint16": "uint16",
    "half": "half",
    "float": "float",
    "double": "float",
}
TIFF_COLORS = ("", "palette", "CMYK", "YCbCr")  # what libtiff turns into sRGB; "" is RGB, grey
MIB = 2**20
# a path, a Picture, a NumPy array, a PIL image or a torch tensor; not all of them are loaded here
PictureLike: TypeAlias = "str | os.PathLike[str] | Picture | Any"
log = logging.getLogger("neuralshade")
READ_ROWS = 256  # a multiple of every OpenEXR compression's block


def load_picture(path: PictureLike, *, memory_limit: int = 4 * 2**30) -> Picture:
    """Return the picture of a PNG, JPEG, WebP, GIF, TIFF, BMP, PPM/PGM, OpenEXR or HDR file.

    What is in memory already is taken too: a Picture is returned as it is; a NumPy array, a PIL
    image or a torch tensor as ``source/pixels_in_memory.py`` says, [H, W, C], sRGB.

    The format is told from the content. 8- and 16-bit integers (fewer bits widened, CMYK,
    YCbCr and palettes turned into RGB) are "srgb"; half and float are "linear" (float64
    rounded to float32). EXIF orientation is obeyed. An embedded color profile or gamma is
    not applied: integers are taken as sRGB. Alpha is kept as Picture says, converted where a
    file stores it the other way; a BMP's alpha that is 0 everywhere is no alpha and dropped.
    Of several pages, frames or parts the first is taken (of an animation, that is told); of an
    EXR's channels, R, G, B or Y and A, in its data window.

    Args:
        memory_limit: bytes that the decoded pixels may take. Checked on the header, before
            decoding (WebP: after it). Turning a picture upright takes as much again for a while.

    Raises: PictureError if the file is missing, not such a picture, damaged or cut off,
        larger than ``memory_limit``, or holds NaN or infinity.
    """
    if not isinstance(path, (str, os.PathLike)):
        if isinstance(path, Picture):
            return path
        from neuralshade.source.pixels_in_memory import picture_from_memory  # few fits need it

        return picture_from_memory(path)
    if not os.fspath(path):
        raise PictureError("picture: got an empty name, need a picture's. Name a file.")
    place = Path(path)
    kind = file_kind(place)
    if kind == "gif":  # whose reader takes memory for the whole canvas when it is opened
        width, height = gif_size(place)
        _check_memory(place, (height, width, 4), "uint8", memory_limit)
    with utf8_path(place) as name:
        reader = _open(place, name, kind)
        try:
            spec = reader.spec()
            pixels = _read(place, kind, reader, memory_limit)
            more = kind == "gif" and reader.seek_subimage(1, 0)  # told by no attribute where
        finally:  # frames have no duration
            reader.close()
    moves = more or spec.get_int_attribute("oiio:Movie")
    if moves or (kind == "png" and is_animated_png(place)):
        log.warning("%s: an animation; took its first frame.", place)
    is_float = pixels.dtype.kind == "f"
    if kind == "gif" and (pixels[..., -1] == 255).all():  # all that is read has an alpha
        pixels = pixels[..., :-1]
    if pixels.shape[2] in (2, 4):
        # BMP and WebP alpha is always unassociated, but OpenImageIO only marks WebP's.
        straight = kind == "bmp" or bool(spec.get_int_attribute("oiio:UnassociatedAlpha"))
        if is_float and straight:
            multiply_by_alpha(pixels)
        elif not is_float and not straight:
            divide_by_alpha(pixels)
        if kind == "bmp" and not pixels[..., -1].any():
            pixels = pixels[..., :-1]
    pixels = upright(pixels, spec.get_int_attribute("Orientation", 1))
    check_finite(str(place), pixels)
    color_space = "linear" if is_float else "srgb"
    return Picture(np.ascontiguousarray(pixels), color_space, file_name(place))


def _open(path: Path, name: str, kind: str) -> Any:
    """Return OpenImageIO's reader of ``path``, as ``name``; PictureError for a bad header."""
    config = OpenImageIO.ImageSpec()
    config.attribute("oiio:UnassociatedAlpha", 1)  # else it multiplies 8-bit color by alpha
    reader = OpenImageIO.ImageInput.open(name, config)
    if reader is None or reader.format_name() != kind:
        reason = _said(OpenImageIO) if reader is None else f"opened as {reader.format_name()}"
        if "must be at least 1x1" in reason:
            raise zero_size(path)
        if re.search(r"may not exceed|exceeds the \d+ MB limit", reason):
            raise too_large(path) from OSError(reason)
        raise damaged(path, kind) from OSError(reason)
    return reader


def _said(source: Any) -> str:
    """Return the reason of a failure, in which bytes of the file may stand that are no UTF-8."""
    try:
        said: str = source.geterror()
    except UnicodeDecodeError as error:
        return error.object.decode("utf-8", "replace")
    return said


def _read(path: Path, kind: str, reader: Any, memory_limit: int) -> npt.NDArray[Any]:
    """Return the color channels and alpha as [H, W, C], decoded to the last byte."""
    spec = reader.spec()
    color = spec.get_string_attribute("tiff:ColorSpace")
    if spec.deep or spec.depth > 1 or color not in TIFF_COLORS:
        flat = f"{plain_name(color)} color"
        got = "deep pixels" if spec.deep else "a volume" if spec.depth > 1 else flat
        raise PictureError(f"{path}: got {got}, need flat RGB or grey. Convert it first.")
    picks = color_channels(path, spec.channelnames)
    _tell_left_out(path, spec.channelnames, picks)
    dtype = _read_as(path, spec, picks)
    begin, end = min(picks), max(picks) + 1
    _check_memory(path, (spec.height, spec.width, end - begin), dtype, memory_limit)
    try:
        pixels = _decode(reader, begin, end, dtype)
    except MemoryError as error:
        raise _too_little_memory(path, spec, end - begin, dtype) from error
    reason = _said(reader)
    # Both: libjpeg fills what is missing with grey and succeeds, telling only the error text.
    if pixels is None or reason:
        raise damaged(path, kind) from OSError(reason)
    wanted = [pick - begin for pick in picks]
    return pixels if wanted == list(range(end - begin)) else pixels[..., wanted]


def _tell_left_out(path: Path, names: tuple[str, ...], picks: list[int]) -> None:
    left_out = [name for index, name in enumerate(names) if index not in picks]
    if left_out:
        taken = ", ".join(plain_name(names[pick]) for pick in picks)
        log.warning("%s: took channels %s; left out %s", path, taken, shown_names(left_out))


def _decode(reader: Any, begin: int, end: int, dtype: str) -> npt.NDArray[Any] | None:
    """Return channels ``begin`` to ``end`` as [H, W, C], or None if the reader fails."""
    spec = reader.spec()
    if spec.tile_width:
        whole: npt.NDArray[Any] | None = reader.read_image(0, 0, begin, end, dtype)
        return whole
    # By blocks: OpenImageIO decodes into memory of its own first, then copies.
    pixels: npt.NDArray[Any] | None = None
    for top in range(0, spec.height, READ_ROWS):
        bottom = min(top + READ_ROWS, spec.height)
        rows = reader.read_scanlines(spec.y + top, spec.y + bottom, 0, begin, end, dtype)
        if rows is None:
            return None
        if pixels is None:
            pixels = np.empty((spec.height, spec.width, end - begin), rows.dtype)
        pixels[top:bottom] = rows.reshape(bottom - top, spec.width, end - begin)
    return pixels


def _read_as(path: Path, spec: Any, picks: list[int]) -> str:
    stored = {str(spec.channelformat(pick)) for pick in picks}
    if unread := sorted(stored - READ_AS.keys()):
        raise PictureError(
            f"{path}: got {unread[0]} samples, need 8- or 16-bit integers, half or float. "
            "Convert it first."
        )
    return READ_AS[stored.pop()] if len(stored) == 1 else "float"


def _too_little_memory(path: Path, spec: Any, channels: int, dtype: str) -> PictureError:
    return PictureError(
        f"{path}: got {spec.width} x {spec.height} pixels of {channels} {dtype} for which no "
        "memory is left, need room for them. Scale the picture down, or end other programs."
    )


def _check_memory(path: Path, shape: tuple[int, ...], dtype: str, memory_limit: int) -> None:
    size = math.prod(shape) * OpenImageIO.TypeDesc(dtype).size()
    if size > memory_limit:
        height, width, channels = shape
        raise PictureError(
            f"{path}: got {width} x {height} pixels of {channels} {dtype} "
            f"({size / MIB:.1f} MiB), need at most {memory_limit / MIB:.1f} MiB. "
            "Scale the picture down, or raise memory_limit."
        )
