"""loop, job: a fit whose loss is no number ends, and leaves its last good checkpoint as it was."""

import math
import signal

import pytest
import torch

import neuralshade
from neuralshade import ConfigError, FitInterrupted, FitOptions
from neuralshade.asset.checkpoint import load_checkpoint
from neuralshade.engine.torch_engine import TorchEngine
from neuralshade.fitting.progress import HOPELESS_CHECKS, HOPELESS_STEPS, DivergedError

FEW = {"encoding": "dense_grid:width=12,height=8", "hidden_width": 8, "warmup": 0}


def breaks_at(loop, *steps):
    """Let the loss be NaN at the looks of these steps, all of them from the last one on."""
    advance = loop.engine.advance

    def broken(factors):
        loss = advance(factors)
        step = len(loop.engine.factors)
        return math.nan if step in steps or step >= steps[-1] else loss

    loop.engine.advance = broken


def test_a_loop_ends_where_the_loss_stays_no_number(clock, loop_of, same_message):
    loop = loop_of(clock, steps=10**6, step_seconds=0.1)  # a look at every step
    breaks_at(loop, 50, 100)
    with pytest.raises(DivergedError) as caught:
        loop.run()
    assert loop.progress.step == 100 + HOPELESS_STEPS
    same_message(str(caught.value), "fit", "diverged")


def test_a_few_looks_are_not_enough_however_many_steps_they_are(clock, loop_of):
    """Between two looks lie thousands of steps of a fast fit: any but the last may be well."""
    loop = loop_of(clock, steps=10**6, step_seconds=1e-5)
    breaks_at(loop, 50_000)
    looks = []
    loop.observer = lambda p: math.isnan(p.loss) and looks.append(p.step)
    with pytest.raises(DivergedError):
        loop.run()
    assert len(looks) == HOPELESS_CHECKS - 1


def test_a_loss_that_comes_back_is_forgiven(clock, loop_of):
    loop = loop_of(clock, steps=2 * HOPELESS_STEPS, step_seconds=0.1)
    breaks_at(loop, *range(50, 50 + HOPELESS_STEPS), 10**6)
    assert loop.run()


@pytest.fixture
def broken_from(monkeypatch):
    """Return what lets every loss of PyTorch's engine be NaN from a step on."""

    def broken_from(first, spoil=lambda engine: None):
        run, done = TorchEngine.advance, []

        def advance(engine, factors):
            loss = run(engine, factors[:1])
            done.extend(factors[:1])
            if len(done) < first:
                return loss
            spoil(engine)
            return math.nan

        monkeypatch.setattr(TorchEngine, "advance", advance)
        monkeypatch.setattr("neuralshade.fitting.progress.HOPELESS_STEPS", 16)
        monkeypatch.setattr("neuralshade.fitting.loop.next_chunk", lambda chunk, seconds: 1)
        monkeypatch.setattr("neuralshade.fitting.job.AUTOSAVE_SECONDS", 0.0)

    return broken_from


def fit(tmp_path, picture, **more):
    """Fit with PyTorch, on the CPU."""
    options = FitOptions(engine="torch", device="cpu")
    return neuralshade.fit_image(picture, tmp_path / "x.nsh", steps=1000, options=options, **FEW,
                                 **more)  # fmt: skip


def test_a_fit_that_diverges_ends_with_its_last_good_checkpoint(tmp_path, save_smooth, broken_from):
    broken_from(10)
    with pytest.raises(ConfigError) as caught:
        fit(tmp_path, save_smooth())
    kept = tmp_path / "x.checkpoint.nsh"
    assert str(caught.value).startswith(
        "fit: diverged at step 10: the loss is not finite from there to step 26. Lower "
        f"rate and grid_rate. Step 9 is kept in {kept}. Go on with: neuralshade fit image "
    )
    assert load_checkpoint(kept, "image").progress["step"] == 9


def test_a_fit_without_a_checkpoint_says_so(tmp_path, save_smooth, broken_from, same_message):
    broken_from(1)
    with pytest.raises(ConfigError) as caught:
        fit(tmp_path, save_smooth())
    same_message(str(caught.value), "fit", "rate")
    assert not list(tmp_path.glob("*.nsh"))


@torch.no_grad()
def spoil(engine):
    engine.parameters[0].fill_(math.nan)


def test_an_interruption_does_not_write_over_a_good_checkpoint(tmp_path, save_smooth, broken_from):
    broken_from(10, spoil)
    with pytest.raises(FitInterrupted) as caught:
        fit(tmp_path, save_smooth(),
            observer=lambda p: p.step == 20 and signal.raise_signal(signal.SIGINT))  # fmt: skip
    kept = tmp_path / "x.checkpoint.nsh"
    assert f"interrupted at step 20: step 9 is kept in {kept}. " in str(caught.value)
    state = load_checkpoint(kept, "image").state
    assert all(values.isfinite().all() for values in state.values())
