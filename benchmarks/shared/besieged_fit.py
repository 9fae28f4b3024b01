"""A fit with a live page that is besieged: its process, whose clocks and files are looked at."""

import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import psutil
from websockets.sync.client import ClientConnection, connect

import neuralshade
from neuralshade.base.interrupt import Interruption
from neuralshade.cli.main import main as command_line
from neuralshade.fitting.loop import Progress
from neuralshade.live.fit_controller import FitController

SETTINGS = ["--engine", "torch", "--device", "cpu", "--hidden-width", "16", "--batch", "4096"]
CLOCK = "clock.txt"
READY = "ready.txt"  # there since the fit is over and its page alone is served
LONGEST_LINES = 200  # bytes, of two of its lines
PATIENCE_SECONDS = 120


@dataclass(frozen=True)
class Look:
    """What a fit has and holds at a time."""

    seconds: float  # since the program began
    besieged: bool
    step: int
    computed: float  # s, of the thread that trains
    attending: float  # s of those that it gave to pages
    resident: int  # bytes
    descriptors: int
    said: int  # bytes of standard error


def run(picture: Path) -> None:
    """Run the command, whose thread that trains notes its clocks and steps on the way."""
    arguments = ["fit", "image", str(picture), "--output", str(picture.with_name("a.nsh")),
                 "--live", "--port", "0", "--seconds", "86400", *SETTINGS]  # fmt: skip
    attend, attending = FitController.attend, 0.0
    with picture.with_name(CLOCK).open("w", buffering=1) as clock:

        def noted(self: FitController, progress: Progress, *given: Any) -> float:
            nonlocal attending
            begin = time.thread_time()
            clock.write(f"{time.perf_counter()} {begin} {progress.step} {attending}\n")
            try:
                return attend(self, progress, *given)
            finally:
                attending += time.thread_time() - begin

        class Ready(Interruption):
            """Says that the page is only looked at by now, where Ctrl-C is no fault."""

            def __enter__(self) -> Interruption:
                entered = super().__enter__()
                picture.with_name(READY).touch()
                return entered

        with (patch.object(FitController, "attend", noted),
              patch("neuralshade.live.live.Interruption", Ready)):  # fmt: skip
            command_line(arguments)


class Fit:
    """A fit with a live page, in a process of its own whose clocks and files are looked at."""

    def __init__(self, folder: Path, descriptors: int):
        self.asset, self.clock, self.said = (folder / n for n in ("a.nsh", CLOCK, "said.txt"))
        picture = folder / "a.png"
        waves = np.sin(np.arange(256 * 256 * 3).reshape(256, 256, 3) / 70.0)
        neuralshade.save_picture(picture, (0.5 + 0.5 * waves).astype(np.float32), "srgb")
        command = [sys.executable, __file__, str(picture)]
        limits = (descriptors, descriptors)
        with self.said.open("wb") as said:
            self.process = subprocess.Popen(
                command, stdout=said, stderr=said, env={**os.environ, "OMP_NUM_THREADS": "1"},
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, limits),
            )  # fmt: skip
        self.watched = psutil.Process(self.process.pid)
        found = until(lambda: re.search(r"http://127\.0\.0\.1:(\d+)/", self.said.read_text()))
        self.port = int(found[1])
        until(lambda: len(self.clock.read_text().splitlines()) > 2)

    def look(self, begin: float, besieged: bool) -> Look:
        """Return how it is now."""
        with self.clock.open("rb") as file:
            file.seek(-min(LONGEST_LINES, self.clock.stat().st_size), os.SEEK_END)
            passed, computed, step, attending = file.read().split(b"\n")[-2].split()
        return Look(float(passed) - begin, besieged, int(step), float(computed),
                    float(attending), self.watched.memory_info().rss, self.watched.num_fds(),
                    self.said.stat().st_size)  # fmt: skip

    @contextmanager
    def page(self, patience: float) -> Iterator[ClientConnection]:
        """Yield a page that looks on, greeted."""
        opening = connect(f"ws://127.0.0.1:{self.port}/events", max_size=None, max_queue=None,
                          open_timeout=patience, close_timeout=1, ping_timeout=None)  # fmt: skip
        with opening as page:
            page.recv(patience)
            yield page


def until(reached: Callable[[], Any], seconds: float = PATIENCE_SECONDS) -> Any:
    """Return what ``reached`` gives as soon as that is something; nothing after ``seconds``."""
    end = time.monotonic() + seconds
    while not (found := reached()) and time.monotonic() < end:
        time.sleep(0.1)
    if not found and seconds == PATIENCE_SECONDS:
        sys.exit("besieged fit: waited in vain")
    return found


if __name__ == "__main__":
    run(Path(sys.argv[1]))
