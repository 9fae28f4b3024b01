"""What is done before there is a fit or an asset to show, told to pages."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

from neuralshade.base import work

LOOK_SECONDS = 0.25  # between two looks at what is done
OWN = "preparing"  # the whole, where nobody else tells of one
Tell = Callable[[Mapping[str, Any] | None], None]


class Preparing:
    """Tells what is prepared, what is done of that, and for how many whole seconds.

    In a thread of its own: who compiles cannot tell meanwhile.
    """

    def __init__(self, tell: Tell):
        self._tell = tell
        self._lock = threading.Lock()
        self._ended: threading.Event | None = None  # of what is told now
        self._whole = ExitStack()

    @contextmanager
    def told(self, what: str) -> Iterator[None]:
        """Tell of ``what`` until the block ends, or ``end`` is called."""
        self.end()
        ended = self._ended = threading.Event()
        if work.current() is None:  # parts are told of a whole alone
            self._whole.enter_context(work.working(OWN))
        begun, last = work.now(), _said(what, 0)
        self._tell(last)
        threading.Thread(target=self._watch, args=(ended, what, begun, last),
                         name="neuralshade preparing", daemon=True).start()  # fmt: skip
        try:
            yield
        finally:
            self.end()

    def end(self) -> None:
        """Tell that nothing is prepared any more."""
        with self._lock:  # nothing is told of it after this
            ended, self._ended = self._ended, None
            if ended is not None:
                self._whole.close()
                ended.set()
                self._tell(None)

    def _watch(
        self, ended: threading.Event, what: str, begun: float, last: Mapping[str, Any]
    ) -> None:
        while not ended.wait(LOOK_SECONDS):
            said = _said(what, int(work.now() - begun))
            with self._lock:
                if said != last and not ended.is_set():
                    self._tell(said)
            last = said


def _said(what: str, seconds: int) -> dict[str, Any]:
    """Return what pages are told; ``doing`` is empty where nobody says what is done."""
    current = work.current()
    doing = "" if current is None or current.what == OWN else current.what
    return {"what": what, "doing": doing, "seconds": seconds}
