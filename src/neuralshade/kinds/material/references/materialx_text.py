"""Edits that turn the text of MaterialX's Slang generator into a reference.

The generator writes a fragment shader of a surface in space, lit by light sources. A reference has
functions of a flat surface that is lit from one direction. Each edit must match exactly once;
otherwise this version of MaterialX is not supported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from neuralshade.errors import ConfigError
from neuralshade.kinds.material.references.materialx_limits import MOST_OCTAVES
from neuralshade.kinds.material.references.reference_bsdf import VALUES_MARK

# A surface with tangents x and y and normal z; positions are uv with v upwards, MaterialX's
# convention.
TEXCOORD = "texcoord_0"
VERTEX = {
    "normal": "float3(0, 0, 1)",
    "tangent": "float3(1, 0, 0)",
    "bitangent": "float3(0, 1, 0)",
    "position": "float3(up, 0)",
    TEXCOORD: "up",
    "SV_Position": "float4(up, 0, 1)",
}
IDENTITY = "float4x4(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)"
SET = (
    "u_viewPosition",
    "u_numActiveLightSources",
    "u_lightData[MAX_LIGHT_SOURCES]",
)  # by ENTRY_POINTS
SPACES = ("World", "Object", "Model", "")
ENTRY = (r'\[shader\("fragment"\)\]\nfloat4 fragmentMain\(VertexData _vd\) : SV_Target\n'
         r"\{\n.*?vd = _vd;\n")  # fmt: skip
# Screen-space derivatives, and their values at a point without neighbors.
FLAT = {
    r"length\(fwidth\(N\)\) / length\(fwidth\(P\)\)": "0.0",  # curvature of a flat surface
    r"smoothstep\(threshold-afwidth, threshold\+afwidth, value\)": "step(threshold, value)",
    r"\bdd[xy]\((\w+)\)": r"(\1 - \1)",
    # in case it is computed: a loop over any number might not end
    r"(?<=i < )octaves;": f"min(octaves, {MOST_OCTAVES});",
}
# The line that adds emission, and the flag that selects only that.
EMITTING = r"(// Add surface emission\n\s*)\{"
EMITS = "makeClosureData(CLOSURE_TYPE_EMISSION,"
SHINES, DARK = "shade(uv, float3(0, 0, 1), wo, 0)", "float3(0.0f)"
NUMBERS = {"float": 1, "float2": 2, "float3": 3, "float4": 4}
PRELUDE = """import neuralshade.kinds.material.references.pictures;

StructuredBuffer<uint> picture_words;
typealias SamplerTexture2D = Picture;
{pictures}
float4 texture(Picture picture, float2 uv)
{{
    return looked_up(picture_words, picture, uv);
}}

float4 textureLod(Picture picture, float2 uv, float level)
{{
    return looked_up(picture_words, picture, uv);
}}

float4 textureGrad(Picture picture, float2 uv, float2 across, float2 down)
{{
    return looked_up(picture_words, picture, uv);
}}

int2 textureSize(Picture picture, int level)
{{
    return int2(picture.width, picture.height);
}}

"""
ENTRY_POINTS = """
void place(float2 uv)
{{
    float2 up = float2(uv.x, 1.0f - uv.y);
{vertex}}}

float3 shade(float2 uv, float3 wi, float3 wo, int lights)
{{
    place(uv);
    u_viewPosition = vd.positionWorld + wo;
    u_numActiveLightSources = lights;
    u_emits = lights == 0;
    u_lightData[0].type = 1;
    u_lightData[0].direction = -wi;
    u_lightData[0].color = float3(1.0f);
    u_lightData[0].intensity = 1.0f;
    return generated().rgb;
}}

public float3 eval(float2 uv, float3 wi, float3 wo)
{{
    if (min(wi.z, wo.z) <= REFERENCE_LOWEST) // where MaterialX would turn the normal over
        return float3(0.0f);
    return shade(uv, wi, wo, 1);
}}

public float3 emission(float2 uv, float3 wo)
{{
    return {emission};
}}

public void parameters(float2 uv, out float values[REFERENCE_PARAMETERS])
{{
    place(uv);
{graph}{writes}}}
"""


@dataclass(frozen=True)
class Edited:
    """Slang text with ``eval``, ``emission`` and ``parameters``, and what it still needs."""

    text: str  # after reference_bsdf.py's HEAD and the constants of its pictures
    parameters: tuple[str, ...]  # the graph's values that closures read, such as "patina_out.x"


def edited_text(text: str, pictures: str, values: Mapping[str, str | None]) -> Edited:
    """Return a reference's text, from the generator's.

    ``pictures``: constants of type Picture by the generator's names; ``values``: numbers of its
    uniforms by name, or None. Raises: ConfigError for a uniform that is read and has no value, and
    for text that this version of MaterialX does not write.
    """
    text = _once(r"struct SamplerTexture2D\n.*?(?=struct BSDF)", PRELUDE.format(pictures=pictures),
                 text, "the texture functions")  # fmt: skip
    text = _once(r"cbuffer pixelCB\n\{\n(.*?)\n\}", partial(_globals, values), text,
                 "the block of uniforms")  # fmt: skip
    text = _once(r"(?<=static VertexData vd;)", "\nstatic bool u_refractionTwoSided = false;\n"
                 "static bool u_emits = false;", text, "the vertex data")  # fmt: skip
    text, emitting = re.subn(EMITTING, r"\1if (u_emits)\n        {", text)
    if emitting != text.count(EMITS):
        raise _unexpected(emitting, "what adds emission", str(text.count(EMITS)))
    for screens, ours in FLAT.items():
        text = re.sub(screens, ours, text)
    text = _once(ENTRY, "float4 generated()\n{\n", text, "the entry point")
    begin = text.index("float4 generated()")
    graph, surface = _parts(text[begin:])
    text = text[:begin] + text[begin:].replace(surface, VALUES_MARK + surface, 1)
    names = _parameters(graph, surface)
    vertex = "".join(_vertex_line(line) for line in _members(text, "struct VertexData"))
    writes = "".join(f"    values[{i}] = {name};\n" for i, name in enumerate(names or ["0.0f"]))
    reference = ENTRY_POINTS.format(vertex=vertex, graph=graph, writes=writes,
                             emission=SHINES if emitting else DARK)  # fmt: skip
    return Edited(text + reference, tuple(names))


def _once(
    pattern: str, replacement: str | Callable[[re.Match[str]], str], text: str, what: str
) -> str:
    """Return ``text`` with the single match of ``pattern`` replaced."""
    how = (lambda found: replacement) if isinstance(replacement, str) else replacement
    replaced, count = re.subn(pattern, how, text, flags=re.DOTALL)
    if count != 1:
        raise _unexpected(count, what, "one")
    return replaced


def _unexpected(count: int, what: str, needed: str) -> ConfigError:
    """Return the error for text of an unsupported MaterialX version."""
    return ConfigError(f"MaterialX: got {count} places of {what} in what its Slang generator "
                       f"wrote, need {needed}. Install materialx 1.39.5.")  # fmt: skip


def _globals(values: Mapping[str, str | None], block: re.Match[str]) -> str:
    """Return the uniforms as thread-local variables; pictures are constants already."""
    lines = [line.strip() for line in block[1].splitlines()]
    kept = [line for line in lines if line.startswith("uniform") and "SamplerTexture2D" not in line]
    return "\n".join(_global(line, values) for line in kept)


def _global(line: str, values: Mapping[str, str | None]) -> str:
    """Return a uniform as a variable with its value; the generator writes only the type."""
    kind, name = line.removesuffix(";").split()[1:]
    declared = f"static {kind} {name}"
    if name in SET or kind not in (*NUMBERS, "int", "bool", "float4x4"):
        return f"{declared};"  # a closure of another material
    if kind == "float4x4" and name.startswith("u_world"):
        return f"{declared} = {IDENTITY};"  # a surface at its object's origin
    value = values.get(name)
    if value is None:
        raise ConfigError(f"got no value of {name}, need one. Give it a value, or name a material "
                          "that does.")  # fmt: skip
    return f"{declared} = {f'{kind}({value})' if ',' in value else value};"


def _members(text: str, struct: str) -> list[str]:
    begin = text.index(struct)
    block = text[text.index("{", begin) + 1 : text.index("}", begin)]
    return [line.strip() for line in block.splitlines() if line.strip()]


def _vertex_line(member: str) -> str:
    """Return the assignment of a vertex data member, such as ``float3 normalWorld : ...;``."""
    kind, name = member.split()[:2]
    for stem, value in VERTEX.items():
        if name in {stem + space for space in SPACES}:
            if kind == "float3" and stem == TEXCOORD:
                value = f"float3({value}, 0)"
            return f"    vd.{name} = {value};\n"
    raise ConfigError(f"MaterialX: got a graph that reads {name} of a mesh, need one of uv, "
                      "position, normal and tangent alone. Bake it to a picture.")  # fmt: skip


def _parts(body: str) -> tuple[str, str]:
    """Return the text that computes the graph's values, and the text of the surface."""
    lines = body.splitlines(keepends=True)[2:]
    begins = [i for i, line in enumerate(lines) if line.startswith("    surfaceshader ")]
    if not begins:
        raise ConfigError("MaterialX: got a shader without a surface, need one. Name an element "
                          "that is a material.")  # fmt: skip
    graph = [line for line in lines[: begins[0]] if "out1;" not in line]
    return "".join(graph), "".join(lines[begins[0] :])


def _parameters(graph: str, surface: str) -> list[str]:
    """Return the graph's numbers that the surface reads, a vector by components."""
    found: list[str] = []
    for kind, name in re.findall(r"^    (float[234]?) (\w+) = ", graph, re.MULTILINE):
        if name.startswith("geomprop_") or not re.search(rf"\b{name}\b", surface):
            continue
        count = NUMBERS[kind]
        found += [name] if count == 1 else [f"{name}.{axis}" for axis in "xyzw"[:count]]
    return found
