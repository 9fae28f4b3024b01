"""Animated pictures, of which the first frame is taken: GIF, PNG and WebP."""

import logging
import struct
from pathlib import Path
from typing import Any

import numpy.typing as npt

log = logging.getLogger("neuralshade")

GIF_SIZE = slice(6, 10)  # width and height of all frames, in 16 bits each
PNG_START = 8  # bytes before its first chunk
CHUNK_ENDS = 12  # bytes of a chunk besides its data


def gif_size(path: Path) -> tuple[int, int]:
    """Return width and height in pixels of a GIF, by its header; 0 where it is cut off."""
    with path.open("rb") as file:
        found = file.read(GIF_SIZE.stop)[GIF_SIZE]
    width, height = struct.unpack("<HH", found.ljust(4, b"\0"))
    return width, height


def tell_animation(path: Path, kind: str, spec: Any) -> None:
    """Say that the first frame is taken, where there are more.

    Args:
        path: a whole file of FORMATS ``kind``.
        spec: OpenImageIO's of its first frame, which marks animated GIFs and WebPs.
    """
    if spec.get_int_attribute("oiio:Movie") or (kind == "png" and _is_animated_png(path)):
        log.warning("%s: an animation; took its first frame.", path)


def opaque(pixels: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a GIF's [H, W, 4] without an alpha that is 1 everywhere: all that is read has one."""
    return pixels[..., :3] if pixels.shape[2] == 4 and (pixels[..., 3] == 255).all() else pixels


def _is_animated_png(path: Path) -> bool:
    """Return whether a PNG has an acTL chunk, which stands before its pixels (PNG 3, 11.3.6.1)."""
    with path.open("rb") as file:
        file.seek(PNG_START)
        while len(start := file.read(8)) == 8:
            size, chunk = struct.unpack(">I4s", start)
            if chunk in (b"acTL", b"IDAT"):
                return chunk == b"acTL"
            file.seek(size + CHUNK_ENDS - len(start), 1)
    return False
