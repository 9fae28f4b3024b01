"""SIGTERM and SIGHUP as an exception, so that what is half-written is removed."""

import signal
import time
from types import FrameType

from neuralshade.base.interrupt import BOUNCE_SECONDS

NUMBERS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


class Terminated(KeyboardInterrupt):
    """A signal ended the command; ``code`` is what it exits with, as a shell has it."""

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
    """Raise Terminated where this process is told to end; what it was started to ignore, it does.

    A fit's loop answers by itself meanwhile.
    """
    terminator = _Terminator()
    for number in NUMBERS:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, terminator)


def leave() -> None:
    """End at once where another signal comes: all is said and written."""
    for number in NUMBERS:
        if isinstance(signal.getsignal(number), _Terminator):
            signal.signal(number, signal.SIG_DFL)
