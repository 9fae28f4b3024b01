"""Progress scopes: nested descriptions of running work, read by terminal and live page.

Who does the work says so here and knows nobody who looks; a terminal asks a few times a second.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")
now = time.monotonic  # looked up anew for each look: tests have a clock of their own
SILENT_SECONDS = 2.0  # shorter work is not worth a line


@dataclass
class ProgressScope:
    """A piece of work; ``total`` is None where nobody knows how much it is."""

    what: str  # for people: "judging levels"
    total: int | None = None
    done: int = 0
    begun: float = field(default_factory=lambda: now())  # seconds

    @property
    def seconds(self) -> float:
        """Return for how long it has been done."""
        return now() - self.begun


_RUNNING: list[ProgressScope] = []  # a whole, and behind it parts of it
# By the thread whose work they hear of, with how many pieces of work were there before
_LISTENERS: dict[int, tuple[Callable[[str], None], int]] = {}
PHASES = 2  # deep: a whole and its parts, not what those are made of


def current_scope() -> ProgressScope | None:
    """Return what is done now: the innermost part of it."""
    return _RUNNING[-1] if _RUNNING else None


def open_scopes(deep: int) -> list[ProgressScope]:
    """Return the whole that is done now, and behind it parts of it: ``deep`` of them at most."""
    return _RUNNING[:deep]


@contextmanager
def phase_listener(listener: Callable[[str], None]) -> Iterator[None]:
    """Call ``listener`` with each phase of work that this thread begins inside the block."""
    own = threading.get_ident()
    _LISTENERS[own] = listener, len(_RUNNING)
    try:
        yield
    finally:
        del _LISTENERS[own]


def progress_line(least_seconds: float = 0.0) -> str:
    """Return in a line what is done now, how far it is, and for how long.

    "writing the report, 2 of 4: searching for the best JPEG file, 3 s". Nothing where nothing is
    done, or for less than ``least_seconds`` altogether.
    """
    found = _RUNNING[:]
    if not found or found[0].seconds < least_seconds:
        return ""
    *around, work = found
    stages = [f"{each.what}, {min(each.done + 1, each.total)} of {each.total}: "
              for each in around if each.total is not None]  # fmt: skip
    count = "" if work.total is None else f": {work.done:,} of {work.total:,}"
    return f"{''.join(stages)}{work.what}{count}, {found[0].seconds:.0f} s"


def done_fraction() -> float | None:
    """Return in [0, 1] how much of what is counted is done; None where nothing is."""
    found: float | None = None
    for work in reversed(_RUNNING[:]):
        if work.total is not None:
            found = min(1.0, (work.done + (found or 0.0)) / max(1, work.total))
    return found


@contextmanager
def working(what: str) -> Iterator[None]:
    """Tell of work inside the block, of which nobody knows how much it is."""
    with _run(ProgressScope(what)):
        yield


@contextmanager
def part(what: str, total: int | None = None) -> Iterator[ProgressScope]:
    """Tell of a part of the work that is done; of none where no whole is begun.

    A live page draws while a fit runs what a report draws after it: that is not told.
    """
    work = ProgressScope(what, total)
    if not _RUNNING:
        yield work
        return
    with _run(work):
        yield work


@contextmanager
def counted_part(what: str) -> Iterator[ProgressScope]:
    """Tell of one of the parts that the work around it is counted in, and count it."""
    around = current_scope()
    with part(what) as work:
        yield work
    if around is not None:
        around.done += 1


def counted(what: str, items: Iterable[T], total: int) -> Iterator[T]:
    """Yield ``items``, and tell how many of ``total`` are done with, as ``part`` does."""
    with part(what, total) as work:
        for item in items:
            yield item
            work.done += 1


@contextmanager
def _run(work: ProgressScope) -> Iterator[None]:
    _RUNNING.append(work)
    listener, before = _LISTENERS.get(threading.get_ident(), (None, 0))
    if listener is not None and len(_RUNNING) - before <= PHASES:
        listener(work.what)
    try:
        yield
    finally:  # by identity: another thread may have begun a part meanwhile
        _RUNNING[:] = [other for other in _RUNNING if other is not work]
