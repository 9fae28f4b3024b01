"""kinds/shader/fit: what is wrong with a module, its values or the options is said."""

import pathlib

import numpy as np
import pytest

import neuralshade
from neuralshade import FitOptions
from neuralshade.errors import (
    ConfigError,
    DeviceError,
    KernelError,
    OutputError,
    PictureError,
)

SUM = """import neuralshade.model.trainable;
struct Task : ITask
{
    [Trainable(0.1)] float a;
    float b = 2;
    [Differentiable] float loss(no_diff Thread thread) { return (a - b) * (a - b); }
}
"""


def changed(old, new):
    assert SUM.count(old) == 1
    return SUM.replace(old, new)


MODULES = {  # what is wrong -> text, the message behind the path
    "no Task": ("struct Tasc { float a; }", "got no struct Task with a method loss that returns "
                "float, need one. Write struct Task : ITask."),
    "empty": ("", "got no struct Task with a method loss that returns float, need one. Write "
              "struct Task : ITask."),
    "nothing trained": (changed("[Trainable(0.1)] ", ""), "got a Task without a trained member, "
                        "need one or more. Mark what is to be trained with [Trainable(rate)]."),
    "a rate of 0": (changed("0.1", "0"), "Task.a: got rate 0, need one above 0. Write for example "
                    "[Trainable(0.01)]."),
    "a wrong range": (changed("(0.1)]", "(0.1)] [Range(1, 0)]"), "Task.a: got range 1 ... 0, need "
                      "the lower limit first. Swap them."),
    "an attribute alone": (changed("float b", "[Start(1)] float b"), "Task.b: got [Start] without "
                           "[Trainable(rate)], need both. Add the other, or leave it out."),
    "a size of no texture": (changed("(0.1)]", "(0.1)] [Size(2, 2)]"), "Task.a: got [Size] on type "
                             "float, need a Texture for it. Leave it out."),
    "no size": (changed("float b", "[Trainable(1)] Texture<float> t; float b"), "Task.t: got no "
                "size, need width and height of the texture. Write [Size(256, 256)] or --set "
                "t.size=256x256."),
    "a vector that is given": (changed("float b = 2", "float b = 2; float2 c"), "Task.c: got type "
                               "float2 without [Trainable(rate)], need that, or float, "
                               "int, uint, bool or Picture. Mark it, or write it as static "
                               "const out of Task."),
    "a trained int": (changed("float b = 2", "float b = 2; [Trainable(1)] int c"), "Task.c: got "
                      "type int, need float, its vectors, matrices and arrays, Texture, Network, "
                      "GridEncoding or HashEncoding to train. Leave [Trainable] out."),
    "no value": (changed("float b = 2", "float b"), "Task.b: got no value, need a number. Write "
                 "--set b=0.5."),
    "no picture": (changed("float b = 2", "float b = 2; Picture<float3> c"), "Task.c: got no "
                   "value, need a picture. Write --set c=a.png."),
    "a start of three": (changed("float a;", "float3 v = float3(1, 2, 3); float b2 = 1; "
                                 "[Trainable(1)] float a;"), "Task.v: got a value behind = that is "
                         "no single number, need [Start(0.5)] in its place. Give others with "
                         "--set v=1,0,0."),
    "many plain numbers": (changed("float b", "[Trainable(1)] float c[300]; float b"), "got 301 "
                           "trained numbers in floats, vectors, matrices and arrays, which every "
                           "thread has all of, need 256 or fewer. Make an array a Texture and "
                           "read it with load."),
    "a huge texture": (changed("float b", "[Trainable(1)] [Size(65536, 65536)] Texture<float4> t; "
                               "float b"), "got 17179869185 trained numbers, need 268435456 or "
                       "fewer. Make textures or grids smaller."),
    "renders whole numbers": (changed("float b", "int render(float2 uv) { return 1; } float b"),
                              "got render that returns int, need float, or a vector of up to "
                              "four. Return a color."),
    "renders from elsewhere": (changed("float b", "float render(float x) { return x; } float b"),
                               "got render(float), need one place in the unit square. Write "
                               "render(float2 uv)."),
    "NaN": (changed("return ", "return log(-1 - a * a) + "), "got a loss that is no number in step "
            "1, thread (0, 0, 0), need finite ones. Guard divisions, roots and logarithms near 0, "
            "or lower the rates."),
}  # fmt: skip


@pytest.mark.parametrize("wrong", MODULES)
def test_modules_are_refused(tmp_path, wrong, refusal):
    text, message = MODULES[wrong]
    path = tmp_path / "task.slang"
    path.write_text(text)
    got = refusal(ConfigError, neuralshade.fit_shader, path, tmp_path / "x.nsh", steps=2,
                  threads="1")  # fmt: skip
    assert got == f"{path}: {message}"
    assert [p.name for p in tmp_path.iterdir()] == ["task.slang"]


COMPILED = {  # what is wrong -> text, line and column, the compiler's words
    "syntax": (changed("(a - b) * (a - b)", "(a - c)"), "undefined identifier 'c'"),
    "not differentiable": (changed("[Differentiable] ", ""), "appropriate differentiability"),
    "calls what is not": (changed("return ", "return f(a) + ") + "float f(float x) { return x; }",
                          "non-backward-differentiable function `f`"),
    "a bare attribute": (changed("(0.1)", ""), "attribute 'Trainable' expects 1 arguments"),
    "other arguments": (changed("no_diff Thread thread", "float x"), "interface requirement"),
}  # fmt: skip


@pytest.mark.parametrize("wrong", COMPILED)
def test_the_compiler_s_words_are_kept_whole_with_file_and_line(tmp_path, wrong):
    text, words = COMPILED[wrong]
    path = tmp_path / "my task.slang"
    path.write_text(text)
    with pytest.raises(KernelError) as caught:
        neuralshade.fit_shader(path, tmp_path / "x.nsh", steps=2)
    first, *rest = str(caught.value).split("\n")
    assert first == (
        f"{path}: got Slang text that does not compile, need one that does. The compiler says:"
    )
    line = 4 if wrong == "a bare attribute" else 6
    assert f"--> {path}:{line}:" in "\n".join(rest) and words in "\n".join(rest)
    assert not (tmp_path / "x.nsh").exists()


VALUES = {  # values -> the message
    "unknown": ({"c": 1}, "set: got c, need one of a, b, a.rate."),
    "near": ({"a.rat": 1}, "set: got a.rat, need one of a, b, a.rate. Did you mean a.rate?"),
    "size of a number": ({"a.size": "2x2"}, "set: got a.size, need one of a, b, a.rate."),
    "no number": ({"b": "two"}, "set: got b='two', need a number. Write for example b=0.5."),
    "no rate": ({"a.rate": "-1"}, "set: got a.rate=-1, need 0 or more. 0 keeps it as it is."),
    "no start": ({"a": "red"}, "set: got a='red', need a number, or numbers with commas between. "
                 "Write for example a=0.5."),
    "many starts": ({"a": "1,2"}, "set: got a of shape [2], need a number, or shape []. Reshape "
                    "it."),
    "NaN": ({"a": float("nan")}, "set: got a with numbers that are not finite, need finite ones. "
            "Replace them."),
}  # fmt: skip


@pytest.mark.parametrize("wrong", VALUES)
def test_values_are_refused(tmp_path, wrong, refusal):
    values, message = VALUES[wrong]
    path = tmp_path / "task.slang"
    path.write_text(SUM)
    got = refusal(ConfigError, neuralshade.fit_shader, path, tmp_path / "x.nsh", values=values,
                  steps=2)  # fmt: skip
    assert got == message


def test_values_that_do_not_fit_the_members(
    tmp_path, tint, save_smooth, values_of, refusal, brief, same_message
):
    def refused(kind, **change):
        values = values_of(**change)
        return refusal(
            kind, neuralshade.fit_shader, tint, tmp_path / "x.nsh", values=values, **brief
        )

    grey = save_smooth("grey.png", channels=1)
    assert refused(ConfigError, photo=grey) == (
        f"{tint}: Task.photo: got grey.png with 1 channels, need 3. Change the member's type, or "
        "convert the picture."
    )
    assert refused(ConfigError, photo=3).startswith(
        f"{tint}: Task.photo: got int, need a path, a Picture, a NumPy array"
    )
    assert refused(PictureError, photo="absent.png").startswith("absent.png: got no such file")
    assert refused(ConfigError, tint=2).endswith(
        "got tint with numbers in 2 ... 2, need 0 ... 1, its [Range]. Change one of the two."
    )
    same_message(refused(ConfigError, map=np.zeros((5, 3, 3))), "set", "Reshape")
    for size in ("5", "0x3", (5,), "axb"):
        assert refused(ConfigError, **{"map.size": size}).startswith(f"set: got map.size={size!r}")


@pytest.mark.parametrize("options, kind, start", [
    ({"engine": "torch"}, DeviceError, 'engine: got "torch", need gpu or auto'),
    ({"device": "cpu"}, DeviceError, "device: got 'cpu', need cuda, vulkan, metal or d3d12: "),
    ({"deterministic": True}, ConfigError, "deterministic: got True, need False: fit shader has"),
    ({"kernels": "fma"}, ConfigError, "kernels: got 'fma', need 'auto': fit shader has"),
    ({"report": "r.html"}, ConfigError, "task.slang: got a Task without render(float2 uv), need it "
     "for a report."),
    ({"snapshots": "s"}, ConfigError, None),
])  # fmt: skip
def test_options_are_refused(tmp_path, monkeypatch, options, kind, start, refusal):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "task.slang").write_text(SUM)
    start = start or "task.slang: got a Task without render(float2 uv), need it for snapshots."
    got = refusal(
        kind, neuralshade.fit_shader, "task.slang", options=FitOptions(**options), steps=2
    )
    assert got.startswith(start)
    assert [p.name for p in tmp_path.iterdir()] == ["task.slang"]


def test_inputs_are_not_written_over(tmp_path, tint, values_of, refusal, brief):
    values = values_of()
    for output in (tint, pathlib.Path(values["photo"])):
        before = output.read_bytes()
        message = refusal(OutputError, neuralshade.fit_shader, tint, output, values=values, **brief)
        kind = f"got suffix '{output.suffix}' for an asset, need a name that ends in .nsh"
        assert message.startswith(f"{output}: {kind}") and output.read_bytes() == before


@pytest.mark.parametrize("settings, start", [
    ({"threads": "0x4"}, "ShaderRecipe.threads: got '0x4', need whole numbers of 1 or more,"),
    ({"threads": "8192x8192"}, "ShaderRecipe.threads: got 8192x8192, 67108864 in all, need "),
    ({"size": "64"}, "ShaderRecipe.size: got '64', need WxH."),
    ({"thread": "4"}, "ShaderRecipe.thread: unknown setting. Did you mean threads? "),
    ({"rate": 1e9}, "ShaderRecipe.rate: got 1000000000.0, need 0 to 1000000."),
])  # fmt: skip
def test_settings_are_refused(tmp_path, settings, start, refusal):
    path = tmp_path / "task.slang"
    path.write_text(SUM)
    assert refusal(ConfigError, neuralshade.fit_shader, path, **settings).startswith(start)


def test_files_that_are_no_modules(tmp_path, refusal):
    absent, bytes_ = tmp_path / "absent.slang", tmp_path / "b.slang"
    bytes_.write_bytes(b"\xff\xfe\x00")
    assert refusal(ConfigError, neuralshade.fit_shader, absent) == (
        f"{absent}: got no such file, need a .slang file. Check the path."
    )
    assert refusal(ConfigError, neuralshade.fit_shader, bytes_) == (
        f"{bytes_}: got bytes that are not UTF-8, need Slang text. Check the path."
    )


def test_a_fit_that_runs_away_is_refused(tmp_path):
    path = tmp_path / "task.slang"
    path.write_text(changed("(a - b) * (a - b)", "-a * a * a"))
    with pytest.raises(ConfigError, match=r"got (a loss that is|a gradient of a that is|numbers)"):
        neuralshade.fit_shader(path, tmp_path / "x.nsh", rate=1e6, steps=300,
                               values={"a.rate": 1e30, "a": 1})  # fmt: skip
    assert not (tmp_path / "x.nsh").exists()
