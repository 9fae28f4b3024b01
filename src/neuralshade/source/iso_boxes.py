"""Color facts in the boxes of AVIF and JPEG 2000 files, which their readers do not report."""

import struct
from collections.abc import Iterator
from pathlib import Path

MOST_BYTES = 1 << 20  # of a file, searched for boxes
ICC_METHOD = b"\2"  # of a colr box of JPEG 2000: a restricted ICC profile
CONTAINERS = {
    b"meta": 4,
    b"iprp": 0,
    b"ipco": 0,
    b"jp2h": 0,
}  # boxes that contain boxes, and the bytes before these


def bits_and_cicp(path: Path) -> tuple[int, tuple[int, int, int, int] | None]:
    """Return bits a sample of an AVIF file, 8 by default, and CICP numbers or None.

    Source: ISO/IEC 14496-12:2022, sections 4.2 and 12.1.5; 23008-12:2022, section 6.5.6.
    """
    bits, cicp = 8, None
    for kind, box in _boxes(_start(path)):
        if kind == b"pixi" and len(box) >= 6:
            bits = max(bits, box[5])
        elif kind == b"colr" and box[:4] == b"nclx" and len(box) >= 11 and cicp is None:
            primaries, transfer, matrix = struct.unpack_from(">3H", box, 4)
            cicp = (primaries, transfer, matrix, box[10] >> 7)
    # the range is that of luma, which Pillow has converted
    return bits, None if cicp is None else (*cicp[:3], 1)


def jpeg2000_profile(path: Path) -> bytes | None:
    """Return the ICC profile of a JPEG 2000 file; None where it has none.

    Source: ISO/IEC 15444-1:2019, annex I.5.3.3.
    """
    for kind, box in _boxes(_start(path)):
        if kind == b"colr" and box[:1] == ICC_METHOD:
            return box[3:]
    return None


def _start(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(MOST_BYTES)


def _boxes(content: bytes, depth: int = 0) -> Iterator[tuple[bytes, bytes]]:
    """Yield the kind and the content of each box, also inside CONTAINERS."""
    at = 0
    while at + 8 <= len(content):
        size, kind = struct.unpack_from(">I4s", content, at)
        start = at + 8
        if size == 1 and at + 16 <= len(content):
            (size,) = struct.unpack_from(">Q", content, start)
            start += 8
        end = len(content) if size == 0 else at + size
        if end < start:
            return
        if kind in CONTAINERS and depth < len(CONTAINERS):
            yield from _boxes(content[start + CONTAINERS[kind] : end], depth + 1)
        else:
            yield kind, content[start:end]
        at = end
