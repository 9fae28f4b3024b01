"""kinds/image/fit: an interrupted fit goes on as if nothing had stopped it."""

import shlex
import signal

import numpy as np
import pytest
import torch

import neuralshade
from neuralshade import FitInterrupted, FitOptions
from neuralshade.asset.checkpoint import load_checkpoint, save_checkpoint
from neuralshade.errors import AssetError, ConfigError, PictureError
from neuralshade.kinds.image import fit as fit_image

STEPS = 40


def interrupt_at(step, number=signal.SIGINT):
    """Return an observer that interrupts the fit once it has made ``step`` steps."""
    return lambda p: p.step >= step and signal.raise_signal(number)


def interrupted(picture, output, settings, step=10, **options):
    """Fit until ``step``, and return the message of the interruption."""
    with pytest.raises(FitInterrupted) as caught:
        neuralshade.fit_image(picture, output, observer=interrupt_at(step),
                              options=FitOptions(**options), **settings)  # fmt: skip
    assert "\n" not in str(caught.value)
    return str(caught.value)


def tensors(path):
    return neuralshade.load(path).tensors


def assert_equal_tensors(one, two):
    assert one.keys() == two.keys()
    for name, value in one.items():
        assert value.dtype == two[name].dtype and value.tobytes() == two[name].tobytes(), name


def pressed(*given, **named):
    raise KeyboardInterrupt


@pytest.mark.parametrize("place", [
    "neuralshade.fitting.loop.Loop._close", "neuralshade.kinds.image.fit.save_asset",
])  # fmt: skip
def test_interrupted_after_the_last_step(tmp_path, save_smooth, monkeypatch, place):
    """While it is measured or written: what was trained is kept, and gone on with at once."""
    picture, out = save_smooth(), tmp_path / "out.nsh"
    settings = {"preset": "tiny-9", "steps": STEPS}
    with monkeypatch.context() as patched:
        patched.setattr(place, pressed)
        with pytest.raises(FitInterrupted) as caught:
            neuralshade.fit_image(picture, out, **settings)
    checkpoint = tmp_path / "out.checkpoint.nsh"
    assert str(caught.value) == (
        f"interrupted after step {STEPS}: the fit is kept in {checkpoint}. Go on with: neuralshade "
        f"fit image {picture} -o {out} --resume {checkpoint}"
    )
    neuralshade.fit_image(picture, out, options=FitOptions(resume=checkpoint))
    neuralshade.fit_image(picture, tmp_path / "whole.nsh", **settings)
    assert_equal_tensors(tensors(out), tensors(tmp_path / "whole.nsh"))


def test_interrupted_while_a_report_is_written(tmp_path, save_smooth, monkeypatch):
    monkeypatch.setattr("neuralshade.fitting.job.Job.write_report", pressed)
    picture, out, page = save_smooth(), tmp_path / "out.nsh", tmp_path / "a page.html"
    with pytest.raises(FitInterrupted) as caught:
        neuralshade.fit_image(picture, out, preset="tiny-9", steps=STEPS,
                              options=FitOptions(report=page))  # fmt: skip
    assert str(caught.value) == (
        f"interrupted after step {STEPS}: {out} is written, its report is not. That is made by: "
        f"neuralshade report {out} {picture} -o '{page}'"
    )
    assert not (tmp_path / "out.checkpoint.nsh").exists()


KINDS = {
    "grid": {"preset": "grid"},
    "lake": {"preset": "lake", "batch": 512},
    "rtxns": {"preset": "rtxns", "batch": 64},
    "average": {"average": 0.9, "schedule": "exponential", "grid_bits": 32, "network_bits": 32},
    "hash": {"encoding": "hash_grid:levels=3,log2_entries=6,finest=32", "sampling": "pixels",
             "batch": 300},
    "float16": {"precision": "float16", "batch": 64},
}  # fmt: skip


MORE = ("grid", "lake", "float16")  # seconds each
EACH = [pytest.param(kind, marks=pytest.mark.slow) if kind in MORE else kind for kind in KINDS]


@pytest.mark.parametrize("kind", EACH)
def test_resumed_equals_uninterrupted_bit_for_bit(tmp_path, save_smooth, kind):
    picture, settings = save_smooth(), KINDS[kind] | {"steps": STEPS, "seed": 3}
    whole = neuralshade.fit_image(picture, tmp_path / "whole.nsh", **settings)
    interrupted(picture, tmp_path / "parted.nsh", settings)
    options = FitOptions(resume=tmp_path / "parted.checkpoint.nsh")
    parted = neuralshade.fit_image(picture, tmp_path / "parted.nsh", options=options)
    assert (parted.steps, parted.psnr_db) == (STEPS, whole.psnr_db)
    assert_equal_tensors(tensors(tmp_path / "whole.nsh"), tensors(tmp_path / "parted.nsh"))
    assert parted.skipped_steps == whole.skipped_steps


def test_interrupted_twice(tmp_path, save_smooth, few):
    picture, output = save_smooth(), tmp_path / "x.nsh"
    neuralshade.fit_image(picture, tmp_path / "whole.nsh", **few)
    interrupted(picture, output, few, 8)
    interrupted(picture, output, {}, 20, resume=tmp_path / "x.checkpoint.nsh")
    options = FitOptions(resume=tmp_path / "x.checkpoint.nsh")
    neuralshade.fit_image(picture, output, options=options)
    assert_equal_tensors(tensors(tmp_path / "whole.nsh"), tensors(output))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interruption_leaves_a_checkpoint_and_no_asset(tmp_path, save_smooth, few, number):
    with pytest.raises(FitInterrupted):
        neuralshade.fit_image(save_smooth(), tmp_path / "x.nsh", observer=interrupt_at(5, number),
                              options=FitOptions(report=tmp_path / "x.html"), **few)  # fmt: skip
    assert {p.name for p in tmp_path.iterdir()} == {"a.png", "x.checkpoint.nsh"}
    checkpoint = load_checkpoint(tmp_path / "x.checkpoint.nsh", "image")
    assert checkpoint.progress["step"] >= 5
    assert checkpoint.source["name"] == "a.png"


def test_an_older_asset_survives_an_interruption(tmp_path, save_smooth, few):
    neuralshade.fit_image(save_smooth(), tmp_path / "x.nsh", **few)
    older = (tmp_path / "x.nsh").read_bytes()
    interrupted(save_smooth(), tmp_path / "x.nsh", few)
    assert (tmp_path / "x.nsh").read_bytes() == older


def test_message_is_a_command_that_can_be_pasted(tmp_path, save_smooth, few):
    picture, output = save_smooth("my photo.png"), tmp_path / "out put.nsh"
    message = interrupted(picture, output, few, device="cpu", report=tmp_path / "r.html")
    step = load_checkpoint(tmp_path / "out put.checkpoint.nsh", "image").progress["step"]
    assert message == (
        f"interrupted at step {step}: the fit is kept in {tmp_path}/out put.checkpoint.nsh. "
        f"Go on with: neuralshade fit image '{picture}' -o '{output}' --device cpu "
        f"--report {tmp_path}/r.html --resume '{tmp_path}/out put.checkpoint.nsh'"
    )
    assert shlex.split(message.partition("Go on with: ")[2])[3] == str(picture)


def test_names_that_look_like_flags_can_be_pasted(tmp_path, save_smooth, few, monkeypatch):
    save_smooth("-a.png")
    monkeypatch.chdir(tmp_path)
    message = interrupted("-a.png", None, few, report="-r.html")
    assert message.partition("Go on with: ")[2] == (
        "neuralshade fit image ./-a.png -o ./-a.nsh --report ./-r.html --resume ./-a.checkpoint.nsh"
    )


def test_message_for_a_picture_in_memory(tmp_path, few):
    picture = neuralshade.picture_from_array(np.zeros((4, 5, 3), np.uint8))
    message = interrupted(picture, tmp_path / "x.nsh", few)
    assert message.endswith(
        f"Go on with: fit_image(picture, options=FitOptions(resume='{tmp_path}/x.checkpoint.nsh'))"
    )


def test_interrupted_before_the_first_step(tmp_path, save_smooth, few, monkeypatch):
    """There is no loss yet, and JSON has no NaN to say so."""
    monkeypatch.setattr(fit_image.Loop, "run", lambda self: False)
    picture, output = save_smooth(), tmp_path / "x.nsh"
    with pytest.raises(FitInterrupted, match="interrupted at step 0: "):
        neuralshade.fit_image(picture, output, **few)
    monkeypatch.undo()
    neuralshade.fit_image(picture, tmp_path / "whole.nsh", **few)
    options = FitOptions(resume=tmp_path / "x.checkpoint.nsh")
    neuralshade.fit_image(picture, output, options=options)
    assert_equal_tensors(tensors(tmp_path / "whole.nsh"), tensors(output))


def test_seconds_go_on_counting(tmp_path, save_smooth, few):
    picture, path = save_smooth(), tmp_path / "x.checkpoint.nsh"
    interrupted(picture, tmp_path / "x.nsh", few | {"steps": None, "seconds": 20.0}, step=1)
    checkpoint, seen = load_checkpoint(path, "image"), []
    checkpoint.progress["seconds"] = 19.9  # as if it had been interrupted then
    save_checkpoint(path, "image", checkpoint)
    result = neuralshade.fit_image(picture, tmp_path / "x.nsh", options=FitOptions(resume=path),
                                   observer=lambda p: seen.append(p.seconds))  # fmt: skip
    # it ends before a step that would exceed the 20 s: a busy machine has long ones
    assert seen[0] > 19.9 and result.seconds == seen[-1] >= seen[0]


@pytest.fixture
def checkpoint(tmp_path, save_smooth, few):
    """Give the checkpoint of an interrupted fit of a.png."""
    interrupted(save_smooth(), tmp_path / "x.nsh", few)
    return tmp_path / "x.checkpoint.nsh"


def refusal(kind, checkpoint, picture=None, **settings):
    folder = checkpoint.parent
    with pytest.raises(kind) as caught:
        neuralshade.fit_image(picture or folder / "a.png", folder / "x.nsh",
                              options=FitOptions(resume=checkpoint), **settings)  # fmt: skip
    assert "\n" not in str(caught.value) and not (folder / "x.nsh").exists()
    return str(caught.value)


def test_other_picture_refused(checkpoint, save_smooth, same_message):
    other = save_smooth("b.png", height=25)
    same_message(refusal(ConfigError, checkpoint, other), checkpoint, "Resume")


def test_same_picture_of_another_name_is_fine(checkpoint, save_smooth):
    options = FitOptions(resume=checkpoint)
    copy = save_smooth("copy.png")
    assert neuralshade.fit_image(copy, checkpoint.parent / "x.nsh", options=options).steps == 30


@pytest.mark.parametrize("name, value, kept, flag", [
    ("hidden_width", 16, "8", "hidden-width"),
    ("loss", "l1", "'l2'", "loss"),
    ("seed", 3, "0", "seed"),
])  # fmt: skip
def test_conflicting_setting_refused(checkpoint, name, value, kept, flag):
    assert refusal(ConfigError, checkpoint, **{name: value}) == (
        f"{checkpoint}: got {name}={value!r}, need {kept} as the fit was started with. "
        f"Leave --{flag} out."
    )


def test_conflicting_preset_refused(checkpoint):
    message = refusal(ConfigError, checkpoint, preset="rtxns")
    assert message.startswith(f"{checkpoint}: got encoding='frequency:octaves=3', need ")
    assert message.endswith(" as the fit was started with. Leave --preset out.")


def test_unknown_setting_refused(checkpoint):
    message = refusal(ConfigError, checkpoint, hiden_width=8)
    assert message.startswith("ImageRecipe.hiden_width: unknown setting. Did you mean hidden_width")


def test_repeating_the_first_command_is_fine(checkpoint, few):
    """Flags may be given as they were: the encoding there has not all its numbers."""
    options, output = FitOptions(resume=checkpoint), checkpoint.parent / "x.nsh"
    picture = output.with_name("a.png")
    kept = checkpoint.read_bytes()
    again = neuralshade.fit_image(picture, output, preset="grid", options=options, **few)
    checkpoint.write_bytes(kept)
    del few["steps"]
    without = neuralshade.fit_image(picture, output, preset="grid", options=options, **few)
    assert again.steps == without.steps == 30


def test_missing_picture_refused_first(checkpoint, tmp_path):
    absent = tmp_path / "absent.png"
    assert refusal(PictureError, checkpoint, absent) == (
        f"{absent}: got no such file, need a picture. Check the path."
    )


def test_damaged_checkpoint_refused(checkpoint, same_message):
    data = bytearray(checkpoint.read_bytes())
    data[len(data) // 2] ^= 16
    checkpoint.write_bytes(data)
    same_message(refusal(AssetError, checkpoint), checkpoint, "Copy")


@pytest.mark.parametrize("state", [{}, {"field.network.layers.0.weight": torch.zeros(3, 4)}])
def test_checkpoint_without_its_state_refused(checkpoint, state, same_message):
    """Made by hand or by another version: the file is whole, yet not what the recipe needs."""
    kept = load_checkpoint(checkpoint, "image")
    del kept.state["field.network.layers.0.weight"]
    kept.state.update(state)
    save_checkpoint(checkpoint, "image", kept)
    same_message(refusal(AssetError, checkpoint), checkpoint, "Start")
