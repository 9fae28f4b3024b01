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


@dataclass(frozen=True)
class Fragment:
    """One shader: its texts, and the numbers of its networks."""

    wgsl: str
    glsl: str
    numbers: npt.NDArray[np.float32]  # four for each NUMBERS, in the order of both texts
    textures: tuple[str, ...]  # names, in the order of their bindings
    words: str  # the name of the words that it reads, or nothing

    def facts(self) -> dict[str, Any]:
        """Return its facts for the page, but for the numbers."""
        return {"wgsl": self.wgsl, "glsl": self.glsl, "textures": list(self.textures),
                "words": self.words}  # fmt: skip


def fragment(form: ShaderForm, main: Function, more: Sequence[Function] = ()) -> Fragment:
    """Return the shader of ``main``, a function of a float2; ``more``: what it calls besides.

    It returns a float4, or a struct of them: one for each target.
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
    return Fragment(
        WGSL.format(inputs=INPUTS) + COMMENT.sub("", wgsl.text())
        + WGSL_ENTRY.format(main=MAIN, values=", ".join(members),
                            targets=" ".join(f"@location({i}) t{i}: vec4f," for i in targets)),
        GLSL.format(inputs=INPUTS) + COMMENT.sub("", glsl.text())
        + GLSL_ENTRY.format(main=MAIN, type=glsl.type(kind),
                            values=" ".join(f"t{i} = {x};" for i, x in enumerate(members)),
                            targets="\n".join(f"layout(location = {i}) out vec4 t{i};"
                                              for i in targets)),
        numbers, tuple(one.name for one in opened.textures),
        f"{form.name}_words" if wgsl.reads_words else "",
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
