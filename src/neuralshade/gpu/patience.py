"""Waiting for a device so that other threads run meanwhile, and Ctrl-C and SIGTERM are heard.

SlangPy's own waiting lets no other thread of Python run, and a signal is heard only where Python's
main thread goes on: a kernel that never ends would hold the process for good.
"""

from __future__ import annotations

import atexit
import os
import sys
import time
from collections.abc import Callable

from neuralshade.base.interrupt import seconds_asked
from neuralshade.errors import DeviceError

# In which a device is asked again at once: a nap takes 50 us at least. Software needs the core.
SPIN_SECONDS, SOFTWARE_SPIN_SECONDS = 3e-3, 1e-4
NAP_SHARE = 0.02  # of what was waited so far, for a nap
LONGEST_NAP = 1e-3
GRACE_SECONDS = 1.5  # that a device is waited for after Ctrl-C or SIGTERM
_stuck: list[str] = []  # names of devices that were given up


class StuckError(DeviceError):
    """A device had work that does not end when the process was asked to."""


def wait_until(is_done: Callable[[], bool], name: str, *, software: bool = False) -> None:
    """Return when a device is done. It is asked at least once, and never after it was given up.

    ``software``: it runs on the cores that ask.

    Raises: StuckError where the process was asked to end GRACE_SECONDS ago and it is not done;
        what ``is_done`` raises.
    """
    if name in _stuck:
        raise _given_up(name)
    spin = SOFTWARE_SPIN_SECONDS if software else SPIN_SECONDS
    begin = time.perf_counter()
    while not is_done():
        waited = time.perf_counter() - begin
        if waited > spin:
            if seconds_asked() > GRACE_SECONDS:
                raise _given_up(name)
            time.sleep(min(LONGEST_NAP, NAP_SHARE * waited))


def is_stuck(name: str) -> bool:
    """Return whether a device was given up: closing it would wait for it again."""
    return name in _stuck


def _given_up(name: str) -> StuckError:
    if name not in _stuck:
        _stuck.append(name)
        atexit.register(os._exit, 1)  # or Python's end would wait for the device
    return StuckError(f"device: got work on {name} that does not end, need kernels that do. "
                      "Look for loops without an end.")  # fmt: skip


def end_process(code: int) -> None:
    """End the process where a device was given up; else do nothing.

    Nothing is run that should run at the end: SlangPy would wait for its devices there.
    """
    if _stuck:
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
        os._exit(code)
