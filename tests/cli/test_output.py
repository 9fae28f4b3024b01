"""cli: what the verbs print, with and without a terminal."""

import dataclasses
import itertools
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import neuralshade
from neuralshade.base.commit import version_with_commit
from neuralshade.errors import ConfigError
from neuralshade.kinds import kind_named
from neuralshade.kinds.image.presets import PRESETS
from neuralshade.kinds.image.recipe import ImageRecipe

DATA = Path(__file__).parents[1] / "data"
VERBS = ["fit image", "render", "evaluate", "info", "report"]
FLAGS = {
    "fit image": ["--output", "--preset", "--recipe", "--engine", "--device", "--snapshots",
                  "--report", "--resume", "--json", "--quiet", "--seconds", "--steps",
                  "--target-psnr", "--seed", "--bpp"],
    "render": ["--output", "--size", "--crop"],
    "evaluate": ["--json"],
    "info": ["--json"],
    "report": ["--output", "--snapshots"],
}  # fmt: skip


@pytest.mark.parametrize("verb", VERBS)
def test_help_tells_every_flag(run, verb):
    done = run(*verb.split(), "--help-all" if verb.startswith("fit ") else "--help")
    text = " ".join(done.out)
    assert done.code == 0 and done.err == []
    assert text.startswith(f"Usage: neuralshade {verb} [OPTIONS] ")
    for flag in [*FLAGS[verb], "--help"]:
        assert re.search(rf"{flag}\b(?!-)", text), flag
    if verb == "fit image":
        for field in dataclasses.fields(ImageRecipe):
            assert f"--{field.name.replace('_', '-')} " in text, field.name


def test_help_of_the_program_tells_every_verb(run):
    text = "\n".join(run("--help").out)
    assert all(re.search(rf"^  {verb.split()[0]} ", text, re.M) for verb in VERBS)


def test_help_fits_the_terminal(run):
    for verb in VERBS:
        assert max(map(len, run(*verb.split(), "--help").out)) <= 100


def test_help_names_the_presets_that_exist(run):
    assert kind_named("image").presets == tuple(PRESETS)


def test_help_and_version_load_nothing_heavy():
    """People read help often; PyTorch alone takes a second."""
    code = f"""
import sys
from neuralshade.cli.main import main
for words in {[verb.split() for verb in VERBS]!r}:
    main([*words, "--help"])
main(["--version"])
heavy = ("torch", "numpy", "OpenImageIO", "skimage", "rich.progress", "matplotlib", "PIL")
print("heavy:", *[name for name in heavy if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith(f"neuralshade, version {version_with_commit()}\nheavy:\n")


def one_json_line(done):
    assert (done.code, len(done.out)) == (0, 1), done  # a slow fit tells of itself on stderr

    def no_constant(name):
        raise AssertionError(f"{name} is no JSON")

    return json.loads(done.out[0], parse_constant=no_constant)


def test_json(run, folder, few):
    done = run("fit", "image", "a.png", "--json", *few)
    result = one_json_line(done)
    wanted = {"asset", "engine", "device", "seconds", "steps", "samples_per_second", "loss",
              "psnr_db", "asset_bytes", "bits_per_pixel"}  # fmt: skip
    assert wanted <= result.keys()
    assert (result["asset"], result["steps"]) == ("a.nsh", 30)
    assert result["asset_bytes"] == (folder / "a.nsh").stat().st_size
    table = one_json_line(run("evaluate", "a.nsh", "a.png", "--json"))
    assert (table["asset"], table["picture"], table["notices"]) == ("a.nsh", "a.png", [])
    assert table["rows"][0]["psnr_db"] == pytest.approx(result["psnr_db"], abs=0.01)
    assert {"name", "bytes", "bits_per_pixel", "psnr_db", "ssim", "flip"} <= table["rows"][0].keys()
    facts = one_json_line(run("info", "a.nsh", "--json"))
    assert facts["quality"]["psnr_db"] == result["psnr_db"]


def test_json_of_a_perfect_fit(run, folder):
    """A black picture is learned exactly or nearly so, and JSON has no word for infinity."""
    neuralshade.save_picture("black.png", np.zeros((4, 5, 3), np.float32), "srgb")
    one_json_line(run("fit", "image", "black.png", "--preset", "tiny-9", "--steps", "400",
                      "--output-activation", "relu", "--json"))  # fmt: skip
    table = one_json_line(run("evaluate", "black.nsh", "black.png", "--json"))
    assert table["rows"][0]["psnr_db"] == "inf" or table["rows"][0]["psnr_db"] > 30
    assert "inf" in {row["psnr_db"] for row in table["rows"]}  # the lossless ones


def test_quiet_prints_nothing(run, folder, few):
    done = run("fit", "image", "a.png", "--quiet", *few)
    assert (done.code, done.out, done.err) == (0, [], [])
    assert (folder / "a.nsh").exists()


def test_quiet_and_json(run, folder, few):
    one_json_line(run("fit", "image", "a.png", "--quiet", "--json", *few))


@pytest.mark.slow
def test_fit_prints_its_result(run, folder, few):
    done = run("fit", "image", "a.png", "-o", "x.nsh", "--report", "x.html", *few)
    size = (folder / "x.nsh").stat().st_size
    assert done.code == 0 and len(done.out) == 4
    assert re.fullmatch(
        rf"x\.nsh: \d+\.\d\d dB in {size:,} bytes \({size * 8 / (24 * 36):.2f} bits per pixel\); "
        r"in a GPU: 352 bytes, 3\.259 bits per pixel",
        done.out[0],
    )
    trained = r"30 steps in \d+\.\d s on cpu, \d+\.\d+ [kM] samples/s; "
    searched = r"refined after training: \+\d\.\d\d dB in \d+\.\d s"
    assert re.fullmatch(trained + searched, done.out[1])
    assert done.out[2] == "x.html"
    assert (
        done.out[3]
        == "next: neuralshade export x.nsh -o x.html, or neuralshade export x.nsh -o x.hlsl"
    )


def test_evaluate_prints_a_table(run, folder, few):
    run("fit", "image", "a.png", *few)
    done = run("evaluate", "a.nsh", "a.png")
    assert done.code == 0 and done.err == []
    header, *rows = [line for line in done.out if line.strip()]
    assert header.split() == [
        "bytes", "bits/pixel", "GPU", "bytes", "random", "access", "PSNR", "dB", "SSIM", "FLIP",
        "setting",
    ]  # fmt: skip
    names = [row.split()[0] for row in rows]  # below: what could not be measured
    assert names[:5] == ["neuralshade", "JPEG", "WebP", "AVIF", "Thumbnail"]
    size = (folder / "a.nsh").stat().st_size
    assert rows[0].split()[1] == f"{size:,}"


@pytest.mark.slow
def test_another_resolution_is_told(run, folder, few):
    run("fit", "image", "a.png", *few)
    neuralshade.save_picture("small.png", np.full((12, 18, 3), 0.5, np.float32), "srgb")
    notice = (
        "a.nsh: fitted to a.png, 36 x 24 pixels, compared with small.png, 18 x 12 pixels: another "
        "picture, or another size of it. Bits per pixel count the latter."
    )
    for verb in ("evaluate", "report"):
        done = run(verb, "a.nsh", "small.png")
        assert (done.code, done.err) == (0, [f"neuralshade: {notice}"])
    done = run("evaluate", "a.nsh", "small.png", "--json")
    assert done.err == [f"neuralshade: {notice}"] and len(done.out) == 1
    assert json.loads(done.out[0])["notices"] == [notice]


def test_another_picture_is_told(run, folder, few):
    run("fit", "image", "a.png", *few)
    neuralshade.save_picture("grey.png", np.full((24, 36, 3), 0.5, np.float32), "srgb")
    notice = (
        "neuralshade: a.nsh: fitted to a.png, compared with grey.png: its pixels are not those "
        "that it was fitted to."
    )
    assert run("evaluate", "a.nsh", "grey.png").err == [notice]
    assert run("evaluate", "a.nsh", "a.png").err == []


def test_that_is_told_before_the_work(run, folder, few, monkeypatch):
    run("fit", "image", "a.png", *few)
    neuralshade.save_picture("grey.png", np.full((24, 36, 3), 0.5, np.float32), "srgb")

    def refuse(*_):
        raise ConfigError("the work began.")

    monkeypatch.setattr("neuralshade.kinds.image.opened.OpenedImage.pixels", refuse)
    told, began = run("evaluate", "a.nsh", "grey.png").err
    assert "compared with grey.png" in told and began == "neuralshade: the work began."


def test_gaussians_do_not_know_their_picture_by_its_pixels(tmp_path):
    """Their files are too short for a digest."""
    opened, notices = neuralshade.load(DATA / "splats_normalized.nsh"), []
    width, height = opened.size
    for name in ("photo.png", "grey.png"):
        grey = np.full((height, width, 3), 0.5, np.float32)
        neuralshade.save_picture(tmp_path / name, grey, "srgb")
        opened.target(tmp_path / name, notices.append)
    assert notices == [f"{opened.path}: fitted to photo.png, compared with grey.png: its file does "
                       "not say whether that is the same picture."]  # fmt: skip


def test_the_stops_of_auto_are_told_to_scripts_too(run, folder):
    values = np.linspace(0, 4, 24 * 36 * 3, dtype=np.float32).reshape(24, 36, 3)
    neuralshade.save_picture("sky.exr", values, "linear")
    run("fit", "image", "sky.exr", "--preset", "tiny-9", "--steps", "20")
    (told,) = run("render", "sky.nsh", "-o", "sky.png").err
    assert re.fullmatch(r"exposure: [+-]\d\.\d\d stops, by what is drawn\.", told)
    assert run("render", "sky.nsh", "-o", "sky.hdr").err == []


def test_info_prints_what_it_is(run, folder, few):
    run("fit", "image", "a.png", *few)
    done = run("info", "a.nsh")
    text = "\n".join(done.out)
    assert done.code == 0 and done.err == []
    for wanted in ("a.png, 36 x 24, 3 channels, srgb, uint8", "image, format 1", "30 steps",
                   "dB PSNR when it was fitted", "bits per pixel", "hidden_width"):  # fmt: skip
        assert wanted in text


def test_render_prints_what_it_wrote(run, folder, few):
    run("fit", "image", "a.png", *few)
    done = run(
        "render", "a.nsh", "-o", "o.png", "--size", "50X20", "--stretch", "--crop", "0,0,0.5,1"
    )
    assert (done.code, done.out, done.err) == (0, ["o.png: 50 x 20, 3 channels"], [])
    assert neuralshade.load_picture("o.png").pixels.shape == (20, 50, 3)


@pytest.mark.slow
def test_report_goes_by_the_name_of_its_asset(run, folder, few):
    (folder / "sub").mkdir()
    run("fit", "image", "a.png", "-o", "sub/x.nsh", "--snapshots", "snaps", *few)
    done = run("report", "sub/x.nsh", "a.png", "--snapshots", "snaps")
    assert (done.code, done.out, done.err) == (0, ["x.html"], [])
    assert "Snapshots" in (folder / "x.html").read_text()


@pytest.mark.parametrize("name, text", [
    ("r.toml", 'preset = "lake"\nsteps = 3\nbatch = 64\n'),
    ("r.json", '{"encoding": {"otype": "Frequency", "n_frequencies": 3}, '
               '"network": {"n_neurons": 16}}'),
])  # fmt: skip
def test_recipe_files(run, folder, name, text):
    (folder / name).write_text(text)
    result = one_json_line(run("fit", "image", "a.png", "--recipe", name, "--steps", "2",
                               "--batch", "64", "--json"))  # fmt: skip
    assert result["steps"] == 2  # flags override the file
    recipe = neuralshade.load("a.nsh").header.recipe
    expected = {"r.toml": ("touched_adam", 32), "r.json": ("adam", 16)}[name]
    assert (recipe["grid_optimizer"], recipe["hidden_width"]) == expected


def test_a_preset_flag_overrides_that_of_the_file(run, folder):
    (folder / "r.toml").write_text('preset = "lake"\nsteps = 3\n')
    one_json_line(run("fit", "image", "a.png", "--recipe", "r.toml", "--preset", "tiny", "--json"))
    assert neuralshade.load("a.nsh").header.recipe["encoding"] == "identity"


def test_skipped_steps_are_told(run, folder, monkeypatch):
    from neuralshade.engine.torch_engine import TorchEngine

    finite = itertools.cycle([False, True])
    monkeypatch.setattr(TorchEngine, "_gradients_are_finite", lambda self: next(finite))
    done = run("fit", "image", "a.png", "--preset", "tiny", "--steps", "6")
    assert re.search(r", [1-5] steps skipped: gradient not finite$", done.out[1])


def test_python_module_runs_too(folder, start):
    process = start("--version", cwd=folder)
    out, _ = process.communicate(timeout=600)
    assert (process.returncode, out) == (0, f"neuralshade, version {version_with_commit()}\n")


@pytest.mark.slow  # a fit to its plateau
def test_a_plateau_is_told(folder, run, few):
    kept = [word for word in few if word not in ("--steps", "30")]
    done = run("fit", "image", "a.png", *kept, "--seconds", "600", "--until", "plateau",
               "--plateau-db", "6")  # fmt: skip
    assert done.code == 0 and re.search(r" [kM] samples/s, to its plateau(; |$)", done.out[1])
    done = run("fit", "image", "a.png", *few, "--json")
    assert json.loads(done.out[0])["at_plateau"] is False
