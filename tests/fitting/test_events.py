"""fitting/events: a fit is told as JSON lines, whole at any moment, and no fit ends for them."""

import json
import logging
import math
import os
import signal
import sys
from dataclasses import asdict

import numpy as np
import pytest

import neuralshade
from neuralshade import FitInterrupted, FitOptions
from neuralshade.cli.main import main
from neuralshade.engine.torch_engine import TorchEngine
from neuralshade.errors import DeviceError, OutputError
from neuralshade.fitting.events import Events
from neuralshade.fitting.facts import result_facts
from neuralshade.fitting.output_checks import check_events, events_path
from neuralshade.live.client import Client
from neuralshade.live.messages import Control
from neuralshade.source.texture_set import TextureSet


def fit(picture, tmp_path, settings, **options):
    options = {"events": tmp_path / "e.jsonl", **options}
    output = tmp_path / "x.nsh"
    return neuralshade.fit_image(picture, output, options=FitOptions(**options), **settings)


def lines(path):
    """Return the messages; every line must be whole, and strict JSON."""
    text = path.read_text("ascii")
    assert text.endswith("\n")
    return [json.loads(line, parse_constant=refuse) for line in text.splitlines()]


def refuse(constant):
    raise AssertionError(f"{constant} is no JSON")


FLAT = {"steps": 4, "pool": 4, "pairs": 4}


def of(kind, messages):
    return [message for message in messages if message["type"] == kind]


def test_a_fit_from_start_to_result(tmp_path, save_smooth, few):
    result = fit(save_smooth(), tmp_path, few | {"seed": 5})
    told = lines(tmp_path / "e.jsonl")
    assert {message["type"] for message in told} == {"fit", "progress", "curve", "note", "result"}
    assert [note["text"] for note in of("note", told)] == list(result.warnings)
    started, *finishing, ended = (message["fit"] for message in of("fit", told))
    number = started["id"]
    assert told[0]["fit"] == started == {
        "id": number, "verb": "image", "picture": "a.png", "preset": "grid", "seed": 5,
        "output": str(tmp_path / "x.nsh"), "transform": "identity", "seconds": None, "steps": 30,
        "rated": True,
        "state": "running", "text": "", "rate_scale": 1.0, "can": [],
        "warnings": [], "cut_short": False,
    }  # fmt: skip
    phases = "writing the asset", "measuring", "searching codes", "measuring"
    assert finishing == [{**started, "state": "finishing", "text": what} for what in phases]
    text = f"{tmp_path / 'x.nsh'}: {result.psnr_db:.2f} dB after 30 steps"
    warnings = list(result.warnings)
    assert warnings and ended == {**started, "state": "ended", "text": text, "warnings": warnings}
    assert told[-2:] == [
        {"type": "fit", "fit": ended},
        {"type": "result", "result": result_facts(result)},
    ]


def test_progress_comes_to_the_end(tmp_path, save_smooth, few):
    fit(save_smooth(), tmp_path, few)
    progress = of("progress", lines(tmp_path / "e.jsonl"))
    steps = [message["step"] for message in progress]
    before, last = steps[:-1], progress[-1]  # the last step is told again with the file's PSNR
    assert before == sorted(set(before)) and before[-1] <= steps[-1] == 30
    assert (last["share"], last["left_seconds"]) == (1, 0)
    assert last["seconds"] > 0 and last["samples_per_second"] > 0
    assert math.isfinite(last["loss"])


def test_the_curve_is_that_of_the_asset(tmp_path, save_smooth, few):
    fit(save_smooth(), tmp_path, few | {"steps": 300})
    curves = of("curve", lines(tmp_path / "e.jsonl"))
    assert [message["reset"] for message in curves] == [True] + [False] * (len(curves) - 1)
    points = [point for message in curves for point in message["points"]]
    steps = [point[0] for point in points]
    assert steps == sorted(set(steps)) and steps[-1] == 300
    measured = [point for point in points if point[3] is not None]
    kept = neuralshade.info(tmp_path / "x.nsh")["training"]["curve"]
    assert measured and all(point in measured for point in kept if point[3] is not None)


def test_a_file_is_added_to(tmp_path, save_smooth, few):
    picture, path = save_smooth(), tmp_path / "e.jsonl"
    path.write_text('{"type":"note","text":"cut o')  # as by a machine that went down
    fit(picture, tmp_path, few)
    fit(picture, tmp_path, few)
    cut, *rest = path.read_text().splitlines()
    assert cut == '{"type":"note","text":"cut o'
    started = [m["fit"]["id"] for m in map(json.loads, rest) if m.get("fit", {}).get("text") == ""]
    assert len(started) == 2 and started[1] > started[0]


def test_an_interrupted_fit_and_its_resumption(tmp_path, save_smooth, few, monkeypatch):
    picture, steps, advance = save_smooth(), [], TorchEngine.advance

    def interrupted(self, factors):
        steps.extend(factors)
        if len(steps) >= 20:
            os.kill(os.getpid(), signal.SIGINT)
        return advance(self, factors)

    monkeypatch.setattr(TorchEngine, "advance", interrupted)
    with pytest.raises(FitInterrupted) as caught:
        fit(picture, tmp_path, few | {"steps": 100})
    told = lines(tmp_path / "e.jsonl")
    assert told[-1]["fit"]["state"] == "stopped"
    assert told[-1]["fit"]["text"] == str(caught.value)
    assert f"--events {tmp_path / 'e.jsonl'} --resume" in str(caught.value)
    stopped_at = of("progress", told)[-1]["step"]
    assert f"interrupted at step {stopped_at}:" in str(caught.value)

    monkeypatch.setattr(TorchEngine, "advance", advance)
    fit(picture, tmp_path, {}, resume=tmp_path / "x.checkpoint.nsh")
    resumed = lines(tmp_path / "e.jsonl")[len(told) :]
    assert resumed[0]["fit"]["state"] == "running" and resumed[0]["fit"]["preset"] is None
    assert of("progress", resumed)[0]["step"] > stopped_at
    assert of("curve", resumed)[0]["reset"] is True  # the whole history, as it goes on
    assert of("result", resumed)[0]["result"]["steps"] == 100


def test_a_fit_that_fails_says_why(tmp_path, save_smooth, few, monkeypatch):
    losses = iter([math.nan])

    def lost(self, factors):
        for loss in losses:
            return loss
        raise DeviceError("the device is gone.")

    monkeypatch.setattr(TorchEngine, "advance", lost)
    with pytest.raises(DeviceError):
        fit(save_smooth(), tmp_path, few)
    told = lines(tmp_path / "e.jsonl")
    assert (told[-1]["fit"]["state"], told[-1]["fit"]["text"]) == ("failed", "the device is gone.")
    assert of("progress", told)[-1]["loss"] is None  # no number


def test_notes_are_told_while_the_fit_runs(tmp_path, save_smooth, few, caplog):
    log = logging.getLogger("neuralshade")
    before = list(log.handlers)
    caplog.set_level(logging.WARNING, "neuralshade")

    said = []  # which steps are looked at depends on how long each takes

    def observer(progress):
        said.append(f"at {progress.step}")
        log.warning(said[-1])

    neuralshade.fit_image(save_smooth(), tmp_path / "x.nsh", observer=observer,
                          options=FitOptions(events=tmp_path / "e.jsonl"), **few)  # fmt: skip
    log.warning("after")
    notes = [message["text"] for message in of("note", lines(tmp_path / "e.jsonl"))]
    assert notes[:2] == said[:2] and said[0] == "at 1" and "after" not in notes
    assert log.handlers == before


def test_standard_output_has_nothing_else(tmp_path, save_smooth, few, capsys, same_message):
    words = ["--steps", "30", "--encoding", few["encoding"], "--hidden-width", "8", "--warmup", "0"]
    picture = str(save_smooth())
    main(["fit", "image", picture, "-o", str(tmp_path / "x.nsh"), *words, "--events", "-"])
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert told[0]["type"] == "fit" and told[-1]["result"]["steps"] == 30
    with pytest.raises(SystemExit) as caught:
        main(["fit", "image", picture, *words, "--events", "-", "--json"])
    assert caught.value.code == 2
    same_message(capsys.readouterr().err, "neuralshade", "--json")


def test_a_resumed_fit_is_given_standard_output_again(tmp_path, save_smooth, few, monkeypatch):
    def interrupted(self, factors):
        os.kill(os.getpid(), signal.SIGINT)
        return 0.0

    monkeypatch.setattr(TorchEngine, "advance", interrupted)
    with pytest.raises(FitInterrupted, match=r" --events - --resume "):
        fit(save_smooth(), tmp_path, few, events="-")


def test_a_place_that_takes_no_more_is_told_of_once(tmp_path, save_smooth, few, caplog):
    class Full:
        def __init__(self):
            self.lines = []

        def write(self, text):
            if len(self.lines) == 3:
                raise OSError(28, "No space left on device")
            self.lines.append(text)

        def flush(self):
            return None

    full = Full()
    with caplog.at_level(logging.WARNING, "neuralshade"), pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", full)
        result = fit(save_smooth(), tmp_path, few, events="-")
    assert result.steps == 30 and len(full.lines) == 3
    assert caplog.messages[:1] == [
        "events: got 'No space left on device' from standard output, need a place that takes them. "
        "The fit goes on without."
    ]
    assert caplog.messages[1:] == list(result.warnings)


def test_places(tmp_path, save_smooth, few, refusal, same_message):
    assert events_path(None) is None and events_path("-") is None
    missing = tmp_path / "no/e.jsonl"
    message = refusal(OutputError, fit, save_smooth(), tmp_path, few, events=missing)
    same_message(message, missing, "Create")
    picture, asset = save_smooth(), tmp_path / "x.nsh"
    message = refusal(OutputError, fit, picture, tmp_path, few, events=picture)
    same_message(message, picture, "Choose")
    same_message(refusal(OutputError, fit, picture, tmp_path, few, events=asset), asset, "Choose")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", None)
        same_message(refusal(OutputError, check_events, "-"), "events", "Name")


@pytest.mark.slow
@pytest.mark.usefixtures("one_device")
def test_mip_levels_are_told_too(tmp_path):
    ones = np.ones((8, 8), np.float32)
    normal = np.dstack([0 * ones, 0 * ones, ones])
    textures = TextureSet("flat", normal * 0.5, normal, ones, ones, None, {}, ())
    options = FitOptions(events=tmp_path / "e.jsonl", tensorboard=tmp_path / "log")
    result = neuralshade.fit_mipmaps(textures, tmp_path / "mips", options=options, **FLAT)
    told = lines(tmp_path / "e.jsonl")
    assert (told[0]["fit"]["verb"], told[0]["fit"]["picture"]) == ("mipmaps", "flat")
    assert told[-1]["result"] == json.loads(json.dumps(asdict(result)))
    assert list((tmp_path / "log").iterdir())
    place = tmp_path / "mips/flat.nsh"
    with pytest.raises(OutputError, match="for the events too"):
        neuralshade.fit_mipmaps(textures, tmp_path / "mips", options=FitOptions(events=place))


@pytest.mark.slow
@pytest.mark.usefixtures("one_device")
def test_a_user_s_task_is_told_too(tmp_path, tint, values_of):
    path = tmp_path / "e.jsonl"
    result = neuralshade.fit_shader(tint, tmp_path / "x.nsh", values=values_of(), steps=20,
                                    threads="64", options=FitOptions(events=path))  # fmt: skip
    told = lines(path)
    assert told[0]["fit"]["verb"] == "shader" and told[0]["fit"]["picture"] == "tint.slang"
    assert told[-1]["result"]["steps"] == 20
    members = told[-1]["result"]["members"]
    assert members["tint"] == pytest.approx(result.members["tint"].tolist())
    assert members["map"] == {"shape": [3, 5, 3]}


@pytest.fixture(autouse=True)
def _no_handlers_left():
    yield
    handlers = logging.getLogger("neuralshade").handlers
    assert not [h for h in handlers if type(h).__module__ == Events.__module__]


def test_what_pages_do_is_told_too(tmp_path, save_smooth, few):
    path, asked = tmp_path / "e.jsonl", []
    with neuralshade.Live(port=0) as page:

        def observer(progress):
            if not asked:
                asked.append(progress.step)
                page.channel.receive(Client(), Control("rate", {"rate_scale": 0.5}))

        page.run(neuralshade.fit_image, save_smooth(), tmp_path / "x.nsh", observer=observer,
                 options=FitOptions(events=path), **few)  # fmt: skip
    told = [message["fit"] for message in of("fit", lines(path))]
    assert [(fit["state"], fit["rate_scale"]) for fit in told] == [
        ("running", 1), ("running", 0.5), *[("finishing", 0.5)] * 5, ("ended", 0.5),
    ]  # fmt: skip
    assert told[0]["can"] == ["pause", "step", "rate", "stop", "reset", "start", "transform"]
    assert told[-1]["can"] == []
