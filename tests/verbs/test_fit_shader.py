"""verbs/fit_shader: a user's module is trained, saved, drawn; what is wrong with it is said."""

import json
import shlex
import signal

import numpy as np
import pytest

import neuralshade
from neuralshade import FitInterrupted, FitOptions
from neuralshade.asset.checkpoint import load_checkpoint
from neuralshade.asset.shader import ShaderAsset
from neuralshade.cli import commands
from neuralshade.errors import (
    AssetError,
    ConfigError,
    DeviceError,
    KernelError,
    OutputError,
    PictureError,
)

TINT = """import neuralshade.model.trainable;

struct Task : ITask
{
    [Trainable(0.05)] [Range(0, 1)] [Start(0.5)] float3 tint;
    [Trainable(0.05)] Texture<float3> map;
    [Trainable(0.01)] Network<2, 3, 1, 8, Relu, None> net;
    Picture<float3> photo;
    float strength = 1.0;

    [Differentiable]
    float loss(no_diff Thread thread)
    {
        float2 uv = thread.random.next_uniform().xy;
        float3 d = color(uv) - photo.sample(uv);
        return strength * dot(d, d);
    }

    [Differentiable]
    float3 color(no_diff float2 uv)
    {
        float x[2] = { uv.x, uv.y };
        float y[3] = net.eval(x);
        return tint * (1 + map.sample(uv)) + float3(y[0], y[1], y[2]);
    }

    float3 render(float2 uv)
    {
        return color(uv);
    }
}
"""
SUM = """import neuralshade.model.trainable;
struct Task : ITask
{
    [Trainable(0.1)] float a;
    float b = 2;
    [Differentiable] float loss(no_diff Thread thread) { return (a - b) * (a - b); }
}
"""
FEW = {"steps": 40, "threads": "16x16", "size": "36x24"}


@pytest.fixture
def tint(tmp_path):
    path = tmp_path / "tint.slang"
    path.write_text(TINT)
    return path


def values_of(save_smooth, **others):
    return {"photo": save_smooth(), "map.size": (5, 3), **others}


def test_end_to_end(tmp_path, tint, save_smooth):
    values = values_of(save_smooth)
    asset, drawn = tmp_path / "x.nsh", tmp_path / "b.png"
    result = neuralshade.fit_shader(tint, asset, values=values, **{**FEW, "steps": 150})
    assert (result.steps, result.asset, result.asset_bytes) == (
        150, str(asset), asset.stat().st_size,
    )  # fmt: skip
    assert {name: a.shape for name, a in result.members.items()} == {
        "tint": (3,), "map": (3, 5, 3), "net": (51,),
    }  # fmt: skip
    loaded, facts = neuralshade.load(asset), neuralshade.info(asset)
    assert isinstance(loaded, ShaderAsset)
    for name, array in result.members.items():
        np.testing.assert_array_equal(loaded.tensors[name], array)
        assert array.dtype == np.float32
    assert (facts["kind"], facts["parameters"]) == ("shader", 3 + 45 + 51)
    assert facts["quality"] == {"loss": pytest.approx(result.loss)}
    assert facts["module"]["text"] == TINT and facts["module"]["name"] == "tint.slang"
    assert facts["module"]["values"] == {"map.size": [5, 3]}
    assert facts["picture"]["width"], facts["picture"]["height"] == (36, 24)
    json.dumps(facts, allow_nan=False)
    pixels = neuralshade.render(asset, drawn)
    picture = neuralshade.load_picture(values["photo"])
    assert pixels.shape == picture.pixels.shape
    np.testing.assert_allclose(neuralshade.load_picture(drawn).as_float(), pixels, atol=1 / 255)
    flat = picture.as_float().std()
    error = np.sqrt(np.square(pixels - picture.as_float()).mean())
    assert error < 0.6 * flat
    row = neuralshade.evaluate(asset, values["photo"])[0]
    assert row["psnr_db"] == pytest.approx(-20 * np.log10(error), abs=0.1)
    part = neuralshade.render(asset, size=(18, 12), crop=(0.5, 0, 1, 0.5))
    np.testing.assert_allclose(part, pixels[:12, 18:], atol=1e-5)


def test_a_picture_may_be_in_memory_and_another_when_drawn(tmp_path, save_smooth):
    """What the module does with the picture is seen in what it draws."""
    text = SUM.replace("float b = 2;", "float b = 2; Picture<float> look;").replace(
        "[Differentiable] float loss",
        "float render(float2 uv) { return look.sample(uv); } [Differentiable] float loss",
    )
    source = tmp_path / "sum.slang"
    source.write_text(text)
    grey = neuralshade.picture_from_array(np.full((3, 3), 51, np.uint8))
    asset = tmp_path / "x.nsh"
    neuralshade.fit_shader(source, asset, values={"look": grey}, **FEW)
    message = refusal(AssetError, neuralshade.render, asset)
    assert message == (
        f"{asset}: got no picture for Task.look, need the one it was trained with, or one that "
        "is named. Write --set look=PICTURE."
    )
    np.testing.assert_allclose(neuralshade.render(asset, values={"look": grey}), 0.2, atol=1e-6)
    lighter = save_smooth("l.png", channels=1)
    assert neuralshade.render(asset, values={"look": lighter}).std() > 0.1
    message = refusal(ConfigError, neuralshade.render, asset, values={"lok": lighter})
    assert message == "set: got lok, need a picture of Task: look. Leave it out."


def test_a_picture_that_is_gone_or_changed_is_told(tmp_path, tint, save_smooth):
    asset = tmp_path / "x.nsh"
    path = save_smooth()
    neuralshade.fit_shader(tint, asset, values=values_of(save_smooth), **FEW)
    neuralshade.save_picture(path, np.zeros((4, 4, 3), np.float32), "srgb")
    start = f"{asset}: got another picture at {path} for Task.photo, need the one it was trained"
    assert refusal(AssetError, neuralshade.render, asset).startswith(start)
    path.unlink()
    start = f"{asset}: got no picture at {path} for Task.photo, need the one it was trained with"
    assert refusal(AssetError, neuralshade.render, asset).startswith(start)


def test_a_task_that_renders_nothing(tmp_path, save_smooth):
    path, asset = tmp_path / "sum.slang", tmp_path / "sum.nsh"
    path.write_text(SUM.replace("\n", "\r\n"))
    result = neuralshade.fit_shader(path, asset, steps=200, threads="1", values={"b": 3})
    assert result.members["a"] == pytest.approx(3, abs=0.01) and result.loss < 1e-3
    facts = neuralshade.info(asset)
    assert (facts["picture"], facts["bits_per_pixel"]) == (None, None)
    assert facts["module"]["values"] == {"b": 3}
    picture = save_smooth()
    for call in (lambda: neuralshade.render(asset), lambda: neuralshade.evaluate(asset, picture)):
        assert refusal(AssetError, call).startswith(
            f"{asset}: got a task without render(float2 uv)"
        )


def test_starts_are_taken(tmp_path):
    path = tmp_path / "sum.slang"
    path.write_text(SUM)
    for start in (1.5, "1.5", np.float32(1.5)):
        values = {"a": start, "a.rate": "0"}
        result = neuralshade.fit_shader(path, tmp_path / "x.nsh", values=values, steps=1)
        assert result.members["a"] == 1.5


def test_snapshots_and_movie(tmp_path, tint, save_smooth):
    options = FitOptions(snapshots=tmp_path / "seen", movie=tmp_path / "m.gif")
    neuralshade.fit_shader(tint, tmp_path / "x.nsh", values=values_of(save_smooth),
                           options=options, **FEW)  # fmt: skip
    names = sorted(path.name for path in (tmp_path / "seen").iterdir())
    assert names[0] == "prediction_0000001.png" and names[-1] == "prediction_0000040.png"
    assert (tmp_path / "m.gif").stat().st_size > 100


def test_seconds_end_it(tmp_path):
    path = tmp_path / "sum.slang"
    path.write_text(SUM)
    result = neuralshade.fit_shader(path, tmp_path / "x.nsh", seconds=1.0, threads="4x4")
    assert 1.0 <= result.seconds < 5 and result.steps > 5


def interrupted(task, output, step=10, number=signal.SIGINT, options=None, **given):
    with pytest.raises(FitInterrupted) as caught:
        neuralshade.fit_shader(task, output, options=FitOptions(**(options or {})),
                               observer=lambda p: p.step >= step and signal.raise_signal(number),
                               **given)  # fmt: skip
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_resumed_gives_the_same(tmp_path, tint, save_smooth, number):
    """Equal but for sums of floats in any order, which training of this length hardly spreads."""
    values = values_of(save_smooth, tint="0.4,0.5,0.6")
    whole = neuralshade.fit_shader(tint, tmp_path / "w.nsh", values=values, seed=3, **FEW)
    message = interrupted(tint, tmp_path / "x.nsh", number=number, values=values, seed=3, **FEW)
    step = load_checkpoint(tmp_path / "x.checkpoint.nsh", "shader").progress["step"]
    assert 10 <= step < 40 and not (tmp_path / "x.nsh").exists()
    assert message == (
        f"interrupted at step {step}: the fit is kept in {tmp_path}/x.checkpoint.nsh. Go on with: "
        f"neuralshade fit shader {tint} -o {tmp_path}/x.nsh --set photo={values['photo']} "
        f"--set map.size=5x3 --resume {tmp_path}/x.checkpoint.nsh"
    )
    command = commands.commands["fit"].commands["shader"]
    words = shlex.split(message.partition("Go on with: ")[2])[3:]
    pairs = command.make_context("shader", words).params["pairs"]
    values = dict(pair.split("=", 1) for pair in pairs)
    options = FitOptions(resume=tmp_path / "x.checkpoint.nsh")
    parted = neuralshade.fit_shader(tint, tmp_path / "x.nsh", values=values, options=options)
    assert parted.steps == 40
    for name, array in whole.members.items():
        np.testing.assert_allclose(parted.members[name], array, atol=2e-3, err_msg=name)
    recipes = [neuralshade.info(tmp_path / f"{name}.nsh")["recipe"] for name in "wx"]
    assert recipes[0] == recipes[1]


def test_the_command_where_values_are_in_memory(tmp_path, tint):
    photo = neuralshade.picture_from_array(np.zeros((4, 4, 3), np.uint8))
    values = {"photo": photo, "map.size": (2, 2), "map": np.zeros((2, 2, 3))}
    message = interrupted(tint, tmp_path / "x.nsh", values=values, **FEW)
    assert message.endswith(
        "Go on with: fit_shader(task, values=values, "
        f"options=FitOptions(resume='{tmp_path}/x.checkpoint.nsh'))"
    )


@pytest.mark.parametrize("change", [{"map.size": (5, 4)}, {"tint.rate": 0.1}, {"strength": 2}])
def test_resuming_something_else_is_refused(tmp_path, tint, save_smooth, change):
    values = values_of(save_smooth)
    interrupted(tint, tmp_path / "x.nsh", values=values, **FEW)
    place = tmp_path / "x.checkpoint.nsh"
    assert refusal(ConfigError, neuralshade.fit_shader, tint, tmp_path / "x.nsh",
                   values=values | change, options=FitOptions(resume=place)) == (
        f"{place}: got a checkpoint of 'tint.slang', need one of 'tint.slang'. "
        "Resume with the same text and values."
    )  # fmt: skip


def refusal(kind, call, *arguments, **named):
    with pytest.raises(kind) as caught:
        call(*arguments, **named)
    assert "\n" not in str(caught.value)
    return str(caught.value)


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
                               "vector<float,2> without [Trainable(rate)], need that, or float, "
                               "int, uint, bool or Picture. Mark it, or move it out of Task."),
    "a trained int": (changed("float b = 2", "float b = 2; [Trainable(1)] int c"), "Task.c: got "
                      "type int, need float, its vectors, matrices and arrays, Texture or Network "
                      "to train. Leave [Trainable] out."),
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
                       "fewer. Make textures smaller."),
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
def test_modules_are_refused(tmp_path, wrong):
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
def test_values_are_refused(tmp_path, wrong):
    values, message = VALUES[wrong]
    path = tmp_path / "task.slang"
    path.write_text(SUM)
    got = refusal(ConfigError, neuralshade.fit_shader, path, tmp_path / "x.nsh", values=values,
                  steps=2)  # fmt: skip
    assert got == message


def test_values_that_do_not_fit_the_members(tmp_path, tint, save_smooth):
    def refused(kind, **change):
        values = values_of(save_smooth, **change)
        return refusal(kind, neuralshade.fit_shader, tint, tmp_path / "x.nsh", values=values, **FEW)

    grey = save_smooth("grey.png", channels=1)
    assert refused(ConfigError, photo=grey) == (
        f"{tint}: Task.photo: got grey.png with 1 channels, need 3. Change the member's type, or "
        "convert the picture."
    )
    assert refused(ConfigError, photo=3).startswith(f"{tint}: Task.photo: got int, need a picture.")
    assert refused(PictureError, photo="absent.png").startswith("absent.png: got no such file")
    assert refused(ConfigError, tint=2).endswith(
        "got tint with numbers in 2 ... 2, need 0 ... 1, its [Range]. Change one of the two."
    )
    assert refused(ConfigError, map=np.zeros((5, 3, 3))) == (
        "set: got map of shape [5, 3, 3], need a number, or shape [3, 5, 3]. Reshape it."
    )
    for size in ("5", "0x3", (5,), "axb"):
        assert refused(ConfigError, **{"map.size": size}).startswith(f"set: got map.size={size!r}")


@pytest.mark.parametrize("options, kind, start", [
    ({"engine": "torch"}, DeviceError, 'engine: got "torch", need gpu or auto'),
    ({"device": "cpu"}, DeviceError, "device: got 'cpu', need one of"),
    ({"deterministic": True}, ConfigError, "deterministic: got True, need False: fit shader has"),
    ({"kernels": "fma"}, ConfigError, "kernels: got 'fma', need 'auto': fit shader has"),
    ({"report": "r.html"}, ConfigError, "report: got 'r.html', need None: fit shader has"),
    ({"snapshots": "s"}, ConfigError, None),
])  # fmt: skip
def test_options_are_refused(tmp_path, monkeypatch, options, kind, start):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "task.slang").write_text(SUM)
    start = start or "task.slang: got a Task without render(float2 uv), need it for snapshots."
    got = refusal(
        kind, neuralshade.fit_shader, "task.slang", options=FitOptions(**options), steps=2
    )
    assert got.startswith(start)
    assert [p.name for p in tmp_path.iterdir()] == ["task.slang"]


def test_inputs_are_not_written_over(tmp_path, tint, save_smooth):
    values = values_of(save_smooth)
    for output in (tint, values["photo"]):
        message = refusal(OutputError, neuralshade.fit_shader, tint, output, values=values, **FEW)
        assert message.startswith(f"{output}: got the input {output} itself as output")


@pytest.mark.parametrize("settings, start", [
    ({"threads": "0x4"}, "ShaderRecipe.threads: got '0x4', need whole numbers joined by x."),
    ({"threads": "8192x8192"}, "ShaderRecipe.threads: got 8192x8192, 67108864 in all, need "),
    ({"size": "64"}, "ShaderRecipe.size: got '64', need WxH."),
    ({"thread": "4"}, "ShaderRecipe.thread: unknown setting, need one of "),
    ({"rate": 1e9}, "ShaderRecipe.rate: got 1000000000.0, need 0 to 1000000."),
])  # fmt: skip
def test_settings_are_refused(tmp_path, settings, start):
    path = tmp_path / "task.slang"
    path.write_text(SUM)
    assert refusal(ConfigError, neuralshade.fit_shader, path, **settings).startswith(start)


def test_files_that_are_no_modules(tmp_path):
    absent, bytes_ = tmp_path / "absent.slang", tmp_path / "b.slang"
    bytes_.write_bytes(b"\xff\xfe\x00")
    assert refusal(ConfigError, neuralshade.fit_shader, absent) == (
        f"{absent}: got 'No such file or directory', need a .slang file. Check the path."
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
