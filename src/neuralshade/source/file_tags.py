"""Color tags of picture files: profiles, CICP, gamma and primaries."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

from neuralshade.base.message_text import plain
from neuralshade.source.decoded import ColorTag
from neuralshade.source.icc_profile import ProfileError, read_profile
from neuralshade.source.primaries import (
    ADOBE_RGB,
    CICP_PRIMARIES,
    D65,
    REC709,
    to_rec709,
)
from neuralshade.source.transfer_curve import (
    Curve,
    encode_srgb,
    gamma_curve,
    hlg_curve,
    linear_curve,
    pq_curve,
    srgb_curve,
)

SAME_LEVELS = 1.5  # of 255: closer to sRGB counts as sRGB, such as a short table of its curve
NAMED_LEVELS = 8.0  # the same, for a profile named sRGB
SAME_LIGHT = 2e-3  # the same for linear floats
LIKE_SRGB = (1 / 2.2, 0.05)  # gAMA of sRGB and its tolerance: libpng's threshold
GAMMAS = (0.1, 10.0)  # plausible values
PNG_UNIT = 100_000  # of gAMA and cHRM
PNG_PQ_NAME = b"ITUR_2100_PQ_FULL"  # W3C, Using the ITU BT.2100 PQ EOTF with PNG: by this name
ADOBE_GAMMA = 563 / 256  # Adobe RGB (1998) Color Image Encoding, section 4.3.1.2
UNSPECIFIED, PQ, HLG = (0, 2), 16, 18
# by the number of CICP; Source: ITU-T H.273 (2024), table 3. Video's curves are displayed as sRGB.
CICP_CURVES: Mapping[int, tuple[str, Curve]] = {
    1: ("", srgb_curve), 4: ("gamma 2.2", gamma_curve(2.2)), 5: ("gamma 2.8", gamma_curve(2.8)),
    6: ("", srgb_curve), 8: ("linear", linear_curve), 13: ("sRGB", srgb_curve),
    14: ("", srgb_curve), 15: ("", srgb_curve), PQ: ("PQ", pq_curve), HLG: ("HLG", hlg_curve),
    17: ("SMPTE 428", lambda values: gamma_curve(2.6)(values) * (52.37 / 48)),
}  # fmt: skip


def color_tag(
    spec: Any, floats: bool, profile: Any, chunks: Mapping[str, bytes]
) -> ColorTag | None:
    """Return the color tag of a file, or None where its colors are the default of its samples.

    For PNG in the order of its specification: cICP, iCCP, sRGB, then gAMA and cHRM.

    Args:
        spec: OpenImageIO's description.
        floats: whether samples are floats, linear by default; else integers, sRGB.
        profile: the bytes of an ICC profile, or None.
        chunks: of a PNG, from ``chunks_before_pixels``; empty for others.

    Source: W3C, PNG Specification (Third Edition), section 4.3.
    """
    return unless_alike(_found(spec, profile, chunks), floats)


def unless_alike(tag: ColorTag | None, floats: bool = False) -> ColorTag | None:
    """Return ``tag``, or None where its conversion would not visibly change colors."""
    if tag is None or not tag.curves or tag.bright:
        return tag
    alike = _moves_light(tag) < SAME_LIGHT if floats else levels_from_srgb(tag) < SAME_LEVELS
    return None if alike else tag


def cicp_tag(numbers: tuple[int, ...]) -> ColorTag | None:
    """Return the tag of CICP numbers: primaries, transfer, matrix, full range.

    None for unspecified ones.
    """
    primaries, transfer, *rest = numbers
    if transfer in UNSPECIFIED:
        return None
    primaries = 1 if primaries in UNSPECIFIED else primaries  # as for grey
    name, own, white = CICP_PRIMARIES.get(primaries, (f"primaries {primaries}", None, D65))
    curve_name, curve = CICP_CURVES.get(transfer, (f"transfer {transfer}", None))
    name = " ".join(filter(None, (name, curve_name)))
    if own is None or curve is None or (len(rest) > 1 and not rest[1]):
        return ColorTag(f"{name}{'' if own and curve else ' of CICP'}"
                        f"{'' if len(rest) < 2 or rest[1] else ', narrow range'}")  # fmt: skip
    return ColorTag(name, (curve,), to_rec709(own, white), transfer in (PQ, HLG), transfer == HLG)


def profile_tag(profile: bytes, name: str = "") -> ColorTag | None:
    """Return the tag of an ICC profile; None for one that is sRGB by its name and its curves."""
    try:
        read = read_profile(profile)
    except ProfileError as error:
        return ColorTag(str(error))
    name = plain(read.name)[:80] or name or "an ICC profile"
    if read.cicp is not None and (found := cicp_tag(read.cicp)) is not None:
        return found
    if not read.curves:
        known = read.model in ("RGB ", "CMYK")
        return ColorTag(name, profile=profile if known else None, inks=read.model == "CMYK")
    found = ColorTag(name, read.curves, read.matrix)
    named = "srgb" in name.lower() or name in ("c2", "c2ci")  # short profiles of saucecontrol's
    return None if named and levels_from_srgb(found) < NAMED_LEVELS else found


def primaries_tag(numbers: Any, name: str) -> ColorTag | None:
    """Return the tag of linear light: x and y of red, green, blue and white."""
    values = [float(one) for one in numbers]
    matrix = to_rec709(values[:6], values[6:8]) if len(values) == 8 else None
    return ColorTag(name, (linear_curve,), matrix) if matrix is not None else None


def levels_from_srgb(tag: ColorTag) -> float:
    """Return the largest change of 8-bit sRGB by a tag's conversion, in levels of 255."""
    ramp = np.linspace(0, 1, 256)
    steps = np.linspace(0, 1, 9)
    grid = np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(-1, 3)
    colors = np.concatenate([np.repeat(ramp[:, None], 3, axis=1), grid])
    moved = encode_srgb(np.clip(light_of(tag, colors), 0, 1))
    return float(np.abs(moved - colors).max()) * 255


def light_of(tag: ColorTag, colors: Any) -> Any:
    """Return light of sRGB's primaries, float64 [..., C]; C is 3, or 1 for grey."""
    if colors.shape[-1] == 1:
        return tag.curves[len(tag.curves) // 2](colors)
    curves = tag.curves if len(tag.curves) == 3 else tag.curves * 3
    light = np.stack([curves[one](colors[..., one]) for one in range(3)], axis=-1)
    return light if tag.matrix is None else light @ tag.matrix.T


def _found(spec: Any, profile: Any, chunks: Mapping[str, bytes]) -> ColorTag | None:
    numbers = spec.getattribute("CICP")
    if numbers is not None and (found := cicp_tag(tuple(numbers))) is not None:
        return found
    if chunks.get("iCCP", b"").split(b"\0")[0] == PNG_PQ_NAME:
        return cicp_tag((9, PQ, 0, 1))
    if profile is not None:
        return profile_tag(bytes(profile))
    if "iCCP" in chunks:
        return ColorTag("a damaged ICC profile")
    if "sRGB" in chunks:
        return None
    if "gAMA" in chunks or "cHRM" in chunks:
        return _gamma_tag(chunks)
    if spec.get_string_attribute("Exif:InteroperabilityIndex") == "R03":
        return ColorTag("Adobe RGB (1998)", (gamma_curve(ADOBE_GAMMA),), to_rec709(ADOBE_RGB))
    numbers = spec.getattribute("chromaticities")
    return None if numbers is None else primaries_tag(numbers, "its chromaticities")


def _gamma_tag(chunks: Mapping[str, bytes]) -> ColorTag | None:
    """Return the tag of gAMA and cHRM, either of which may be missing or invalid."""
    name = ""
    curve: Curve = srgb_curve
    if len(chunks.get("gAMA", b"")) == 4:
        share = struct.unpack(">I", chunks["gAMA"])[0] / PNG_UNIT
        if not GAMMAS[0] <= share <= GAMMAS[1]:
            return ColorTag(f"gAMA {share:g}")
        name = f"gAMA {share:g}"
        if abs(share / LIKE_SRGB[0] - 1) > LIKE_SRGB[1]:
            curve = linear_curve if abs(share - 1) < 1e-3 else gamma_curve(1 / share)
    matrix = None
    if len(chunks.get("cHRM", b"")) == 32:
        white, primaries = np.split(np.array(struct.unpack(">8i", chunks["cHRM"])) / PNG_UNIT, [2])
        if np.abs(np.subtract(primaries, REC709)).max() > 0.002 or (
            np.abs(np.subtract(white, D65)).max() > 0.002
        ):
            matrix = to_rec709(tuple(primaries), tuple(white))
            name = " and ".join(filter(None, (name, "cHRM")))
            if matrix is None:
                return ColorTag(name)
    return ColorTag(name or "cHRM", (curve,), matrix)


def _moves_light(tag: ColorTag) -> float:
    """Return the largest change of linear light of [0, 1] by a tag's conversion."""
    ends = np.concatenate([np.eye(3), np.ones((1, 3))])  # red, green, blue and white
    grid = np.linspace(0, 1, 65)[:, None, None] * ends
    return float(np.abs(light_of(tag, grid) - grid).max())
