"""kinds/splats/fit: an interrupted fit goes on as if nothing had stopped it."""

import shlex
import shutil
import signal

import numpy as np
import pytest
import torch

import neuralshade
from neuralshade import FitInterrupted, FitOptions
from neuralshade.asset.checkpoint import load_checkpoint, save_checkpoint
from neuralshade.cli.main import commands
from neuralshade.errors import AssetError, ConfigError

FEW = {"compositing": "normalized", "count": 30, "steps": 60}


def interrupt_at(step, number=signal.SIGINT):
    """Return an observer that interrupts the fit once it has made ``step`` steps."""
    return lambda p: p.step >= step and signal.raise_signal(number)


def interrupted(picture, output, settings, step=10, number=signal.SIGINT, **options):
    """Fit until ``step``, and return the message of the interruption."""
    with pytest.raises(FitInterrupted) as caught:
        neuralshade.fit_splats(picture, output, observer=interrupt_at(step, number),
                               options=FitOptions(**options), **settings)  # fmt: skip
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("compositing, step", [  # while it grows, before and while it is rounded
    ("normalized", 5), pytest.param("over", 30, marks=pytest.mark.slow), ("normalized", 50),
])  # fmt: skip
def test_resumed_is_as_good_as_uninterrupted(tmp_path, save_smooth, compositing, step):
    """Equal but for sums of floats, which come in any order."""
    picture, settings = save_smooth(), {**FEW, "compositing": compositing, "seed": 3}
    whole = neuralshade.fit_splats(picture, tmp_path / "whole.nsh", **settings)
    interrupted(picture, tmp_path / "parted.nsh", settings, step)
    options = FitOptions(resume=tmp_path / "parted.checkpoint.nsh")
    parted = neuralshade.fit_splats(picture, tmp_path / "parted.nsh", options=options)
    assert (parted.steps, parted.count) == (whole.steps, whole.count) == (60, 30)
    assert parted.psnr_db == pytest.approx(whole.psnr_db, abs=0.5)
    recipes = [neuralshade.info(tmp_path / name)["recipe"] for name in ("parted.nsh", "whole.nsh")]
    assert recipes[0] == recipes[1]


def test_interrupted_twice(tmp_path, save_smooth):
    picture, output = save_smooth(), tmp_path / "x.nsh"
    interrupted(picture, output, FEW, 8)
    resume = tmp_path / "x.checkpoint.nsh"
    interrupted(picture, output, {}, 20, resume=resume)
    assert load_checkpoint(resume, "splats").progress["step"] >= 20
    result = neuralshade.fit_splats(picture, output, options=FitOptions(resume=resume))
    assert (result.steps, result.count) == (60, 30)


def test_a_size_is_kept_to_when_resumed(tmp_path, save_smooth):
    picture, output = save_smooth(), tmp_path / "x.nsh"
    settings = {"compositing": "normalized", "bytes": 1300, "steps": 60}
    interrupted(picture, output, settings, 30)
    options = FitOptions(resume=tmp_path / "x.checkpoint.nsh")
    result = neuralshade.fit_splats(picture, output, options=options)
    assert 0.98 * 1300 <= result.asset_bytes <= 1300


@pytest.mark.slow
def test_a_size_is_kept_to_though_the_curve_is_short_until_the_end(tmp_path, save_smooth):
    """The row that the end adds is counted before the Gaussians that fit are."""
    result = neuralshade.fit_splats(
        save_smooth(), tmp_path / "x.nsh", compositing="normalized", bytes=1300, steps=60,
        observer=lambda p: p.curve.__delitem__(slice(1, None)),
    )  # fmt: skip
    assert 0.98 * 1300 <= result.asset_bytes <= 1300


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interruption_leaves_a_checkpoint_and_no_asset(tmp_path, save_smooth, number):
    interrupted(save_smooth(), tmp_path / "x.nsh", FEW, 5, number)
    assert {p.name for p in tmp_path.iterdir()} == {"a.png", "x.checkpoint.nsh"}
    checkpoint = load_checkpoint(tmp_path / "x.checkpoint.nsh", "splats")
    assert checkpoint.progress["step"] >= 5
    assert checkpoint.source["name"] == "a.png"


def test_message_is_a_command_that_can_be_pasted(tmp_path, save_smooth):
    picture, output = save_smooth("my photo.png"), tmp_path / "x.nsh"
    message = interrupted(picture, output, FEW, report=tmp_path / "r.html")
    step = load_checkpoint(tmp_path / "x.checkpoint.nsh", "splats").progress["step"]
    assert message == (
        f"interrupted at step {step}: the fit is kept in {tmp_path}/x.checkpoint.nsh. "
        f"Go on with: neuralshade fit splats '{picture}' -o {output} "
        f"--report {tmp_path}/r.html --resume {tmp_path}/x.checkpoint.nsh"
    )


def test_the_command_has_no_flag_that_is_not_there(tmp_path, save_smooth):
    """The engine may be said in Python, where all fits have the same options."""
    message = interrupted(save_smooth(), tmp_path / "x.nsh", FEW, engine="gpu")
    words = shlex.split(message.partition("Go on with: ")[2])
    assert words[:3] == ["neuralshade", "fit", "splats"]
    command = commands.commands["fit"].get_command(None, "splats")
    parsed = command.make_context("splats", words[3:])  # click refuses what it does not know
    assert parsed.params["resume"] == str(tmp_path / "x.checkpoint.nsh")


def test_message_for_a_picture_in_memory(tmp_path):
    picture = neuralshade.picture_from_array(np.zeros((20, 35, 3), np.uint8))
    message = interrupted(picture, tmp_path / "x.nsh", FEW)
    place = f"{tmp_path}/x.checkpoint.nsh"
    assert message.endswith(
        f"Go on with: fit_splats(picture, options=FitOptions(resume='{place}'))"
    )


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    """Give a folder with a.png and the checkpoint of its interrupted fit. Not to be written to."""
    folder = tmp_path_factory.mktemp("stopped")
    row, col = np.mgrid[:24, :36]
    waves = [0.5 + 0.4 * np.sin(row / (3 + i) + col / (5 + i)) for i in range(3)]
    neuralshade.save_picture(folder / "a.png", np.float32(np.stack(waves, axis=2)), "srgb")
    interrupted(folder / "a.png", folder / "x.nsh", FEW)
    return folder


@pytest.fixture
def checkpoint(stopped, tmp_path):
    """Give a copy of that checkpoint, beside one of the picture."""
    shutil.copytree(stopped, tmp_path, dirs_exist_ok=True)
    return tmp_path / "x.checkpoint.nsh"


def refusal(kind, checkpoint, picture=None, **settings):
    folder = checkpoint.parent
    with pytest.raises(kind) as caught:
        neuralshade.fit_splats(picture or folder / "a.png", folder / "x.nsh",
                               options=FitOptions(resume=checkpoint), **settings)  # fmt: skip
    assert "\n" not in str(caught.value) and not (folder / "x.nsh").exists()
    return str(caught.value)


def test_what_was_set_back_is_still_counted(tmp_path, checkpoint, monkeypatch):
    """Numbers that are none, as a device may make them; then the fit is interrupted again."""
    monkeypatch.setattr("neuralshade.asset.checkpoint.not_finite", lambda state: None)
    kept = load_checkpoint(checkpoint, "splats")
    kept.state["values"][0, 0] = torch.nan
    save_checkpoint(checkpoint, "splats", kept)
    interrupted(tmp_path / "a.png", tmp_path / "x.nsh", {}, 20, resume=checkpoint)
    options = FitOptions(resume=checkpoint)
    result = neuralshade.fit_splats(tmp_path / "a.png", tmp_path / "x.nsh", options=options)
    assert result.skipped_steps == 1 and result.psnr_db > 15


def test_other_picture_refused(checkpoint, save_smooth, same_message):
    other = save_smooth("b.png", height=25)
    same_message(refusal(ConfigError, checkpoint, other), checkpoint, "Resume")


@pytest.mark.parametrize("name, value, kept", [
    ("count", 31, "30"), ("seed", 1, "0"), ("compositing", "over", "'normalized'"),
])  # fmt: skip
def test_conflicting_setting_refused(checkpoint, name, value, kept):
    assert refusal(ConfigError, checkpoint, **{name: value}) == (
        f"{checkpoint}: got {name}={value!r}, need {kept} as the fit was started with. "
        f"Leave --{name} out."
    )


def test_a_longer_fit(checkpoint):
    result = neuralshade.fit_splats(checkpoint.with_name("a.png"), checkpoint.with_name("x.nsh"),
                                    options=FitOptions(resume=checkpoint), steps=90)  # fmt: skip
    assert result.steps == 90 and not checkpoint.exists()


def test_checkpoint_of_a_network_refused(checkpoint, same_message):
    with pytest.raises(FitInterrupted):
        neuralshade.fit_image(checkpoint.with_name("a.png"), checkpoint.with_name("y.nsh"),
                              observer=interrupt_at(1), steps=30, hidden_width=8)  # fmt: skip
    message = refusal(AssetError, checkpoint.with_name("y.checkpoint.nsh"))
    same_message(message, f"{checkpoint.parent}/y.checkpoint.nsh", ".checkpoint")


BROKEN = {
    "no values": {"values": None},
    "no schedule": {"schedule": None},
    "other count": {"moments": torch.zeros(2, 8, 5)},
    "other attributes": {"values": torch.zeros(7, 30)},
    "too many": {"values": torch.zeros(8, 99), "moments": torch.zeros(2, 8, 99),
                 "ages": torch.zeros(99, dtype=torch.int64)},
    "no JSON": {"schedule": torch.zeros(9, dtype=torch.uint8)},
    "no step": {"step": torch.zeros(1)},
    "ranges without numbers": {"ranges": torch.tensor([[1.0, 0.0, 0.0, 0.0]] * 8)},
    "levels below 0": {"ranges": torch.tensor([[0.0, 1.0, -5.0, 0.0]] * 8)},
    "steps below 0": {"step": torch.tensor([-(2**63), 0, 0])},
    "a schedule of text": {"schedule": torch.tensor(list(b'{"next": "x"}'), dtype=torch.uint8)},
    "NaN in the schedule": {"schedule": torch.tensor(list(b'{"next": NaN}'), dtype=torch.uint8)},
    "other random numbers": {"schedule": torch.tensor(
        list(b'{"next": 1, "count": 5, "steps": [], "rng": {"state": 5}}'), dtype=torch.uint8)},
}  # fmt: skip


@pytest.mark.parametrize("broken", BROKEN)
def test_checkpoint_without_its_state_refused(checkpoint, broken, same_message):
    """Made by hand or by another version: the file is whole, yet not what the recipe needs."""
    kept = load_checkpoint(checkpoint, "splats")
    for name, tensor in BROKEN[broken].items():
        del kept.state[name]
        if tensor is not None:
            kept.state[name] = tensor
    save_checkpoint(checkpoint, "splats", kept)
    same_message(refusal(AssetError, checkpoint), checkpoint, "Start")
