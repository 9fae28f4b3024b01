"""Map functions in the shader dialect: each decodes a map from the channels of a texel."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from neuralshade.kinds.textures.channels import MASK_MARGIN, MapCoding
from neuralshade.languages.numbers import LANES, number, vector
from neuralshade.model.shader_form import Function, Parameter

MEANINGS = {
    "srgb": "a color, sRGB-encoded, 0 to 1",
    "linear": "linear light, 0 and more",
    "normal": "a unit normal: x to the right, y up, z out of the surface",
    "data": "as its file has it",
}
SPACES = ("srgb", "linear")  # meanings of colors
AT = "_at"  # suffix of functions that filter a map


def map_names(codings: Sequence[MapCoding], taken: Iterable[str]) -> list[str]:
    """Return the suffixes of the maps' functions after the asset's name, all distinct.

    ASCII letters and digits stay, others become ``_``. ``taken``: names that are in use.
    """
    used, found = set(taken), list[str]()
    for coding in codings:
        plain = re.sub(r"[^A-Za-z0-9]+", "_", coding.name).strip("_") or "map"
        made, count = plain, 1
        while {made, made + AT} & used:
            count += 1
            made = f"{plain}_{'map' if count == 2 else f'map{count}'}"
        used |= {made, made + AT}
        found.append(made)
    return found


def type_of(coding: MapCoding) -> str:
    """Return the type of a map's numbers, in the dialect."""
    return "float" if coding.channels == 1 else f"float{coding.channels}"


def about_of(coding: MapCoding) -> str:
    """Return a description of a map's numbers."""
    about = MEANINGS[coding.meaning]
    if coding.meaning == "data" and coding.constant is None:
        about += f", {coding.low:.6g} to {coding.high:.6g}"
    return about + ("; the same everywhere" if coding.constant is not None else "")


def map_functions(
    name: str, codings: Sequence[MapCoding], names: Sequence[str], mixing: str
) -> list[Function]:
    """Return ``NAME_MAP(c)`` and ``NAME_MAP_at(uv, level)`` of each map, after their callees.

    ``mixing``: the function that returns filtered channels.
    """
    functions = []
    if any(one.curve == "srgb" and one.constant is None for one in codings):
        functions.append(Function(
            "float", f"{name}_linear", (Parameter("float", "x"),),
            ("if (x <= 0.04045) return x / 12.92;",
             "return exp(2.4 * log((x + 0.055) / 1.055));"),
            "Linear light of a number that is sRGB-encoded.",
        ))  # fmt: skip
    parameters = (Parameter(f"{name}_channels", "c"),)
    for coding, own in zip(codings, names, strict=True):
        functions.append(Function(
            type_of(coding), f"{name}_{own}", parameters, tuple(_body(name, coding)),
            f"Return {about_of(coding)}.", public=True,
        ))  # fmt: skip
        functions.append(Function(
            type_of(coding), f"{name}_{own}{AT}",
            (Parameter("float2", "uv"), Parameter("float", "level")),
            (f"return {name}_{own}({mixing}(uv, level));",),
            f"Return {about_of(coding)}. Of several maps call {mixing} once.", public=True,
            joined=True, meaning=coding.name,
            space=coding.meaning if coding.meaning in SPACES else "",
            span=(0.0, 1.0) if coding.curve == "log" else (coding.low, coding.high),
        ))  # fmt: skip
    return functions


def _body(name: str, coding: MapCoding) -> list[str]:
    """Return the lines that decode a map, like ``sample.values_of``."""
    if coding.constant is not None:
        return [f"return {vector(coding.constant)};"]
    kind = "float" if coding.count == 1 else f"float{coding.count}"
    ends = ("0.0", "1.0") if coding.count == 1 else (f"{kind}(0.0)", f"{kind}(1.0)")
    value = _own(coding, kind)
    if coding.curve == "mask":
        inner = f"({value} - {number(MASK_MARGIN)}) / {number(1 - 2 * MASK_MARGIN)}"
        return [f"return clamp({inner}, {ends[0]}, {ends[1]});"]
    if (coding.low, coding.high) != (0.0, 1.0):
        value = f"{value} * {number(coding.high - coding.low)}"
        value += f" + {number(coding.low)}" if coding.low else ""
    if coding.meaning == "normal":
        return [f"const float2 xy = {value};",
                "return float3(xy, sqrt(max(1.0 - dot(xy, xy), 0.0)));"]  # fmt: skip
    if coding.curve == "log":
        return [f"return exp({value}) - 1.0;"]
    if coding.curve == "srgb":
        if coding.count == 1:
            return [f"return {name}_linear({value});"]
        lanes = ", ".join(f"{name}_linear(coded.{lane})" for lane in LANES[: coding.count])
        return [f"const {kind} coded = {value};", f"return {kind}({lanes});"]
    return [f"return {value};"]


def _own(coding: MapCoding, kind: str) -> str:
    """Return the trained channels of a map."""
    places = [divmod(coding.first + i, 4) for i in range(coding.count)]
    if places[0][0] == places[-1][0]:
        return f"c.c{places[0][0]}.{''.join(LANES[lane] for _, lane in places)}"
    return f"{kind}({', '.join(f'c.c{four}.{LANES[lane]}' for four, lane in places)})"


def full_scale(coding: MapCoding) -> float:
    """Return the largest number of a map, times the slope of its curve there if that is above 1."""
    largest = max(abs(coding.low), abs(coding.high), coding.high - coding.low)
    if coding.constant is not None:
        return max(map(abs, (*coding.constant, 1e-30)))
    if coding.meaning == "normal":
        return 1.0
    if coding.curve == "log":
        return math.expm1(coding.high) * max(1.0, coding.high - coding.low)
    return largest
