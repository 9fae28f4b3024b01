"""Log rate limit: one line of a kind a minute, shortened, for lines that remote peers can cause."""

from __future__ import annotations

import logging
import threading
import time

WINDOW_SECONDS = 60.0
MOST_KINDS = 20  # of one log within the window
LONGEST_KIND = 60  # characters that identify a kind
LONGEST_LINE = 400


class LogRateLimit(logging.Filter):
    """Passes a line only if none of its kind was logged within the window.

    Args:
        thread: filter lines of this thread only; None: of every thread.
        whole: keep tracebacks; otherwise the exception is appended to the line.
    """

    def __init__(self, *, thread: threading.Thread | None = None, whole: bool = False):
        super().__init__()
        self._thread, self._whole = thread, whole
        self._lock = threading.Lock()
        self._began, self._kinds = time.monotonic(), set[tuple[str, str]]()

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a line passes; it is shortened in place."""
        if self._thread is not None and record.thread != self._thread.ident:
            return True
        raised = record.exc_info[1] if record.exc_info else None
        lines = str(record.msg).splitlines() or [""]
        if not self._is_new((lines[0][:LONGEST_KIND], type(raised).__name__)):
            return False
        if not self._whole:
            _shorten(record, raised)
        return True

    def _is_new(self, kind: tuple[str, str]) -> bool:
        now = time.monotonic()
        with self._lock:
            if now - self._began >= WINDOW_SECONDS:
                self._began, self._kinds = now, set()
            if kind in self._kinds or len(self._kinds) >= MOST_KINDS:
                return False
            self._kinds.add(kind)
            return True


def _shorten(record: logging.LogRecord, raised: BaseException | None) -> None:
    """Reduce a record to one line, with the exception at its end."""
    line = " ".join(record.getMessage().split())
    if raised is not None:
        line += f" ({type(raised).__name__}: {' '.join(str(raised).split())})"
    record.msg, record.args = line[:LONGEST_LINE], ()
    record.exc_info = record.exc_text = record.stack_info = None


class RateLimitedLogs:
    """Rate-limits the logs that a server's thread writes to, from ``start`` until ``close``."""

    FOREIGN = ("asyncio", "uvicorn.error")
    OWN = "neuralshade.live"

    def __init__(self) -> None:
        self._filters: list[tuple[str, LogRateLimit]] = []

    def start(self, thread: threading.Thread) -> None:
        """Filter lines of ``thread`` there, and the live page's own lines of any thread."""
        self._filters = [(name, LogRateLimit(thread=thread)) for name in self.FOREIGN]
        self._filters.append((self.OWN, LogRateLimit(whole=True)))
        for name, limit in self._filters:
            logging.getLogger(name).addFilter(limit)

    def close(self) -> None:
        """Remove the filters."""
        for name, limit in self._filters:
            logging.getLogger(name).removeFilter(limit)
