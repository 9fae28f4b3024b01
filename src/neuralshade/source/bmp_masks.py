"""Reader of BMP files with channel bit masks, which OpenImageIO ignores."""

import struct
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.source.decoded import Decoded, check_memory
from neuralshade.source.file_kind import damaged, zero_size

FILE_HEADER, INFO_HEADER, ALPHA_HEADER = 14, 40, 56  # bytes; of headers with an alpha mask
BIT_FIELDS, ALPHA_BIT_FIELDS = 3, 6  # values of biCompression
MOST_SIDE = 1 << 20


def read_masked_bmp(path: Path, memory_limit: int) -> Decoded | None:
    """Return the picture of a BMP file of 16 or 32 bits with masks; None for other BMP files.

    Channels of at most 8 bits become uint8, larger ones uint16.

    Source: Microsoft, BITMAPINFOHEADER and BITMAPV4HEADER.
    Raises: PictureError for one that is truncated, or larger than ``memory_limit``.
    """
    with path.open("rb") as file:
        start = file.read(FILE_HEADER + ALPHA_HEADER).ljust(FILE_HEADER + ALPHA_HEADER, b"\0")
        begin, header, width, height, _, bits, stored = struct.unpack_from("<IIiiHHI", start, 10)
        if header < INFO_HEADER or stored not in (BIT_FIELDS, ALPHA_BIT_FIELDS):
            return None
        if bits not in (16, 32):
            return None
        if width == 0 or height == 0:
            raise zero_size(path)
        masks = struct.unpack_from("<4I", start, FILE_HEADER + INFO_HEADER)
        if header < ALPHA_HEADER and stored == BIT_FIELDS:
            masks = masks[:3]
        masks = masks if len(masks) == 4 and masks[3] else masks[:3]
        wide = max(mask.bit_count() for mask in masks) > 8
        shape = (abs(height), width, len(masks))
        if width < 0 or max(abs(height), width) > MOST_SIDE or not all(map(_whole, masks)):
            raise damaged(path, "bmp")
        check_memory(path, shape, "uint16" if wide else "uint8", memory_limit)
        row_bytes = -(-width * bits // 32) * 4
        file.seek(begin)
        content = file.read(row_bytes * abs(height))
    if len(content) < row_bytes * abs(height):
        raise damaged(path, "bmp")
    rows = np.frombuffer(content, np.uint8).reshape(abs(height), row_bytes)
    words = rows[:, : width * bits // 8].view(f"<u{bits // 8}")
    pixels = np.empty(shape, np.uint16 if wide else np.uint8)
    for channel, mask in enumerate(masks):
        pixels[..., channel] = _channel(words, mask, 65535 if wide else 255)
    return Decoded(pixels if height < 0 else pixels[::-1])


def _whole(mask: int) -> bool:
    """Return whether the bits of a mask are contiguous."""
    low = mask & -mask
    return mask != 0 and (mask // low + 1) & (mask // low) == 0


def _channel(words: npt.NDArray[Any], mask: int, peak: int) -> npt.NDArray[Any]:
    shift = (mask & -mask).bit_length() - 1
    most = mask >> shift
    values = (words & words.dtype.type(mask)) >> words.dtype.type(shift)
    if most == peak:
        return values
    return np.rint(values * (peak / most))
