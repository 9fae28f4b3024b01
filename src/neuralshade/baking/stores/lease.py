"""Lock of a bake in its store, which a thread renews: other machines see that its driver lives.

Ages are by the store's clock alone, so that clocks of machines may differ.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Protocol

from neuralshade.baking.stores.local_lock import busy, owner_of, owner_text
from neuralshade.base.closeable import Closeable
from neuralshade.base.plugins import one_line_error
from neuralshade.errors import DeviceError, NeuralShadeError, OutputError

STALE_SECONDS = 60.0  # without a renewal, after which another driver may take the lock
RENEW_SECONDS = 15.0  # between two renewals
RETRY_SECONDS = 5.0  # after one that failed
MOST_FAILED = 3  # in a row, at least: a process that was paused has one at most
LEAVE_SECONDS = 5.0  # for a renewal that runs at the end
SETTLE_SECONDS = 2.0  # in which drivers that took it at the same moment have written


class LeaseFile(Protocol):
    """The file or object of a lock. All raise an error of ours where the store does not answer."""

    def read(self) -> bytes | None:
        """Return its content; None where there is none."""
        ...

    def age(self) -> float | None:
        """Return the seconds since it was written, by the store's clock; None: it is gone.

        A store that tells no times is watched for STALE_SECONDS instead.
        """
        ...

    def create(self, data: bytes) -> bool:
        """Write it unless it is there; False: it is. Some stores write it anyhow."""
        ...

    def write(self, data: bytes) -> None:
        """Write it, whole."""
        ...

    def remove(self) -> None:
        """Remove it."""
        ...


class Lease(Closeable):
    """A lock in ``file``, renewed until it is closed. ``owner`` has a "token" of its own.

    Args:
        dead: token of a driver that has certainly ended: its lock is taken at once.

    Raises: OutputError where another driver has it.
    """

    def __init__(self, place: str, file: LeaseFile, owner: Mapping[str, Any],
                 dead: str | None = None):  # fmt: skip
        self._place, self._file, self._owner, self._count = place, file, owner, 0
        self._take(dead)
        self._error: NeuralShadeError | None = None
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def check(self) -> None:
        """Raise OutputError once another driver has it, DeviceError where the store is silent."""
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        """Let another driver begin. Where the store is silent, the lock becomes stale."""
        if self._end.is_set():
            return
        self._end.set()
        self._thread.join(LEAVE_SECONDS)
        if self._thread.is_alive() or self._error is not None:
            return
        with suppress(NeuralShadeError):
            if self._is_ours(self._file.read()):
                self._file.remove()

    def _take(self, dead: str | None) -> None:
        """Write the lock where it is free or stale.

        Of those that write at the same moment the last has it, and the others see that: at once
        where the store creates exclusively, else after SETTLE_SECONDS.
        """
        data = self._data()
        # a second one succeeds where the store does not refuse what is there
        if self._file.create(data):
            alone = not self._file.create(data)
        else:
            alone = self._is_dead(dead)
            self._file.write(data)
        if not alone:
            time.sleep(SETTLE_SECONDS)
        found = self._file.read()
        if not self._is_ours(found):
            raise self._busy(found, 0.0)

    def _is_dead(self, dead: str | None) -> bool:
        """Return whether the lock is that of ``dead``; raise OutputError where it may be alive."""
        found = self._file.read()
        if found is None:
            return False
        if dead is not None and owner_of(found).get("token") == dead:
            return True
        age = self._file.age()
        if age is not None and age < STALE_SECONDS:
            raise self._busy(found, age)
        return False

    def _busy(self, found: bytes | None, age: float) -> OutputError:
        return busy(self._place, owner_of(found or b""), "Wait for it, or end it. One that died is "
                    f"replaced {STALE_SECONDS:g} s after its last sign of life, which is "
                    f"{max(0.0, age):.0f} s ago.")  # fmt: skip

    def _run(self) -> None:
        """Renew the lock until it is closed or lost."""
        renewed, failed, wait = time.monotonic(), 0, RENEW_SECONDS
        while self._error is None and not self._end.wait(wait):
            try:
                self._renew()
                renewed, failed, wait = time.monotonic(), 0, RENEW_SECONDS
            except Exception as error:  # else it would become stale, and nobody told
                failed, wait = failed + 1, RETRY_SECONDS
                silent = time.monotonic() - renewed
                if silent > STALE_SECONDS and failed >= MOST_FAILED:
                    self._error = _not_renewed(error, silent)

    def _renew(self) -> None:
        found = self._file.read()
        if found is None and self._file.create(self._data()):  # somebody removed it
            return
        found = found or self._file.read()
        if self._is_ours(found):
            self._file.write(self._data())
        elif found is not None:
            self._error = OutputError(
                f"{self._place}: got another bake, {owner_text(owner_of(found))}, which took over "
                "while this one could not renew its lock, need one at a time. Wait for that one."
            )

    def _data(self) -> bytes:
        """Return its content, each time another: stores tell changes by it."""
        self._count += 1
        return json.dumps({**self._owner, "renewals": self._count}).encode()

    def _is_ours(self, found: bytes | None) -> bool:
        return found is not None and owner_of(found).get("token") == self._owner["token"]


def _not_renewed(error: Exception, seconds: float) -> DeviceError:
    what = str(error) if isinstance(error, NeuralShadeError) else f"{one_line_error(error)}."
    return DeviceError(f"{what} The lock was not renewed for {seconds:.0f} s, so the bake ends; "
                       "the same command goes on.")  # fmt: skip
