"""Long work in other verbs than fit, and after a training: how a person is told on standard error.

Light, as the command line loads it for help too. The bar on a terminal is work_bar.py's.
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from neuralshade.base import work

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
    """Print a line about work that takes long, every PLAIN_SECONDS."""
    ended = threading.Event()
    teller = threading.Thread(target=_tell, args=(ended,), name="neuralshade work", daemon=True)
    teller.start()
    try:
        yield
    finally:
        ended.set()
        teller.join()


def _tell(ended: threading.Event) -> None:
    while not ended.wait(PLAIN_SECONDS):
        if text := work.told(PLAIN_SECONDS):
            print(text, file=sys.stderr, flush=True)
