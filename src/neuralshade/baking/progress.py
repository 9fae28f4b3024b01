"""Progress of a bake: counts, rate, time left, and the file of events."""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Any

from neuralshade.baking.job import FAILED, KEPT, MADE, Row, plain_data
from neuralshade.base.closeable import Closeable
from neuralshade.base.json_lines import json_line, opened_to_append
from neuralshade.fitting.output_checks import events_path

log = logging.getLogger("neuralshade")


@dataclass(frozen=True)
class BakeProgress:
    """Counts of a bake's jobs; ``left_seconds`` is None until a job was made."""

    total: int
    made: int = 0
    kept: int = 0  # there already, of the same inputs and settings
    failed: int = 0
    running: int = 0
    repeated: int = 0  # attempts whose worker was lost
    seconds: float = 0.0
    left_seconds: float | None = None

    @property
    def ended(self) -> int:
        return self.made + self.kept + self.failed

    @property
    def per_minute(self) -> float:
        """Return the assets that were made, a minute."""
        return 60.0 * self.made / self.seconds if self.seconds > 0 else 0.0

    def line(self) -> str:
        """Return it on one line, for people."""
        ended = self.ended == self.total
        counts = [f"{self.made:,} made"] + ([] if ended else [f"{self.running:,} running"])
        counts += [f"{count:,} {what}" for count, what in
                   ((self.failed, "failed"), (self.kept, "kept"),
                    (self.repeated, "repeated")) if count]  # fmt: skip
        text = f"{self.ended:,} of {self.total:,}: {', '.join(counts)}"
        if self.made:
            rate = self.per_minute
            text += f", {rate:,.0f} assets/min" if rate >= 100 else f", {rate:.3g} assets/min"
        if ended or self.left_seconds is None:
            return text
        return f"{text}, {time_text(self.left_seconds)} left"


BakeObserver = Callable[[BakeProgress], None]


def time_text(seconds: float) -> str:
    """Return a duration in the two units that matter."""
    whole = round(seconds)
    if whole < 120:
        return f"{whole} s"
    if whole < 7200:
        return f"{whole // 60} min"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


class Counter:
    """Counts what became of jobs, and estimates the time left by their costs."""

    def __init__(self, total: int, cost: float):
        self.total, self.left_cost = total, cost
        self.states = {MADE: 0, KEPT: 0, FAILED: 0}
        self.running = self.repeated = 0
        self.begun = time.monotonic()
        self.made_cost = 0.0  # estimated cost of what was made

    def count(self, row: Row, cost: float) -> None:
        """Count a job that ended."""
        self.states[row.state] += 1
        self.left_cost -= cost
        if row.state == MADE:
            self.made_cost += cost

    def progress(self) -> BakeProgress:
        """Return the present counts."""
        seconds = time.monotonic() - self.begun
        left = None
        if self.made_cost > 0:
            left = max(0.0, self.left_cost) * seconds / self.made_cost
        return BakeProgress(self.total, self.states[MADE], self.states[KEPT],
                            self.states[FAILED], self.running, self.repeated, seconds,
                            left)  # fmt: skip


class BakeEvents(Closeable):
    """JSON lines of a bake, appended to a file; "-": standard output; None: nowhere.

    Raises: OutputError where the file cannot be opened.
    """

    def __init__(self, place: str | os.PathLike[str] | None):
        path = events_path(place)
        self._file: IO[str] | None = None
        if place is not None:
            self._file = sys.stdout if path is None else opened_to_append(path, "events")

    def row(self, row: Row) -> None:
        """Write that a job ended."""
        self._write({"type": "row", "row": plain_data(row)})

    def started(self, name: str, worker: str) -> None:
        """Write that a worker began with a job."""
        self._write({"type": "started", "name": name, "worker": worker})

    def lost(self, name: str, reason: str, attempt: int) -> None:
        """Write that a job's worker was lost, in which attempt."""
        self._write({"type": "lost", "name": name, "reason": reason, "attempt": attempt})

    def progress(self, progress: BakeProgress) -> None:
        """Write the counts."""
        self._write({"type": "progress", **vars(progress)})

    def _write(self, message: Mapping[str, Any]) -> None:
        if self._file is None:
            return
        try:
            self._file.write(json_line(message))
            self._file.flush()
        except (OSError, ValueError) as error:  # ValueError: standard output is closed
            with suppress(OSError):  # what is buffered cannot be written either
                self.close()
            reason = getattr(error, "strerror", None) or error
            log.warning("events: got '%s', need a place that takes them. The bake goes on "
                        "without.", reason)  # fmt: skip

    def close(self) -> None:
        """Stop writing."""
        file, self._file = self._file, None
        if file is not None and file is not sys.stdout:
            file.close()
