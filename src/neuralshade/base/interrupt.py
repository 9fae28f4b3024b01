"""Ctrl-C, SIGTERM and SIGHUP as requests that a loop checks between two steps."""

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, ClassVar

NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP
SIGNALS = tuple(getattr(signal, name) for name in NAMES if hasattr(signal, name))
BOUNCE_SECONDS = 1.0  # after a request, in which further signals count as the same one


class Interrupted(KeyboardInterrupt):
    """Work stopped early because the process should end; see ``interruptible``."""


class Interruption:
    """Context in which the first of SIGNALS sets ``requested`` and nothing else.

    A step is never cut in half, so what is saved afterwards is whole. For BOUNCE_SECONDS, also
    after the context, further signals are ignored: a bouncing key, or a shell that hangs up on
    its jobs, must not end the saving of a fit. After that a signal acts as it would without the
    context. SIGHUP stays ignored in a process that was started to ignore it, as by nohup.
    Outside the main thread signals cannot be caught; there the context does nothing.
    """

    _requested_at = -math.inf  # time of the last request in any context: contexts are nested
    _entered: ClassVar[list["Interruption"]] = []
    _cuts: ClassVar[int] = 0  # open contexts of ``interruptible``

    def __init__(self) -> None:
        self.requested = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> "Interruption":
        Interruption._entered.append(self)
        if threading.current_thread() is threading.main_thread():
            self._before = {s: signal.signal(s, self._request) for s in SIGNALS if not _nohup(s)}
        return self

    def __exit__(self, *exception: object) -> None:
        Interruption._entered.remove(self)
        if not _bounces():
            self._restore()
            return
        for number in self._before:
            signal.signal(number, self._again)

    def _request(self, number: int, frame: FrameType | None) -> None:
        if self.requested:
            self._again(number, frame)
            return
        Interruption._requested_at = time.monotonic()  # first: a handler may itself be interrupted
        self.requested = True
        if Interruption._cuts:
            raise Interrupted

    def _again(self, number: int, frame: FrameType | None) -> None:
        """Pass a signal on, unless it comes within BOUNCE_SECONDS."""
        if not _bounces():
            self._restore()
            signal.raise_signal(number)

    def _restore(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before = {}


@contextmanager
def interruptible() -> Iterator[None]:
    """Context that raises Interrupted on a request to end, between two Python instructions.

    For long work that leaves nothing to save. Does nothing outside the main thread or without
    an Interruption.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    Interruption._cuts += 1
    try:
        if is_interrupted():
            raise Interrupted
        yield
    finally:
        Interruption._cuts -= 1


@contextmanager
def signals_deferred() -> Iterator[None]:
    """Context that delays SIGNALS to its end, for code that no exception may pass through.

    Does nothing outside the main thread, which alone receives signals.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    # None is a handler that Python did not set, and cannot set again
    before = {s: signal.signal(s, lambda number, frame: came.append(number))
              for s in SIGNALS if not _nohup(s) and signal.getsignal(s) is not None}  # fmt: skip
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])


@contextmanager
def signals_raised(condition: Callable[[], bool]) -> Iterator[None]:
    """Context in which SIGTERM and SIGHUP raise KeyboardInterrupt, as SIGINT does, if
    ``condition`` returns True at that moment; else they act as without it.

    Only for signals that would end the process at once; other handlers stay. Does nothing
    outside the main thread.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    inside = True

    def handler(number: int, frame: FrameType | None) -> None:
        if not inside or not condition():
            signal.signal(number, before[signal.Signals(number)])
            signal.raise_signal(number)
        elif not _bounces():
            raise KeyboardInterrupt

    before = {s: signal.getsignal(s) for s in SIGNALS if _ends(signal.getsignal(s))}
    for number in before:
        signal.signal(number, handler)
    try:
        yield
    finally:
        inside = False  # a context that ended just before may set it again
        for number, found in before.items():
            if signal.getsignal(number) is handler:
                signal.signal(number, found)


def _ends(handler: Any) -> bool:
    """Return whether a signal ends the process at once, or an earlier context has disabled it."""
    return handler is signal.SIG_DFL or getattr(handler, "__func__", None) is Interruption._again


def _nohup(number: signal.Signals) -> bool:
    return number.name == "SIGHUP" and signal.getsignal(number) in (signal.SIG_IGN, None)


def _bounces() -> bool:
    return time.monotonic() - Interruption._requested_at < BOUNCE_SECONDS


def is_interrupted() -> bool:
    """Return whether an open Interruption has a request; polled by code that waits long."""
    return any(context.requested for context in Interruption._entered)


def last_request_time() -> float:
    """Return the time of the last request, by time.monotonic; -inf without one."""
    return Interruption._requested_at


def seconds_since_request() -> float:
    """Return the seconds since the last request; 0 without an open one."""
    return time.monotonic() - Interruption._requested_at if is_interrupted() else 0.0
