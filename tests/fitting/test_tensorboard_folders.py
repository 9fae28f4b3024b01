"""fitting/tensorboard: one folder for several fits, several for one; folders that are refused."""

import functools
import logging
import os
import signal
import sys
import time

import numpy as np
import pytest
from fixtures.tensorboard_logs import fit, pictures, read, scalars, text

import neuralshade
from neuralshade import FitInterrupted, FitOptions
from neuralshade.engine.torch_engine import TorchEngine
from neuralshade.errors import DeviceError, OutputError
from neuralshade.kinds.mipmaps.family import fit as fit_family
from neuralshade.kinds.mipmaps.family.role import PriorTrainer
from neuralshade.kinds.mipmaps.family.training import FamilyTraining
from neuralshade.source.texture_set import TextureSet


def wait_for_another_name():
    """Files are read in the order of their names, which begin with the second."""
    time.sleep(1.01 - time.time() % 1)


def test_an_interrupted_fit_goes_on_in_its_folder(tmp_path, save_smooth, few, monkeypatch):
    picture, folder, steps = save_smooth(), tmp_path / "log", []
    advance = TorchEngine.advance

    def interrupted(self, factors):
        steps.extend(factors)
        if len(steps) >= 20:
            os.kill(os.getpid(), signal.SIGINT)
        return advance(self, factors)

    monkeypatch.setattr(TorchEngine, "advance", interrupted)
    monkeypatch.setattr("neuralshade.fitting.loop.Loop._is_measure_due", lambda *given: True)
    with pytest.raises(FitInterrupted, match=f" --tensorboard {folder} --resume "):
        fit(picture, tmp_path, few | {"steps": 60}, folder)
    before = read(folder)  # closed: whole
    wait_for_another_name()
    monkeypatch.setattr(TorchEngine, "advance", advance)
    checkpoint = tmp_path / "x.checkpoint.nsh"
    fit(picture, tmp_path, {}, folder, resume=checkpoint)
    after = read(folder)
    losses = scalars(before, "loss")
    assert losses.items() <= scalars(after, "loss").items() and max(losses) >= 20
    assert list(scalars(after, "loss"))[-1] == 60
    measured = [entry.step for entry in after.Scalars("psnr_db")]
    assert measured == sorted(set(measured)) and measured[-1] == 60  # each once
    assert list(pictures(after, "target")) == [0]
    drawn = pictures(before, "result").keys()
    assert drawn < pictures(after, "result").keys()
    assert len(list(folder.iterdir())) == 2


def test_a_resumed_fit_may_log_elsewhere(tmp_path, save_smooth, few, monkeypatch):
    def interrupted(self, factors):
        os.kill(os.getpid(), signal.SIGINT)
        return advance(self, factors)

    picture, advance = save_smooth(), TorchEngine.advance
    monkeypatch.setattr(TorchEngine, "advance", interrupted)
    with pytest.raises(FitInterrupted):
        fit(picture, tmp_path, few, None)
    monkeypatch.setattr(TorchEngine, "advance", advance)
    fit(picture, tmp_path, {}, tmp_path / "new", resume=tmp_path / "x.checkpoint.nsh")
    log = read(tmp_path / "new")
    assert list(pictures(log, "target")) == [0] and text(log, "recipe")[0] == 0


@pytest.mark.slow
def test_a_new_fit_hides_an_old_one(tmp_path, save_smooth, few):
    picture, folder = save_smooth(), tmp_path / "log"
    fit(picture, tmp_path, few | {"steps": 40}, folder)
    wait_for_another_name()
    fit(picture, tmp_path, few | {"steps": 5, "seed": 9}, folder)
    log = read(folder)
    assert list(scalars(log, "loss"))[-1] == 5
    assert list(pictures(log, "result")) == [1, 2, 3, 4, 5]
    assert text(log, "recipe")[1]["recipe"]["seed"] == 9
    assert len(list(folder.iterdir())) == 2  # nothing is deleted


@pytest.mark.slow  # a family is trained for one look at its folders
def test_sets_of_a_family_have_a_folder_each(tmp_path, monkeypatch):
    hasty = functools.partial(PriorTrainer, training=FamilyTraining(steps=4, batch=64))
    monkeypatch.setattr(fit_family, "PriorTrainer", hasty)
    monkeypatch.chdir(tmp_path)
    ones = np.ones((8, 8), np.float32)
    bumps = np.float32(np.random.default_rng(0).normal(0, 0.2, (8, 8)))
    normal = np.dstack([bumps, bumps.T, ones])
    normal /= np.linalg.norm(normal, axis=2, keepdims=True)
    sets = [TextureSet(name, np.dstack([ones] * 3), normal, ones, ones, None, {}, ())
            for name in ("bark", "moss")]  # fmt: skip
    options = FitOptions(tensorboard=tmp_path / "log")
    few = {"steps": 4, "pool": 4, "pairs": 4}
    neuralshade.fit_mipmaps_family(sets, "family.nsh", options=options, **few)
    for name in ("bark", "moss"):
        log = read(tmp_path / "log" / name)
        assert list(scalars(log, "loss"))[-1] == 4
        assert text(log, "recipe")[1]["of"] == name


def test_a_folder_that_takes_no_more_is_told_of_once(
    tmp_path, save_smooth, few, caplog, capfd, small_disk, fill, monkeypatch
):
    advance = TorchEngine.advance

    def filling(self, factors):
        fill(small_disk)
        return advance(self, factors)

    monkeypatch.setattr(TorchEngine, "advance", filling)
    with caplog.at_level(logging.WARNING, "neuralshade"):
        result = fit(save_smooth(), tmp_path, few, small_disk / "log")
    assert result.steps == 30 and (tmp_path / "x.nsh").exists()
    assert caplog.messages[:1] == [
        f"tensorboard: got 'No space left on device' from {small_disk / 'log'}, need room for a "
        "log. The fit goes on without."
    ]
    assert caplog.messages[1:] == list(result.warnings)
    assert "Traceback" not in "".join(capfd.readouterr())  # no thread has died beside


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names are text")
def test_a_folder_whose_name_is_no_text(tmp_path, save_smooth, few):
    folder = tmp_path / os.fsdecode(b"\xe4\xff")
    fit(save_smooth(), tmp_path, few | {"steps": 3}, folder)
    assert list(scalars(read(folder.rename(tmp_path / "log")), "loss"))[-1] == 3


def test_refusals(tmp_path, save_smooth, few, refusal, same_message):
    picture, file = save_smooth(), tmp_path / "file"
    file.write_text("")
    assert refusal(OutputError, fit, picture, tmp_path, few, file) == (
        f"{file}: got a file, need a folder for TensorBoard. Choose another."
    )
    asset = tmp_path / "x.nsh"
    same_message(refusal(OutputError, fit, picture, tmp_path, few, asset), asset, "Choose")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "torch.utils.tensorboard", None)
        message = refusal(DeviceError, fit, picture, tmp_path, few, tmp_path / "log")
    same_message(message, tmp_path / "log", "--tensorboard")
    assert not (tmp_path / "log").exists() and not asset.exists()
