"""Width and height of picture files by their headers, without decoding them."""

from __future__ import annotations

from pathlib import Path

from neuralshade.base.utf8_path import utf8_path
from neuralshade.errors import PictureError
from neuralshade.source.file_kind import file_kind, gif_size, png_size, zero_size

# formats that OpenImageIO reads in part, or not: what it refuses, another reader may take
IN_PART = ("bmp", "pnm", "dds", "ktx2", "avif")


def header_size(path: Path) -> tuple[int, int] | None:
    """Return width and height in pixels, as they are stored; None where only decoding tells them.

    Finds what a header says: an unknown format, a PNG that is cut off anywhere, other files that
    are cut off in their header. Damaged pixels are found by ``load_picture`` alone.

    Raises: PictureError, as ``load_picture``.
    """
    kind = file_kind(path, whole=False)
    if kind == "png":
        return png_size(path)
    if kind == "gif":  # OpenImageIO allocates the whole canvas
        size = gif_size(path)
        if 0 in size:
            raise zero_size(path)
        return size
    from neuralshade.source.openimageio_file import openimageio_size  # loads NumPy

    try:
        with utf8_path(path) as name:
            return openimageio_size(path, name, kind)
    except PictureError:
        if kind in IN_PART:
            return None
        raise
