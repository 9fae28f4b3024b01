"""Signals: SIGTERM and SIGHUP raise an exception, so that temporary files are removed."""

import signal
import time
from types import FrameType

from neuralshade.base.interrupt import BOUNCE_SECONDS

NUMBERS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


class Terminated(KeyboardInterrupt):
    """A signal ended the command; ``code`` is its exit code, by shell convention."""

    def __init__(self, number: int):
        super().__init__("terminated.")
        self.code = 128 + number


class _Terminator:
    """Raises Terminated in the main thread, but not twice within BOUNCE_SECONDS."""

    def __init__(self) -> None:
        self.last = -BOUNCE_SECONDS

    def __call__(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if now - self.last >= BOUNCE_SECONDS:
            self.last = now
            raise Terminated(number)


def heed() -> None:
    """Raise Terminated on these signals; signals that the parent set to be ignored stay ignored.

    A fit's loop handles them itself meanwhile.
    """
    terminator = _Terminator()
    for number in NUMBERS:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, terminator)


def leave() -> None:
    """Exit at once on further signals: all output is written."""
    for number in NUMBERS:
        if isinstance(signal.getsignal(number), _Terminator):
            signal.signal(number, signal.SIG_DFL)
