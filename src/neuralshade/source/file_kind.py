"""Picture file formats, detected by content; and a check that PNG files are complete."""

import re
import struct
import zlib
from pathlib import Path
from typing import BinaryIO

from neuralshade.base.message_text import plain
from neuralshade.base.regular_file import IrregularError, check_regular
from neuralshade.errors import PictureError

# Each format by its reader's name (OpenImageIO's but for avif and ktx2): its usual name, and its
# first bytes. A Targa file has no such bytes: see _is_targa.
FORMATS = {
    "png": ("PNG", rb"\x89PNG\r\n\x1a\n"),
    "jpeg": ("JPEG", rb"\xff\xd8\xff"),
    "webp": ("WebP", rb"RIFF.{4}WEBP"),
    "gif": ("GIF", rb"GIF8[79]a"),
    "tiff": ("TIFF", rb"II\*\x00|MM\x00\*|II\+\x00|MM\x00\+"),
    "bmp": ("BMP", rb"BM"),
    "pnm": ("PPM/PGM", rb"P[1-6Ff]\s"),
    "openexr": ("OpenEXR", rb"v/1\x01"),
    "hdr": ("Radiance HDR", rb"#\?(RADIANCE|RGBE)\s"),
    "targa": ("TGA", None),
    "psd": ("PSD", rb"8BPS\x00[\x01\x02]"),
    "jpeg2000": ("JPEG 2000", rb"\x00\x00\x00\x0cjP  \r\n\x87\n|\xff\x4f\xff\x51"),
    "jpegxl": ("JPEG XL", rb"\xff\x0a|\x00\x00\x00\x0cJXL \r\n\x87\n"),
    "avif": ("AVIF", rb".{4}ftypavi[fs]|.{4}ftypmi[fa]1.{4}(.{4})*?avi[fs]"),
    "dds": ("DDS", rb"DDS \x7c\x00\x00\x00"),
    "ktx2": ("KTX2", rb"\xabKTX 20\xbb\r\n\x1a\n"),
}
PICTURE_SUFFIXES = (
    ".png", ".jpg", ".jpeg", ".jfif", ".jpe", ".webp", ".gif", ".tif", ".tiff", ".bmp", ".dib",
    ".ppm", ".pgm", ".pbm", ".pnm", ".pfm", ".exr", ".hdr", ".tga", ".psd", ".psb", ".jp2", ".j2k",
    ".jxl", ".avif", ".dds", ".ktx2",
)  # fmt: skip
# Other picture formats, which are refused by name.
UNREAD = {
    "HEIF": rb".{4}ftyp(hei[cfx]|hev[cx]|mi[fa]1)",
    "KTX 1": rb"\xabKTX 11\xbb",
    "Basis Universal": rb"sB\x13\x00",
    "GIMP": rb"gimp xcf",
    "SVG": rb"(\xef\xbb\xbf)?\s*(<\?xml.*)?<svg",
    "PDF": rb"%PDF-",
    "MP4": rb".{4}ftyp",
}
TARGA_SUFFIXES = (".tga", ".icb", ".vda", ".vst", ".tpic")
# palette, kind (9 to 11: runs of pixels) and bits. Source: Truevision TGA 2.0, section C.1.
TARGA_KINDS = {
    *((1, kind, 8) for kind in (1, 9)),
    *((palette, kind, bits) for palette in (0, 1) for kind in (2, 10) for bits in (15, 16, 24, 32)),
    *((palette, kind, bits) for palette in (0, 1) for kind in (3, 11) for bits in (8, 16)),
}  # fmt: skip
TIFF_SUFFIXES = (".tif", ".tiff")
START_BYTES = 64  # enough to detect a format
PNG_SIDE_PX = 1_000_000  # libpng's PNG_USER_WIDTH_MAX
PNG_START, CHUNK_ENDS = 8, 12  # bytes before the first chunk, and of each besides its data
CHECKSUM_BYTES = 4  # of a PNG's chunk
CHUNK_BYTES = 96  # kept of a chunk: enough for all that affect display, for iCCP the name
PIECE_BYTES = 1 << 20
PNG_SIZE = slice(16, 24)  # of IHDR, the first chunk
GIF_SIZE = slice(6, 10)  # width and height of all frames, in 16 bits each


def file_kind(path: Path, *, whole: bool = True) -> str:
    """Return the key of FORMATS of a file, whatever its suffix.

    ``whole``: read a PNG to its end for its checksums; otherwise only its chunks are counted.

    Raises: PictureError for a missing file, a folder, a pipe, an unreadable, empty or unknown
        file, a camera's raw file, or a PNG that is truncated or damaged.
    """
    try:
        check_regular(path)
        with path.open("rb", buffering=-1 if whole else 0) as file:  # few bytes of each chunk
            kind = _sniff(path, file.read(START_BYTES))
            if kind == "png":
                _check_png(path, file, whole=whole)
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
    """Return the refusal of a ``kind`` file that cannot be decoded to its end."""
    return PictureError(
        f"{path}: got a damaged or cut-off {FORMATS[kind][0]} file, need a whole one. "
        "Copy or download it again."
    )


def not_read(path: Path, kind: str, reason: str) -> PictureError:
    """Return the refusal of a complete file that no reader supports."""
    return PictureError(f"{path}: got a {FORMATS[kind][0]} file of a kind that is not read "
                        f"({plain(reason)}), need another. Save it as PNG, or floats as "
                        "EXR.")  # fmt: skip


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


def png_size(path: Path) -> tuple[int, int]:
    """Return width and height in pixels of a PNG that ``file_kind`` accepted."""
    with path.open("rb") as file:
        width, height = struct.unpack(">II", file.read(PNG_SIZE.stop)[PNG_SIZE])
    return width, height


def gif_size(path: Path) -> tuple[int, int]:
    """Return width and height in pixels of a GIF, by its header; 0 where it is truncated."""
    with path.open("rb") as file:
        found = file.read(GIF_SIZE.stop)[GIF_SIZE]
    width, height = struct.unpack("<HH", found.ljust(4, b"\0"))
    return width, height


def chunks_before_pixels(path: Path) -> dict[str, bytes]:
    """Return the first bytes of each chunk before a PNG's pixels, by name.

    Source: W3C, PNG (Third Edition), sections 5.3 and 5.6.
    """
    found: dict[str, bytes] = {}
    with path.open("rb") as file:
        file.seek(PNG_START)
        while len(start := file.read(8)) == 8:
            size, name = struct.unpack(">I4s", start)
            if name == b"IDAT":
                break
            kept = file.read(min(size, CHUNK_BYTES))
            found.setdefault(name.decode("latin-1"), kept)
            file.seek(size + CHUNK_ENDS - len(start) - len(kept), 1)
    return found


def _sniff(path: Path, start: bytes) -> str:
    if not start:
        raise PictureError(f"{path}: got an empty file, need a picture. Copy or download it again.")
    for kind, (_, pattern) in FORMATS.items():
        if pattern is None:
            known = path.suffix.lower() in TARGA_SUFFIXES and _is_targa(start)
        else:
            known = re.match(pattern, start, re.DOTALL) is not None
        if known:
            if kind == "tiff" and path.suffix.lower() not in TIFF_SUFFIXES:
                # Raw files are TIFFs whose first page is a thumbnail, not the picture.
                raise PictureError(
                    f"{path}: got a TIFF file with suffix '{path.suffix}', need .tif or .tiff. "
                    "Develop a camera's raw file first; rename a plain TIFF."
                )
            return kind
    supported = ", ".join(name for name, _ in FORMATS.values())
    unread = (name for name, pattern in UNREAD.items() if re.match(pattern, start, re.DOTALL))
    got = next((f"a {name} file" for name in unread), "no picture of a known format")
    raise PictureError(f"{path}: got {got}, need one of {supported}. Convert it first.")


def _is_targa(start: bytes) -> bool:
    """Return whether a file with a Targa suffix starts like one: kind, palette and bits agree."""
    if len(start) < 18:
        return False
    palette, kind, bits = start[1], start[2], start[16]
    return (palette, kind, bits) in TARGA_KINDS


def _check_png(path: Path, file: BinaryIO, *, whole: bool) -> None:
    """Refuse a PNG that libpng would refuse: libpng prints to stderr, which cannot be disabled."""
    file.seek(8)
    kind = b""
    while kind != b"IEND":
        header = file.read(8)
        if len(header) < 8:
            raise damaged(path, "png")
        size, kind = struct.unpack(">I4s", header)
        if kind == b"IHDR":
            sides = file.read(8)
            if len(sides) < 8:
                raise damaged(path, "png")
            width, height = struct.unpack(">II", sides)
            if width == 0 or height == 0:
                raise zero_size(path)
            if max(width, height) > PNG_SIDE_PX:
                raise too_large(path)
            file.seek(-8, 1)
        if not whole:
            file.seek(size + CHECKSUM_BYTES, 1)
            continue
        checksum = zlib.crc32(kind)
        while size:
            piece = file.read(min(size, PIECE_BYTES))
            if not piece:
                raise damaged(path, "png")
            checksum = zlib.crc32(piece, checksum)
            size -= len(piece)
        if file.read(CHECKSUM_BYTES) != struct.pack(">I", checksum):
            raise damaged(path, "png")
