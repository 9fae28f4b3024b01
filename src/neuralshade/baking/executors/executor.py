"""Where jobs run: local processes or a Ray cluster, behind one protocol.

An executor runs what it gets and reports what happened. Order, repeats, time limits and the table
are the driver's (driver.py), which is the same for both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from neuralshade.baking.job import Job, Row
from neuralshade.baking.stores.store import SILENT

GRACE_SECONDS = 12.0  # for checkpoints of running fits; a worker's own limit is shorter


@dataclass(frozen=True)
class Started:
    """A job's worker began with it: its time limit counts from here.

    An executor that cannot see it reports it on submission.
    """

    name: str
    worker: str = ""  # "HOST:PID"


@dataclass(frozen=True)
class Ended:
    """A job's worker reported ``row``: MADE, KEPT or FAILED (its input was refused)."""

    name: str
    row: Row


@dataclass(frozen=True)
class Lost:
    """A job's worker or node died, was stopped, or could not begin; ``reason`` is for users.

    ``sound``: its worker may take other jobs; what it met left nothing behind.
    """

    name: str
    reason: str
    sound: bool = False

    @property
    def memory(self) -> bool:
        """Return whether a fit found too little memory, of its GPU or its machine."""
        return self.reason.startswith("memory: ")

    @property
    def silent(self) -> bool:
        """Return whether a store by URL did not answer: another attempt at once meets the same."""
        return SILENT in self.reason


Event = Started | Ended | Lost


class Executor(Protocol):
    """Runs jobs, each in a process that may die without harm to the others.

    ``events`` raises DeviceError where no worker can run, such as those of another version.
    """

    def slots(self) -> int:
        """Return how many jobs run at once now; it may change while machines come and go."""
        ...

    def submit(self, job: Job) -> None:
        """Start a job, or queue it; returns at once."""
        ...

    def events(self, timeout: float) -> Sequence[Event]:
        """Return what happened since, at least one event unless ``timeout`` seconds pass."""
        ...

    def stop(self, name: str) -> None:
        """Kill a running job's worker: it was too slow. A Lost event follows."""
        ...

    def close(self) -> None:
        """End all workers: running fits save their checkpoints first, within some seconds.

        What ended meanwhile is returned by ``events`` still.
        """
        ...
