"""A fit as a stream of JSON lines, for programs (docs/events.md)."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Mapping
from typing import IO, Any

from neuralshade.base.json_lines import json_line, opened_to_append
from neuralshade.base.log_relay import LogTap
from neuralshade.fitting.callback import Callback, RunningFit, Tick
from neuralshade.fitting.facts import CurvePoints, progress_facts
from neuralshade.fitting.output_checks import events_path
from neuralshade.fitting.progress import Progress

GOING_ON = ("running", "paused", "finishing")  # states of a fit that has not ended
# between two progress lines; a fit calls back about ten times a second
LEAST_SECONDS, MOST_SECONDS, SHARE = 0.05, 2.0, 0.001

log = logging.getLogger("neuralshade")


class Events(Callback):
    """Appends lines to a file or to standard output; each is complete and flushed.

    A write error is logged once, and the fit continues without events.
    """

    def __init__(self, place: str | os.PathLike[str]):
        self.place = place
        self.file: IO[str] | None = None
        self.tick = Tick(LEAST_SECONDS, MOST_SECONDS, SHARE)
        self.points = CurvePoints()
        self._last: Progress | None = None
        self._written: tuple[int, float | None, int] | None = None  # step and PSNR of the last line
        self._lock = threading.Lock()  # notes come from any thread
        self._relay = LogTap(lambda text: self.write({"type": "note", "text": text}))

    def begin(self, job: RunningFit) -> None:
        """Open the file. Raises OutputError."""
        path = events_path(self.place)
        self.file = sys.stdout if path is None else opened_to_append(path, "events")
        log.addHandler(self._relay)

    def update(self, facts: Mapping[str, Any]) -> None:
        """Write the fit's state; at its end, the final progress first."""
        if facts["state"] not in GOING_ON and self._last is not None:
            self._write_progress(self._last, ended=True)
        self.write({"type": "fit", "fit": facts})

    def observe(self, progress: Progress) -> None:
        """Write the progress, about ten times a second; less often in long fits."""
        self._last = progress
        if self.tick.is_due(progress.seconds):
            self._write_progress(progress)

    def result(self, reached: Mapping[str, Any]) -> None:
        """Write the result."""
        self.write({"type": "result", "result": reached})

    def close(self) -> None:
        """Stop writing."""
        log.removeHandler(self._relay)
        with self._lock:
            self._let_go()

    def write(self, message: Mapping[str, Any]) -> None:
        """Append a line; log the first error and stop writing."""
        line = json_line(message)
        with self._lock:
            if self.file is None:
                return
            try:
                self.file.write(line)
                self.file.flush()
                return
            except (OSError, ValueError) as error:  # ValueError: the file is closed
                reason = getattr(error, "strerror", None) or str(error)
                self._let_go()
        log.warning("events: got '%s' from %s, need a place that takes them. The fit goes on "
                    "without.", reason, _named(self.place))  # fmt: skip

    def _write_progress(self, p: Progress, ended: bool = False) -> None:
        first = self._written is None
        values = p.step, p.psnr_db, p.about
        if values != self._written:
            self._written = values
            self.write({"type": "progress", **progress_facts(p)})
        points = self.points.fresh(p, ended)
        if points or first:
            self.write({"type": "curve", "reset": first, "points": points})

    def _let_go(self) -> None:
        file, self.file = self.file, None
        if file is not None and file is not sys.stdout:
            try:
                file.close()
            except OSError:  # its write error was logged before
                return


def _named(place: str | os.PathLike[str]) -> str:
    return "standard output" if events_path(place) is None else str(place)
