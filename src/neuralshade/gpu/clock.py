"""GPU clock: the duration of work by the GPU's own timestamps."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

from neuralshade.gpu.gpu import Commands, Gpu, Stamps, Steps

MOST_SUBMISSIONS = 64  # between two readings of a GpuClock
CALL_SECONDS = 0.02  # of GPU work per reading; far above what a reading costs
MOST_STEPS = 2048  # per reading


@dataclass(frozen=True)
class Patience:
    """Thoroughness of a measurement."""

    warm_seconds: float  # of warm-up: an idle GPU runs at a third of its clock
    repeats: int  # whose median counts


class GpuClock:
    """Wraps a Gpu and adds a timestamp at both ends of each list of commands.

    All else is passed through, so an engine is timed as it is, uploads included.
    """

    def __init__(self, gpu: Gpu):
        self._gpu, self._begun = gpu, 0
        self._stamps = gpu.stamps(2 * MOST_SUBMISSIONS)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._gpu, name)

    def commands(self) -> _TimedCommands:
        """Return commands that begin and end with a timestamp."""
        first = 2 * self._begun
        self._begun += 1
        assert self._begun <= MOST_SUBMISSIONS, "read the clock before so many submissions"
        commands = self._gpu.commands()
        commands.stamp(self._stamps, first)
        return _TimedCommands(commands, self._stamps, first + 1)

    def read(self) -> float:
        """Wait for all submissions since the last reading; return the sum of their seconds."""
        self._gpu.wait()
        if self._begun == 0:
            return 0.0
        stamps = self._stamps.seconds(2 * self._begun)
        self._begun = 0
        return float((stamps[1::2] - stamps[0::2]).sum())


class _TimedCommands:
    def __init__(self, commands: Commands, stamps: Stamps, last: int):
        self._commands, self._stamps, self._last = commands, stamps, last

    def __getattr__(self, name: str) -> Any:
        return getattr(self._commands, name)

    def submit(self) -> None:
        self._commands.stamp(self._stamps, self._last)
        self._commands.submit()


def steps_seconds(gpu: Gpu, steps: Steps, patience: Patience) -> float:
    """Return the median GPU time of running ``steps`` once, in seconds."""
    clock = GpuClock(gpu)

    def run(count: int) -> None:
        commands = clock.commands()
        commands.run(steps, count)
        commands.submit()

    return median_per_call(run, clock, patience)


def median_per_call(work: Callable[[int], object], clock: GpuClock, patience: Patience) -> float:
    """Return GPU seconds per unit of ``work``, measured in readings of about CALL_SECONDS."""
    work(1)  # compiles; not part of the warm-up
    clock.read()
    count, end = 1, time.perf_counter() + patience.warm_seconds
    while True:
        work(count)
        taken = clock.read() / count
        if time.perf_counter() >= end:
            break
        count = max(1, min(MOST_STEPS, 2 * count, round(CALL_SECONDS / max(taken, 1e-9))))
    readings = []
    for _ in range(patience.repeats):
        work(count)
        readings.append(clock.read() / count)
    return median(readings)
