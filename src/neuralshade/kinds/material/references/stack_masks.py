"""Masks of a stack in TOML as Slang functions: noises, pictures, recesses, products.

Device half: stack_masks.slang, which has the noises.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError
from neuralshade.kinds.material.references.stack_values import Entries, Pictures, slang

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
SOURCES = ("noise", "image", "recesses", "multiply")
CHANGES = ("levels", "invert")
OF_NOISE = ("noise", "scale", "octaves", "warp", "seed", "width")
KEYS = {"noise": OF_NOISE, "image": ("image",), "recesses": ("recesses", "radius"),
        "multiply": ("multiply",)}  # fmt: skip
OCTAVES = {"fractal": 4, "scratches": 2}  # default number for noises that have them
CALLS = {
    "fractal": "fractal(at, {scale}, {octaves}, {seed}u)",
    "cells": "cells(at, {scale}, {seed}u)",
    "cracks": "cracks(at, {scale}, {seed}u)",
    "spots": "spots(at, {scale}, {seed}u)",
    "scratches": "scratches(at, {scale}, {octaves}, {width}, {seed}u)",
    "weave": "weave(at, {scale})",
}
MOST_CELLS = 4096
MOST_MASKS = 64  # of a stack
MOST_CALLS = 256  # of masks for one, with all masks that it multiplies
NARROWEST = 0.001  # between levels, if one is varied
WARP_SCALE = 4  # cells of the noise that warps another
FUNCTION = """
float mask_{name}(float2 uv)
{{
{body}    return saturate({value});
}}
"""


@dataclass(frozen=True)
class Mask:
    """One mask; ``uses`` are the masks that it multiplies."""

    name: str
    text: str
    uses: tuple[str, ...] = ()


def read_masks(tables: object, place: str, pictures: Pictures) -> list[Mask]:
    """Return the masks of a stack. Raises: ConfigError, by the mask's name."""
    if not isinstance(tables, Mapping):
        raise ConfigError(f"{place}: mask: got {shown(tables)}, need tables [mask.NAME]. Name "
                          "each mask.")  # fmt: skip
    for name in tables:
        if not NAME.fullmatch(name):
            raise ConfigError(f"{place}: mask: got the name {shown(name)}, need letters, digits "
                              "and _, a letter first. Change it.")  # fmt: skip
    if len(tables) > MOST_MASKS:
        raise ConfigError(f"{place}: mask: got {len(tables):,} masks, need {MOST_MASKS} at most. "
                          "Bake some to a picture.")  # fmt: skip
    found = [_read(name, table, place, pictures, list(tables)) for name, table in tables.items()]
    _check_circles(found, place)
    return found


def _read(name: str, table: object, place: str, pictures: Pictures, names: list[str]) -> Mask:
    where = f"{place}: mask {name}"
    sources = [key for key in SOURCES if isinstance(table, Mapping) and key in table]
    if isinstance(table, Mapping) and len(sources) > 1:
        got = " and ".join(sources)
        raise ConfigError(f"{where}: got {got}, need one of {', '.join(SOURCES)}. "
                          "Make two masks.")  # fmt: skip
    source = sources[0] if sources else None
    known = (*(KEYS[source] if source else SOURCES), *CHANGES)
    entries = Entries(where, table, known, pictures, names)
    if source is None:
        raise ConfigError(f"{where}: got no source, need one of {', '.join(SOURCES)}. Add one.")
    uses: tuple[str, ...] = ()
    body = ""
    if source == "noise":
        body, value = _noise(entries, name)
    elif source == "multiply":
        value = entries.mask("multiply")
        uses = tuple(dict.fromkeys(re.findall(r"\bm_(\w+)", value)))
        body = "".join(f"    float m_{one} = mask_{one}(uv);\n" for one in uses)
    else:
        value = _of_picture(entries, source)
    value = _leveled(entries, value)
    if entries.truth("invert"):
        value = f"1.0f - {value}"
    return Mask(name, FUNCTION.format(name=name, body=body, value=value), uses)


def _noise(entries: Entries, name: str) -> tuple[str, str]:
    """Return the statements before a noise, and its expression."""
    kind = entries.choice("noise", CALLS)
    _check_used(entries, kind)
    across, down = entries.pair("scale", 4, 1, MOST_CELLS)
    if across != int(across) or down != int(down):
        raise entries.error("scale", entries.values["scale"], "whole numbers, so that it tiles")
    seed = entries.whole("seed", zlib.crc32(name.encode()) % 2**16, 0, 2**31 - 1)
    warp = entries.number("warp", 0, 0, 1)
    moved = f"warped(uv, {slang(warp)}, int2({WARP_SCALE}), {seed}u)" if warp else "uv"
    octaves = entries.whole("octaves", OCTAVES.get(kind, 1), 1, 10)
    call = CALLS[kind].format(scale=f"int2({int(across)}, {int(down)})", seed=seed,
                              octaves=octaves,
                              width=slang(entries.number("width", 0.03, 1e-4, 0.5)))  # fmt: skip
    return f"    float2 at = {moved};\n", call


def _check_used(entries: Entries, kind: str) -> None:
    """Refuse a key that a noise does not use."""
    for key in ("octaves", "width", "seed"):
        if key in entries and "{" + key + "}" not in CALLS[kind]:
            able = [one for one, call in CALLS.items() if "{" + key + "}" in call]
            raise ConfigError(f"{entries.where}.{key}: got it for {kind}, need one of "
                              f"{', '.join(able)} for that. Take it out.")  # fmt: skip


def _of_picture(entries: Entries, source: str) -> str:
    value = entries.values[source]
    if not isinstance(value, str):
        raise entries.error(source, value, "a picture's path")
    looked_up = entries.pictures.expression(f"{entries.where}.{source}", value, "r")
    if source == "image":
        return looked_up
    radius = entries.number("radius", 0.02, 1e-4, 0.5)
    picture = entries.pictures.name(entries.pictures.folder / value)
    return f"recesses(picture_words, {picture}, uv, {slang(radius)})"


def _leveled(entries: Entries, value: str) -> str:
    """Return a smooth step from 0 at the first level to 1 at the second."""
    if "levels" not in entries:
        return value
    levels = entries.values["levels"]
    if isinstance(levels, list) and len(levels) == 2 and any(map(entries.names_input, levels)):
        low, high = (entries.text("levels", one, 0, 1) for one in levels)
        return f"smoothstep({low}, max({high}, {low} + {NARROWEST}f), {value})"
    first, second = entries.pair("levels", 0, 0, 1)
    if not first < second:
        raise entries.error("levels", levels, "two, the lower one first")
    return f"smoothstep({slang(first)}, {slang(second)}, {value})"


def _check_circles(masks: list[Mask], place: str) -> None:
    """Refuse masks that contain themselves, or too many."""
    uses = {one.name: one.uses for one in masks}
    calls: dict[str, int] = {}

    def count(name: str, path: tuple[str, ...]) -> int:
        if name in path:
            circle = " -> ".join((*path[path.index(name) :], name))
            raise ConfigError(f"{place}: mask {name}: got a circle ({circle}), need masks of other "
                              "ones. Cut it.")  # fmt: skip
        if name not in calls:
            calls[name] = 1 + sum(count(other, (*path, name)) for other in uses[name])
        return calls[name]

    for name in uses:
        if count(name, ()) > MOST_CALLS:
            raise ConfigError(f"{place}: mask {name}: got a product of {calls[name]:,} masks, "
                              f"theirs counted, need {MOST_CALLS} at most. Bake some to a "
                              "picture.")  # fmt: skip
