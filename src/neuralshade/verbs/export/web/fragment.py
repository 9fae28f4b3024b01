"""Fragment shaders of a web page in WGSL and GLSL ES: functions of a form, and an entry.

A shader draws the whole of its targets. Its main function gets the center of a pixel, from the
upper left corner of the target, and reads ``page_in(i)``: the float4 that the page passes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.languages.glsl import GlslEs
from neuralshade.languages.language import MOST_IN_TEXT
from neuralshade.languages.network import activation_functions, straight_lines
from neuralshade.languages.statements import FLOATS
from neuralshade.languages.wgsl import Wgsl
from neuralshade.model.shader_form import Function, Network, Parameter, ShaderForm

INPUTS = 16  # float4 that a page passes
MAIN = "page_main"
NUMBERS = "N_"  # stands for four numbers of a network, which the page inserts in their order
AT = Parameter("float2", "at")
# Biases, or the weights of one input: what model/shader_form.py's networks hold, in its order.
FOUR = re.compile(rf"float4\((-?{FLOATS.pattern}), (-?{FLOATS.pattern}), "
                  rf"(-?{FLOATS.pattern}), (-?{FLOATS.pattern})\)")  # fmt: skip
COMMENT = re.compile(r"^ *//.*\n| *// .*", re.MULTILINE)
CALLED = re.compile(r"\b[A-Za-z]\w*(?=\()")

WGSL = """
@group(1) @binding(0) var<uniform> page_inputs: array<vec4f, {inputs}>;
fn page_in(i: i32) -> vec4f {{ return page_inputs[i]; }}
"""
WGSL_ENTRY = """
struct page_targets {{ {targets} }}
@vertex fn page_vertex(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {{
    return vec4f(f32(i & 1u) * 4.0 - 1.0, f32(i >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}}
@fragment fn page_fragment(@builtin(position) at: vec4f) -> page_targets {{
    let found = {main}(at.xy);
    return page_targets({values});
}}
"""
GLSL = """#version 300 es
precision highp float;
precision highp int;
uniform vec4 page_inputs[{inputs}];
vec4 page_in(int i) {{ return page_inputs[i]; }}
"""
GLSL_ENTRY = """
{targets}
void main() {{
    {type} found = {main}(gl_FragCoord.xy);
    {values}
}}
"""


# What a mesh's shader reads by ``page_at(i)``: 0 place; 1 normal, 1 on a front and -1 on a back;
# 2 two texture coordinates; 3 color; 4, 5 and 6, 7: how place and coordinates change from a pixel
# to the next, across and down. Rows 2 to 5 of the inputs take a place to the screen.
WGSL_MESH = """
var<private> page_varying: array<vec4f, 8>;
fn page_at(i: i32) -> vec4f {{ return page_varying[i]; }}
"""
WGSL_MESH_ENTRY = """
struct page_targets {{ {targets} }}
struct page_corner {{
    @builtin(position) at: vec4f, @location(0) place: vec3f, @location(1) normal: vec3f,
    @location(2) uv: vec4f, @location(3) color: vec4f,
}}
@vertex fn page_vertex(@location(0) place: vec3f, @location(1) normal: vec3f,
                       @location(2) uv: vec4f, @location(3) color: vec4f) -> page_corner {{
    let p = vec4f(place, 1.0);
    let at = vec4f(dot(page_in(2), p), dot(page_in(3), p), dot(page_in(4), p), dot(page_in(5), p));
    let off = page_in(0).zw * vec2f(-2.0, 2.0) / page_in(0).xy * at.w;
    return page_corner(at + vec4f(off, 0.0, 0.0), place, normal, uv, color);
}}
@fragment fn page_fragment(corner: page_corner, @builtin(front_facing) front: bool)
        -> page_targets {{
    page_varying = array<vec4f, 8>(vec4f(corner.place, 1.0),
        vec4f(corner.normal, select(-1.0, 1.0, front)), corner.uv, corner.color,
        vec4f(dpdx(corner.place), 0.0), vec4f(dpdy(corner.place), 0.0), dpdx(corner.uv),
        dpdy(corner.uv));
    let found = {main}(corner.at.xy);
    if (found.w < 0.0) {{ discard; }}
    return page_targets({values});
}}
"""
GLSL_MESH = """
in vec3 corner_place;
in vec3 corner_normal;
in vec4 corner_uvs;
in vec4 corner_color;
vec4 page_varying[8];
vec4 page_at(int i) {{ return page_varying[i]; }}
"""
GLSL_MESH_ENTRY = """
{targets}
void main() {{
    float facing = gl_FrontFacing ? -1.0 : 1.0;
    page_varying = vec4[8](vec4(corner_place, 1.0), vec4(corner_normal, facing),
        corner_uvs, corner_color, vec4(dFdx(corner_place), 0.0), vec4(dFdy(corner_place), 0.0),
        dFdx(corner_uvs), dFdy(corner_uvs));
    {type} found = {main}(gl_FragCoord.xy);
    if (found.w < 0.0) discard;
    {values}
}}
"""
# Row 0 of a target is the upper one, so up is down: and a front is what OpenGL takes for a back.
GLSL_VERTEX = """#version 300 es
precision highp float;
uniform vec4 page_inputs[{inputs}];
layout(location = 0) in vec3 place;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 uv;
layout(location = 3) in vec4 color;
out vec3 corner_place;
out vec3 corner_normal;
out vec4 corner_uvs;
out vec4 corner_color;
void main() {{
    vec4 p = vec4(place, 1.0);
    vec4 at = vec4(dot(page_inputs[2], p), dot(page_inputs[3], p), dot(page_inputs[4], p),
        dot(page_inputs[5], p));
    at.xy += page_inputs[0].zw * vec2(-2.0, 2.0) / page_inputs[0].xy * at.w;
    gl_Position = vec4(at.x, -at.y, 2.0 * at.z - at.w, at.w);
    corner_place = place;
    corner_normal = normal;
    corner_uvs = uv;
    corner_color = color;
}}
"""


@dataclass(frozen=True)
class Fragment:
    """One shader: its texts, and the numbers of its networks."""

    wgsl: str
    glsl: str
    numbers: npt.NDArray[np.float32]  # four for each NUMBERS, in the order of both texts
    textures: tuple[str, ...]  # names, in the order of their bindings
    words: str  # the name of the words that it reads, or nothing
    vertex: str = ""  # GLSL ES of a mesh's vertices; WGSL has both in one text

    def facts(self) -> dict[str, Any]:
        """Return its facts for the page, but for the numbers."""
        return {
            "wgsl": self.wgsl,
            "glsl": self.glsl,
            "textures": list(self.textures),
            "words": self.words,
            **({"vertex": self.vertex} if self.vertex else {}),
        }


def fragment(
    form: ShaderForm, main: Function, more: Sequence[Function] = (), *, inputs: int = INPUTS,
    mesh: bool = False,
) -> Fragment:  # fmt: skip
    """Return the shader of ``main``, a function of a float2; ``more``: what it calls besides.

    It returns a float4, or a struct of them: one for each target.

    Args:
        inputs: float4 that the page passes.
        mesh: it draws triangles in place of the whole target, reads ``page_at(i)``, and draws
            nothing where its alpha is below 0.
    """
    assert main.name == MAIN and main.parameters == (AT,), main.name
    needed = _reached(replace(form, about=(), functions=(*form.functions, *more, main)))
    opened, numbers = _numbers_apart(needed)
    wgsl, glsl = Wgsl(opened, not opened.networks), GlslEs(opened, not opened.networks)
    assert np.array_equal(wgsl.words, glsl.words)
    kind = main.result
    members = [f"found.{name}" for one in form.structs if one.name == kind
               for _, name in one.members] or ["found"]  # fmt: skip
    targets = range(len(members))
    begin, end = (WGSL + WGSL_MESH, WGSL_MESH_ENTRY) if mesh else (WGSL, WGSL_ENTRY)
    begin_gl, end_gl = (GLSL + GLSL_MESH, GLSL_MESH_ENTRY) if mesh else (GLSL, GLSL_ENTRY)
    return Fragment(
        begin.format(inputs=inputs) + COMMENT.sub("", wgsl.text())
        + end.format(main=MAIN, values=", ".join(members),
                     targets=" ".join(f"@location({i}) t{i}: vec4f," for i in targets)),
        begin_gl.format(inputs=inputs) + COMMENT.sub("", glsl.text())
        + end_gl.format(main=MAIN, type=glsl.type(kind),
                        values=" ".join(f"t{i} = {x};" for i, x in enumerate(members)),
                        targets="\n".join(f"layout(location = {i}) out vec4 t{i};"
                                          for i in targets)),
        numbers, tuple(one.name for one in opened.textures),
        f"{form.name}_words" if wgsl.reads_words else "",
        GLSL_VERTEX.format(inputs=inputs) if mesh else "",
    )  # fmt: skip


def stored_rows(form: ShaderForm) -> npt.NDArray[np.uint32]:
    """Return the rows of networks that the shaders of a form read behind its words.

    None where the text holds their numbers.
    """
    if _in_text(form):
        return np.zeros(0, np.uint32)
    filled = -(-len(form.words) // 4) * 4  # rows begin at a multiple of four words
    return Wgsl(form, False).words[filled:]


def _in_text(form: ShaderForm) -> bool:
    return max((one.multiply_adds for one in form.networks), default=0) <= MOST_IN_TEXT


def _reached(form: ShaderForm) -> ShaderForm:
    """Return the form with the functions that the last one reaches.

    Where networks read rows of the words, all functions stay: these rows are those of all networks.
    """
    if not _in_text(form):
        return form
    by_name = {one.name: one for one in form.functions}
    found, left = set[str](), [form.functions[-1].name]
    while left:
        name = left.pop()
        if name in found or name not in by_name:
            continue
        found.add(name)
        left += [call for line in _lines(by_name[name]) for call in CALLED.findall(line)]
    kept = tuple(one for one in form.functions if one.name in found)
    textures = tuple(
        one
        for one in form.textures
        if any(one.reader in line for each in kept for line in _lines(each))
    )
    return replace(form, functions=kept, textures=textures)


def _lines(function: Function) -> Iterator[str]:
    for line in function.body:
        yield from line.inputs if isinstance(line, Network) else (line,)


def _numbers_apart(form: ShaderForm) -> tuple[ShaderForm, npt.NDArray[np.float32]]:
    """Return the form with NUMBERS for the numbers of its networks, and these.

    A form whose networks are too large for a text keeps them.
    """
    if not form.networks or not _in_text(form):
        return form, np.zeros(0, np.float32)
    numbers = list[float]()

    def apart(line: str) -> str:
        numbers.extend(float(each) for four in FOUR.findall(line) for each in four)
        return FOUR.sub(NUMBERS, line)

    functions = [
        replace(one, body=tuple(
            each for line in one.body
            for each in (map(apart, straight_lines(line, form.name))
                         if isinstance(line, Network) else [line])))
        for one in form.functions
    ]  # fmt: skip
    functions = [*activation_functions(form.networks, form.name), *functions]
    return replace(form, functions=tuple(functions)), np.array(numbers, np.float32)
