"""Peak of this process's GPU memory while a fit runs."""

from __future__ import annotations

import os
import threading

from neuralshade.baking.executors.nvml import is_known, process_bytes
from neuralshade.base.closeable import Closeable

SAMPLE_SECONDS = 0.25  # between two looks, of about a millisecond


class GpuMeter(Closeable):
    """Looks at the memory until it is closed. ``bytes``: the most that it saw; None: unknown.

    A fit frees what it has at its end, so it is looked at meanwhile.
    """

    def __init__(self) -> None:
        self.bytes: int | None = None
        self._end = threading.Event()
        self._thread: threading.Thread | None = None
        if is_known():
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Look once more, and stop."""
        self._end.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        ended = False
        while not ended:
            ended = self._end.wait(SAMPLE_SECONDS)
            found = process_bytes(os.getpid())
            if found is not None:
                self.bytes = max(self.bytes or 0, found)
