"""Slang text of a stack: its layers at a place, from bottom to top. See stack.py."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from neuralshade.kinds.material.references.reference_bsdf import VALUES_MARK
from neuralshade.kinds.material.references.stack_masks import Mask
from neuralshade.kinds.material.references.stack_values import Value

FIELDS = {"weight": 1, "color": 3, "roughness": 2, "normal": 3, "emission": 3, "thickness": 1}
IMPORTS = """
import neuralshade.kinds.material.references.closures;
import neuralshade.kinds.material.references.stack_masks;
import neuralshade.kinds.material.references.pictures;
import neuralshade.kinds.material.references.stack_values;

StructuredBuffer<uint> picture_words;
StructuredBuffer<float> albedo_table;
"""
HEAD = """
static const int LAYERS = {count};
static const float2 STEP = float2({step}f, 0.0f);

struct Layer
{{
    float weight;
    float3 color;
    float2 roughness;
    float3 normal;
    float3 emission;
    float thickness;
}}
"""
NO_EMISSION = "float3(0.0f, 0.0f, 0.0f)"
STEP = 1 / 2048  # of the tile: half the distance of the two places of a slope
LAYERS = """
void read_layers(float2 uv, out Layer layers[LAYERS])
{{
{masks}{layers}}}

Stacked stacked(float2 uv, float3 wi, float3 wo)
{{
    Layer layers[LAYERS];
    read_layers(uv, layers);
{mark}    Stacked all = {{ float3(0.0f), float3(0.0f) }};
    Facing seen;
{steps}    return all;
}}

float3 eval(float2 uv, float3 wi, float3 wo)
{{
    return stacked(uv, wi, wo).scattered;
}}

float3 emission(float2 uv, float3 wo)
{{
    return stacked(uv, wo, wo).emitted;
}}

void parameters(float2 uv, out float values[REFERENCE_PARAMETERS])
{{
    Layer layers[LAYERS];
    read_layers(uv, layers);
    values[0] = 0.0f;
{values}}}
"""
CLOSURES = {
    "conductor": "conductor(seen, {l}.color, {l}.roughness)",
    "diffuse": "diffuse(seen, {l}.color, {l}.roughness.x)",
    "dielectric": "dielectric(seen, {ior}f, {l}.roughness)",
    "sheen": "sheen(albedo_table, seen, {l}.color, {l}.roughness.x)",
}
PASSED = {
    "dielectric": "passed_by_dielectric(albedo_table, seen, {ior}f, {l}.roughness, {l}.color, "
    "{l}.thickness)",
    "sheen": "passed_by_sheen(albedo_table, seen, {l}.color, {l}.roughness.x)",
}


@dataclass(frozen=True)
class Layer:
    """One layer, as read."""

    name: str
    kind: str
    weight: Value
    color: Value
    roughness: Value
    normal: Value
    emission: Value
    ior: float
    thickness: Value


@dataclass(frozen=True)
class Varying:
    """Numbers of a layer that vary over the surface."""

    names: tuple[str, ...]
    texts: tuple[str, ...]


def varying(layers: Sequence[Layer]) -> list[Varying]:
    """Return the encoder's input: all numbers that vary over the surface."""
    found = []
    for number, layer in enumerate(layers):
        for field, count in FIELDS.items():
            if not getattr(layer, field).varies:
                continue
            axes = [""] if count == 1 else [f".{axis}" for axis in "xyz"[:count]]
            if field == "roughness" and layer.kind in ("diffuse", "sheen"):
                axes = [".x"]
            names = tuple(f"{layer.name}.{field}{axis}" for axis in axes)
            found.append(Varying(names, tuple(f"layers[{number}].{field}{axis}" for axis in axes)))
    return found


def stack_text(
    constants: str, masks: Sequence[Mask], layers: Sequence[Layer], parts: Sequence[Varying]
) -> str:
    """Return the text of a stack; ``constants`` are its pictures."""
    reads, steps = "", ""
    for number, layer in enumerate(layers):
        at = f"layers[{number}]"
        for field in FIELDS:
            reads += f"    {at}.{field} = {getattr(layer, field).text};\n"
        steps += f"    seen = facing({at}.normal, wi, wo);\n    all = {_step(layer, at)};\n"
    used = [one.name for one in masks if re.search(rf"\bm_{one.name}\b", reads)]
    locals_ = "".join(f"    float m_{name} = mask_{name}(uv);\n" for name in used)
    texts = [text for part in parts for text in part.texts]
    values = "".join(f"    values[{i}] = {text};\n" for i, text in enumerate(texts))
    functions = "".join(one.text for one in masks)
    return (IMPORTS + constants + HEAD.format(count=len(layers), step=f"{STEP:.9g}") + functions
            + LAYERS.format(masks=locals_, layers=reads, steps=steps, values=values,
                            mark=VALUES_MARK))  # fmt: skip


def _step(layer: Layer, at: str) -> str:
    """Return the statement that adds a layer to the stack."""
    known = {"l": at, "ior": f"{layer.ior:.9g}" if layer.ior % 1 else f"{layer.ior:.1f}"}
    closure = CLOSURES[layer.kind].format(**known)
    if layer.kind not in PASSED:
        return f"covered(all, {at}.weight, {closure}, {at}.emission)"
    passed = PASSED[layer.kind].format(**known)
    return f"coated(all, {at}.weight, {closure}, {passed}, {at}.emission)"
