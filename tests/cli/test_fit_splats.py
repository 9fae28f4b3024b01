"""cli: what fit splats prints, takes and refuses."""

import dataclasses
import json
import re

import pytest

import neuralshade
from neuralshade.kinds.splats import recipe as recipe_module
from neuralshade.kinds.splats.recipe import SplatsRecipe
from neuralshade.model import gaussian

FEW = ["--compositing", "normalized", "--count", "30", "--steps", "20"]


def test_names_of_compositings_are_those_that_there_are():
    assert recipe_module.COMPOSITINGS == gaussian.COMPOSITINGS


def test_help_tells_every_flag(run):
    done = run("fit", "splats", "--help-all")
    text = " ".join(done.out)
    assert (done.code, done.err) == (0, []) and max(map(len, done.out)) <= 100
    assert text.startswith("Usage: neuralshade fit splats [OPTIONS] PICTURE")
    fields = [f"--{field.name.replace('_', '-')}" for field in dataclasses.fields(SplatsRecipe)]
    for flag in [*fields, "--output", "--recipe", "--device", "--snapshots", "--report",
                 "--resume", "--json", "--quiet", "--help"]:  # fmt: skip
        assert re.search(rf"{flag}\b(?!-)", text), flag


def test_help_of_fit_tells_both(run):
    text = "\n".join(run("fit", "--help").out)
    assert re.search(r"^  image ", text, re.M) and re.search(r"^  splats ", text, re.M)


@pytest.mark.slow
def test_fit_prints_its_result(run, folder):
    done = run("fit", "splats", "a.png", "-o", "x.nsh", "--report", "x.html", *FEW)
    size = (folder / "x.nsh").stat().st_size
    assert done.code == 0, done
    assert re.fullmatch(
        rf"x\.nsh: \d+\.\d\d dB in {size:,} bytes \({size * 8 / (24 * 36):.2f} bits per pixel\); "
        r"in a GPU: [\d,]+ bytes, [\d.]+ bits per pixel",
        done.out[0],
    )
    assert re.match(r"20 steps in \d+\.\d s on \S", done.out[1])
    assert done.out[-2] == "x.html" and (folder / "x.html").exists()


@pytest.mark.slow
def test_json_has_the_count(run, folder):
    done = run("fit", "splats", "a.png", "--json", *FEW)
    assert (done.code, len(done.out)) == (0, 1), done  # a slow fit tells of itself on stderr
    result = json.loads(done.out[0])
    assert (result["asset"], result["steps"], result["count"]) == ("a.nsh", 20, 30)
    assert result["asset_bytes"] == (folder / "a.nsh").stat().st_size
    facts = json.loads(run("info", "a.nsh", "--json").out[0])
    assert (facts["kind"], facts["cloud"]["count"]) == ("splats", 30)
    assert facts["quality"]["psnr_db"] == result["psnr_db"]
    assert re.search(r"^kind +splats", "\n".join(run("info", "a.nsh").out), re.M)


@pytest.mark.slow
def test_quiet_prints_nothing(run, folder):
    done = run("fit", "splats", "a.png", "--quiet", *FEW)
    assert (done.code, done.out, done.err) == (0, [], [])
    assert (folder / "a.nsh").exists()


@pytest.mark.slow
def test_settings_from_a_file_and_flags_over_them(run, folder):
    (folder / "r.toml").write_text('compositing = "normalized"\ncount = 9\nsteps = 3\n')
    done = run("fit", "splats", "a.png", "--recipe", "r.toml", "--count", "30", "--json")
    result = json.loads(done.out[0])
    assert (result["steps"], result["count"]) == (3, 30)


@pytest.mark.parametrize("arguments, message", [
    (["--count", "5", "--bytes", "9000"], "--bytes: got 9000 with count=5, need one of "
                                          "the two. Leave one out."),
    (["--compositing", "add"], "--compositing: got 'add', need one of over, sum, "
                               "normalized."),
    (["--strongest", "99"], "--strongest: got 99, need 1 to 32. The default is "
                            f"{SplatsRecipe().strongest}."),
])  # fmt: skip
def test_settings_are_refused_in_one_line(refused, arguments, message):
    assert refused("fit", "splats", "a.png", *arguments) == message


def test_a_preset_in_a_file_is_refused(refused, folder):
    """There are presets of fit image alone."""
    (folder / "r.toml").write_text('preset = "grid"\nsteps = 3\n')
    assert "preset" in refused("fit", "splats", "a.png", "--recipe", "r.toml", "--count", "5")


@pytest.mark.parametrize("flag", ["--engine", "--preset", "--kernels"])
def test_flags_of_fit_image_alone_are_misuse(refused, flag):
    message = refused("fit", "splats", "a.png", flag, "auto", code=2)
    assert message.startswith("No such option") and flag in message  # click's own words


@pytest.mark.slow
def test_every_verb_takes_the_asset(run, folder):
    assert run("fit", "splats", "a.png", "--quiet", *FEW).code == 0
    assert run("render", "a.nsh", "-o", "b.png", "--size", "72x48").out == [
        "b.png: 72 x 48, 3 channels"
    ]
    table = json.loads(run("evaluate", "a.nsh", "a.png", "--json").out[0])
    assert table["rows"][0]["psnr_db"] == pytest.approx(
        neuralshade.info("a.nsh")["quality"]["psnr_db"], abs=0.01
    )
    assert run("report", "a.nsh", "a.png").out == ["a.html"]


@pytest.mark.slow
def test_a_missed_target_is_told(run, folder):
    done = run("fit", "splats", "a.png", "--count", "30", "--steps", "20", "--target-psnr", "90")
    told = next(line for line in done.err if "target_psnr asks for 90, at its 20 steps" in line)
    assert told.endswith(". Give it more --steps. A larger --count gives more, too.")
