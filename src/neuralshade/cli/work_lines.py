"""Long work in other verbs than fit, and after a training: how a person is told on standard error.

Light, as the command line loads it for help too. The bar on a terminal is work_bar.py's.
"""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from neuralshade.base import work

LOOK_SECONDS = 0.2  # between two looks at what is done
PLAIN_SECONDS = 10.0  # between two lines of a fit that is trained, where there is no terminal


@contextmanager
def shown_work(what: str) -> Iterator[None]:
    """Show what is done inside the block, and parts of it, where that takes long: on a terminal.

    Scripts get no lines that a slower machine would add to what they read.
    """
    with work.working(what):
        if not sys.stderr.isatty():
            yield
            return
        from neuralshade.cli.work_bar import work_bar  # loads rich

        with work_bar():
            yield


@contextmanager
def plain_work() -> Iterator[None]:
    """Print a line about each phase of work that takes long, and every PLAIN_SECONDS of it."""
    ended = threading.Event()
    teller = threading.Thread(target=_tell, args=(ended,), name="neuralshade work", daemon=True)
    teller.start()
    try:
        yield
    finally:
        ended.set()
        teller.join()


def _tell(ended: threading.Event) -> None:
    phase: work.Work | None = None
    due = 0.0
    while not ended.wait(LOOK_SECONDS):
        now, before, phase = time.monotonic(), phase, work.phase()
        if phase is not before:  # the whole too goes on when a part of it has ended
            due = now + work.UNTOLD_SECONDS
        elif phase is not None and now >= due:
            due = now + PLAIN_SECONDS
            print(work.told(), file=sys.stderr, flush=True)
