"""kinds/shader/fit: what the compiler says is told without its noise, with what to do."""

import pytest

import neuralshade
from neuralshade.errors import ConfigError, KernelError
from neuralshade.gpu.slang_com import diagnostics
from neuralshade.kinds.shader.source import ShaderSource

TASK = """import neuralshade.model.trainable;
struct Task : ITask
{
    [Trainable(0.1)] float3 a;
    float b = 2;
    [Differentiable] float loss(no_diff Thread thread) { return a.x - b; }
}
"""
NOISE = ("import failed", "compilation ceased", "abort compilation", "--'")


def changed(old, new):
    assert TASK.count(old) == 1
    return TASK.replace(old, new)


@pytest.fixture
def said(tmp_path):
    """Give a function that fits text that does not compile, and returns the lines of the error."""

    def said(text):
        path = tmp_path / "t.slang"
        path.write_text(text)
        with pytest.raises(KernelError) as caught:
            neuralshade.fit_shader(path, tmp_path / "x.nsh", steps=1, threads="1")
        return str(caught.value).split("\n")

    return said


def test_errors_are_whole_and_nothing_follows_them(said):
    lines = said(changed("a.x - b", "a.x - c + d"))
    text = "\n".join(lines)
    assert not any(noise in text for noise in NOISE)
    for name, column in (("c", 71), ("d", 75)):
        assert f"undefined identifier '{name}'." in text and f"t.slang:6:{column}" in text
    assert lines[-1].strip(" |^").startswith("undefined identifier 'd'") or "'d'" in text


@pytest.mark.parametrize("old, new, remedy", [
    ("[Differentiable] ", "", "Write [Differentiable] before loss."),
    ("import neuralshade.model.trainable;", "",
     "Write import neuralshade.model.trainable; at the top."),
    ("import neuralshade.model.trainable;", "import other;",
     "Write import neuralshade.model.trainable; at the top."),
])  # fmt: skip
def test_what_to_do_is_the_last_line(said, tmp_path, old, new, remedy):
    (tmp_path / "other.slang").write_text("public static const int x = 1;")
    assert said(changed(old, new))[-1] == remedy


def test_words_that_are_no_error_of_the_text_are_kept():
    for words in ("fatal error[E40003]: compilation ceased\n", "something else\n"):
        assert diagnostics(words) == words.rstrip()


@pytest.mark.parametrize("old, new, message", [
    ("[Trainable(0.1)] float3 a", "[Trainable(1)] float b2; float3 a", "Task.a: got type float3 "
     "without [Trainable(rate)], need that, or float, int, uint, bool or Picture. Mark it, or "
     "write it as static const out of Task."),
    ("float b = 2", "float b = 2; float4x4 m[2]", "Task.m: got type float4x4[2] without"),
    ("(0.1)]", "(0.1)] [Range(0, 1)] [Start(3)]", "Task.a: got a start of 3, need 0 ... 1, its "
     "[Range]. Change one of the two."),
    ("[Trainable(0.1)] float3 a", "[Trainable(1)] [Range(0, 1)] float c = -2; [Trainable(1)] "
     "float3 a", "Task.c: got a start of -2, need 0 ... 1, its [Range]. Change one of the two."),
])  # fmt: skip
def test_types_and_starts_are_told_as_they_are_written(old, new, message, refusal):
    source = ShaderSource(changed(old, new), "t.slang")
    got = refusal(ConfigError, neuralshade.fit_shader, source, steps=1, threads="1")
    assert got.startswith(f"t.slang: {message}")


def test_without_a_start_it_is_the_nearest_to_0(tmp_path):
    source = ShaderSource(changed("(0.1)]", "(0.1)] [Range(0.5, 1)]"), "t.slang")
    values = {"a.rate": 0}
    found = neuralshade.fit_shader(source, tmp_path / "x.nsh", values=values, steps=1, threads="1")
    assert found.members["a"].tolist() == [0.5] * 3
