"""kinds/shader/fit: members that no gradient reaches are named at the end."""

import signal

import numpy as np
import pytest
import torch

import neuralshade
from neuralshade import FitInterrupted, FitOptions
from neuralshade.kinds.shader.fit import untouched
from neuralshade.model.trainable import FREE, Member

TASK = """import neuralshade.model.trainable;
struct Task : ITask
{
    [Trainable(0.1)] [Start(0.5)] float2 used;
    [Trainable(0.1)] float3 unread;
    [Trainable(0.1)] [Size(8, 4)] Texture<float> map;
    [Trainable(0.1)] [Size(8, 4)] Texture<float> blank;
    [Differentiable] float loss(no_diff Thread thread) { return LOSS; }
}
"""
USED = "(used.x - 1) * (used.x - 1) + map.load(int2(3, 2)) * 0.5"


@pytest.fixture
def notes(tmp_path, caplog):
    """Give a function that fits a task with such a loss, and returns what was noted."""

    def notes(loss, **settings):
        path = tmp_path / "t.slang"
        path.write_text(TASK.replace("LOSS", loss))
        caplog.clear()
        neuralshade.fit_shader(path, tmp_path / "x.nsh", **{"steps": 7, "threads": "4", **settings})
        return [record.getMessage() for record in caplog.records if "gradient" in record.message]

    return notes


@pytest.mark.slow
def test_members_that_the_loss_does_not_read(notes):
    """One number of a texture with a gradient is enough."""
    assert notes(USED) == [f"{name}: no gradient reached it in 7 steps"
                           for name in ("unread", "blank")]  # fmt: skip
    everything = f"{USED} + dot(unread, unread + 1) + blank.load(int2(0, 0))"
    assert notes(everything) == []


def test_a_loss_of_no_member(notes):
    assert len(notes("1.0f")) == 4


def test_what_is_kept_on_purpose_is_not_told(notes):
    rates = {"unread.rate": 0, "blank.rate": 0}
    assert notes(USED, values=rates) == []


def test_a_gradient_that_ended_long_ago_was_one():
    """Some devices let means fade to 0: numbers that moved still tell."""
    members = [Member(name, "numbers", "float", (), first, 0.1, -FREE, FREE, 0.0)
               for first, name in enumerate("abc")]  # fmt: skip
    state = {"values": torch.tensor([1.0, 2.0, 3.0]), "moments": torch.tensor([0, 0, 1.0, 0, 0, 0])}
    assert untouched(members, np.float32([1, 1, 3]), state) == ["a"]


@pytest.mark.slow
def test_a_resumed_fit_tells_too(notes, tmp_path):
    def stop(progress):
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(FitInterrupted):
        notes(USED, steps=4000, observer=stop)
    options = FitOptions(resume=tmp_path / "x.checkpoint.nsh")
    told = notes(USED, steps=4000, options=options)
    assert [note.split(":")[0] for note in told] == ["unread", "blank"]
