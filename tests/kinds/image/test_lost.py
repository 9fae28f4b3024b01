"""kinds/image/fit: what is left of a fit whose device is lost, or whose disk is full."""

import signal
from contextlib import suppress
from pathlib import Path

import pytest

import neuralshade
from neuralshade import FitInterrupted, FitOptions
from neuralshade.asset.checkpoint import load_checkpoint
from neuralshade.engine.torch_engine import TorchEngine
from neuralshade.errors import DeviceError, OutputError
from neuralshade.fitting import job

STEPS = 40


def tensors(path):
    return {name: (t.dtype, t.tobytes()) for name, t in neuralshade.load(path).tensors.items()}


def lose_device_after(monkeypatch, steps):
    """Let the engine fail as a GPU does that is lost."""
    run = TorchEngine.advance

    def advance(engine, factors):
        if engine.optimizers[0].state()["0.step"] >= steps:
            raise DeviceError("device: got an error from X (lost), need one that answers.")
        return run(engine, factors)

    monkeypatch.setattr(TorchEngine, "advance", advance)


def test_a_lost_device_costs_what_came_after_the_last_checkpoint(
    tmp_path, save_smooth, monkeypatch
):
    monkeypatch.setattr("neuralshade.fitting.job.AUTOSAVE_SECONDS", 0.0)
    picture, settings = save_smooth(), {"preset": "grid", "steps": STEPS, "seed": 3}
    whole = neuralshade.fit_image(picture, tmp_path / "whole.nsh", **settings)
    with monkeypatch.context() as lost:
        lose_device_after(lost, 10)
        with pytest.raises(DeviceError) as caught:
            neuralshade.fit_image(picture, tmp_path / "x.nsh", **settings)
    kept = tmp_path / "x.checkpoint.nsh"
    assert str(caught.value).startswith(
        "device: got an error from X (lost), need one that answers. The fit is kept in "
        f"{kept}. Go on with: neuralshade fit image {picture} "
    )
    resumed = neuralshade.fit_image(picture, tmp_path / "x.nsh", options=FitOptions(resume=kept))
    assert resumed.steps == whole.steps
    assert tensors(tmp_path / "whole.nsh") == tensors(tmp_path / "x.nsh")


def test_no_checkpoint_is_left_by_a_fit_that_ends(tmp_path, save_smooth, monkeypatch):
    monkeypatch.setattr("neuralshade.fitting.job.AUTOSAVE_SECONDS", 0.0)
    neuralshade.fit_image(save_smooth(), tmp_path / "x.nsh", preset="grid", steps=STEPS)
    assert [path.name for path in tmp_path.glob("x.*")] == ["x.nsh"]


def fill(folder):
    """Leave no room on a small disk; return the file that takes it."""
    filler = folder / "filler"
    with suppress(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    return filler


def test_a_fit_goes_on_where_no_checkpoint_can_be_written(tmp_path, save_smooth, monkeypatch):
    def full(path, *rest):
        raise OutputError(f"{path}: got a full disk, need room for the file.")

    told = []
    monkeypatch.setattr("neuralshade.fitting.job.AUTOSAVE_SECONDS", 0.0)
    monkeypatch.setattr("neuralshade.fitting.job.keep", full)
    monkeypatch.setattr(job.log, "warning", lambda form, *values: told.append(form % values))
    picture, settings = save_smooth(), {"preset": "grid", "steps": STEPS}
    assert neuralshade.fit_image(picture, tmp_path / "x.nsh", **settings).steps == STEPS
    kept = tmp_path / "x.checkpoint.nsh"
    *told, cut_off, _ = told  # and of its size
    assert cut_off.startswith(f"fit: ended at its {STEPS} steps: ")
    for line in told:
        assert line.startswith("no checkpoint of step ")
        assert line.endswith(f": {kept}: got a full disk, need room for the file. The fit goes on.")
    assert told and not kept.exists() and neuralshade.load(tmp_path / "x.nsh")


def test_what_was_trained_is_kept_elsewhere_where_the_disk_is_full(small_disk, save_smooth):
    picture, settings = save_smooth(), {"preset": "grid", "steps": STEPS, "seed": 3}
    whole = neuralshade.fit_image(picture, small_disk / "whole.nsh", **settings)
    with pytest.raises(OutputError) as caught:
        neuralshade.fit_image(picture, small_disk / "x.nsh", **settings,
                              observer=lambda p: fill(small_disk))  # fmt: skip
    message = str(caught.value)
    kept = Path(message.partition("The fit is kept in ")[2].partition(". Go on with: ")[0])
    assert message.startswith(f"{small_disk / 'x.nsh'}: ") and "\n" not in message
    assert small_disk not in kept.parents and kept.name == "x.checkpoint.nsh"
    assert sorted(path.name for path in small_disk.iterdir()) == ["filler", "whole.nsh"]
    (small_disk / "filler").unlink()
    resumed = neuralshade.fit_image(picture, small_disk / "x.nsh", options=FitOptions(resume=kept))
    assert resumed.steps == whole.steps
    assert tensors(small_disk / "whole.nsh") == tensors(small_disk / "x.nsh")


def test_ctrl_c_on_a_full_disk_keeps_the_fit(small_disk, save_smooth):
    def full_then_interrupted(progress):
        fill(small_disk)
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(FitInterrupted) as caught:
        neuralshade.fit_image(save_smooth(), small_disk / "x.nsh", preset="grid", steps=10**6,
                              observer=full_then_interrupted)  # fmt: skip
    kept = str(caught.value).partition("the fit is kept in ")[2].partition(". Go on with: ")[0]
    assert load_checkpoint(kept, "image").progress["step"] > 0
