"""cli: errors name flags, files in one form, and the nearest name first; help lists choices."""

import numpy as np
import pytest

import neuralshade
from neuralshade.cli.options import in_flags

TASK = """import neuralshade.model.trainable;
struct Task : ITask
{
    [Trainable(0.1)] float a;
    Picture<float3> photo;
    Picture<float> mask;
    float strength;
    [Differentiable] float loss(no_diff Thread thread) { return a * a; }
}
"""
VALUES = ["--set", "photo=a.png", "--set", "mask=m.png", "--set", "strength=1"]


@pytest.fixture
def task(folder):
    (folder / "t.slang").write_text(TASK)
    neuralshade.save_picture("m.png", np.zeros((2, 2, 1), np.float32), "srgb")
    return "t.slang"


@pytest.mark.parametrize("arguments, message", [
    (["fit", "image", "a.png", "--hidden-layers", "9"],
     "--hidden-layers: got 9, need 0 to 8. The default is 2."),
    (["fit", "splats", "a.png", "--strongest=99"], "--strongest: got 99, need 1 to 32."),
    (["fit", "mipmaps", "a", "--levels", "99"], "--levels: got 99, need "),
    (["fit", "shader", "t.slang", "--threads", "0x8"],
     "--threads: got '0x8', need whole numbers of 1 or more, joined by x. Write for example "
     "64x64."),
    (["check-gradients", "t.slang", "--threads", "0x8"], "--threads: got '0x8', need whole "),
    (["fit", "shader", "t.slang", "--size", "0x0"],
     "--size: got '0x0', need whole numbers of 1 or more, joined by x. Write for example "
     "512x512."),
    (["fit", "image", "a.png", "--live", "--port", "99999"], "--port: got 99999, need 0 to "),
])  # fmt: skip
def test_a_flag_is_named_as_it_was_typed(refused, task, arguments, message):
    assert refused(*arguments).startswith(message)


def test_what_a_recipe_file_has_is_named_as_there(refused, folder):
    (folder / "r.toml").write_text("hidden_layers = 9\nbpp = 999.0\n")
    given = ["fit", "image", "a.png", "--recipe", "r.toml"]
    assert refused(*given).startswith("r.toml: hidden_layers: got 9, need 0 to 8.")
    message = refused(*given, "--hidden-layers", "2", "--bpp=0")
    assert message.startswith("--bpp: got 0.0, need 0.01 to 64.")
    (folder / "r.toml").write_text("stepz = 9\n")
    for verb, source in (("image", "a.png"), ("mipmaps", "a")):
        message = refused("fit", verb, source, "--recipe", "r.toml")
        told = "r.toml: stepz: unknown setting. Did you mean steps? See neuralshade fit "
        assert message.startswith(told)
    (folder / "r.toml").write_text('preset = "gird"\nbpp = 4.0\n')
    assert refused(*given).startswith("r.toml: preset: got 'gird', need one of ")
    assert refused(*given[:3], "--recipe=r.toml", "--preset", "grdi").startswith("preset: got 'grd")


def test_other_messages_are_left_alone():
    for message in ("a.png: got no such file", "set: got ImageRecipe.bpp: no", "recipe: x"):
        assert in_flags(message, ["--bpp", "3"]) == message
    assert in_flags("live.port: got 1", []) == "--port: got 1"
    assert in_flags("ImageRecipe.grid_bits: x", ["--recipe=a"]) == "ImageRecipe.grid_bits: x"


@pytest.mark.parametrize("verb", ["shader", "splats"])
def test_verbs_without_an_engine_speak_of_none(refused, run, task, verb):
    given = {"shader": [task, *VALUES], "splats": ["a.png", "--count", "9"]}[verb]
    message = refused("fit", verb, *given, "--device", "cpu")
    assert message.startswith("device: got 'cpu', need cuda, vulkan, metal or d3d12: Slang runs")
    text = " ".join(" ".join(run("fit", verb, "--help-all").out).split())
    assert "Torch" not in text and "--device API GPU API: cuda, vulkan, metal or d3d12." in text


def test_help_shows_forms_and_choices(run):
    text = " ".join(" ".join(run("fit", "shader", "--help-all").out).split())
    for flag in ("--threads WxH", "--size WxH"):
        assert flag in text
    text = " ".join(" ".join(run("fit", "image", "--help-all").out).split())
    for flag in ("--engine [auto|torch|gpu]", "--kernels [auto|wgmma|matrix|fma]"):
        assert flag in text
    text = " ".join(" ".join(run("check-gradients", "--help").out).split())
    for word in ("allowed", "no gradient", "0.2 %", "some numbers"):
        assert word in text


def test_sizes_that_lack_are_named_with_them(refused, folder, same_message):
    texture = "[Trainable(1)] Texture<float> t; [Trainable(1)] [Size(2, 2)] Texture<float> u;"
    (folder / "t.slang").write_text(TASK.replace("Picture<float> mask;", texture))
    message = refused("check-gradients", "t.slang", "--set", "strength=1")
    same_message(message, "t.slang: Task", "--set")


def test_all_values_that_lack_are_named_at_once(refused, task, same_message):
    message = (
        "t.slang: Task: got no values for 3 members, need a picture for photo, a picture for "
        "mask, a number for strength. Write --set photo=a.png --set mask=a.png --set strength=0.5."
    )
    assert refused("fit", "shader", task) == message
    assert refused("check-gradients", task) == message
    said = refused("check-gradients", task, "--set", "photo=a.png", "--set", "strength=1")
    same_message(said, "t.slang: Task.mask", "--set")


@pytest.mark.parametrize("arguments", [
    ["fit", "image", "b.png"], ["fit", "shader", "b.slang"], ["info", "b.nsh"],
    ["fit", "image", "a.png", "--recipe", "b.toml"],
    ["fit", "image", "a.png", "--recipe", "b.json"],
])  # fmt: skip
def test_what_is_missing_or_a_folder_is_said_in_one_form(refused, folder, arguments):
    path = arguments[-1]
    assert refused(*arguments).startswith(f"{path}: got no such file, need a")
    (folder / path).mkdir()
    assert refused(*arguments).startswith(f"{path}: got a folder, need a")


def test_a_folder_that_takes_no_files_is_not_said_to_be_missing(refused, same_message):
    message = refused("fit", "image", "a.png", "-o", "/proc/x.nsh")
    same_message(message, "/proc/x.nsh", "Choose")
