"""interrupt: one request, deaf to a key that bounces, then as if we were not there."""

import signal
import threading

import pytest

from neuralshade.base import interrupt
from neuralshade.base.interrupt import (
    SIGNALS,
    Interrupted,
    Interruption,
    interruptible,
    signals_raised,
)


@pytest.fixture
def now(monkeypatch):
    """Give what sets the time; signals raise KeyboardInterrupt, as before a fit."""
    before = {s: signal.signal(s, signal.default_int_handler) for s in SIGNALS}
    moment = [1000.0]
    monkeypatch.setattr(interrupt.time, "monotonic", lambda: moment[0])
    monkeypatch.setattr(Interruption, "_requested_at", -1e9)
    yield lambda seconds: moment.__setitem__(0, 1000.0 + seconds)
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", SIGNALS)
def test_signals_right_after_the_first_do_nothing(now, number):
    with Interruption() as interruption:
        signal.raise_signal(signal.SIGINT)
        now(0.02)
        signal.raise_signal(number)
        assert interruption.requested
        now(1.1)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
    assert signal.getsignal(number) is signal.default_int_handler


def test_nor_does_one_that_interrupts_the_handler_of_the_first(now, monkeypatch):
    """Two signals sent at once: Python runs the second's handler within the first's."""
    later = []

    def clock():
        if not later:
            later.append(True)
            signal.raise_signal(signal.SIGINT)
        return 1000.0

    monkeypatch.setattr(interrupt.time, "monotonic", clock)
    with Interruption() as interruption:
        signal.raise_signal(signal.SIGINT)
        assert interruption.requested and later


def test_nor_do_they_after_the_context(now):
    with Interruption(), Interruption():  # as where a page runs a fit
        signal.raise_signal(signal.SIGINT)
    now(0.9)
    signal.raise_signal(signal.SIGINT)
    now(1.1)
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_the_next_context_hears_its_own_first_signal(now):
    with Interruption():
        signal.raise_signal(signal.SIGINT)
    now(0.5)
    with Interruption() as interruption:
        signal.raise_signal(signal.SIGINT)
        assert interruption.requested


def test_without_a_request_all_is_as_it_was(now):
    with Interruption() as interruption:
        assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    assert not interruption.requested
    assert [signal.getsignal(s) for s in SIGNALS] == [signal.default_int_handler] * len(SIGNALS)


def test_what_was_started_to_ignore_that_its_terminal_hangs_up(now):
    """As with nohup."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with Interruption() as interruption:
        signal.raise_signal(signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    assert not interruption.requested


def test_what_nothing_is_lost_of_is_cut_short(now):
    with Interruption() as interruption:
        with pytest.raises(Interrupted), interruptible():
            signal.raise_signal(signal.SIGTERM)
        assert interruption.requested
        signal.raise_signal(signal.SIGTERM)  # too soon to be meant
        with pytest.raises(Interrupted), interruptible():
            pytest.fail("it began")
    with interruptible():  # nobody asks for an end any more
        pass


def test_another_thread_is_not_cut_short(now):
    done = []

    def work():
        with interruptible():
            done.append(1)

    with Interruption() as interruption:
        interruption.requested = True
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert done == [1]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_what_would_end_the_process_is_an_exception_while_that_is_wanted(now, monkeypatch, number):
    signal.signal(number, signal.SIG_DFL)
    ended = []
    with signals_raised(lambda: not ended):
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
        with Interruption() as interruption:
            signal.raise_signal(number)
        assert interruption.requested
        handler = signal.getsignal(number)  # deaf to a key that bounces
        signal.raise_signal(number)
    assert signal.getsignal(number) is handler
    raised = []
    monkeypatch.setattr(interrupt.signal, "raise_signal", raised.append)
    now(1.1)
    handler(number, None)  # as if nothing had been there
    signal.getsignal(number)(number, None)
    assert raised == [number] * 2 and signal.getsignal(number) is signal.SIG_DFL
    with signals_raised(lambda: False):
        signal.getsignal(number)(number, None)
    assert raised == [number] * 3 and signal.getsignal(number) is signal.SIG_DFL


@pytest.mark.parametrize("number", SIGNALS)
def test_nor_does_a_signal_that_a_context_before_was_left_with(now, number):
    """A fit that was interrupted, and the next one in the same program."""
    signal.signal(number, signal.SIG_DFL)
    with Interruption():
        signal.raise_signal(number)
    left = signal.getsignal(number)
    with signals_raised(lambda: True):
        signal.raise_signal(number)  # too soon to be meant
        now(1.1)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
    assert signal.getsignal(number) == left


def test_who_has_a_handler_keeps_it(now):
    with signals_raised(lambda: True):
        assert [signal.getsignal(s) for s in SIGNALS] == [signal.default_int_handler] * len(SIGNALS)
