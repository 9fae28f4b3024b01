"""kinds: one more kind is an installed package and its entry point, and everything takes it."""

import json
import re
import signal
import sys

import numpy as np
import pytest
from click.testing import CliRunner
from toykind.fit import fit_toy

import neuralshade
from neuralshade import AssetError, FitInterrupted, FitOptions
from neuralshade.cli.main import commands, main


@pytest.fixture
def one_device():
    """Leave each its own device: what one thread opened here, another one may draw with."""


@pytest.fixture(autouse=True)
def registered(installed):
    installed("shade-toy", "0.4", {"neuralshade.kinds": {"toy": "toykind:KIND"}})


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return what runs the command line, and what it printed."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        done = CliRunner().invoke(commands, arguments, catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout

    return run


@pytest.fixture
def fitted(run, save_smooth):
    """Return the picture; it was fitted on the command line."""
    picture = save_smooth()
    assert "dB in" in run("fit", "toy", "a.png", "--steps", "60", "--rate", "0.2")
    return picture


def mean_of(picture):
    return neuralshade.load_picture(picture).as_float().mean(axis=(0, 1))


def test_it_is_in_the_help(run):
    assert "toy Fit one color to PICTURE." in " ".join(run("fit", "--help").split())
    told = run("fit", "toy", "--help")
    assert "--rate" in told and "--grey" in told and "--resume" in told
    assert "--engine" not in told and "--preset" not in told


def test_it_is_fitted_told_and_drawn(run, fitted):
    facts = json.loads(run("info", "a.nsh", "--json"))
    assert (facts["kind"], facts["grey"], facts["parameters"]) == ("toy", False, 3)
    assert "dB PSNR when it was fitted" in run("info", "a.nsh")
    run("render", "a.nsh", "-o", "b.png", "--size", "7x5", "--stretch")
    drawn = neuralshade.load_picture("b.png").as_float()
    np.testing.assert_allclose(drawn, np.broadcast_to(mean_of(fitted), (5, 7, 3)), atol=0.003)


def test_it_is_evaluated_and_reported(run, fitted):
    rows = neuralshade.evaluate("a.nsh", fitted)
    assert rows[0]["name"] == "neuralshade" and rows[0]["psnr_db"] > 5
    assert "PSNR dB" in run("evaluate", "a.nsh", "a.png")
    run("report", "a.nsh", "a.png", "-o", "page.html")
    with open("page.html", encoding="utf-8") as page:
        assert ">Color<" in page.read()


def test_its_own_flag_reaches_the_fit(run, save_smooth):
    save_smooth()
    run("fit", "toy", "a.png", "--grey", "--steps", "60", "--rate", "0.3", "--report", "p.html")
    color = neuralshade.load("a.nsh").tensors["color"]
    assert np.ptp(color) < 1e-6


def test_options_that_it_does_not_heed_are_refused(save_smooth, tmp_path, refusal):
    options = FitOptions(movie=tmp_path / "x.gif")
    message = refusal(neuralshade.ConfigError, fit_toy, save_smooth(), tmp_path / "x.nsh",
                      options=options, steps=1)  # fmt: skip
    assert message.endswith("fit toy has no choice of it. Leave movie out.")


def test_it_goes_on_after_an_interruption(save_smooth, tmp_path):
    picture, whole = save_smooth(), tmp_path / "whole.nsh"
    many = {"steps": 20_000, "rate": 1e-4}
    fit_toy(picture, whole, **many)
    with pytest.raises(FitInterrupted):
        fit_toy(picture, tmp_path / "x.nsh", **many,
                observer=lambda progress: signal.raise_signal(signal.SIGINT))  # fmt: skip
    options = FitOptions(resume=tmp_path / "x.checkpoint.nsh")
    fit_toy(picture, tmp_path / "x.nsh", options=options)
    one, two = (neuralshade.load(path).tensors["color"] for path in (whole, tmp_path / "x.nsh"))
    np.testing.assert_array_equal(one, two)


def test_it_is_shown_live(save_smooth, tmp_path):
    from neuralshade.live.live import Live

    picture = save_smooth()
    with Live(port=0) as live:
        live.run(fit_toy, picture, tmp_path / "x.nsh", steps=20)
        scene = live.channel.state["scene"]
        fit = live.channel.state["fit"]
    assert (scene["kind"], scene["panes"]) == ("toy", ["target", "result", "flip:result"])
    assert (fit["verb"], fit["state"]) == ("toy", "ended")


def test_without_its_package_one_line_says_which(
    fitted, tmp_path, monkeypatch, refusal, capsys, same_message
):
    assert neuralshade.load("a.nsh").header.own["plugins"] == [
        {"what": "kind", "name": "toy", "package": "shade-toy", "version": "0.4"}
    ]
    folders = [folder for folder in sys.path if folder != str(tmp_path / "site")]
    monkeypatch.setattr(sys, "path", folders)
    same_message(refusal(AssetError, neuralshade.load, "a.nsh"), "a.nsh", "Install")
    main(["info", "a.nsh", "--json"])
    told = capsys.readouterr()
    facts = json.loads(told.out)
    assert facts["kind"] == "toy" and facts["recipe"]["steps"] == facts["training"]["steps"]
    assert facts["plugins"][0]["package"] == "shade-toy" and "is not installed" in told.err
    main(["info", "a.nsh"])
    told = capsys.readouterr().out
    assert told.splitlines()[0].split() == ["kind", "toy"]
    assert re.search(r"^packages +kind toy of shade-toy 0\.4$", told, re.M)
    steps = rf"\n(  .*\n)*  steps +{facts['training']['steps']}\n"
    assert re.search(f"^training{steps}", told, re.M) and re.search(f"^recipe{steps}", told, re.M)
    assert "{" not in told and "[" not in told


@pytest.mark.parametrize("place, said", [
    ("absent_kind:KIND", "which does not load (ModuleNotFoundError: No module named "
     "'absent_kind'), need a package that does. Upgrade or uninstall it."),
    ("toykind:ToyRecipe", "got type from odd 1, need a neuralshade.kinds.kind.Kind named 'odd'. "
     "Tell its authors."),
    ("toykind:KIND", "got a kind named 'toy' from odd 1, need a neuralshade.kinds.kind.Kind named "
     "'odd'. Tell its authors."),
])  # fmt: skip
def test_one_that_fails_is_a_line_and_the_others_work(run, installed, caplog, place, said):
    installed("odd", "1", {"neuralshade.kinds": {"odd": place}})
    told = run("fit", "--help")
    assert "toy" in told and "image" in told and "odd" not in told
    lines = [record.message for record in caplog.records]
    assert len(lines) == 1 and lines[0].startswith("kind odd: got ") and lines[0].endswith(said)


def test_one_of_our_own_name_is_passed_over(run, installed):
    installed("thief", "1", {"neuralshade.kinds": {"image": "toykind:KIND"}})
    told = " ".join(run("fit", "--help").split())
    assert "image Fit an encoding" in told and told.count("Fit one color") == 1
