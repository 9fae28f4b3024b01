"""A resumed fit may end later than it was started to; its own checkpoint goes when it ends."""

import signal
from dataclasses import replace

import pytest

import neuralshade
from neuralshade import FitInterrupted, FitOptions
from neuralshade.asset.checkpoint import load_checkpoint, save_checkpoint
from neuralshade.errors import ConfigError


def interrupted(picture, output, **settings):
    """Fit until step 10."""
    with pytest.raises(FitInterrupted):
        neuralshade.fit_image(
            picture, output, **settings,
            observer=lambda p: p.step >= 10 and signal.raise_signal(signal.SIGINT),
        )  # fmt: skip


@pytest.fixture
def checkpoint(tmp_path, save_smooth, few):
    """Give the checkpoint of an interrupted fit of a.png."""
    interrupted(save_smooth(), tmp_path / "x.nsh", **few)
    return tmp_path / "x.checkpoint.nsh"


def pressed(*given, **named):
    raise KeyboardInterrupt


@pytest.mark.parametrize("ends, steps", [
    ({"steps": 50}, 50), ({"seconds": 60, "steps": 45}, 45), ({"target_psnr": 50.0}, 30),
])  # fmt: skip
def test_ends_may_be_set_anew(checkpoint, ends, steps):
    options, out = FitOptions(resume=checkpoint), checkpoint.parent / "x.nsh"
    result = neuralshade.fit_image(checkpoint.parent / "a.png", out, options=options, **ends)
    recipe = neuralshade.load(out).recipe
    assert result.steps == steps and {name: getattr(recipe, name) for name in ends} == ends


def test_seconds_replace_steps_and_a_plateau(tmp_path, save_smooth, few):
    """The clock of a fit runs on from that of its first part."""
    few = {name: value for name, value in few.items() if name != "steps"}
    interrupted(save_smooth(), tmp_path / "x.nsh", **few, steps=10**6, until="plateau")
    options = FitOptions(resume=tmp_path / "x.checkpoint.nsh")
    result = neuralshade.fit_image(tmp_path / "a.png", tmp_path / "x.nsh", options=options,
                                   seconds=0.9)  # fmt: skip
    recipe = neuralshade.load(tmp_path / "x.nsh").recipe
    assert (recipe.steps, recipe.seconds, recipe.until) == (None, 0.9, "end")
    # it ends where the next steps, of which a slow machine takes long, would pass the limit
    assert result.seconds > 0.45 and 10 < result.steps < 10**6


@pytest.mark.parametrize("name, value, told, more", [
    ("steps", 8, "8", "31"), ("seconds", 20.0, "20", "46"),
])  # fmt: skip
def test_ends_that_a_fit_is_past_are_refused(checkpoint, name, value, told, more):
    kept = load_checkpoint(checkpoint, "image")
    done = {**kept.progress, "step": 23, "seconds": 25.5}
    save_checkpoint(checkpoint, "image", replace(kept, progress=done))
    had = done["step" if name == "steps" else name]
    with pytest.raises(ConfigError) as caught:
        neuralshade.fit_image(checkpoint.parent / "a.png", checkpoint.parent / "x.nsh",
                              options=FitOptions(resume=checkpoint), **{name: value})  # fmt: skip
    assert str(caught.value) == (
        f"{checkpoint}: got {name}={told}, need more than {had}: ends count from the fit's first "
        f"step on. For {told} more give --{name} {more}."
    )


def test_a_fit_that_had_its_end_is_lengthened(tmp_path, save_smooth, few, monkeypatch):
    """It was interrupted after its last step."""
    with monkeypatch.context() as patched:
        patched.setattr("neuralshade.kinds.image.fit.save_asset", pressed)
        with pytest.raises(FitInterrupted):
            neuralshade.fit_image(save_smooth(), tmp_path / "x.nsh", **few)
    options = FitOptions(resume=tmp_path / "x.checkpoint.nsh")
    result = neuralshade.fit_image(tmp_path / "a.png", tmp_path / "x.nsh", options=options,
                                   steps=40)  # fmt: skip
    assert result.steps == 40


def test_its_own_checkpoint_is_removed_when_the_asset_is_there(checkpoint):
    copy = checkpoint.with_name("copy.checkpoint.nsh")
    copy.write_bytes(checkpoint.read_bytes())
    for place, left in [(copy, True), (checkpoint, False)]:
        neuralshade.fit_image(checkpoint.parent / "a.png", checkpoint.parent / "x.nsh",
                              options=FitOptions(resume=place))  # fmt: skip
        assert copy.exists() and checkpoint.exists() == left
