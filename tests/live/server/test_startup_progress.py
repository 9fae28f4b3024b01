"""live/startup_progress: what is done before there is something to show, once a second."""

import time

import pytest

from neuralshade.base import work
from neuralshade.errors import ConfigError
from neuralshade.live import startup_progress as module
from neuralshade.live.startup_progress import Preparing

PATIENCE_SECONDS = 60


@pytest.fixture
def clock(monkeypatch):
    """Give the seconds that have passed, in a list; of no other test's fit is anything told."""
    passed = [100.0]
    monkeypatch.setattr(work, "_RUNNING", [])  # a fit left to a thread may end after its test
    monkeypatch.setattr(work, "now", lambda: passed[0])
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.001)
    return passed


def until(reached):
    end = time.monotonic() + PATIENCE_SECONDS
    while not reached():
        assert time.monotonic() < end
        time.sleep(0.001)


def test_each_work_and_each_second_is_told_once(clock):
    said = []
    preparing = Preparing(said.append)
    with preparing.told("fit splats, jeep.jpg"):
        assert said == [{"what": "fit splats, jeep.jpg", "doing": "", "seconds": 0}]
        with work.part("compiling kernels"):  # of a whole, which is told of by nobody here
            until(lambda: said[-1]["doing"] == "compiling kernels")
            clock[0] += 20.5
            until(lambda: said[-1]["seconds"] == 20)
        until(lambda: said[-1]["doing"] == "")
        count = len(said)
        time.sleep(0.05)
        assert len(said) == count == 4
        preparing.end()
        assert said[-1] is None
    assert len(said) == 5 and work.current() is None  # that it ended is told once


def test_it_ends_with_an_error_too(clock):
    said = []
    with pytest.raises(ConfigError), Preparing(said.append).told("fit image, a.png"):
        raise ConfigError("no")
    clock[0] += 5
    time.sleep(0.05)
    assert said[-1] is None
