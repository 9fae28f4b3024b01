"""Ctrl-C and SIGTERM as a request that a loop answers between two steps."""

import math
import signal
import threading
import time
from types import FrameType
from typing import Any, ClassVar

SIGNALS = (signal.SIGINT, signal.SIGTERM)
BOUNCE_SECONDS = 1.0  # after a request, in which another signal is the same key or hand


class Interruption:
    """Context in which the first Ctrl-C or SIGTERM sets ``requested`` and nothing else.

    A step is never cut in half, so what is saved afterwards is whole. For BOUNCE_SECONDS, also
    after the context, further signals do nothing: a key that bounces or is held down must not
    end what saves a fit. After them a signal acts as it would without us. Outside the main
    thread signals cannot be caught; there the context does nothing.
    """

    _asked = -math.inf  # when any context was last requested: contexts are nested
    _entered: ClassVar[list["Interruption"]] = []

    def __init__(self) -> None:
        self.requested = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> "Interruption":
        Interruption._entered.append(self)
        if threading.current_thread() is threading.main_thread():
            self._before = {s: signal.signal(s, self._request) for s in SIGNALS}
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
        self.requested = True
        Interruption._asked = time.monotonic()

    def _again(self, number: int, frame: FrameType | None) -> None:
        """Pass a signal on, unless it comes too soon to be meant."""
        if not _bounces():
            self._restore()
            signal.raise_signal(number)

    def _restore(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before = {}


def _bounces() -> bool:
    return time.monotonic() - Interruption._asked < BOUNCE_SECONDS


def is_interrupted() -> bool:
    """Return whether what runs now was asked to end, and has not yet: for what waits for long."""
    return any(context.requested for context in Interruption._entered)


def seconds_asked() -> float:
    """Return how long ago that was asked for last; 0 where it was not."""
    return time.monotonic() - Interruption._asked if is_interrupted() else 0.0
