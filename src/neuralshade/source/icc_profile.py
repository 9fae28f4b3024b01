"""ICC profile parser: curves and matrix, for profiles that consist of these."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np

from neuralshade.source.primaries import Matrix, from_d50
from neuralshade.source.transfer_curve import (
    Curve,
    gamma_curve,
    linear_curve,
    parametric_curve,
    table_curve,
)

HEADER_BYTES, ENTRY_BYTES = 128, 12
MOST_TAGS = 200
PARAMETERS = (1, 3, 4, 5, 7)  # count of parametric curves, by their kind
FIXED = 65536  # s15Fixed16Number
COLORANTS, RGB_CURVES = (b"rXYZ", b"gXYZ", b"bXYZ"), (b"rTRC", b"gTRC", b"bTRC")
CURVE_TABLES = (b"A2B0", b"A2B1", b"A2B2", b"D2B0", b"D2B1")  # of profiles by tables


class ProfileError(ValueError):
    """A profile that is damaged, or of an unknown kind."""


@dataclass(frozen=True)
class Profile:
    """A parsed profile: curves and matrix of its model ("RGB ", "GRAY", "CMYK" ...).

    ``curves`` has one (grey) or three, none for profiles by tables; ``matrix`` converts its light
    to that of sRGB, None for grey. ``cicp``: its numbers of H.273.
    """

    name: str
    model: str
    curves: tuple[Curve, ...] = ()
    matrix: Matrix | None = None
    cicp: tuple[int, ...] | None = None


def read_profile(content: bytes) -> Profile:
    """Return a parsed ICC profile. Raises: ProfileError.

    Source: ICC.1:2022, sections 7.2, 8.3, 9.2 and 10.
    """
    if len(content) < HEADER_BYTES + 4 or content[36:40] != b"acsp":
        raise ProfileError("no ICC profile")
    tags = _tags(content)
    name = _name(tags.get(b"desc", b""))
    model = content[16:20].decode("latin-1")
    cicp = tuple(tags[b"cicp"][8:12]) if len(tags.get(b"cicp", b"")) >= 12 else None
    if model == "GRAY" and b"kTRC" in tags:
        return Profile(name, model, (_grey_curve(tags[b"kTRC"], content[20:24]),), None, cicp)
    whole = all(key in tags for key in (*COLORANTS, *RGB_CURVES))
    if model != "RGB " or not whole or content[20:24] != b"XYZ ":
        if cicp is None and not any(key in tags for key in CURVE_TABLES):
            raise ProfileError("an ICC profile without colors")
        return Profile(name, model, cicp=cicp)
    curves = tuple(_curve(tags[key]) for key in RGB_CURVES)
    colorants = np.stack([_xyz(tags[key]) for key in COLORANTS], axis=1)
    return Profile(name, model, curves, from_d50(colorants), cicp)


def _tags(content: bytes) -> dict[bytes, bytes]:
    (count,) = struct.unpack_from(">I", content, HEADER_BYTES)
    tags: dict[bytes, bytes] = {}
    for index in range(min(count, MOST_TAGS)):
        at = HEADER_BYTES + 4 + ENTRY_BYTES * index
        if at + ENTRY_BYTES > len(content):
            raise ProfileError("a damaged ICC profile")
        key, start, size = struct.unpack_from(">4sII", content, at)
        tags.setdefault(key, content[start : start + size])
    return tags


def _curve(tag: bytes) -> Curve:
    """Return a curv or para tag's curve."""
    if len(tag) < 12:
        raise ProfileError("a damaged ICC profile")
    if tag[:4] == b"curv":
        (count,) = struct.unpack_from(">I", tag, 8)
        if count == 0:
            return linear_curve
        steps = np.frombuffer(tag[12:], ">u2", min(count, (len(tag) - 12) // 2))
        if len(steps) != count:
            raise ProfileError("a damaged ICC profile")
        return gamma_curve(float(steps[0]) / 256) if count == 1 else table_curve(steps / 65535)
    (kind,) = struct.unpack_from(">H", tag, 8)
    if tag[:4] != b"para" or kind >= len(PARAMETERS):
        raise ProfileError("an ICC profile with curves of another kind")
    count = PARAMETERS[kind]
    if len(tag) < 12 + 4 * count:
        raise ProfileError("a damaged ICC profile")
    return parametric_curve(kind, np.frombuffer(tag, ">i4", count, 12) / FIXED)


def _grey_curve(tag: bytes, space: bytes) -> Curve:
    """Return the curve to luminance, also where the profile connects through lightness."""
    inner = _curve(tag)
    if space != b"Lab ":
        return inner
    return lambda values: _luminance(inner(values))


def _luminance(lightness: np.ndarray) -> np.ndarray:
    """Return Y of CIE L* / 100, both [0, 1]. Source: CIE 15:2004, section 8.2.1."""
    f = (lightness * 100 + 16) / 116
    return np.where(f > 6 / 29, f**3, (f - 4 / 29) * 3 * (6 / 29) ** 2)


def _xyz(tag: bytes) -> np.ndarray:
    if len(tag) < 20 or tag[:4] != b"XYZ ":
        raise ProfileError("a damaged ICC profile")
    return np.frombuffer(tag, ">i4", 3, 8) / FIXED


def _name(tag: bytes) -> str:
    """Return the description of version 2 (desc) or 4 (mluc); "" without one."""
    if tag[:4] == b"desc" and len(tag) >= 12:
        (size,) = struct.unpack_from(">I", tag, 8)
        return tag[12 : 12 + min(size, 200)].split(b"\0")[0].decode("latin-1").strip()
    if tag[:4] == b"mluc" and len(tag) >= 28:
        size, start = struct.unpack_from(">II", tag, 20)
        return tag[start : start + min(size, 200)].decode("utf-16-be", "replace").strip("\0 ")
    return ""
