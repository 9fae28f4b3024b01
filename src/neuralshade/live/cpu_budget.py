"""What the thread that serves may compute: a share of a core, however much it is asked."""

from __future__ import annotations

import asyncio
import threading
import time

SHARE = 0.1  # of a core
SAVED_SECONDS = 0.5  # of computing, that were left over and may be used at once
LOOK_SECONDS = 0.02  # between two looks at whether it is time


class Turns:
    """Lets requests wait where those before them cost too much: what is sent does not wait."""

    def __init__(self) -> None:
        self._lock, self._queue = threading.Lock(), asyncio.Lock()
        self._credit = SAVED_SECONDS
        self._seen = time.perf_counter()
        self._used = time.thread_time()

    def begin(self) -> None:
        """Count from now on; called by the thread that serves."""
        self._seen, self._used = time.perf_counter(), time.thread_time()

    def owe(self, seconds: float) -> None:
        """Count what another thread computed for a request."""
        with self._lock:
            self._credit -= seconds

    async def wait(self) -> None:
        """Return when there is time for one more, in the order of those who wait.

        Called by the thread that serves.
        """
        async with self._queue:
            while not self._is_paid():
                await asyncio.sleep(LOOK_SECONDS)

    def _is_paid(self) -> bool:
        now, used = time.perf_counter(), time.thread_time()
        with self._lock:
            earned = SHARE * (now - self._seen)
            self._credit = min(SAVED_SECONDS, self._credit + earned) - (used - self._used)
            self._seen, self._used = now, used
            return self._credit > 0
