"""Long work in all verbs: how a person is told on standard error.

Light, as the command line loads it for help too. The bar on a terminal is work_bar.py's.
"""

from __future__ import annotations

import math
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from neuralshade.base import work

if TYPE_CHECKING:
    from neuralshade.fitting.progress import Progress

LOOK_SECONDS = 0.2  # between two looks at what is done
PLAIN_SECONDS = 10.0  # between two lines, where no stage begins
STAGES = 4  # deep: a whole, parts of it, their stages, and what those are made of


@contextmanager
def shown_work(what: str) -> Iterator[None]:
    """Show what is done inside the block, and parts of it, where that takes long.

    On a terminal by a bar, elsewhere by lines.
    """
    with work.working(what):
        if not sys.stderr.isatty():
            with plain_work():
                yield
            return
        from neuralshade.cli.work_bar import work_bar  # loads rich

        with work_bar():
            yield


@contextmanager
def starting(observer: Callable[[Progress], None]) -> Iterator[Callable[[Progress], None]]:
    """Yield an observer of a fit: until it is first called, the fit is told of as one that starts.

    Packages and pictures are read then, and drivers compile for the first step.
    """
    with ExitStack() as begun:
        begun.enter_context(work.working("starting the fit"))

        def observe(progress: Progress) -> None:
            begun.close()
            observer(progress)

        yield observe


@contextmanager
def plain_work() -> Iterator[None]:
    """Print what is done inside the block in lines, as ``WorkLines`` has them."""
    ended = threading.Event()
    teller = threading.Thread(target=_tell, args=(ended,), name="neuralshade work", daemon=True)
    teller.start()
    try:
        yield
    finally:
        ended.set()
        teller.join()


def _tell(ended: threading.Event) -> None:
    lines = WorkLines()
    while not ended.wait(LOOK_SECONDS):
        if line := lines.due():
            print(line, file=sys.stderr, flush=True)


class WorkLines:
    """Which line is due when: few, but none is far.

    One where the whole has taken UNTOLD_SECONDS, one of each stage that has, and one after
    PLAIN_SECONDS without: parts that are soon done with may be many.
    """

    def __init__(self) -> None:
        self._whole: work.Work | None = None
        self._stage: work.Work | None = None
        self._next = self._next_of_stage = math.inf  # seconds, as work.now() has them

    def due(self) -> str:
        """Return the line that is due now; nothing where none is."""
        running, now = work.running(STAGES), work.now()
        whole, stage = (running[0], running[-1]) if running else (None, None)
        if whole is not self._whole:
            self._whole = whole
            self._next = math.inf if whole is None else whole.begun + work.UNTOLD_SECONDS
        if stage is not self._stage:  # the whole too goes on when a part of it has ended
            self._stage, self._next_of_stage = stage, now + work.UNTOLD_SECONDS
        if whole is None or now < min(self._next, self._next_of_stage):
            return ""
        self._next, self._next_of_stage = now + PLAIN_SECONDS, math.inf
        return work.told()
