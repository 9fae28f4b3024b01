"""gpu/clock and speed/timing: GPU timestamps around a trainer's own submissions, and wall times."""

import time
from types import SimpleNamespace

import numpy as np
import pytest

from neuralshade.engine.kernels.infer.infer import INFER_THREADS
from neuralshade.gpu.clock import GpuClock, Patience
from neuralshade.kinds.image.build import build_gpu_engine
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.source.picture import picture_from_array
from neuralshade.speed.timing import (
    clocked,
    gpu_inference_seconds,
    gpu_step_seconds,
    wall_seconds,
)

ONCE = Patience(0.0, 1)


@pytest.fixture
def trainer(gpu):
    """Give a trainer whose steps take about a millisecond in software."""
    recipe = ImageRecipe(encoding="identity", hidden_layers=1, hidden_width=8, batch=64,
                         sampling="positions", steps=1, seconds=None, loss="l2")  # fmt: skip
    picture = picture_from_array(np.full((5, 7, 3), 100, np.uint8))
    return build_gpu_engine(recipe, picture, gpu, "fma", False).trainer


def test_a_clock_adds_up_submissions_and_lies_within_wall_time(trainer):
    trainer.advance([0.1])  # compiles
    with clocked(trainer) as clock:
        start = time.perf_counter()
        for _ in range(3):
            trainer.advance([0.1] * 8)
        taken = clock.read()
        assert 0.0 < taken < time.perf_counter() - start
        assert clock.read() == 0.0
        trainer.advance([0.1])
        assert 0.0 < clock.read() < taken


def test_a_reading_is_the_sum_of_end_minus_begin():
    written = []
    times = np.array([1.0, 2.0, 5.0, 9.5])
    stamps = SimpleNamespace(seconds=lambda count: times[:count])
    commands = SimpleNamespace(
        stamp=lambda stamps, index: written.append(index), submit=lambda: written.append("sent")
    )
    gpu = SimpleNamespace(stamps=lambda count: stamps, wait=lambda: None,
                          commands=lambda: commands, name="name")  # fmt: skip
    clock = GpuClock(gpu)
    clock.commands().submit()
    clock.commands().submit()
    assert written == [0, 1, "sent", 2, 3, "sent"]
    assert (clock.read(), clock.name) == (1.0 + 4.5, "name")
    clock.commands().submit()
    assert written[6:] == [0, 1, "sent"]
    assert clock.read() == 1.0


def test_the_device_is_the_trainer_s_own_again_even_after_an_error(trainer, gpu):
    def fail():
        with clocked(trainer):
            assert isinstance(trainer.queue.gpu, GpuClock)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert trainer.queue.gpu is gpu


def test_timed_steps_are_real_ones(trainer):
    assert gpu_step_seconds(trainer, ONCE) > 0.0
    assert trainer.state_now.step == 3  # one compiles, one warms up, one counts


def test_more_steps_go_into_a_reading_while_warming_up(trainer, monkeypatch):
    asked, ends = [], [time.perf_counter()]
    advance = trainer.advance

    def counted(factors):
        asked.append(len(factors))
        loss = advance(factors)
        ends.append(time.perf_counter())
        return loss

    monkeypatch.setattr(trainer, "advance", counted)
    # never reached: counts only grow
    monkeypatch.setattr("neuralshade.gpu.clock.CALL_SECONDS", 10.0)
    taken = gpu_step_seconds(trainer, Patience(0.1, 1))
    assert asked[:3] == [1, 1, 2]
    assert asked[-1] == max(asked)
    assert trainer.state_now.step == sum(asked)
    assert 0.0 < taken * asked[-1] < ends[-1] - ends[-2]


def test_inference_times_the_evaluation_of_every_position(trainer, monkeypatch):
    prepared = []
    steps = trainer.gpu.steps
    monkeypatch.setattr(
        trainer.gpu, "steps", lambda dispatches: prepared.append(dispatches) or steps(dispatches)
    )
    uv = np.full((3 * INFER_THREADS + 1, 2), 0.5, np.float32)
    assert gpu_inference_seconds(trainer, uv, ONCE) > 0.0
    assert [groups for ((_, groups),) in prepared] == [4]
    assert trainer.state_now.step == 0


def test_wall_time_is_the_median_after_warming_up():
    naps = iter([0.05, 0.0, 0.02, 0.0])  # the first one warms up
    taken = wall_seconds(lambda: time.sleep(next(naps)), Patience(0.0, 3))
    assert taken < 0.01
    assert list(naps) == []
