"""CPU budget of the server thread: a share of one core."""

from __future__ import annotations

import asyncio
import threading
import time

SHARE = 0.1  # of a core
SAVED_SECONDS = 0.5  # of computing that may accumulate
POLL_SECONDS = 0.02  # between two checks


class CpuBudget:
    """Delays requests while earlier ones are over budget; sending is not delayed."""

    def __init__(self) -> None:
        self._lock, self._queue = threading.Lock(), asyncio.Lock()
        self._credit = SAVED_SECONDS
        self._counted_at = time.perf_counter()
        self._used = time.thread_time()

    def begin(self) -> None:
        """Start counting; called by the server thread."""
        self._counted_at, self._used = time.perf_counter(), time.thread_time()

    def charge(self, seconds: float) -> None:
        """Charge what another thread computed for a request."""
        with self._lock:
            self._credit -= seconds

    async def wait(self) -> None:
        """Return when the budget allows one more request, in order of arrival.

        Called by the server thread.
        """
        async with self._queue:
            while not self._is_paid():
                await asyncio.sleep(POLL_SECONDS)

    def _is_paid(self) -> bool:
        now, used = time.perf_counter(), time.thread_time()
        with self._lock:
            earned = SHARE * (now - self._counted_at)
            self._credit = min(SAVED_SECONDS, self._credit + earned) - (used - self._used)
            self._counted_at, self._used = now, used
            return self._credit > 0
