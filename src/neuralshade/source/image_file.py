"""Loader of picture files of all formats."""

from __future__ import annotations

import logging
import os
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from neuralshade.base.utf8_path import file_name, utf8_path
from neuralshade.errors import PictureError
from neuralshade.source.channels import divide_by_alpha, multiply_by_alpha, upright
from neuralshade.source.file_kind import chunks_before_pixels, file_kind, gif_size
from neuralshade.source.picture import Picture, check_finite

if TYPE_CHECKING:
    from neuralshade.source.decoded import Decoded

# a path, a Picture, a NumPy array, a PIL image or a torch tensor, without importing their packages
PictureLike: TypeAlias = "str | os.PathLike[str] | Picture | Any"
PILLOW_TOO = ("bmp", "pnm")  # formats whose remaining files Pillow reads
OTHER_READERS = ("bmp", "dds", "ktx2", "avif")  # formats that OpenImageIO reads in part, or not
EMPTY_ALPHA = ("bmp", "targa")  # in which an alpha of 0 everywhere means that there is none
TAGGED_HEADERS = ("bmp", "targa", "hdr")  # formats whose readers ignore color tags
OPAQUE_ALPHA = ("gif", "dds", "ktx2")  # formats whose alpha is dropped where it is 1 everywhere
log = logging.getLogger("neuralshade")


def load_picture(
    path: PictureLike, *, memory_limit: int = 4 * 2**30, colors: bool = True
) -> Picture:
    """Return the picture of a file: PNG, JPEG, TIFF, EXR, TGA, DDS and more.

    Formats are the keys of ``file_kind.FORMATS``, detected by content. Pictures in memory are
    accepted, too: a Picture is returned unchanged; a NumPy array, a PIL image or a torch tensor as
    in ``source/pixels_in_memory.py``, [H, W, C], sRGB.

    8- and 16-bit integers (fewer bits widened, CMYK, YCbCr and palettes converted to RGB) are
    "srgb"; half and float are "linear" (float64 rounded to float32). Colors with another tag (ICC
    profile, CICP, PNG's gAMA and cHRM, chromaticities of EXR, TIFF and HDR, gamma of BMP and TGA)
    are converted to sRGB, or to its linear light where they are floats or brighter (PQ, HLG: 1 is
    203 cd/m2). EXIF orientation is applied. Alpha is kept in the form of Picture, converted where
    a file stores the other; a BMP's or TGA's alpha that is 0 everywhere is dropped.

    Of several pages, frames or parts one is read: the first frame of an animation; the first TIFF
    page at full size; the EXR part with color. Of an EXR's channels R, G, B or Y and A are read,
    else X, Y, Z, two of R, G, or the only one. EXR pictures fill their display window. What is
    left out or converted is logged as a warning.

    Args:
        memory_limit: bytes of the decoded pixels, at most. Checked on the header, before
            decoding (WebP: after it). Rotating a picture upright temporarily needs twice that.
        colors: False for numbers, such as normals or roughness: color tags are not applied.

    Raises: PictureError if the file is missing, not such a picture, damaged or truncated,
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
    found, notes = read_picture(place, memory_limit)
    for note in notes:
        log.warning("%s", note)
    if not colors or found.tag is None:
        return found
    from neuralshade.source.tagged_colors import apply_tag  # few pictures are tagged

    return apply_tag(found, str(place))


def read_picture(place: Path, memory_limit: int) -> tuple[Picture, list[str]]:
    """Return the picture of a file with its colors as stored, and notes on what was left out.

    Logs nothing, so that threads may read several files. Raises: as ``load_picture``.
    """
    kind = file_kind(place)
    decoded = _decoded(place, kind, memory_limit)
    if kind in TAGGED_HEADERS and decoded.tag is None:
        from neuralshade.source.header_tags import header_tag

        decoded.tag = header_tag(place, kind)
    notes = list(decoded.notes)
    if decoded.animated:
        notes.append(f"{place}: an animation; took its first frame.")
    pixels = decoded.pixels
    is_float = pixels.dtype.kind == "f"
    if kind in OPAQUE_ALPHA and pixels.shape[2] == 4 and _opaque(pixels):
        pixels = pixels[..., :-1]
    if pixels.shape[2] in (2, 4):
        if is_float and decoded.straight:
            multiply_by_alpha(pixels)
        elif not is_float and not decoded.straight:
            divide_by_alpha(pixels)
        if kind in EMPTY_ALPHA and not pixels[..., -1].any():
            pixels = pixels[..., :-1]
    pixels = upright(pixels, decoded.orientation)
    check_finite(str(place), pixels)
    color_space = "linear" if is_float else "srgb"
    contiguous = np.ascontiguousarray(pixels)
    return Picture(contiguous, color_space, file_name(place), tag=decoded.tag), notes


def load_as_fitted(path: PictureLike, digest: str | None, loaded: Picture | None = None) -> Picture:
    """Return ``load_picture``, or the picture without color conversion if that has ``digest``.

    Earlier versions read tagged colors without conversion, and their assets and checkpoints have
    such digests. ``loaded``: the result of ``load_picture``, if it is at hand.
    """
    if loaded is not None and loaded.digest == digest:
        return loaded
    stored = load_picture(path, colors=False)
    if stored.tag is None:
        return stored
    if stored.digest == digest:
        log.warning("%s: its colors (%s) are taken as they are stored, as they were fitted.",
                    path, stored.tag.name)  # fmt: skip
        return replace(stored, tag=None)
    from neuralshade.source.tagged_colors import apply_tag

    return apply_tag(stored, str(path))


def _decoded(place: Path, kind: str, memory_limit: int) -> Decoded:
    """Return the pixels of a file of that kind, by the library that reads it."""
    # imported here: loading an asset needs none of them
    from neuralshade.source.decoded import check_memory
    from neuralshade.source.openimageio_file import read_openimageio

    if kind == "gif":  # its reader allocates the whole canvas when it opens the file
        width, height = gif_size(place)
        check_memory(place, (height, width, 4), "uint8", memory_limit)
    found = _otherwise(place, kind, memory_limit) if kind in OTHER_READERS else None
    if found is not None:
        return found
    with utf8_path(place) as name:
        try:
            found = read_openimageio(place, name, kind, memory_limit)
        except PictureError as error:
            if kind not in PILLOW_TOO or not isinstance(error.__cause__, OSError):
                raise
            from neuralshade.source.pillow_file import read_pillow

            return read_pillow(place, kind, memory_limit)
    if kind == "png":
        found.animated = found.animated or "acTL" in chunks_before_pixels(place)
    if found.tag is not None and found.tag.inks:
        from neuralshade.source.pillow_file import read_inks

        return read_inks(place, kind, found.tag, memory_limit) or found
    return found


def _otherwise(place: Path, kind: str, memory_limit: int) -> Decoded | None:
    """Return the pixels of files that OpenImageIO cannot read well; None for all others."""
    if kind == "bmp":
        from neuralshade.source.bmp_masks import read_masked_bmp

        return read_masked_bmp(place, memory_limit)
    if kind == "avif":
        from neuralshade.source.pillow_file import read_pillow

        return read_pillow(place, kind, memory_limit)
    from neuralshade.source.texel_file import read_ktx2, read_plain_dds

    if kind == "dds":
        return read_plain_dds(place, memory_limit)
    return read_ktx2(place, memory_limit, partial(_blocks, memory_limit=memory_limit))


def _blocks(path: Path, name: str, memory_limit: int) -> Decoded:
    """Return the blocks of ``path``, written as DDS file ``name``."""
    from neuralshade.source.openimageio_file import read_openimageio

    return read_openimageio(path, name, "dds", memory_limit)


def _opaque(pixels: npt.NDArray[Any]) -> bool:
    """Return whether alpha is 1 everywhere."""
    peak = 1 if pixels.dtype.kind == "f" else np.iinfo(pixels.dtype).max
    return bool((pixels[..., -1] == peak).all())
