"""Public function bake: many fits, on this machine or a Ray cluster."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from neuralshade.baking.driver import Driver
from neuralshade.baking.executor import Executor
from neuralshade.baking.job import FAILED, Job, Row
from neuralshade.baking.ledger import Ledger, last_rows
from neuralshade.baking.progress import BakeEvents, BakeObserver, BakeProgress
from neuralshade.baking.store import Store
from neuralshade.base.short_repr import ShortRepr


@dataclass(frozen=True)
class BakeResult(ShortRepr):
    """Result of a bake. ``rows`` are read from its ledger, which the next bake appends to."""

    output: str
    progress: BakeProgress
    ledger: Path | None = None  # None of a plan

    def brief(self) -> str:
        return f"{self.output}, {self.progress.line()}"

    @property
    def rows(self) -> list[Row]:
        """Return a row for each job, in the order in which they ended."""
        return [] if self.ledger is None else list(last_rows(self.ledger))

    @property
    def failed(self) -> list[Row]:
        """Return the rows of jobs that were set aside."""
        return [row for row in self.rows if row.state == FAILED]


def ignore(progress: BakeProgress) -> None:
    """Ignore the progress."""


def run_jobs(jobs: Iterable[Job], store: Store, executor: Executor, *,
             timeout: float | None = None, events: str | os.PathLike[str] | None = None,
             observer: BakeObserver = ignore) -> BakeResult:  # fmt: skip
    """Run jobs on ``executor`` and close it.

    Raises: OutputError for a second driver of the same output; else as ``Driver.run``.
    """
    try:
        with Ledger(store.ledger_folder, store.place) as ledger, BakeEvents(events) as written:
            made = Driver(executor, ledger, written, observer, timeout).run(jobs)
        if not made.failed:
            store.clear()
        return BakeResult(store.place, made, ledger.path)
    finally:
        executor.close()
