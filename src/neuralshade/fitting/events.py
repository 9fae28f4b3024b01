"""A fit as a stream of JSON lines, for programs (docs/events.md)."""

from __future__ import annotations

import json
import logging
import os
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from neuralshade.base.json_numbers import finite
from neuralshade.base.log_relay import LogAside
from neuralshade.errors import OutputError
from neuralshade.fitting.callback import Beat, Callback, RunningFit
from neuralshade.fitting.facts import CurvePoints, progress_facts
from neuralshade.fitting.output_checks import events_path
from neuralshade.fitting.progress import Progress

GOING_ON = ("running", "paused", "finishing")  # states of a fit that has not come to its end
# between two lines of progress; a fit looks up ten times a second, give or take
LEAST_SECONDS, MOST_SECONDS, SHARE = 0.05, 2.0, 0.001

log = logging.getLogger("neuralshade")


class Events(Callback):
    """Adds lines to a file that may have some, or to standard output; each is whole and flushed.

    A file that takes no more is told of once, and the fit goes on without it.
    """

    def __init__(self, place: str | os.PathLike[str]):
        self.place = place
        self.file: IO[str] | None = None
        self.beat = Beat(LEAST_SECONDS, MOST_SECONDS, SHARE)
        self.points = CurvePoints()
        self._last: Progress | None = None
        self._written: tuple[int, float | None, int] | None = None  # step and PSNR of the last line
        self._lock = threading.Lock()  # notes come from any thread
        self._relay = LogAside(lambda text: self.write({"type": "note", "text": text}))

    def begin(self, job: RunningFit) -> None:
        """Open the file. Raises OutputError."""
        path = events_path(self.place)
        self.file = sys.stdout if path is None else _opened(path)
        log.addHandler(self._relay)

    def tell(self, facts: Mapping[str, Any]) -> None:
        """Write how the fit stands; where it came to its end, how far it was first."""
        if facts["state"] not in GOING_ON and self._last is not None:
            self._write_progress(self._last, ended=True)
        self.write({"type": "fit", "fit": facts})

    def observe(self, progress: Progress) -> None:
        """Write how far the fit is, about ten times a second, less often where it takes long."""
        self._last = progress
        if self.beat.is_due(progress.seconds):
            self._write_progress(progress)

    def result(self, reached: Mapping[str, Any]) -> None:
        """Write what was reached."""
        self.write({"type": "result", "result": reached})

    def close(self) -> None:
        """Write no more."""
        log.removeHandler(self._relay)
        with self._lock:
            self._let_go()

    def write(self, message: Mapping[str, Any]) -> None:
        """Add a line; where that is refused, say so once and write no more."""
        line = json.dumps(finite(message), separators=(",", ":"), allow_nan=False)
        with self._lock:
            if self.file is None:
                return
            try:
                self.file.write(line + "\n")
                self.file.flush()
                return
            except (OSError, ValueError) as error:  # ValueError: it was closed
                reason = getattr(error, "strerror", None) or str(error)
                self._let_go()
        log.warning("events: got '%s' from %s, need a place that takes them. The fit goes on "
                    "without.", reason, _named(self.place))  # fmt: skip

    def _write_progress(self, p: Progress, ended: bool = False) -> None:
        first = self._written is None
        told = p.step, p.psnr_db, p.about
        if told != self._written:
            self._written = told
            self.write({"type": "progress", **progress_facts(p)})
        points = self.points.fresh(p, ended)
        if points or first:
            self.write({"type": "curve", "reset": first, "points": points})

    def _let_go(self) -> None:
        file, self.file = self.file, None
        if file is not None and file is not sys.stdout:
            try:
                file.close()
            except OSError:  # what could not be written was told of when it was refused
                return


def _opened(path: Path) -> IO[str]:
    """Return a file to add lines to; a last line that was cut off gets its end."""
    try:
        file = path.open("a", encoding="ascii", newline="\n")
        if path.stat().st_size:
            with path.open("rb") as before:
                before.seek(-1, os.SEEK_END)
                if before.read() != b"\n":
                    file.write("\n")
        return file
    except OSError as error:
        raise OutputError(f"{path}: got '{error.strerror}', need a file for events. Choose "
                          "another path.") from error  # fmt: skip


def _named(place: str | os.PathLike[str]) -> str:
    return "standard output" if events_path(place) is None else str(place)
