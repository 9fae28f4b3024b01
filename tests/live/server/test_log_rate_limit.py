"""live/log_rate_limit: what strangers cause is told in a line, and not over and over again."""

import logging
import threading

import pytest

from neuralshade.live import log_rate_limit as module
from neuralshade.live.log_rate_limit import RateLimitedLogs


@pytest.fixture
def clock(monkeypatch):
    """Give a list whose only number is the time."""
    now = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def quiet(clock):
    made = RateLimitedLogs()
    made.start(threading.current_thread())
    yield made
    made.close()


def fails(log, error, text="Exception in callback %s()"):
    try:
        raise error
    except Exception:
        log.exception(text, "read")


def test_one_line_of_a_kind_in_a_minute(quiet, caplog, clock):
    log = logging.getLogger("asyncio")
    for _ in range(500):
        fails(log, OSError(24, "Too many\nopen files"))
        fails(log, ValueError("x" * 5000))
        log.error("socket.accept() out of system resource\nsocket: <socket %d>", 5)
    first = [
        "Exception in callback read() (OSError: [Errno 24] Too many open files)",
        ("Exception in callback read() (ValueError: " + "x" * 5000)[:400],
        "socket.accept() out of system resource socket: <socket 5>",
    ]
    assert caplog.messages == first and "Traceback" not in caplog.text
    clock[0] = 59.0
    log.error("socket.accept() out of system resource")
    assert len(caplog.messages) == 3
    clock[0] = 60.0
    log.error("socket.accept() out of system resource")
    assert caplog.messages == [*first, "socket.accept() out of system resource"]


def test_many_kinds_are_cut_off(quiet, caplog):
    log = logging.getLogger("uvicorn.error")
    for number in range(500):
        log.warning(f"{number} is odd")
    assert len(caplog.messages) == module.MOST_KINDS


def test_what_other_threads_say_is_left_alone(quiet, caplog):
    log = logging.getLogger("asyncio")
    threads = [threading.Thread(target=fails, args=(log, OSError())) for _ in range(5)]
    for thread in threads:
        thread.start()
        thread.join()
    assert len(caplog.messages) == 5 and caplog.text.count("Traceback") == 5


def test_a_bug_of_ours_has_its_traceback_once(quiet, caplog):
    log = logging.getLogger("neuralshade.live")
    for _ in range(100):
        fails(log, ZeroDivisionError(), "live: %s")
    assert caplog.messages == ["live: read"] and caplog.text.count("Traceback") == 1


def test_closed_it_leaves_logs_as_they_were(clock, caplog):
    before = [
        list(logging.getLogger(n).filters) for n in (*RateLimitedLogs.FOREIGN, RateLimitedLogs.OWN)
    ]
    made = RateLimitedLogs()
    made.start(threading.current_thread())
    made.close()
    after = [
        list(logging.getLogger(n).filters) for n in (*RateLimitedLogs.FOREIGN, RateLimitedLogs.OWN)
    ]
    assert before == after
