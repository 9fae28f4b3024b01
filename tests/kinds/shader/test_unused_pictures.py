"""kinds/shader/unused_pictures: pictures that render does not read, and those that it may."""

from pathlib import Path

import pytest

from neuralshade.kinds.shader.source import ShaderSource
from neuralshade.kinds.shader.unused_pictures import unused_pictures

START = "import neuralshade.model.trainable;\nstruct Task : ITask\n{\n"
LOSS = "[Differentiable] float loss(no_diff Thread t) { return photo.sample(float2(0.5)).x; }\n"
MEMBERS = "[Trainable(0.1)] float3 tint;\nPicture<float3> photo;\nPicture<float> mask;\n"


def unread(body, before="", after="", files=None):
    text = before + START + MEMBERS + LOSS + body + "}\n" + after
    return unused_pictures(ShaderSource(text, "task.slang", files or {}))


@pytest.mark.parametrize("body", [
    "float3 render(float2 uv) { return tint; }",
    "// render reads photo? no\nfloat3 render(float2 uv) { /* photo */ return tint; }",
    "float3 render(float2 uv) { if (uv.x > 0) { return tint; } return 2 * tint; }",
    "float3 error(float2 uv) { return tint - photo.sample(uv); }\n"
    "float3 render(float2 uv) { return tint; }",
    "T twice<T : IFloat>(T x) { return x + x; }\n"
    "float3 render(float2 uv) { return twice<float>(1) * tint; }",
])  # fmt: skip
def test_what_only_the_loss_reads(body):
    assert unread(body) == {"photo": 3, "mask": 1}


@pytest.mark.parametrize("body", [
    "float3 render(float2 uv) { return photo.sample(uv); }",
    "float3 color(float2 uv) { return tint * photo.sample(uv); }\n"
    "float3 render(float2 uv) { return color(uv); }",
    "float3 inner(float2 uv) { return photo.sample(uv); }\n"
    "float3 outer(float2 uv) { return inner(uv); }\nfloat3 render(float2 uv) { return outer(uv); }",
    "float3 render(float2 uv) { return loss(Thread()) * tint; }",
    "property float3 look { get { return photo.sample(0.5); } }\n"
    "float3 render(float2 uv) { return look; }",
    "[ForwardDerivative(other)] float3 color(float2 uv) { return tint; }\n"
    "void other(float2 uv) { photo.sample(uv); }\nfloat3 render(float2 uv) { return color(uv); }",
    "float side = photo.width;\nfloat3 render(float2 uv) { return tint * side; }",
    "float3 operator()(float2 uv) { return photo.sample(uv); }\n"
    "float3 render(float2 uv) { return this(uv); }",
    "T made<T : IFloat>(T x) { return x * photo.sample(0.5).x; }\n"
    "float3 render(float2 uv) { return made<float>(1) * tint; }",
])  # fmt: skip
def test_what_render_may_reach(body):
    assert unread(body) == {"mask": 1}


DRAWN = "float3 render(float2 uv) { return tint; }"


@pytest.mark.parametrize("around", [
    {"after": "extension Task { float3 other(float2 uv) { return photo.sample(uv); } }"},
    {"before": "#define LOOK photo.sample(uv)\n"},
    {"before": "float3 read(Task t, float2 uv) { return t.photo.sample(uv); }\n"},
    {"files": {"read.slang": "public float3 read(Task t) { return t.photo.sample(0.5); }"}},
])  # fmt: skip
def test_what_stands_elsewhere_counts_as_reached(around):
    assert unread(DRAWN, **around) == {"mask": 1}


@pytest.mark.parametrize("around", [
    {"before": "#define JOIN(a, b) a ## b\n"},
    {"before": 'static const String raw = R"(x)";\n'},
    {"after": "struct Task { float3 other; }"},
    {"after": "", "body": "float3 render(float2 uv) { return tint;"},
    {"body": "float3 other(float2 uv) { return tint; }"},
])  # fmt: skip
def test_of_a_text_that_is_not_plain_nothing_is_known(around):
    assert unread(**{"body": DRAWN} | around) == {}


def test_a_word_that_is_cut_at_the_end_of_a_line_is_seen():
    assert unread("float3 render(float2 uv) { return pho\\\nto.sample(uv); }") == {"mask": 1}


def test_the_module_of_the_tests_draws_without_its_photo():
    path = Path(__file__).parents[2] / "data/tint.slang"
    assert unused_pictures(ShaderSource(path.read_text(), str(path))) == {"photo": 3}
