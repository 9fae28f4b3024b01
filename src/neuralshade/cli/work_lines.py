"""Progress reports of long work in all verbs, on standard error.

Imports little, as the command line loads it for help too. The bar is in work_bar.py.
"""

from __future__ import annotations

import math
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from neuralshade.base import progress_scope

if TYPE_CHECKING:
    from neuralshade.fitting.progress import Progress

POLL_SECONDS = 0.2  # between two checks of the current work
PLAIN_SECONDS = 10.0  # between two lines of the same stage
STAGES = 4  # depth: a whole, its parts, their stages, and parts of these


@contextmanager
def shown_work(what: str) -> Iterator[None]:
    """Show the progress of work inside the block, where it takes long.

    On a terminal as a bar, elsewhere as lines.
    """
    with progress_scope.working(what):
        if not sys.stderr.isatty():
            with plain_work():
                yield
            return
        from neuralshade.cli.work_bar import work_bar  # loads rich

        with work_bar():
            yield


@contextmanager
def starting(observer: Callable[[Progress], None]) -> Iterator[Callable[[Progress], None]]:
    """Yield an observer of a fit: until its first call, progress shows a start.

    Packages and pictures are read then, and drivers compile for the first step.
    """
    with ExitStack() as begun:
        begun.enter_context(progress_scope.working("starting the fit"))

        def observe(progress: Progress) -> None:
            begun.close()
            observer(progress)

        yield observe


@contextmanager
def plain_work() -> Iterator[None]:
    """Print the progress of work inside the block in lines, see ``WorkLines``."""
    ended = threading.Event()
    teller = threading.Thread(
        target=_print_lines, args=(ended,), name="neuralshade work", daemon=True
    )
    teller.start()
    try:
        yield
    finally:
        ended.set()
        teller.join()


def _print_lines(ended: threading.Event) -> None:
    lines = WorkLines()
    while not ended.wait(POLL_SECONDS):
        if line := lines.due():
            print(line, file=sys.stderr, flush=True)


class WorkLines:
    """Schedule of progress lines: few, but never long apart.

    One where the whole has taken SILENT_SECONDS, one for each stage that has, and one after
    PLAIN_SECONDS without: there may be many short parts.
    """

    def __init__(self) -> None:
        self._whole: progress_scope.ProgressScope | None = None
        self._stage: progress_scope.ProgressScope | None = None
        self._next = self._next_of_stage = math.inf  # seconds of progress_scope.now()

    def due(self) -> str:
        """Return the line that is due now; empty without one."""
        running, now = progress_scope.open_scopes(STAGES), progress_scope.now()
        whole, stage = (running[0], running[-1]) if running else (None, None)
        if whole is not self._whole:
            self._whole = whole
            self._next = math.inf if whole is None else whole.begun + progress_scope.SILENT_SECONDS
        if stage is not self._stage:  # the whole continues when a part of it has ended
            self._stage, self._next_of_stage = stage, now + progress_scope.SILENT_SECONDS
        if whole is None or now < min(self._next, self._next_of_stage):
            return ""
        self._next, self._next_of_stage = now + PLAIN_SECONDS, math.inf
        return progress_scope.progress_line()
