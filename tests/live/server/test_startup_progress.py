"""live/startup_progress: what is done before there is something to show, once a second."""

import time

import pytest

from neuralshade.base import progress_scope
from neuralshade.errors import ConfigError
from neuralshade.live import startup_progress as module
from neuralshade.live.startup_progress import StartupProgress

PATIENCE_SECONDS = 60


@pytest.fixture
def clock(monkeypatch):
    """Give the seconds that have passed, in a list; of no other test's fit is anything told."""
    passed = [100.0]
    monkeypatch.setattr(
        progress_scope, "_RUNNING", []
    )  # a fit left to a thread may end after its test
    monkeypatch.setattr(progress_scope, "now", lambda: passed[0])
    monkeypatch.setattr(module, "POLL_SECONDS", 0.001)
    return passed


def until(reached):
    end = time.monotonic() + PATIENCE_SECONDS
    while not reached():
        assert time.monotonic() < end
        time.sleep(0.001)


def test_each_work_and_each_second_is_told_once(clock):
    sent = []
    startup = StartupProgress(sent.append)
    with startup.report("fit splats, jeep.jpg"):
        assert sent == [{"what": "fit splats, jeep.jpg", "doing": "", "seconds": 0}]
        with progress_scope.part(
            "compiling kernels"
        ):  # of a whole, which is told of by nobody here
            until(lambda: sent[-1]["doing"] == "compiling kernels")
            clock[0] += 20.5
            until(lambda: sent[-1]["seconds"] == 20)
        until(lambda: sent[-1]["doing"] == "")
        count = len(sent)
        time.sleep(0.05)
        assert len(sent) == count == 4
        startup.end()
        assert sent[-1] is None
    assert len(sent) == 5 and progress_scope.current_scope() is None  # that it ended is told once


def test_it_ends_with_an_error_too(clock):
    sent = []
    with pytest.raises(ConfigError), StartupProgress(sent.append).report("fit image, a.png"):
        raise ConfigError("no")
    clock[0] += 5
    time.sleep(0.05)
    assert sent[-1] is None
