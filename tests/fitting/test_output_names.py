"""fitting: names that are no text or as long as can be, and disks that are full on the way."""

import logging
import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import neuralshade
from neuralshade import FitInterrupted, FitOptions
from neuralshade.engine.torch_engine import TorchEngine
from neuralshade.errors import OutputError
from neuralshade.fitting.output_checks import checkpoint_path

linux = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names are text")


@pytest.fixture
def interrupted(monkeypatch):
    """Let fits be interrupted at their second step or a little later."""
    advance = TorchEngine.advance

    def interrupting(self, factors):
        signal.raise_signal(signal.SIGINT)
        return advance(self, factors)

    monkeypatch.setattr(TorchEngine, "advance", interrupting)
    return lambda: monkeypatch.setattr(TorchEngine, "advance", advance)


@pytest.mark.parametrize("length", [240, 241, 251, 255])
def test_the_longest_names_lose_no_fit(tmp_path, save_smooth, few, interrupted, length):
    output = tmp_path / ("n" * (length - 4) + ".nsh")
    with pytest.raises(FitInterrupted):
        neuralshade.fit_image(save_smooth(), output, **few)
    checkpoint = checkpoint_path(output)
    assert sorted(os.listdir(tmp_path)) == sorted(["a.png", checkpoint.name])
    interrupted()
    resuming = FitOptions(resume=checkpoint)
    assert neuralshade.fit_image(tmp_path / "a.png", output, options=resuming).steps == 30
    assert output.exists()


@given(st.text(st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1, max_size=130))
def test_checkpoints_of_two_names_are_two(name):
    first, second = (checkpoint_path(Path("out") / (name + end)) for end in ("1.nsh", "2.nsh"))
    for path in (first, second):
        assert path.name.endswith(".checkpoint.nsh") and len(os.fsencode(path.name)) <= 255
    assert first != second


@pytest.mark.parametrize("option", ["output", "report", "movie", "events"])
def test_a_name_that_is_too_long_is_refused_before_the_fit(
    tmp_path, save_smooth, few, refusal, option, same_message
):
    suffix = {"output": ".nsh", "report": ".html", "movie": ".gif", "events": ".jsonl"}[option]
    path, picture = tmp_path / ("n" * 256 + suffix), save_smooth()
    given = {} if option == "output" else {"options": FitOptions(**{option: path})}
    output = path if option == "output" else tmp_path / "x.nsh"
    message = refusal(OutputError, neuralshade.fit_image, picture, output, **given, **few)
    same_message(message, path, "Choose")
    assert os.listdir(tmp_path) == ["a.png"]


@pytest.mark.slow
@linux
def test_a_fit_all_of_whose_names_are_no_text(tmp_path, save_smooth, few, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = os.fsdecode(b"\xe4\xff")
    save_smooth().rename(f"{name}.png")
    options = FitOptions(report=f"{name}.html", events=f"{name}.jsonl", movie=f"{name}.gif",
                         snapshots=f"{name}.snaps")  # fmt: skip
    neuralshade.fit_image(f"{name}.png", options=options, **few)
    assert sorted(os.listdir(b".")) == [
        b"\xe4\xff." + end for end in (b"gif", b"html", b"jsonl", b"nsh", b"png", b"snaps")
    ]
    assert neuralshade.info(f"{name}.nsh")["picture"]["name"] == "\ufffd\ufffd.png"
    neuralshade.render(f"{name}.nsh", f"{name}.exr")
    neuralshade.report(f"{name}.nsh", f"{name}.png", f"{name}.html", snapshots=f"{name}.snaps")


def test_a_full_disk_under_snapshots_is_told_of_once(
    tmp_path, save_smooth, few, caplog, small_disk, fill, monkeypatch
):
    advance = TorchEngine.advance

    def filling(self, factors):
        fill(small_disk)
        return advance(self, factors)

    monkeypatch.setattr(TorchEngine, "advance", filling)
    options = FitOptions(snapshots=small_disk / "snaps", events=small_disk / "e.jsonl")
    with caplog.at_level(logging.WARNING, "neuralshade"):
        result = neuralshade.fit_image(save_smooth(), tmp_path / "x.nsh", options=options, **few)
    assert result.steps == 30 and (tmp_path / "x.nsh").exists()
    path = small_disk / "snaps/prediction_0000001.png"
    told = (f"snapshots: {path}: got a full disk, need room for the file. Free some space, or "
            "choose another path. The fit goes on without.")  # fmt: skip
    of_files = [line for line in caplog.messages if str(small_disk) in line]
    assert of_files.count(told) == 1 and len(of_files) <= 2


def test_a_full_disk_under_a_movie_leaves_the_asset(
    tmp_path, save_smooth, few, small_disk, refusal, same_message
):
    path = small_disk / "x.gif"
    (small_disk / "filler").write_bytes(bytes(60_000))
    options = FitOptions(movie=path)
    message = refusal(OutputError, neuralshade.fit_image, save_smooth("a.png", 200, 300),
                      tmp_path / "x.nsh", options=options, **few)  # fmt: skip
    same_message(message, path, "Free")
    assert neuralshade.info(tmp_path / "x.nsh")["training"]["steps"] == 30
    assert os.listdir(small_disk) == ["filler"]
