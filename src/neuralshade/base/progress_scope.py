"""Progress scopes: nested descriptions of running work, read by terminal and live page.

Work opens a scope, and viewers poll the open ones; a terminal does so a few times a second.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")
now = time.monotonic  # looked up on each use: tests replace it
SILENT_SECONDS = 2.0  # shorter work gets no line


@dataclass
class ProgressScope:
    """A piece of work; ``total`` is None where its amount is unknown."""

    what: str  # for people: "judging levels"
    total: int | None = None
    done: int = 0
    begun: float = field(default_factory=lambda: now())  # seconds

    @property
    def seconds(self) -> float:
        """Return the seconds since it began."""
        return now() - self.begun


_RUNNING: list[ProgressScope] = []  # a whole, followed by its nested parts
# By the thread they listen to, with the number of scopes that were open before
_LISTENERS: dict[int, tuple[Callable[[str], None], int]] = {}
PHASES = 2  # depth of listeners: a whole and its parts, no deeper


def current_scope() -> ProgressScope | None:
    """Return the innermost open scope; None without one."""
    return _RUNNING[-1] if _RUNNING else None


def open_scopes(deep: int) -> list[ProgressScope]:
    """Return the outermost open scope and its nested parts, at most ``deep`` scopes."""
    return _RUNNING[:deep]


@contextmanager
def phase_listener(listener: Callable[[str], None]) -> Iterator[None]:
    """Call ``listener`` with the name of each phase that this thread begins inside the block."""
    own = threading.get_ident()
    _LISTENERS[own] = listener, len(_RUNNING)
    try:
        yield
    finally:
        del _LISTENERS[own]


def progress_line(least_seconds: float = 0.0) -> str:
    """Return one line with the work that is running, its progress and its duration.

    "writing the report, 2 of 4: searching for the best JPEG file, 3 s". Empty where nothing
    runs, or for less than ``least_seconds`` in total.
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
    """Return the finished fraction of counted work, in [0, 1]; None without any."""
    found: float | None = None
    for work in reversed(_RUNNING[:]):
        if work.total is not None:
            found = min(1.0, (work.done + (found or 0.0)) / max(1, work.total))
    return found


@contextmanager
def working(what: str) -> Iterator[None]:
    """Open a scope for the block, of unknown amount."""
    with _run(ProgressScope(what)):
        yield


@contextmanager
def part(what: str, total: int | None = None) -> Iterator[ProgressScope]:
    """Open a nested scope for the block; without an outer one it stays invisible.

    A live page may draw parts of a report while a fit runs: these are not listed.
    """
    work = ProgressScope(what, total)
    if not _RUNNING:
        yield work
        return
    with _run(work):
        yield work


@contextmanager
def counted_part(what: str) -> Iterator[ProgressScope]:
    """Open a nested scope for the block that counts as one part of the scope around it."""
    around = current_scope()
    with part(what) as work:
        yield work
    if around is not None:
        around.done += 1


def counted(what: str, items: Iterable[T], total: int) -> Iterator[T]:
    """Yield ``items`` in a nested scope that counts them, ``total`` in all."""
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
    finally:  # by identity: another thread may have opened a scope meanwhile
        _RUNNING[:] = [other for other in _RUNNING if other is not work]
