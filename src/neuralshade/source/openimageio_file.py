"""Reader of picture files through OpenImageIO."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import OpenImageIO

from neuralshade.base.message_text import plain_name
from neuralshade.errors import PictureError
from neuralshade.source.channels import (
    COLOR,
    Channels,
    chroma_refused,
    color_channels,
    shortened_names,
    two_channels,
)
from neuralshade.source.decoded import ColorTag, Decoded, check_memory, too_little_memory
from neuralshade.source.file_kind import (
    chunks_before_pixels,
    damaged,
    not_read,
    too_large,
    zero_size,
)

# Sample types: stored, and read as. OpenImageIO widens 1..7 and 9..15 bits by itself.
READ_AS = {
    "uint8": "uint8",
    "uint16": "uint16",
    "half": "half",
    "float": "float",
    "double": "float",
}
WIDE = "uint"  # 32 bits: in TIFF read as 16, whose maximum is white; in EXR it is an identifier
TIFF_COLORS = ("", "palette", "CMYK", "YCbCr")  # libtiff converts them to sRGB; "" is RGB, grey
STRAIGHT = (
    "bmp",
    "dds",
    "jpeg2000",
    "jpegxl",
)  # with unassociated alpha, though no attribute says so
GREY_AND_MORE = {"targa": ("Y", "A"), "tiff": ("Y", "channel1")}
READ_ROWS = 256  # a multiple of every OpenEXR compression's block
ASSOCIATED_TARGA = 4  # alpha type in a Targa's extension, whose other writers omit it
MOST_PARTS = 256  # of a file, inspected at most
# attributes, and chunks of a PNG, with color facts
TAGS = ("CICP", "chromaticities", "Exif:InteroperabilityIndex")
TAGS_OF_PNG = {"iCCP", "gAMA", "cHRM"}
# Readers' messages for complete files in unsupported variants.
LACKING = re.compile(r"[^\n]*(unsupported|unimplemented|not (supported|implemented))[^\n]*", re.I)


def openimageio_size(path: Path, name: str, kind: str) -> tuple[int, int]:
    """Return width and height in pixels by the header of the file ``path``, opened as ``name``.

    Raises: PictureError for a header that is not read.
    """
    reader = _open(path, name, kind)
    spec = reader.spec()
    reader.close()
    return spec.width, spec.height


def read_openimageio(path: Path, name: str, kind: str, memory_limit: int) -> Decoded:
    """Return the pixels of the file ``path``, opened as ``name``.

    Raises: PictureError; for a damaged file its cause is an OSError with the reader's reason.
    """
    reader = _open(path, name, kind)
    try:
        notes = _seek_part(path, kind, reader) if kind in ("openexr", "tiff") else []
        spec = reader.spec()
        decoded = _read(path, kind, reader, memory_limit)
        decoded.notes[:0] = notes
        more = kind == "gif" and reader.seek_subimage(1, 0)  # no attribute without durations
    finally:
        reader.close()
    decoded.animated = bool(more or spec.get_int_attribute("oiio:Movie"))
    decoded.orientation = spec.get_int_attribute("Orientation", 1)
    return decoded


def _open(path: Path, name: str, kind: str) -> Any:
    """Return OpenImageIO's reader of ``path``, as ``name``; PictureError for a bad header."""
    config = OpenImageIO.ImageSpec()
    config.attribute("oiio:UnassociatedAlpha", 1)  # else it multiplies 8-bit color by alpha
    reader = OpenImageIO.ImageInput.open(name, config)
    if reader is None or reader.format_name() != kind:
        reason = (
            _reader_error(OpenImageIO) if reader is None else f"opened as {reader.format_name()}"
        )
        if "must be at least 1x1" in reason:
            raise zero_size(path)
        if re.search(r"may not exceed|exceeds the \d+ MB limit", reason):
            raise too_large(path) from OSError(reason)
        if kind == "openexr" and "ubsampled" in reason:
            raise chroma_refused(path) from OSError(reason)
        if kind == "hdr" and "no FORMAT" in reason:  # of XYZE, too
            raise not_read(path, kind, "no FORMAT=32-bit_rle_rgbe") from OSError(reason)
        if lacking := LACKING.search(reason):
            raise not_read(path, kind, lacking[0].strip()) from OSError(reason)
        raise damaged(path, kind) from OSError(reason)
    return reader


def _seek_part(path: Path, kind: str, reader: Any) -> list[str]:
    """Seek ``reader`` to the selected part or page, and return notes on the others.

    Raises: PictureError for a damaged header.
    """
    from neuralshade.source.file_parts import chosen_part  # other kinds have none

    if reason := _reader_error(reader):  # a header that it understood in part
        raise damaged(path, kind) from OSError(reason)
    specs = [reader.spec()]
    while len(specs) < MOST_PARTS and reader.seek_subimage(len(specs), 0):
        specs.append(reader.spec())
    _reader_error(reader)  # clears that of the missing part
    index, notes = chosen_part(path, kind, specs)
    reader.seek_subimage(index, 0)
    return notes


def _reader_error(source: Any) -> str:
    """Return and clear the message of OpenImageIO's last failure.

    It may contain bytes of the file that are no UTF-8.
    """
    try:
        said: str = source.geterror()
    except UnicodeDecodeError as error:
        return error.object.decode("utf-8", "replace")
    return said


def _read(path: Path, kind: str, reader: Any, memory_limit: int) -> Decoded:
    """Return the color channels and alpha as [H, W, C], decoded completely."""
    spec = reader.spec()
    color = spec.get_string_attribute("tiff:ColorSpace")
    if spec.deep or spec.depth > 1 or color not in TIFF_COLORS:
        flat = f"{plain_name(color)} color"
        got = "deep pixels" if spec.deep else "a volume" if spec.depth > 1 else flat
        raise PictureError(f"{path}: got {got}, need flat RGB or grey. Convert it first.")
    names = _names(kind, spec)
    chosen = color_channels(path, names)
    notes = _left_out(path, names, chosen)
    picks = chosen.picks
    undescribed = _undescribed_alpha(names, picks) if kind == "tiff" else None
    if undescribed is not None:
        picks = [*picks, undescribed]
        notes = [f"{path}: took its sample {undescribed + 1}, which no tag describes, for alpha",
                 *_left_out(path, names, Channels(picks, COLOR))]  # fmt: skip
    dtype = _read_as(path, kind, spec, picks)
    wide = str(spec.channelformat(picks[0])) == WIDE
    floats = dtype not in ("uint8", "uint16")
    tag = _tag(path, kind, reader, floats) if chosen.kind == COLOR else None
    pixels = _pixels(path, kind, reader, picks, dtype, memory_limit, tag)
    if wide:
        notes.append(f"{path}: got 32-bit integers, of which the upper 16 bits are read")
        if not pixels.any():
            raise PictureError(f"{path}: got 32-bit integers that are all below 65536, need some "
                               "up to 4294967295, which is white. Save it with 16 bits."
                               )  # fmt: skip
    if kind == "openexr":
        from neuralshade.source.file_parts import in_display_window  # other kinds have no windows

        pixels, note = in_display_window(path, spec, pixels)
        notes += [note] if note else []
    if chosen.missing_blue:
        pixels = np.concatenate([pixels, np.zeros_like(pixels[..., :1])], axis=2)
        notes.append(two_channels(path))
    straight = undescribed is not None or _straight(kind, spec)
    return Decoded(pixels, straight, tag=tag, notes=notes)


def _tag(path: Path, kind: str, reader: Any, floats: bool) -> ColorTag | None:
    """Return a file's color tag, where it differs from the default of its samples."""
    spec = reader.spec()
    chunks, profile = {}, spec.getattribute("ICCProfile")
    if kind == "tiff" and profile is None:
        from neuralshade.source.header_tags import tiff_tag

        if (found := tiff_tag(path, reader.current_subimage(), floats)) is not None:
            return found
    if kind == "png":
        chunks = chunks_before_pixels(path)
    elif kind == "jpeg2000":
        from neuralshade.source.iso_boxes import jpeg2000_profile

        profile = jpeg2000_profile(path)
    if profile is None and not TAGS_OF_PNG & chunks.keys() and not any(
        spec.getattribute(name) is not None for name in TAGS
    ):  # fmt: skip
        return None
    from neuralshade.source.file_tags import color_tag  # few pictures have any

    return color_tag(spec, floats, profile, chunks)


def _straight(kind: str, spec: Any) -> bool:
    """Return whether alpha is unassociated."""
    if kind == "targa":
        return bool(spec.get_int_attribute("targa:alpha_type") != ASSOCIATED_TARGA)
    return kind in STRAIGHT or bool(spec.get_int_attribute("oiio:UnassociatedAlpha"))


def _pixels(
    path: Path, kind: str, reader: Any, picks: Sequence[int], dtype: str, memory_limit: int,
    tag: ColorTag | None,
) -> npt.NDArray[Any]:  # fmt: skip
    """Return the channels ``picks``, after a memory check."""
    spec, begin, end = reader.spec(), min(picks), max(picks) + 1
    shape = (spec.height, spec.width, end - begin)
    check_memory(path, shape, dtype, memory_limit)
    if kind == "openexr":
        check_memory(path, (spec.full_height, spec.full_width, len(picks)), dtype, memory_limit)
    if tag is not None and tag.bright:
        check_memory(path, (spec.height, spec.width, len(picks)), "float", memory_limit)
    try:
        pixels = _decode(reader, begin, end, dtype)
    except MemoryError as error:
        raise too_little_memory(path, shape, dtype) from error
    reason = _reader_error(reader)
    # Both checks: libjpeg fills missing data with grey and succeeds, with an error text only.
    if pixels is None or reason:
        raise damaged(path, kind) from OSError(reason)
    indices = [pick - begin for pick in picks]
    return pixels if indices == list(range(end - begin)) else pixels[..., indices]


def _names(kind: str, spec: Any) -> tuple[str, ...]:
    """Return the names of the channels; those of grey and another are called R and G."""
    names: tuple[str, ...] = tuple(spec.channelnames)
    return GREY_AND_MORE.get(kind, names) if names == ("R", "G") else names


def _undescribed_alpha(names: Sequence[str], picks: Sequence[int]) -> int | None:
    """Return the channel after a TIFF's colors, where no tag declares an alpha.

    Image editors store an alpha channel so; after grey only if there is a single one.
    """
    extra = len(names) - len(picks)
    described = len(picks) in (2, 4) or list(picks) != list(range(len(picks)))
    if described or not extra or (len(picks) == 1 and extra > 1):
        return None
    return len(picks) if names[len(picks)].startswith("channel") else None


def _left_out(path: Path, names: Sequence[str], chosen: Channels) -> list[str]:
    left_out = [name for index, name in enumerate(names) if index not in chosen.picks]
    if not left_out:
        return []
    taken = ", ".join(plain_name(names[pick]) for pick in chosen.picks)
    return [f"{path}: took channels {taken}; left out {shortened_names(left_out)}"]


def _decode(reader: Any, begin: int, end: int, dtype: str) -> npt.NDArray[Any] | None:
    """Return channels ``begin`` to ``end`` as [H, W, C], or None if the reader fails."""
    spec = reader.spec()
    # Planes that are compressed cannot be read in blocks: OpenImageIO loses its position.
    planes = spec.get_string_attribute("planarconfig") == "separate"
    if spec.tile_width or planes:
        part = reader.current_subimage()
        whole: npt.NDArray[Any] | None = reader.read_image(part, 0, begin, end, dtype)
        return whole
    # By blocks: OpenImageIO first decodes into a buffer of its own, then copies.
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


def _read_as(path: Path, kind: str, spec: Any, picks: Sequence[int]) -> str:
    stored = {str(spec.channelformat(pick)) for pick in picks}
    if kind == "tiff" and stored == {WIDE}:
        return "uint16"
    if unread := sorted(stored - READ_AS.keys()):
        raise PictureError(
            f"{path}: got {unread[0]} samples, need unsigned integers of 8 or 16 bits, half or "
            "float. Convert it first."
        )
    return READ_AS[stored.pop()] if len(stored) == 1 else "float"
