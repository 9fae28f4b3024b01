"""kinds/shader: a task's module has no globals that nobody sets; members say what to write."""

import numpy as np
import pytest

import neuralshade
from neuralshade.errors import ConfigError
from neuralshade.kinds.shader.build import UNBOUND

TASK = """import neuralshade.model.trainable;
{globals}
struct Task : ITask
{{
    [Trainable(0.1)] float a;
    {members}
    [Differentiable] float loss(no_diff Thread thread) {{ return (a - GOAL) * (a - GOAL); }}
}}
static const float GOAL = 2.0f;
static float own = 1.0f;
groupshared float together[2];
"""
DECLARED = {
    "Texture2D photo;": "Texture2D<float4> photo",
    "SamplerState s;": "SamplerState s",
    "StructuredBuffer<float> table;": "StructuredBuffer<float> table",
    "RWByteAddressBuffer raw;": "RWByteAddressBuffer raw",
    "uniform float gain;": "float gain",
    "float3 implied;": "float3 implied",
    "cbuffer Numbers { float k; }": "cbuffer Numbers",
    "struct P { float k; }; ParameterBlock<P> block;": "ParameterBlock<P> block",
    "Picture<float3> outside;": "Picture<float3> outside",
    "namespace n { uniform float inner; }": "float inner",
    "import others;": "float far",
    '#include "others.slang"': "float far",
}


def written(folder, text):
    (folder / "others.slang").write_text("public uniform float far;\n")
    (folder / "task.slang").write_text(text)
    return folder / "task.slang"


@pytest.mark.parametrize("text", DECLARED)
def test_a_global_that_nobody_sets_is_refused(tmp_path, refusal, text):
    path = written(tmp_path, TASK.format(globals=text, members=""))
    said = refusal(ConfigError, neuralshade.fit_shader, path, tmp_path / "x.nsh", steps=1)
    assert said == (f"{path}: got {DECLARED[text]} at global scope, which nothing binds, need "
                    f"values. {UNBOUND}")  # fmt: skip
    assert not (tmp_path / "x.nsh").exists()


def test_constants_and_variables_of_threads_are_none(tmp_path):
    path = written(tmp_path, TASK.format(globals="static const float T[2] = { 1, 2 };", members=""))
    neuralshade.fit_shader(path, tmp_path / "x.nsh", steps=1, threads="1")


MEMBERS = {
    "Texture2D t;": "Write Picture<float4> t; with --set t=a.png, and read it with sample(uv) or "
    "load(int2).",
    "Texture2D<float> t;": "Write Picture<float> t; with --set t=a.png, and read it with sample(uv)"
    " or load(int2).",
    "SamplerState s;": "Leave it out: a Picture has sample(uv).",
    "StructuredBuffer<float> b;": "Write a table as a Picture, or as a static const array out of "
    "Task.",
    "float2 v;": "Mark it, or write it as static const out of Task.",
    "[Trainable(1)] Texture2D<float3> t;": "Write Texture<float3>, with [Size(256, 256)].",
}


@pytest.mark.parametrize("member", MEMBERS)
def test_a_member_that_cannot_be_given_says_what_can(tmp_path, refusal, member):
    path = written(tmp_path, TASK.format(globals="", members=member))
    said = refusal(ConfigError, neuralshade.fit_shader, path, steps=1)
    assert said.endswith(f" {MEMBERS[member]}")


def test_a_picture_is_what_the_remedy_of_a_texture_says(tmp_path):
    path = written(tmp_path, TASK.format(globals="", members="Picture<float4> t;"))
    pixels = np.ones((4, 4, 4), np.float32)
    neuralshade.fit_shader(path, tmp_path / "x.nsh", values={"t": pixels}, steps=1, threads="1")
