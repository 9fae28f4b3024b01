"""cli: what fit shader, check-gradients, info and render print of a user's task, and refuse."""

import dataclasses
import json
import re

import pytest

import neuralshade
from neuralshade.cli.terminal import watch
from neuralshade.fitting.loop import Progress
from neuralshade.kinds.shader.recipe import ShaderRecipe

TASK = """import neuralshade.model.trainable;
struct Task : ITask
{
    [Trainable(0.1)] [Start(0.5)] float3 tint;
    [Trainable(0.1)] [Size(8, 4)] Texture<float> map;
    Picture<float3> photo;
    float strength = 1;

    [Differentiable]
    float loss(no_diff Thread thread)
    {
        float2 uv = thread.uv();
        float3 d = tint * (1 + map.sample(uv)) - photo.sample(uv);
        return dot(d, d) * strength;
    }

    float3 render(float2 uv) { return tint * (1 + map.sample(uv)) + 0 * photo.sample(uv); }
}
"""
NUMBER = """import neuralshade.model.trainable;
[BackwardDerivative(back)] float f(float x) { return x * x; }
void back(inout DifferentialPair<float> x, float d) { x = diffPair(x.p, d * x.p); }
struct Task : ITask
{
    [Trainable(0.1)] [Start(2)] float good;
    [Trainable(0.1)] [Start(2)] float bad;
    [Differentiable] float loss(no_diff Thread thread) { return good * good + f(bad); }
}
"""
FEW = ["--steps", "20", "--threads", "16x16", "--size", "36x24"]
PHOTO = ["--set", "photo=a.png"]


@pytest.fixture
def task(folder):
    (folder / "t.slang").write_text(TASK)
    (folder / "n.slang").write_text(NUMBER)
    return "t.slang"


def test_a_recipe_of_an_asset_has_what_its_members_were_given(run, task, folder):
    given = [*PHOTO, "--set", "strength=0.5", "--set", "map.size=5x3"]
    assert run("fit", "shader", task, "-o", "x.nsh", *FEW, *given).code == 0
    text = "\n".join(run("info", "x.nsh", "--toml").out)
    assert 'set = ["photo=a.png", "strength=0.5", "map.size=5x3"]' in text
    (folder / "x.toml").write_text(text)
    again = run("fit", "shader", task, "-o", "y.nsh", "--recipe", "x.toml", "--json")
    assert again.code == 0, again
    assert neuralshade.info("y.nsh")["module"] == neuralshade.info("x.nsh")["module"]


def test_help_tells_every_flag(run):
    done = run("fit", "shader", "--help-all")
    text = " ".join(done.out)
    assert (done.code, done.err) == (0, []) and max(map(len, done.out)) <= 100
    assert text.startswith("Usage: neuralshade fit shader [OPTIONS] TASK")
    fields = [f"--{field.name.replace('_', '-')}" for field in dataclasses.fields(ShaderRecipe)]
    for flag in [*fields, "--output", "--set", "--recipe", "--device", "--snapshots", "--movie",
                 "--tev", "--report", "--resume", "--json", "--quiet", "--help"]:  # fmt: skip
        assert re.search(rf"{flag}\b(?!-)", text), flag
    assert "--engine" not in text
    assert re.search(r"^  shader ", "\n".join(run("fit", "--help").out), re.M)


@pytest.mark.slow
def test_fit_prints_its_result_and_small_members(run, folder, task):
    done = run("fit", "shader", task, *PHOTO, *FEW)
    assert done.code == 0, done
    size = (folder / "t.nsh").stat().st_size
    assert re.fullmatch(rf"t\.nsh: loss \S+ in {size:,} bytes", done.out[0])
    assert re.match(r"20 steps in \d+\.\d s on \S.*, \d+\.\d\d M threads/s", done.out[1])
    assert re.fullmatch(r"  tint = \[[\d., ]+\]", done.out[2]) and len(done.out) == 4
    assert done.out[3].startswith("next: neuralshade evaluate t.nsh, or neuralshade export t.nsh ")


def test_json_has_small_members_and_shapes_of_others(run, task):
    done = run("fit", "shader", task, "-o", "x.nsh", "--json", *PHOTO, *FEW)
    assert (done.code, len(done.out)) == (0, 1), done  # a slow fit tells of itself on stderr
    result = json.loads(done.out[0])
    assert (result["asset"], result["steps"]) == ("x.nsh", 20)
    assert len(result["members"]["tint"]) == 3 and result["members"]["map"] == {"shape": [4, 8, 1]}
    tint = neuralshade.load("x.nsh").tensors["tint"].tolist()
    assert result["members"]["tint"] == tint


def test_info_and_render(run, folder, task):
    assert run("fit", "shader", task, "--quiet", "--set", "strength=2", *PHOTO, *FEW).out == []
    lines = dict(re.split(r"  +", line.strip(), maxsplit=1) if "  " in line.strip()
                 else (line, "") for line in run("info", "t.nsh").out)  # fmt: skip
    assert lines["kind"].startswith("shader") and lines["module"] == "t.slang"
    assert lines["strength"] == "2.0" and lines["photo"] == "a.png"
    assert re.fullmatch(r"size +[\d,]+ bytes", run("info", "t.nsh").out[1])  # no bits per pixel
    assert lines["picture"] == "t.slang, 36 x 24, 3 channels, srgb, uint8"
    assert re.fullmatch(r"loss \S+ in its last step", lines["quality"])
    assert (lines["tint"], lines["map"]) == ("float32 [3]", "float32 [4, 8, 1]")
    out = run("render", "t.nsh", "-o", "b.png", "--size", "18x12").out
    assert out == ["b.png: 18 x 12, 3 channels"]
    assert run("render", "t.nsh", "-o", "c.png", "--set", "photo=b.png").code == 0


@pytest.mark.slow
def test_info_of_a_task_that_renders_nothing(run, task):
    assert run("fit", "shader", "n.slang", "--steps", "3", "--threads", "1", "--quiet").code == 0
    out = run("info", "n.nsh").out
    assert re.fullmatch(r"size +[\d,]+ bytes", out[1])
    assert not any(line.startswith("picture") for line in out)


@pytest.mark.slow
def test_evaluate_tells_the_mean_over_other_random_numbers(
    run, refused, task, fitted_asset, same_message
):
    run("fit", "shader", task, "--quiet", *PHOTO, *FEW)
    done = run("evaluate", "t.nsh")
    assert (done.code, len(done.out)) == (0, 1), done  # a slow fit tells of itself on stderr
    assert re.fullmatch(
        r"t\.slang: loss \S+ \+- \S+ \(standard error\) over 64 x 256 threads, random numbers of "
        "no fit",
        done.out[0],
    )
    facts = json.loads(run("evaluate", "t.nsh", "--json").out[0])
    (row,) = facts["rows"]
    assert facts["picture"] is None and row["loss"] > 0
    doubled = json.loads(run("evaluate", "t.nsh", "--set", "strength=2", "--json").out[0])
    assert doubled["rows"][0]["loss"] == pytest.approx(2 * row["loss"])
    table = run("evaluate", "t.nsh", "a.png", "--json")
    assert "psnr_db" in json.loads(table.out[0])["rows"][0]
    same_message(refused("evaluate", fitted_asset), fitted_asset, "Give")


def test_gradients_that_are_right(run, task):
    done = run("check-gradients", task, *PHOTO, "--threads", "16x16")
    assert (done.code, done.err) == (0, [])
    assert [line.split()[0] for line in done.out[:3]] == ["member", "tint", "map"]
    assert all(line.rstrip().endswith("right") for line in done.out[1:3])


def test_gradients_that_are_wrong(run, task):
    done = run("check-gradients", "n.slang", "--threads", "4")
    assert (done.code, done.err) == (1, [])
    assert done.out[1].split()[0] == "good" and done.out[1].rstrip().endswith("right")
    assert re.search(r"^bad .* bad, \w+ .*wrong *$", done.out[2])
    done = run("check-gradients", "n.slang", "--threads", "4", "--json")
    rows = json.loads(done.out[0])
    assert [row["verdict"] for row in rows] == ["right", "wrong"] and done.code == 1


def test_errors_of_the_compiler_follow_on_lines_of_their_own(run, folder, task):
    (folder / "t.slang").write_text(TASK.replace("dot(d, d)", "dot(d, e)"))
    for verb in (["fit", "shader"], ["check-gradients"]):
        done = run(*verb, task, *PHOTO)
        assert (done.code, done.out) == (1, [])
        assert done.err[0] == (
            "neuralshade: t.slang: got Slang text that does not compile, need one that does. "
            "The compiler says:"
        )
        assert any("--> t.slang:14:" in line for line in done.err)
    assert not (folder / "t.nsh").exists()


@pytest.mark.parametrize("arguments, message", [
    (["--set", "photo"], "set: got 'photo', need NAME=VALUE. Write for example strength=0.5."),
    (["--set", "=2"], "set: got '=2', need NAME=VALUE. Write for example strength=0.5."),
    ([*PHOTO, *PHOTO], "set: got photo twice, need it once. Leave one out."),
    ([*PHOTO, "--set", "strenth=2"], "set: got strenth, need one of tint, map, photo, strength, "
     "tint.rate, map.rate, map.size. Did you mean strength?"),
    ([*PHOTO, "--set", "strength=a.png"], "set: got strength='a.png', need a number. Write for "
     "example strength=0.5."),
    (["--set", "photo=b.png"], "b.png: got no such file, need a picture. Check the path."),
    ([], "t.slang: Task.photo: got no value, need a picture. Write --set photo=a.png."),
    ([*PHOTO, "--threads", "a"], "--threads: got 'a', need whole numbers of 1 or more, joined by "
     "x. Write for example 64x64."),
])  # fmt: skip
def test_what_is_refused_in_one_line(refused, task, arguments, message):
    assert refused("fit", "shader", task, *arguments) == message
    assert refused("check-gradients", task, *arguments) == message


def test_set_is_for_tasks_alone(refused, fitted_asset, same_message):
    message = refused("render", fitted_asset, "-o", "b.png", "--set", "photo=a.png")
    same_message(message, "set", "Leave")


def test_progress_has_no_psnr_where_there_is_none(capsys):
    at = Progress(step=5, seconds=3.0, loss=0.5, share=0.5, samples_per_second=1e6)
    for compared, shown in ((False, ""), (True, "  PSNR - dB")):
        with watch(False, compared) as observer:
            observer(at)
        assert capsys.readouterr().err == (f"step 5  loss 0.5{shown}  1.00 M samples/s  3 s left\n")
