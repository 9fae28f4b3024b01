"""PNG writer for 16 bits per channel, which Pillow supports for grey only.

Source: W3C, Portable Network Graphics (PNG) Specification (Third Edition), sections 5, 9 and 11.
"""

import struct
import zlib
from pathlib import Path

import numpy as np
import numpy.typing as npt

SIGNATURE = b"\x89PNG\r\n\x1a\n"
COLOR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}  # by channels: grey, and with alpha; color, and with alpha
SUBTRACT_LEFT, SUBTRACT_ABOVE, SUBTRACT_NEAREST = 1, 2, 4  # filters of a row
BAND_BYTES = 1 << 22  # filtered at once

Rows = npt.NDArray[np.uint8]


def write_png16(path: Path, pixels: npt.NDArray[np.uint16]) -> None:
    """Write ``pixels``, uint16 [H, W, C], C in 1..4, alpha last and unassociated.

    Raises: OSError, also where the disk is full.
    """
    height, width, channels = pixels.shape
    head = struct.pack(">2I5B", width, height, 16, COLOR_TYPES[channels], 0, 0, 0)
    step = 2 * channels
    rows = max(1, BAND_BYTES // (width * step))
    packer = zlib.compressobj()
    above = np.zeros((1, width * step), np.uint8)
    with path.open("wb") as file:
        file.write(SIGNATURE + _chunk(b"IHDR", head))
        for top in range(0, height, rows):
            band = np.ascontiguousarray(pixels[top : top + rows], ">u2").view(np.uint8)
            band = band.reshape(len(band), -1)
            file.write(_chunk(b"IDAT", packer.compress(_filtered(band, above, step).tobytes())))
            above = band[-1:]
        file.write(_chunk(b"IDAT", packer.flush()) + _chunk(b"IEND", b""))


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(
        ">I", zlib.crc32(kind + content)
    )  # fmt: skip


def _filtered(band: Rows, above: Rows, step: int) -> Rows:
    """Return each row's filter and its differences, chosen by their smallest sum.

    Args:
        band: uint8 [rows, bytes].
        above: uint8 [1, bytes], the row before.
        step: bytes of a pixel.
    """
    up = np.concatenate((above, band[:-1]))
    blank = np.zeros((len(band), step), np.uint8)
    left, corner = (np.concatenate((blank, side[:, :-step]), axis=1) for side in (band, up))
    guesses = {SUBTRACT_LEFT: left, SUBTRACT_ABOVE: up, SUBTRACT_NEAREST: _paeth(left, up, corner)}
    kinds = np.array(list(guesses), np.uint8)
    apart = np.stack([band - guess for guess in guesses.values()])
    sizes = np.abs(apart.view(np.int8).astype(np.int16)).sum(axis=2, dtype=np.int64)
    best = sizes.argmin(axis=0)
    chosen = apart[best, np.arange(len(band))]
    return np.concatenate((kinds[best][:, None], chosen), axis=1)


def _paeth(left: Rows, up: Rows, corner: Rows) -> Rows:
    """Return the neighbor closest to left + up - corner; the first at a tie."""
    a, b, c = (side.astype(np.int16) for side in (left, up, corner))
    to_a, to_b, to_c = np.abs(b - c), np.abs(a - c), np.abs(a + b - 2 * c)
    nearer = np.where(to_b <= to_c, up, corner)
    return np.where((to_a <= to_b) & (to_a <= to_c), left, nearer)
