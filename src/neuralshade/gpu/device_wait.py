"""Waiting for a device without blocking other threads, Ctrl-C or SIGTERM.

SlangPy's own wait blocks all Python threads, and signals are handled only when Python's main
thread runs: a kernel that never ends would block the process forever.
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

# Polling without sleep at first: a sleep takes at least 50 us. Software needs the core.
SPIN_SECONDS, SOFTWARE_SPIN_SECONDS = 3e-3, 1e-4
NAP_SHARE = 0.02  # of the time waited so far, for a sleep
LONGEST_NAP = 1e-3
# How long a device is waited for after Ctrl-C or SIGTERM: this, or GRACE times the longest work
# that it finished, up to MOST_GRACE. Software shares its cores with other work, perhaps five
# times as slow; an abandoned fit is not saved.
GRACE_SECONDS, SOFTWARE_GRACE_SECONDS = 1.5, 10.0
GRACE, MOST_GRACE_SECONDS = 2.0, 30.0
_stuck: set[str] = set()  # names of abandoned devices
_busy: set[str] = set()  # devices left with work after Ctrl-C, which may still end
_longest: dict[str, float] = {}  # seconds of the longest finished work by device


class StuckError(DeviceError):
    """Work of a device that does not end although the process should."""


def wait_until(is_done: Callable[[], bool], name: str, *, software: bool = False) -> None:
    """Wait for a device, polling at least once; an abandoned device is never polled again.

    ``software``: the device runs on the polling CPU.

    Raises: StuckError where work goes on long after a request to end: GRACE_SECONDS, or
        SOFTWARE_GRACE_SECONDS, and twice as long as any work that ended; errors of
        ``is_done``.
    """
    if name in _stuck:
        raise _abandon(name)
    spin = SOFTWARE_SPIN_SECONDS if software else SPIN_SECONDS
    with leave_busy(name):
        begin, waited = time.perf_counter(), 0.0
        while not is_done():
            waited = time.perf_counter() - begin
            if waited > spin:
                if seconds_since_request() > _grace(name, software):
                    raise _abandon(name)
                time.sleep(min(LONGEST_NAP, NAP_SHARE * waited))
    _busy.discard(name)
    if waited > spin:
        _longest[name] = max(waited, _longest.get(name, 0.0))


def finishes_soon(is_done: Callable[[], bool], name: str, *, software: bool = False) -> bool:
    """Return whether a device that nobody waits for finishes its work soon.

    Else it is left with its work, as closing it would wait. Used after a signal between
    submitting work and waiting for it.
    """
    with leave_busy(name):
        begin = time.perf_counter()
        while not is_done():
            if time.perf_counter() - begin > _grace(name, software):
                _leave(_busy, name)
                return False
            time.sleep(LONGEST_NAP)
    return True


@contextmanager
def leave_busy(name: str) -> Iterator[None]:
    """Leave a device with its work after Ctrl-C in the block: closing does not wait for it."""
    try:
        yield
    except KeyboardInterrupt:
        _leave(_busy, name)
        raise


def _grace(name: str, software: bool) -> float:
    least = SOFTWARE_GRACE_SECONDS if software else GRACE_SECONDS
    return max(least, min(MOST_GRACE_SECONDS, GRACE * _longest.get(name, 0.0)))


def is_stuck(name: str) -> bool:
    """Return whether a device was left with work: closing it would wait."""
    return name in _stuck or name in _busy


def _abandon(name: str) -> StuckError:
    _leave(_stuck, name)
    return StuckError(f"device: got work on {name} that does not end, need kernels that do. "
                      "Look for loops without an end.")  # fmt: skip


def _leave(those: set[str], name: str) -> None:
    if not (_stuck or _busy):
        atexit.unregister(end_process)
        atexit.register(end_process, 1)  # else Python would wait for the device at exit
    those.add(name)


def end_process(code: int) -> None:
    """End the process at once if a device was left with work; else do nothing.

    Skips exit handlers: SlangPy's would wait for its devices.
    """
    if _stuck or _busy:
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
        os._exit(code)
