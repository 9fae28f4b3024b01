"""Ctrl-C and SIGTERM as a request that a loop answers between two steps."""

import signal
import threading
from types import FrameType
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interruption:
    """Context in which the first Ctrl-C or SIGTERM sets ``requested`` and nothing else.

    A step is never cut in half, so what is saved afterwards is whole. A second signal acts as
    it would without us. Outside the main thread signals cannot be caught; there the context
    does nothing.
    """

    def __init__(self) -> None:
        self.requested = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> "Interruption":
        if threading.current_thread() is threading.main_thread():
            self._before = {s: signal.signal(s, self._request) for s in SIGNALS}
        return self

    def __exit__(self, *exception: object) -> None:
        self._restore()

    def _request(self, number: int, frame: FrameType | None) -> None:
        self.requested = True
        self._restore()

    def _restore(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before = {}
