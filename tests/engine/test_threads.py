"""engine/threads: the faster number of threads is found, tried again, and can be held."""

import time

import pytest
import torch

from neuralshade.engine import threads
from neuralshade.engine.threads import PROBE_STEPS, Threads

SLOW_SECONDS = 0.01


class Step:
    """A step that is slow with ``slow`` threads, and remembers how many it was given."""

    def __init__(self, slow: int):
        self.slow, self.given = slow, []

    def __call__(self) -> None:
        self.given.append(torch.get_num_threads())
        if self.given[-1] == self.slow:
            time.sleep(SLOW_SECONDS)


@pytest.mark.parametrize("slow, fast", [(2, 1), (1, 2)])
def test_both_counts_are_tried_and_the_faster_is_kept(slow, fast, monkeypatch):
    monkeypatch.setattr(threads, "FIRST_WAIT", 1000.0)
    monkeypatch.setattr(threads, "LONGEST_WAIT", 1000.0)
    before = torch.get_num_threads()
    chosen, step = Threads(2), Step(slow)
    chosen.run(2 * PROBE_STEPS + 40, step)
    assert len(step.given) == 2 * PROBE_STEPS + 40
    assert step.given[: 2 * PROBE_STEPS] == [2] * PROBE_STEPS + [1] * PROBE_STEPS
    assert step.given.count(slow) <= 2 * PROBE_STEPS  # tried once more at most
    assert chosen.count == fast
    assert torch.get_num_threads() == before


def test_the_other_count_is_tried_again_when_its_time_has_come(monkeypatch):
    monkeypatch.setattr(threads, "FIRST_WAIT", 0.0)
    monkeypatch.setattr(threads, "LONGEST_WAIT", 0.0)
    chosen, step = Threads(2), Step(slow=2)
    chosen.run(3 * PROBE_STEPS, step)
    assert chosen.count == 1
    step.slow = 1  # the rest of the machine changes its mind
    for _ in range(4):
        chosen.run(PROBE_STEPS, step)
    assert chosen.count == 2


def test_a_count_that_is_held_is_never_left():
    chosen, step = Threads(2), Step(slow=1)
    chosen.hold(1)
    chosen.run(10, step)
    assert step.given == [1] * 10


def test_one_core_has_nothing_to_choose():
    chosen, step = Threads(1), Step(slow=2)
    assert chosen.held
    chosen.run(4, step)
    assert step.given == [1] * 4


@pytest.mark.parametrize("steps", [0, 1, PROBE_STEPS, PROBE_STEPS + 1])
def test_just_so_many_steps_run(steps):
    step = Step(slow=2)
    Threads(2).run(steps, step)
    assert len(step.given) == steps


def test_an_interrupted_step_gives_the_number_of_threads_back():
    def step() -> None:
        raise KeyboardInterrupt

    before = torch.get_num_threads()
    with pytest.raises(KeyboardInterrupt):
        Threads(before + 1).run(1, step)
    assert torch.get_num_threads() == before


def test_many_cores_try_a_few_threads_as_well(monkeypatch):
    monkeypatch.setattr(threads, "FIRST_WAIT", 0.0)
    monkeypatch.setattr(threads, "LONGEST_WAIT", 0.0)
    given: list[int] = []
    monkeypatch.setattr(torch, "set_num_threads", given.append)
    chosen = Threads(16)
    for _ in range(12):
        chosen.run(PROBE_STEPS, lambda: time.sleep(0.0 if given[-1] == 4 else SLOW_SECONDS))
    assert chosen.count == 4
    assert set(given) >= {16, 4, 1}
