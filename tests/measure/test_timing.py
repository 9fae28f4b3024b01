"""measure/timing: GPU timestamps around an engine's own submissions, and wall times."""

import time
from types import SimpleNamespace

import numpy as np
import pytest

from neuralshade.engine.infer import INFER_THREADS
from neuralshade.gpu.kernel import Kernel
from neuralshade.measure import timing
from neuralshade.measure.timing import (
    GpuClock,
    Patience,
    clocked,
    gpu_inference_seconds,
    gpu_step_seconds,
    wall_seconds,
)
from neuralshade.recipes.image import ImageRecipe
from neuralshade.recipes.image_build import build_gpu_engine
from neuralshade.source.picture import picture_from_array

ONCE = Patience(0.0, 1)


@pytest.fixture
def engine(device):
    """Give an engine whose steps take about a millisecond in software."""
    recipe = ImageRecipe(encoding="identity", hidden_layers=1, hidden_width=8, batch=64,
                         sampling="positions", steps=1, seconds=None, loss="l2")  # fmt: skip
    picture = picture_from_array(np.full((5, 7, 3), 100, np.uint8))
    return build_gpu_engine(recipe, picture, device, "fma", False)


def test_a_clock_adds_up_submissions_and_lies_within_wall_time(engine):
    engine.advance([0.1])  # compiles
    with clocked(engine) as clock:
        start = time.perf_counter()
        for _ in range(3):
            engine.advance([0.1] * 8)
        taken = clock.read()
        assert 0.0 < taken < time.perf_counter() - start
        assert clock.read() == 0.0
        engine.advance([0.1])
        assert 0.0 < clock.read() < taken


@pytest.mark.usefixtures("device")  # slangpy is there
def test_a_reading_is_the_sum_of_end_minus_begin():
    written = []
    pool = SimpleNamespace(
        reset=written.clear,
        get_timestamp_results=lambda first, count: [1.0, 2.0, 5.0, 9.5][:count],
    )
    encoder = SimpleNamespace(
        write_timestamp=lambda pool, index: written.append(index), finish=lambda: "commands"
    )
    device = SimpleNamespace(create_query_pool=lambda type, count: pool, wait=lambda: None,
                             create_command_encoder=lambda: encoder, info="info")  # fmt: skip
    clock = GpuClock(device)
    assert clock.create_command_encoder().finish() == "commands"
    clock.create_command_encoder().finish()
    assert written == [0, 1, 2, 3]
    assert (clock.read(), clock.info, written) == (1.0 + 4.5, "info", [])
    clock.create_command_encoder().finish()
    assert written == [0, 1]
    assert clock.read() == 1.0


def test_the_device_is_the_engine_s_own_again_even_after_an_error(engine, device):
    def fail():
        with clocked(engine):
            assert isinstance(engine.gpu, GpuClock)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert engine.gpu is device


def test_timed_steps_are_real_ones(engine):
    assert gpu_step_seconds(engine, ONCE) > 0.0
    assert engine.state_now.step == 3  # one compiles, one warms up, one counts


def test_more_steps_go_into_a_reading_while_warming_up(engine, monkeypatch):
    asked, ends = [], [time.perf_counter()]
    advance = engine.advance

    def counted(factors):
        asked.append(len(factors))
        loss = advance(factors)
        ends.append(time.perf_counter())
        return loss

    monkeypatch.setattr(engine, "advance", counted)
    monkeypatch.setattr(timing, "CALL_SECONDS", 10.0)  # never reached: counts only grow
    taken = gpu_step_seconds(engine, Patience(0.1, 1))
    assert asked[:3] == [1, 1, 2]
    assert asked[-1] == max(asked)
    assert engine.state_now.step == sum(asked)
    assert 0.0 < taken * asked[-1] < ends[-1] - ends[-2]


def test_inference_times_the_evaluation_of_every_position(engine, monkeypatch):
    recorded = []
    record = Kernel.record
    monkeypatch.setattr(Kernel, "record", lambda kernel, into, groups: (
        recorded.append(list(groups)), record(kernel, into, groups)))  # fmt: skip
    uv = np.full((3 * INFER_THREADS + 1, 2), 0.5, np.float32)
    assert gpu_inference_seconds(engine, uv, ONCE) > 0.0
    assert recorded.count([4]) == 3  # one compiles, one warms up, one counts
    assert engine.state_now.step == 0


def test_wall_time_is_the_median_after_warming_up():
    naps = iter([0.05, 0.0, 0.02, 0.0])  # the first one warms up
    taken = wall_seconds(lambda: time.sleep(next(naps)), Patience(0.0, 3))
    assert taken < 0.01
    assert list(naps) == []
