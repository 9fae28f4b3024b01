"""gpu/patience: a device is waited for, but not for good where the process was asked to end."""

import pytest

from neuralshade.base.interrupt import Interruption
from neuralshade.gpu import patience
from neuralshade.gpu.patience import StuckError, is_stuck, wait_until


@pytest.fixture
def fresh(monkeypatch):
    """Forget devices that were given up, here and at the end of this process."""
    monkeypatch.setattr(patience, "_stuck", [])
    ends = []
    monkeypatch.setattr(patience.atexit, "register", lambda *given: ends.append(given))
    return ends


def test_it_is_asked_until_it_is_done(fresh):
    answers = [False] * 50 + [True]
    wait_until(lambda: answers.pop(0), "a")
    assert answers == [] and not is_stuck("a") and fresh == []


def test_errors_pass(fresh):
    def failed():
        raise RuntimeError("lost")

    with pytest.raises(RuntimeError, match="lost"):
        wait_until(failed, "a")


def test_a_request_to_end_gives_it_up_after_a_grace(fresh, monkeypatch):
    asked = []
    with Interruption() as interruption:
        interruption._request(2, None)
        monkeypatch.setattr(patience, "GRACE_SECONDS", 0.05)
        with pytest.raises(StuckError, match="got work on a that does not end"):
            wait_until(lambda: asked.append(1), "a")
    assert len(asked) > 1 and is_stuck("a") and not is_stuck("b")
    assert len(fresh) == 1  # the process ends without waiting for it
    with pytest.raises(StuckError):  # never asked again
        wait_until(lambda: True, "a")
    assert len(fresh) == 1


def test_a_request_that_is_over_says_nothing(fresh, monkeypatch):
    monkeypatch.setattr(patience, "GRACE_SECONDS", 0.0)
    with Interruption() as interruption:
        interruption._request(2, None)
    answers = [False, False, True]
    wait_until(lambda: answers.pop(0), "a")
