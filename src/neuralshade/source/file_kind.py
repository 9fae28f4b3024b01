"""What kind of picture a file holds, told from its first bytes, and whether a PNG is whole."""

import re
import struct
import zlib
from pathlib import Path
from typing import BinaryIO

from neuralshade.base.regular_file import IrregularError, check_regular
from neuralshade.errors import PictureError

# OpenImageIO's name of each format: its usual name, and the bytes that its files start with.
FORMATS = {
    "png": ("PNG", rb"\x89PNG\r\n\x1a\n"),
    "jpeg": ("JPEG", rb"\xff\xd8\xff"),
    "webp": ("WebP", rb"RIFF.{4}WEBP"),
    "gif": ("GIF", rb"GIF8[79]a"),
    "tiff": ("TIFF", rb"II\*\x00|MM\x00\*|II\+\x00|MM\x00\+"),
    "bmp": ("BMP", rb"BM"),
    "pnm": ("PPM/PGM", rb"P[1-6]\s"),
    "openexr": ("OpenEXR", rb"v/1\x01"),
    "hdr": ("Radiance HDR", rb"#\?(RADIANCE|RGBE)\s"),
}
PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".tif", ".tiff", ".bmp", ".ppm",
                    ".pgm", ".exr", ".hdr")  # fmt: skip
TIFF_SUFFIXES = (".tif", ".tiff")
PNG_SIDE_PX = 1_000_000  # libpng's PNG_USER_WIDTH_MAX
PIECE_BYTES = 1 << 20
GIF_SIZE = slice(6, 10)  # width and height of all frames, in 16 bits each
PNG_START, CHUNK_ENDS = 8, 12  # bytes before the first chunk, and of each besides its data


def file_kind(path: Path) -> str:
    """Return the key of FORMATS that ``path`` is, whatever its suffix says.

    Raises: PictureError if there is no such file, it is a folder, a pipe, unreadable, empty, of
        another kind, a camera's raw file, or a PNG that is cut off or damaged.
    """
    try:
        check_regular(path)
        with path.open("rb") as file:
            kind = _sniff(path, file.read(16))
            if kind == "png":
                _check_png(path, file)
    except FileNotFoundError as error:
        raise PictureError(f"{path}: got no such file, need a picture. Check the path.") from error
    except IsADirectoryError as error:
        raise PictureError(
            f"{path}: got a folder, need a picture. Name one file inside it."
        ) from error
    except IrregularError as error:
        raise PictureError(
            f"{path}: got {error.strerror}, need a regular file. Save the picture as one first."
        ) from error
    except OSError as error:
        raise PictureError(
            f"{path}: got '{error.strerror}' while reading, need a readable file. "
            "Check its permissions and its disk."
        ) from error
    return kind


def damaged(path: Path, kind: str) -> PictureError:
    """Return the refusal of a ``kind`` file that does not decode to its end."""
    return PictureError(
        f"{path}: got a damaged or cut-off {FORMATS[kind][0]} file, need a whole one. "
        "Copy or download it again."
    )


def zero_size(path: Path) -> PictureError:
    """Return the refusal of a picture without pixels."""
    return PictureError(
        f"{path}: got a picture without pixels, need at least 1 x 1. Export it again."
    )


def too_large(path: Path) -> PictureError:
    """Return the refusal of a picture beyond the limits of the libraries that read it."""
    return PictureError(
        f"{path}: got more pixels than its reader takes, need fewer. Scale the picture down."
    )


def gif_size(path: Path) -> tuple[int, int]:
    """Return width and height in pixels of a GIF, by its header; 0 where it is cut off."""
    with path.open("rb") as file:
        found = file.read(GIF_SIZE.stop)[GIF_SIZE]
    width, height = struct.unpack("<HH", found.ljust(4, b"\0"))
    return width, height


def is_animated_png(path: Path) -> bool:
    """Return whether a PNG has an acTL chunk, which stands before its pixels (PNG 3, 11.3.6.1)."""
    with path.open("rb") as file:
        file.seek(PNG_START)
        while len(start := file.read(8)) == 8:
            size, chunk = struct.unpack(">I4s", start)
            if chunk in (b"acTL", b"IDAT"):
                return bool(chunk == b"acTL")
            file.seek(size + CHUNK_ENDS - len(start), 1)
    return False


def _sniff(path: Path, start: bytes) -> str:
    if not start:
        raise PictureError(f"{path}: got an empty file, need a picture. Copy or download it again.")
    for kind, (_, pattern) in FORMATS.items():
        if re.match(pattern, start, re.DOTALL):
            if kind == "tiff" and path.suffix.lower() not in TIFF_SUFFIXES:
                # Raw files are TIFFs whose first page is a thumbnail, not the picture.
                raise PictureError(
                    f"{path}: got a TIFF file with suffix '{path.suffix}', need .tif or .tiff. "
                    "Develop a camera's raw file first; rename a plain TIFF."
                )
            return kind
    supported = ", ".join(name for name, _ in FORMATS.values())
    raise PictureError(
        f"{path}: got no picture of a known format, need one of {supported}. Convert it first."
    )


def _check_png(path: Path, file: BinaryIO) -> None:
    """Refuse a PNG that libpng would refuse: libpng also prints, and cannot be told not to."""
    file.seek(8)
    kind = b""
    while kind != b"IEND":
        header = file.read(8)
        if len(header) < 8:
            raise damaged(path, "png")
        size, kind = struct.unpack(">I4s", header)
        if kind == b"IHDR":
            width, height = struct.unpack(">II", file.read(8).ljust(8, b"\1"))
            if width == 0 or height == 0:
                raise zero_size(path)
            if max(width, height) > PNG_SIDE_PX:
                raise too_large(path)
            file.seek(-8, 1)
        checksum = zlib.crc32(kind)
        while size:
            piece = file.read(min(size, PIECE_BYTES))
            if not piece:
                raise damaged(path, "png")
            checksum = zlib.crc32(piece, checksum)
            size -= len(piece)
        if file.read(4) != struct.pack(">I", checksum):
            raise damaged(path, "png")
