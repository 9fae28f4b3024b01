"""Stacks of layers in TOML as references: a base, and layers that cover or coat it."""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from neuralshade.base.message_text import plain_name, shown
from neuralshade.base.text_file import read_text
from neuralshade.errors import ConfigError
from neuralshade.kinds.material.references.closures import albedo_table
from neuralshade.kinds.material.references.pictures import picture_table
from neuralshade.kinds.material.references.reference_bsdf import ReferenceBsdf
from neuralshade.kinds.material.references.stack_inputs import declared, read_inputs
from neuralshade.kinds.material.references.stack_masks import MOST_CELLS, NAME, read_masks
from neuralshade.kinds.material.references.stack_text import NO_EMISSION, Layer, stack_text, varying
from neuralshade.kinds.material.references.stack_values import (
    VARIED,
    Entries,
    Pictures,
    Value,
    slang,
)

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SUFFIX = ".toml"
TOP = ("mask", "layer", "vary")
SHARED = ("name", "kind", "mask", "weight", "emission", "normal", "bump", "flakes")
KINDS = {
    "conductor": ("color", "roughness"),
    "diffuse": ("color", "roughness"),
    "dielectric": ("color", "roughness", "ior", "thickness"),
    "sheen": ("color", "roughness"),
}
CLEAR = ("dielectric", "sheen")  # layers below are visible
COLORS = {"dielectric": [1.0, 1.0, 1.0]}
MOST_LAYERS = 16
FLAT = Value("float3(0.0f, 0.0f, 1.0f)", False)
BLACK = Value("float3(0.0f, 0.0f, 0.0f)", False)


def load_stack(path: str | os.PathLike[str]) -> ReferenceBsdf:
    """Return the reference of a stack in TOML; picture paths are relative to its folder.

    Raises: ConfigError, with the layer or the mask, for invalid TOML, an unknown key or kind, a
        value out of range or a missing picture; PictureError for a file that is no picture.
    """
    place = Path(path)
    text = read_text(place, f"a {SUFFIX} file", "TOML text")
    try:
        tables = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{place}: got {shown(str(error))}, need TOML. Mend that "
                          "line.") from error  # fmt: skip
    pictures = Pictures(place.parent)
    entries = Entries(str(place), tables, TOP, pictures)
    pictures.inputs = read_inputs(entries.values.get("vary", {}), str(place),
                                  entries.values.get("mask", ()))  # fmt: skip
    masks = read_masks(entries.values.get("mask", {}), str(place), pictures)
    names = [one.name for one in masks]
    layers = _layers(entries.values.get("layer"), str(place), pictures, names)
    constants, words = picture_table(pictures.lookups)
    parts = varying(layers)
    constants += declared(pictures.inputs)
    return ReferenceBsdf(place.stem, stack_text(constants, masks, layers, parts),
                   tuple(name for part in parts for name in part.names) or ("none",),
                   {**words, "albedo_table": albedo_table()}, inputs=pictures.inputs,
                   targets=tuple(text for part in parts for text in part.texts),
                   coarse=True,
                   dark=all(layer.emission.text == NO_EMISSION for layer in layers))  # fmt: skip


def _layers(tables: object, place: str, pictures: Pictures, masks: list[str]) -> list[Layer]:
    if not isinstance(tables, list) or not 1 <= len(tables) <= MOST_LAYERS:
        got = f"{len(tables)}" if isinstance(tables, list) else "no"
        raise ConfigError(f"{place}: got {got} layers, need 1 to {MOST_LAYERS} tables [[layer]], "
                          "the lowest one first. Add or remove some.")  # fmt: skip
    found: list[Layer] = []
    for number, table in enumerate(tables):
        one = _layer(number, table, place, pictures, masks)
        if one.name in [other.name for other in found]:
            raise ConfigError(f"{place}: got two layers called {one.name}, need each once. Rename "
                              "one of them.")  # fmt: skip
        found.append(one)
    return found


def _layer(number: int, table: Any, place: str, pictures: Pictures, masks: list[str]) -> Layer:
    """Return one layer, checked."""
    called = table.get("name") if isinstance(table, Mapping) else None
    where = f"{place}: layer {plain_name(called) if isinstance(called, str) else number + 1}"
    everything = dict.fromkeys((*SHARED, *(key for keys in KINDS.values() for key in keys)))
    entries = Entries(where, table, everything, pictures, masks)
    kind = entries.choice("kind", KINDS)
    _check_used(entries, kind)
    name = entries.values.get("name", f"{kind}_{number + 1}")
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise entries.error("name", name, "letters, digits and _, a letter first")
    if number == 0 and (kind in CLEAR or "mask" in entries or "weight" in entries):
        raise ConfigError(f"{where}: got a base that is clear or has a mask or weight, need a "
                          "conductor or diffuse all over. Put one first.")  # fmt: skip
    weight = entries.scalar("weight", 1, 0, 1)
    if "mask" in entries:
        weight = Value(f"{entries.mask('mask')} * {weight.text}", True)
    spread = entries.scalar if kind in ("diffuse", "sheen") else entries.two
    return Layer(
        name, kind, weight, entries.color("color", COLORS.get(kind)),
        spread("roughness", 0.5, 0, 1), _normal(entries, name),
        entries.color("emission", [0, 0, 0]), entries.number("ior", 1.5, 1, 4),
        entries.scalar("thickness", 1, 0, 100),
    )  # fmt: skip


def _check_used(entries: Entries, kind: str) -> None:
    """Refuse a key of another kind of layer."""
    for key in entries.values:
        if key not in (*SHARED, *KINDS[kind]):
            able = " or ".join(one for one, keys in KINDS.items() if key in keys)
            raise ConfigError(f"{entries.where}.{key}: got it for a {kind} layer, need a {able} "
                              "one for that. Take it out.")  # fmt: skip


def _normal(entries: Entries, name: str) -> Value:
    """Return a layer's normal: flat, from a picture, from a mask as height, or of flakes."""
    sources = [key for key in ("normal", "bump", "flakes") if key in entries]
    if len(sources) > 1:
        raise ConfigError(f"{entries.where}: got {' and '.join(sources)}, need one of them. Take "
                          "the others out.")  # fmt: skip
    if not sources:
        return FLAT
    where, value = f"{entries.where}.{sources[0]}", entries.values[sources[0]]
    if sources[0] == "normal":
        if not isinstance(value, str):
            raise entries.error("normal", value, "a picture's path")
        return Value(f"mapped_normal({entries.pictures.expression(where, value, 'xyz')})", True)
    if sources[0] == "bump":
        inner = Entries(where, value, ("by", "depth"), entries.pictures, entries.masks)
        mask = inner.mask("by")
        if not NAME.fullmatch(mask) or mask.startswith(VARIED):
            raise inner.error("by", inner.values.get("by"), "one mask")
        depth = slang(inner.number("depth", 0.01, -1, 1))
        return Value(f"bumped({_slopes(mask.removeprefix('m_'))}, {depth})", True)
    inner = Entries(where, value, ("scale", "tilt", "seed"), entries.pictures)
    across, down = (inner.whole("scale", 100, 1, MOST_CELLS),) * 2
    seed = inner.whole("seed", zlib.crc32(name.encode()) % 2**16, 0, 2**31 - 1)
    tilt = slang(inner.number("tilt", 0.2, 0, 1))
    return Value(f"flake_normal(uv, int2({across}, {down}), {tilt}, {seed}u)", True)


def _slopes(mask: str) -> str:
    """Return the slopes of a mask along u and v, by finite differences."""
    ends = [f"mask_{mask}(uv {sign} STEP.{axis})" for axis in ("xy", "yx") for sign in "+-"]
    return f"float2({ends[0]} - {ends[1]}, {ends[2]} - {ends[3]}) / (2.0f * STEP.x)"
