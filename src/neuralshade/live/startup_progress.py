"""Startup progress on pages, before there is a fit or an asset to show."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

from neuralshade.base import progress_scope

POLL_SECONDS = 0.25  # between two checks of the current work
OWN = "preparing"  # name of the whole, where there is no outer progress scope
Publish = Callable[[Mapping[str, Any] | None], None]


class StartupProgress:
    """Publishes the current startup work and its whole seconds.

    From its own thread: a compiler call blocks the one that works.
    """

    def __init__(self, publish: Publish):
        self._publish = publish
        self._lock = threading.Lock()
        self._ended: threading.Event | None = None  # of the current scope
        self._whole = ExitStack()

    @contextmanager
    def report(self, what: str) -> Iterator[None]:
        """Publish ``what`` until the block ends, or ``end`` is called."""
        self.end()
        ended = self._ended = threading.Event()
        if progress_scope.current_scope() is None:  # progress scopes need an outer one
            self._whole.enter_context(progress_scope.working(OWN))
        begun, last = progress_scope.now(), _message(what, 0)
        self._publish(last)
        threading.Thread(target=self._watch, args=(ended, what, begun, last),
                         name="neuralshade preparing", daemon=True).start()  # fmt: skip
        try:
            yield
        finally:
            self.end()

    def end(self) -> None:
        """Publish that startup is over."""
        with self._lock:  # nothing is published after this
            ended, self._ended = self._ended, None
            if ended is not None:
                self._whole.close()
                ended.set()
                self._publish(None)

    def _watch(
        self, ended: threading.Event, what: str, begun: float, last: Mapping[str, Any]
    ) -> None:
        while not ended.wait(POLL_SECONDS):
            message = _message(what, int(progress_scope.now() - begun))
            with self._lock:
                if message != last and not ended.is_set():
                    self._publish(message)
            last = message


def _message(what: str, seconds: int) -> dict[str, Any]:
    """Return the message for pages; ``doing`` is empty where no work is reported."""
    current = progress_scope.current_scope()
    doing = "" if current is None or current.what == OWN else current.what
    return {"what": what, "doing": doing, "seconds": seconds}
