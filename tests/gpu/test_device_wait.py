"""gpu/device_wait: a device is waited for, but not for good where the process was asked to end."""

from types import SimpleNamespace

import pytest

from neuralshade.base.interrupt import Interruption
from neuralshade.gpu import device_wait
from neuralshade.gpu.device_wait import StuckError, is_stuck, wait_until
from neuralshade.gpu.slangpy_gpu import SlangpyCommands, SlangpyGpu


@pytest.fixture
def fresh(monkeypatch):
    """Forget devices that were given up, here and at the end of this process."""
    monkeypatch.setattr(device_wait, "_stuck", set())
    monkeypatch.setattr(device_wait, "_busy", set())
    monkeypatch.setattr(device_wait, "_longest", {})
    ends = []
    monkeypatch.setattr(device_wait.atexit, "register", lambda *given: ends.append(given))
    monkeypatch.setattr(device_wait.atexit, "unregister", lambda end: None)
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
        monkeypatch.setattr(device_wait, "GRACE_SECONDS", 0.05)
        with pytest.raises(StuckError, match="got work on a that does not end"):
            wait_until(lambda: asked.append(1), "a")
    assert len(asked) > 1 and is_stuck("a") and not is_stuck("b")
    assert len(fresh) == 1  # the process ends without waiting for it
    with pytest.raises(StuckError):  # never asked again
        wait_until(lambda: True, "a")
    assert len(fresh) == 1


def test_a_device_whose_work_takes_long_is_given_longer(fresh, monkeypatch):
    """Twice as long as the longest that ended."""
    now = [0.0]
    monkeypatch.setattr(device_wait.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(device_wait.time, "sleep", lambda seconds: None)
    asked = []
    monkeypatch.setattr(device_wait, "seconds_since_request", lambda: asked[-1])

    def done_after(seconds):
        def is_done():
            now[0] += 0.25
            asked.append(now[0] - begin)
            return now[0] - begin >= seconds

        begin = now[0]
        return is_done

    for longest, given in ((1.0, 2.0), (4.0, 8.0), (40.0, 30.0)):
        with monkeypatch.context() as patch:
            patch.setattr(device_wait, "seconds_since_request", lambda: 0.0)
            wait_until(done_after(longest), "a")
        wait_until(done_after(given - 0.25), "a")
    with pytest.raises(StuckError):
        wait_until(done_after(31), "a")
    with pytest.raises(StuckError):
        wait_until(done_after(2), "b")
    wait_until(done_after(9), "c", software=True)  # whose cores others may have
    with pytest.raises(StuckError):
        wait_until(done_after(11), "d", software=True)


def test_a_device_that_ctrl_c_left_with_work_is_not_waited_for_until_that_is_done(
    fresh, monkeypatch
):
    def pressed(seconds):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(device_wait.time, "sleep", pressed)
        with pytest.raises(KeyboardInterrupt):
            wait_until(lambda: False, "a", software=True)
    assert is_stuck("a") and len(fresh) == 1
    wait_until(lambda: True, "a")  # as in a notebook, where the process goes on
    assert not is_stuck("a")


def test_a_ctrl_c_is_heeded_wherever_it_comes_while_a_device_works(fresh):
    """Not in naps alone: while it is asked, and where software compiles what is sent to it."""

    def pressed(*given):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        wait_until(pressed, "asked")
    assert is_stuck("asked")
    device = SimpleNamespace(submit_command_buffer=pressed)
    encoder = SimpleNamespace(finish=lambda: None)
    device.create_command_encoder = lambda: encoder
    commands = SlangpyCommands(SimpleNamespace(name="sent to", device=device))
    with pytest.raises(KeyboardInterrupt):
        commands.submit()
    assert is_stuck("sent to") and len(fresh) == 1


def test_a_request_that_is_over_says_nothing(fresh, monkeypatch):
    monkeypatch.setattr(device_wait, "GRACE_SECONDS", 0.0)
    with Interruption() as interruption:
        interruption._request(2, None)
    answers = [False, False, True]
    wait_until(lambda: answers.pop(0), "a")


@pytest.mark.parametrize("answers, closed", [([True], 1), ([False, False, True], 1), ([False], 0)])
def test_closing_waits_for_no_work_that_does_not_end(fresh, monkeypatch, answers, closed):
    """A signal between sending work and waiting for it once hung in the device's own closing."""
    monkeypatch.setattr(device_wait, "GRACE_SECONDS", 0.05)
    done = []
    device = SimpleNamespace(
        is_submit_finished=lambda last: answers.pop(0) if len(answers) > 1 else answers[0],
        close=lambda: done.append(1),
    )
    gpu = SlangpyGpu.__new__(SlangpyGpu)
    gpu.device, gpu.owned, gpu.name, gpu.last_sent = device, True, "a", 7
    gpu.close()
    assert len(done) == closed and is_stuck("a") != bool(closed)
    assert len(fresh) == (0 if closed else 1)


def test_a_lost_device_is_closed(fresh):
    def lost(last):
        raise RuntimeError("lost")

    done = []
    gpu = SlangpyGpu.__new__(SlangpyGpu)
    gpu.device = SimpleNamespace(is_submit_finished=lost, close=lambda: done.append(1))
    gpu.owned, gpu.name, gpu.last_sent = True, "a", 7
    gpu.close()
    assert done == [1] and not is_stuck("a")
