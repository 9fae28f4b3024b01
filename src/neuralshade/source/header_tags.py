"""Color tags in headers of TIFF, BMP, TGA and Radiance files, without ICC profiles of TIFF."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np

from neuralshade.source.decoded import ColorTag
from neuralshade.source.file_tags import (
    GAMMAS,
    LIKE_SRGB,
    primaries_tag,
    profile_tag,
    unless_alike,
)
from neuralshade.source.primaries import D65, to_rec709
from neuralshade.source.transfer_curve import (
    Curve,
    gamma_curve,
    linear_curve,
    srgb_curve,
    table_curve,
)

# TIFF: fields, and photometric interpretations that readers convert to RGB or grey (no inks).
BITS, PHOTOMETRIC, TRANSFER, WHITE_POINT, PRIMARIES = 258, 262, 301, 318, 319
TYPES = {BITS: 3, PHOTOMETRIC: 3, TRANSFER: 3, WHITE_POINT: 5, PRIMARIES: 5}  # SHORT, RATIONAL
SHORT = 3
COLORS = (1, 2, 3, 6)  # grey from black, RGB, palette, YCbCr
MOST_FIELDS, MOST_NUMBERS = 4096, 3 << 16
# BMP: sizes of headers with color spaces, kinds of these, units of fixed point.
V4_BYTES, V5_BYTES = 108, 124
CALIBRATED, LINKED, EMBEDDED = 0, 0x4C494E4B, 0x4D424544
XYZ_UNIT, GAMMA_UNIT = 1 << 30, 1 << 16
MOST_PROFILE_BYTES = 1 << 24
# TGA: the footer, and offsets of gamma and correction table in the extension area.
FOOTER_BYTES, SIGNATURE = 26, b"TRUEVISION-XFILE.\0"
EXTENSION_BYTES, GAMMA_AT = 495, 478
RADIANCE_BYTES = 1 << 13  # of a header, searched for lines

Fields = Mapping[int, Sequence[float]]


def header_tag(path: Path, kind: str) -> ColorTag | None:
    """Return the color tag in the header of a "bmp", "targa" or "hdr" file, or None.

    None also where it equals the default of its samples.
    """
    readers = {"bmp": _of_bmp, "targa": _of_targa, "hdr": _of_radiance}
    with path.open("rb") as file:
        return unless_alike(readers[kind](file), floats=kind == "hdr")


def tiff_tag(path: Path, page: int, floats: bool) -> ColorTag | None:
    """Return the color tag of a TIFF's page, or None where its colors are the default.

    From TransferFunction, which floats lack, WhitePoint and PrimaryChromaticities. A profile takes
    precedence.

    Source: TIFF 6.0, section 20.
    """
    with path.open("rb") as file:
        try:
            fields = _fields(file, page)
        except (struct.error, OSError, OverflowError):  # damaged; the pixels' reader reports it
            return None
    if fields.get(PHOTOMETRIC, (0,))[0] not in COLORS:
        return None
    names, matrix = list[str](), None
    curves: tuple[Curve, ...] = (linear_curve if floats else srgb_curve,)
    if TRANSFER in fields and not floats:
        names.append("TransferFunction")
        values = np.asarray(fields[TRANSFER]) / 65535
        count = 3 if len(values) % 3 == 0 else 1
        if len(values) != count << int(fields.get(BITS, (1,))[0]):
            return ColorTag(names[0])
        curves = tuple(table_curve(table) for table in np.split(values, count))
    if PRIMARIES in fields:
        names.append("PrimaryChromaticities")
        white, ends = fields.get(WHITE_POINT, ()), fields[PRIMARIES]
        whole = len(white) == 2 and len(ends) == 6
        matrix = to_rec709(ends, white) if whole else None
        if matrix is None:
            return ColorTag(" and ".join(names))
    return unless_alike(ColorTag(" and ".join(names), curves, matrix), floats) if names else None


def _fields(file: BinaryIO, page: int) -> Fields:
    """Return the numbers of a page's fields on color."""
    start = file.read(16)
    order = "<" if start[:2] == b"II" else ">"
    (version,) = struct.unpack_from(f"{order}H", start, 2)
    big = version == 43
    count_code, place_code, entry_code = ("Q", "Q", "HHQ8s") if big else ("H", "I", "HHI4s")
    entry_bytes = struct.calcsize(f"{order}{entry_code}")

    def number(code: str) -> int:
        found: int = struct.unpack(f"{order}{code}", file.read(struct.calcsize(order + code)))[0]
        return found

    (place,) = struct.unpack_from(f"{order}{place_code}", start, 8 if big else 4)
    for _ in range(page):
        file.seek(place)
        count = number(count_code)
        if count > MOST_FIELDS:
            return {}
        file.seek(count * entry_bytes, 1)
        place = number(place_code)
    file.seek(place)
    count = number(count_code)
    entries = file.read(entry_bytes * count) if count <= MOST_FIELDS else b""
    fields: dict[int, Sequence[float]] = {}
    for at in range(0, len(entries) - entry_bytes + 1, entry_bytes):
        field, of_type, length, value = struct.unpack_from(f"{order}{entry_code}", entries, at)
        if TYPES.get(field) == of_type and 0 < length <= MOST_NUMBERS:
            code = f"{order}{length}H" if of_type == SHORT else f"{order}{2 * length}I"
            size = struct.calcsize(code)
            if size > len(value):
                file.seek(struct.unpack(f"{order}{place_code}", value)[0])
                value = file.read(size)
            numbers = struct.unpack_from(code, value)
            fields[field] = numbers if of_type == SHORT else _divided(numbers)
    return fields


def _divided(numbers: Sequence[int]) -> list[float]:
    """Return the quotients of pairs; an invalid value for a division by zero."""
    pairs = zip(numbers[::2], numbers[1::2], strict=True)
    return [above / below if below else float("nan") for above, below in pairs]


def _of_bmp(file: BinaryIO) -> ColorTag | None:
    """Return the tag of a header of version 4 or 5. Source: Microsoft, BITMAPV5HEADER."""
    start = file.read(14 + V5_BYTES)
    if len(start) < 14 + V4_BYTES:
        return None
    (size,) = struct.unpack_from("<I", start, 14)
    (space,) = struct.unpack_from("<I", start, 14 + 56)
    if size < V4_BYTES:
        return None
    if space == EMBEDDED and size >= V5_BYTES and len(start) == 14 + V5_BYTES:
        begin, length = struct.unpack_from("<2I", start, 14 + 112)
        file.seek(14 + begin)
        return profile_tag(file.read(min(length, MOST_PROFILE_BYTES)))
    if space == LINKED:
        return ColorTag("an ICC profile in a file of its own")
    return _calibrated(start) if space == CALIBRATED else None  # others are sRGB by name


def _calibrated(start: bytes) -> ColorTag | None:
    """Return the tag of end points and gammas; zeros, which most writers store, are ignored.

    End points are XYZ, whose sum is white, or x, y and z of each, without a white.
    """
    ends = np.array(struct.unpack_from("<9i", start, 14 + 60)).reshape(3, 3) / XYZ_UNIT
    gammas = [gamma / GAMMA_UNIT for gamma in struct.unpack_from("<3I", start, 14 + 96)]
    names = []
    matrix, curves = None, tuple[Curve, ...]((srgb_curve,))
    if any(gammas):
        names.append("gamma " + ", ".join(f"{gamma:.4g}" for gamma in dict.fromkeys(gammas)))
        if not all(map(_usual, gammas)):
            return ColorTag(f"a header of {names[0]}")
        curves = tuple(map(_curve_of, gammas))
    if ends.any():
        names.append("end points")
        sums = ends.sum(axis=1)
        if (sums <= 0).any():
            return ColorTag(f"a header of {' and '.join(names)}")
        white = ends.sum(axis=0) / sums.sum()
        own = D65 if np.abs(sums - 1).max() < 0.01 else (float(white[0]), float(white[1]))
        matrix = to_rec709((ends[:, :2] / sums[:, None]).ravel().tolist(), own)
    if not names or (ends.any() and matrix is None):
        return ColorTag(f"a header of {' and '.join(names)}") if names else None
    return ColorTag(f"a header of {' and '.join(names)}", curves, matrix)


def _of_targa(file: BinaryIO) -> ColorTag | None:
    """Return the tag of the extension area; gamma 1 is linear. Source: TGA 2.0, field 20."""
    file.seek(0, 2)
    if file.tell() < FOOTER_BYTES + EXTENSION_BYTES:
        return None
    file.seek(-FOOTER_BYTES, 2)
    footer = file.read(FOOTER_BYTES)
    (place,) = struct.unpack_from("<I", footer)
    if footer[8:] != SIGNATURE or not place:
        return None
    file.seek(place)
    area = file.read(EXTENSION_BYTES)
    if len(area) < EXTENSION_BYTES or struct.unpack_from("<H", area)[0] < EXTENSION_BYTES:
        return None
    above, below, table = struct.unpack_from("<HHI", area, GAMMA_AT)
    if table:
        return ColorTag("a table of color correction")
    if not below or not above:
        return None
    gamma = above / below
    name = f"gamma {gamma:.4g}"
    return ColorTag(name, (_curve_of(gamma),)) if _usual(gamma) else ColorTag(name)


def _of_radiance(file: BinaryIO) -> ColorTag | None:
    """Return the tag of a line PRIMARIES=. Source: Radiance's picture format, by G. Ward."""
    header = file.read(RADIANCE_BYTES).partition(b"\n\n")[0]
    lines = [line for line in header.splitlines() if line.startswith(b"PRIMARIES=")]
    if not lines:
        return None
    try:
        numbers = [float(word) for word in lines[-1].partition(b"=")[2].split()]
    except ValueError:
        numbers = []
    return primaries_tag(numbers, "its primaries") or ColorTag("PRIMARIES")


def _usual(gamma: float) -> bool:
    """Return whether a gamma has the usual direction; below 1 it may be the inverse."""
    return 1 <= gamma <= GAMMAS[1]


def _curve_of(gamma: float) -> Curve:
    if abs(gamma * LIKE_SRGB[0] - 1) <= LIKE_SRGB[1]:
        return srgb_curve
    return linear_curve if gamma == 1 else gamma_curve(gamma)
