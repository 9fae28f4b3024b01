"""Writer of picture files: 8 bits by Pillow, floats by OpenImageIO, 16 bits by png16.py.

OpenImageIO cannot write all: on a full disk its PNG writer reports success and its JPEG writer
ends the process. Pillow encodes into memory, and Python's own write reports every error.
"""

import errno
import io
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import OpenImageIO
from PIL import Image

from neuralshade.base.argument_checks import check_path
from neuralshade.base.atomic import whole_file
from neuralshade.base.utf8_path import utf8_path
from neuralshade.errors import OutputError, PictureError, ShapeError
from neuralshade.source.channels import multiply_by_alpha
from neuralshade.source.color import linear_to_srgb, srgb_to_linear
from neuralshade.source.image_file import load_picture
from neuralshade.source.picture import BLOCK_ROWS, check_color_space, check_finite, check_shape
from neuralshade.source.png16 import write_png16

PILLOW_FORMATS = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG", ".ppm": "PPM", ".pgm": "PPM",
                  ".webp": "WEBP", ".tif": "TIFF", ".tiff": "TIFF"}  # fmt: skip
LINEAR = (".exr", ".hdr")  # floats, which OpenImageIO writes
SUFFIXES = (*PILLOW_FORMATS, *LINEAR)
CHANNELS = {".jpg": (1, 3), ".jpeg": (1, 3), ".ppm": (1, 3), ".pgm": (1,), ".hdr": (1, 3)}
EXR_NAMES = {1: ("Y",), 2: ("Y", "A"), 3: ("R", "G", "B"), 4: ("R", "G", "B", "A")}
SIDES_PX = {"JPEG": 65_500, "WEBP": 16_383}  # libjpeg's JPEG_MAX_DIMENSION, WEBP_MAX_DIMENSION
OPTIONS: dict[str, dict[str, Any]] = {
    "JPEG": {"quality": 95, "subsampling": "4:4:4"},
    "WEBP": {"lossless": True, "exact": True},  # exact: keeps color where alpha is 0
    "TIFF": {"compression": "tiff_adobe_deflate"},
}


def save_picture(
    path: str | os.PathLike[str],
    values: npt.NDArray[np.floating[Any]],
    color_space: str,
    bits: int = 8,
) -> None:
    """Write ``values`` to a .png, .jpg, .jpeg, .ppm, .pgm, .webp, .tif, .tiff, .exr or .hdr file.

    Atomically. All but .exr and .hdr: 8-bit sRGB, .png of 16 bits on request; linear values are
    encoded, all are clamped to [0, 1] and rounded. PNG, WebP and TIFF keep alpha, unassociated.
    JPEG is quality 95 without chroma subsampling; WebP is lossless, grey as RGB. .exr: linear, half
    for float16 values, float for float32; sRGB values are decoded; alpha is associated; neither
    clamped. .hdr: linear RGBE, 8 bits a channel and a common exponent; negative values become 0,
    grey becomes RGB.

    Args:
        values: float16 or float32 [H, W, C], C in 1..4, finite; alpha as Picture says.
        color_space: of ``values``, "srgb" or "linear".
        bits: of a number, 8 or 16; only .png has a choice.

    Raises: OutputError for an unknown suffix, channels that the format lacks (alpha in JPEG
        PPM or HDR, color in PGM), a side beyond JPEG's or WebP's limit, or a place that cannot be
        written; ShapeError, ConfigError or PictureError for bad ``values`` or ``color_space``.
    """
    check_path("output", path, OutputError)
    place = Path(path)
    check_savable(place, values, color_space)
    with whole_file(place) as partial:
        fill_picture(place, partial, values, color_space, bits)


def check_savable(place: Path, values: npt.NDArray[Any], color_space: str) -> None:
    """Raise what ``save_picture`` raises, except for an unwritable path."""
    suffix = check_suffix(place)
    check_color_space(color_space)
    _check_values(place, values, suffix)


def fill_picture(
    place: Path, partial: Path, values: npt.NDArray[Any], color_space: str, bits: int
) -> None:
    """Write values that passed ``check_savable`` to ``partial``, to be renamed to ``place``."""
    suffix = place.suffix.lower()
    if suffix in LINEAR:
        with utf8_path(partial) as name:
            _write_linear(place, partial, name, values, color_space)
    elif suffix == ".png" and bits == 16:
        write_png16(partial, _rounded(values, color_space, np.dtype(np.uint16)))
    else:
        partial.write_bytes(_encoded(values, color_space, suffix))


def check_suffix(path: str | os.PathLike[str]) -> str:
    """Return the lower-case suffix of ``path``; OutputError if ``save_picture`` lacks it."""
    check_path("output", path, OutputError)
    suffix = Path(path).suffix
    if suffix.lower() not in SUFFIXES:
        raise OutputError(
            f"{path}: got suffix '{suffix}', need one of {', '.join(SUFFIXES)}. Rename the output."
        )
    return suffix.lower()


def _check_values(place: Path, values: npt.NDArray[Any], suffix: str) -> None:
    check_shape("values", values)
    if values.dtype.name not in ("float16", "float32"):
        raise ShapeError(
            f"values: got dtype {values.dtype}, need float16 or float32. "
            "Pass Picture.as_float(), or values.astype(numpy.float32)."
        )
    check_finite("values", values)
    channels, allowed = values.shape[2], CHANNELS.get(suffix, (1, 2, 3, 4))
    if channels not in allowed:
        need = " or ".join(map(str, allowed))
        alpha = " with alpha" if channels in (2, 4) else ""
        remedy = "Write .png or .exr." if alpha else "Write .ppm."
        raise OutputError(
            f"{place}: got {channels} channels{alpha}, need {need} for {suffix}. {remedy}"
        )
    most = SIDES_PX.get(PILLOW_FORMATS.get(suffix, ""))
    if most is not None and max(values.shape) > most:
        raise OutputError(
            f"{place}: got a side of {max(values.shape)} pixels, need at most {most} "
            f"for {suffix}. Write .png."
        )


def _encoded(values: npt.NDArray[Any], color_space: str, suffix: str) -> bytes:
    """Return the bytes of an 8-bit file."""
    pixels = _rounded(values, color_space, np.dtype(np.uint8))
    if suffix == ".ppm":
        pixels = np.repeat(pixels, 3 // pixels.shape[2], axis=2)
    if suffix == ".webp" and pixels.shape[2] < 3:
        pixels = pixels[:, :, [0, 0, 0, 1][: 2 + pixels.shape[2]]]
    grey = pixels.shape[2] == 1
    image = Image.fromarray(pixels[:, :, 0] if grey else pixels)
    kind = PILLOW_FORMATS[suffix]
    buffer = io.BytesIO()
    image.save(buffer, kind, **OPTIONS.get(kind, {}))
    return buffer.getvalue()


def _rounded(values: npt.NDArray[Any], color_space: str, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return values rounded to integers of ``dtype``, encoded as sRGB."""
    pixels, peak = np.empty(values.shape, dtype), np.float32(np.iinfo(dtype).max)
    for top in range(0, values.shape[0], BLOCK_ROWS):
        block = values[top : top + BLOCK_ROWS].astype(np.float32)
        if color_space == "linear":
            _encode_srgb(block)
        pixels[top : top + BLOCK_ROWS] = np.rint(np.clip(block, 0, 1) * peak)
    return pixels


def _encode_srgb(block: npt.NDArray[np.float32]) -> None:
    """Convert linear color with associated alpha to sRGB with unassociated, in place."""
    colors = block.shape[2] - (block.shape[2] in (2, 4))
    if colors < block.shape[2]:
        alpha = np.where(block[..., -1:] == 0, 1, block[..., -1:])
        block[..., :-1] /= alpha
    block[..., :colors] = linear_to_srgb(np.clip(block[..., :colors], 0, 1))


def _write_linear(
    place: Path, partial: Path, name: str, values: npt.NDArray[Any], color_space: str
) -> None:
    height, width, channels = values.shape
    # a copy, as it is changed below; contiguous, as OpenImageIO needs it
    pixels = values.astype(np.float32, order="C")
    if color_space == "srgb":
        colors = channels - (channels in (2, 4))
        pixels[..., :colors] = srgb_to_linear(pixels[..., :colors])
        if colors < channels:
            multiply_by_alpha(pixels)
    if place.suffix.lower() == ".hdr":
        pixels = np.repeat(pixels.clip(0), 3 // channels, axis=2)
        channels = 3
    half = values.dtype == np.float16 and channels == values.shape[2]
    spec = OpenImageIO.ImageSpec(width, height, channels, "half" if half else "float")
    spec.channelnames = EXR_NAMES[channels]
    writer: Any = OpenImageIO.ImageOutput.create(name)
    done = writer.open(name, spec) and writer.write_image(pixels)
    done = writer.close() and done
    if not done or writer.has_error:
        raise _exr_refusal(place, partial, pixels.nbytes, writer.geterror())
    try:
        # Read back: if the last bytes fill the disk, the writer reports no error.
        load_picture(partial, memory_limit=2 * pixels.nbytes)
    except PictureError as error:
        raise _exr_refusal(place, partial, pixels.nbytes, "a cut-off file") from error


def _exr_refusal(place: Path, partial: Path, size: int, reason: str) -> OSError:
    """Return the reason of a failed EXR write, which OpenImageIO does not report."""
    if shutil.disk_usage(partial.parent).free < size:
        return OSError(errno.ENOSPC, reason)  # whole_file makes the message
    return OutputError(f"{place}: got '{reason}', need a writable place. Choose another path.")
