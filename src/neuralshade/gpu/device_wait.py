"""Waiting for a device without blocking other threads, Ctrl-C or SIGTERM.

SlangPy's own waiting lets no other thread of Python run, and a signal is heard only where Python's
main thread goes on: a kernel that never ends would hold the process for good.
"""

from __future__ import annotations

import atexit
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from neuralshade.base.interrupt import seconds_since_request
from neuralshade.errors import DeviceError

# In which a device is asked again at once: a nap takes 50 us at least. Software needs the core.
SPIN_SECONDS, SOFTWARE_SPIN_SECONDS = 3e-3, 1e-4
NAP_SHARE = 0.02  # of what was waited so far, for a nap
LONGEST_NAP = 1e-3
# That a device is waited for after Ctrl-C or SIGTERM; where work that ended took longer, GRACE
# times as long as that, up to MOST. Software shares its cores: what took a second may take five
# beside other work, and a fit that is given up is not kept.
GRACE_SECONDS, SOFTWARE_GRACE_SECONDS = 1.5, 10.0
GRACE, MOST_GRACE_SECONDS = 2.0, 30.0
_stuck: set[str] = set()  # names of devices that were given up
_busy: set[str] = set()  # of those that a Ctrl-C left with work, which may still end
_longest: dict[str, float] = {}  # seconds that work of a device took which ended


class StuckError(DeviceError):
    """A device had work that does not end when the process was asked to."""


def wait_until(is_done: Callable[[], bool], name: str, *, software: bool = False) -> None:
    """Return when a device is done. It is asked at least once, and never after it was given up.

    ``software``: it runs on the cores that ask.

    Raises: StuckError where the process was asked to end so long ago that nothing which ended took
        half as long, GRACE_SECONDS at least, SOFTWARE_GRACE_SECONDS of software; what ``is_done``
        raises.
    """
    if name in _stuck:
        raise _given_up(name)
    spin = SOFTWARE_SPIN_SECONDS if software else SPIN_SECONDS
    with abandoned_on_interrupt(name):
        begin, waited = time.perf_counter(), 0.0
        while not is_done():
            waited = time.perf_counter() - begin
            if waited > spin:
                if seconds_since_request() > _grace(name, software):
                    raise _given_up(name)
                time.sleep(min(LONGEST_NAP, NAP_SHARE * waited))
    _busy.discard(name)
    if waited > spin:
        _longest[name] = max(waited, _longest.get(name, 0.0))


def finishes_soon(is_done: Callable[[], bool], name: str, *, software: bool = False) -> bool:
    """Return whether a device, whose work nobody waits for any more, is soon done with it.

    Else it is left with its work: closing it would wait for that. A signal between sending work and
    waiting for it comes here.
    """
    with abandoned_on_interrupt(name):
        begin = time.perf_counter()
        while not is_done():
            if time.perf_counter() - begin > _grace(name, software):
                _leave(_busy, name)
                return False
            time.sleep(LONGEST_NAP)
    return True


@contextmanager
def abandoned_on_interrupt(name: str) -> Iterator[None]:
    """Let a Ctrl-C inside the block leave a device with its work: closing does not wait for it."""
    try:
        yield
    except KeyboardInterrupt:
        _leave(_busy, name)
        raise


def _grace(name: str, software: bool) -> float:
    least = SOFTWARE_GRACE_SECONDS if software else GRACE_SECONDS
    return max(least, min(MOST_GRACE_SECONDS, GRACE * _longest.get(name, 0.0)))


def is_stuck(name: str) -> bool:
    """Return whether a device was left with work: closing it would wait for that."""
    return name in _stuck or name in _busy


def _given_up(name: str) -> StuckError:
    _leave(_stuck, name)
    return StuckError(f"device: got work on {name} that does not end, need kernels that do. "
                      "Look for loops without an end.")  # fmt: skip


def _leave(those: set[str], name: str) -> None:
    if not (_stuck or _busy):
        atexit.unregister(end_process)
        atexit.register(end_process, 1)  # or Python's end would wait for the device
    those.add(name)


def end_process(code: int) -> None:
    """End the process where a device was left with work; else do nothing.

    Nothing is run that should run at the end: SlangPy would wait for its devices there.
    """
    if _stuck or _busy:
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
        os._exit(code)
