"""Plan of a bake: its jobs, what would become of them and what they take, for users."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuralshade.baking.job import FAILED, KEPT, MADE, Job
from neuralshade.baking.plans.faults import SHOWN
from neuralshade.baking.plans.standing import (
    AGAIN,
    Standing,
    stale_note,
    stale_outputs,
    standings_of,
)
from neuralshade.baking.progress import time_text
from neuralshade.baking.tables.histogram import size_text
from neuralshade.base.message_text import plural
from neuralshade.measure.table import Column, print_lines, print_rows

if TYPE_CHECKING:
    from neuralshade.baking.gltf.jobs import ModelJobs
    from neuralshade.baking.stores.store import Store

LISTED = 50  # assets that are printed one by one
STATES = (FAILED, AGAIN, MADE, KEPT)  # what matters most first


@dataclass(frozen=True)
class Plan:
    """Jobs of a bake, and estimates of what they take.

    ``byte_counts``: of the assets by name, where they can be known. ``broken``: what is wrong with
    inputs, by the names of jobs that will fail. ``notes``: for users. ``standings``: what would
    become of each job, by name, and ``stale``: assets of earlier bakes that are none of them;
    both after ``compared`` alone. Each job's ``cost`` is its seconds on one GPU.
    """

    source: str
    output: str
    jobs: tuple[Job, ...]
    byte_counts: Mapping[str, int]
    sources: Mapping[str, str]  # of the estimates, by kind
    notes: tuple[str, ...] = ()
    model: ModelJobs | None = None  # where the source is a glTF model
    broken: Mapping[str, str] = field(default_factory=dict)
    standings: Mapping[str, Standing] = field(default_factory=dict)
    stale: Sequence[str] = ()

    def compared(self, store: Store) -> Plan:
        """Return the plan with what the output has already; nothing is written.

        Raises: OutputError, DeviceError where the output cannot be read.
        """
        there = set(store.outputs())
        return replace(self, standings=standings_of(self.jobs, store, there),
                       stale=stale_outputs(self.jobs, store, there))  # fmt: skip

    def moved(self, scratch: Path) -> Plan:
        """Return the plan with inputs below the output that were written to ``scratch``."""
        old, new = str(scratch.resolve()), os.path.abspath(self.output)
        jobs = (replace(job, subject=tuple(
            new + source.removeprefix(old) if source.startswith(old + os.sep) else source
            for source in job.subject)) for job in self.jobs)  # fmt: skip
        return replace(self, jobs=tuple(jobs))

    def standing(self, job: Job) -> Standing:
        """Return what would become of a job."""
        if job.name in self.broken:
            return Standing(FAILED, self.broken[job.name])
        return self.standings.get(job.name, Standing(MADE))

    def is_fitted(self, job: Job) -> bool:
        """Return whether a job would be made, or made again."""
        return self.standing(job).state in (MADE, AGAIN)

    @property
    def fitted(self) -> Iterator[Job]:
        """Yield the jobs that would be made, or made again."""
        return filter(self.is_fitted, self.jobs)

    @property
    def seconds(self) -> float:
        """Return the estimated seconds of what would be made, on one GPU, one after the other."""
        return sum(job.cost for job in self.fitted)

    @property
    def byte_count(self) -> int:
        """Return the estimated bytes of what would be made, where its size can be known."""
        return sum(self.byte_counts.get(job.name, 0) for job in self.fitted)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each kind, as plain JSON data."""
        counts = Counter(job.kind for job in self.jobs)
        return [self._row(kind, count) for kind, count in counts.most_common()]

    def _row(self, kind: str, count: int) -> dict[str, Any]:
        jobs = [job for job in self.fitted if job.kind == kind]
        known = [self.byte_counts[job.name] for job in jobs if job.name in self.byte_counts]
        return {"kind": kind, "assets": count, "fitted": len(jobs),
                "gpu_seconds": sum(job.cost for job in jobs),
                "bytes": sum(known) if known else None, "sized_assets": len(known),
                "estimated_from": self.sources.get(kind)}  # fmt: skip

    def states(self) -> dict[str, int]:
        """Return the number of jobs by what would become of them."""
        counts = Counter(self.standing(job).state for job in self.jobs)
        return {state: counts[state] for state in STATES}

    def facts(self) -> dict[str, Any]:
        """Return the plan as plain JSON data."""
        return {"source": self.source, "output": self.output, "assets": len(self.jobs),
                "states": self.states(), "gpu_seconds": self.seconds, "bytes": self.byte_count,
                "sized_assets": sum(row["sized_assets"] for row in self.rows()),
                "kinds": self.rows(), "notes": list(self.notes), "stale": list(self.stale),
                "jobs": [self._job_facts(job) for job in self.jobs]}  # fmt: skip

    def _job_facts(self, job: Job) -> dict[str, Any]:
        standing = self.standing(job)
        return {"name": job.name, "kind": job.kind, "input": list(job.subject),
                "output": job.output, "settings": dict(job.settings), "place": job.place,
                "state": standing.state, "why": standing.why, "gpu_seconds": job.cost,
                "bytes": self.byte_counts.get(job.name)}  # fmt: skip

    def print(self) -> None:
        """Print what would become of the assets, and the estimates, to standard output."""
        order = sorted(self.jobs, key=lambda job: STATES.index(self.standing(job).state))
        print_rows([
            Column("asset", "name", right=False), Column("plan", "state", right=False),
            Column("why", "why", right=False),
        ], [self._printed(job) for job in islice(order, LISTED)])  # fmt: skip
        if len(order) > LISTED:
            print_lines([f"and {len(order) - LISTED:,} more: --json has all."])
        print_lines([""])
        print_rows([
            Column("kind", "kind", right=False),
            Column("assets", "assets", ",d"),
            Column("to fit", "fitted", ",d"),
            Column("on one GPU", lambda row: time_text(row["gpu_seconds"])),
            Column("bytes", lambda row: None if row["bytes"] is None else size_text(row["bytes"])),
            Column("estimated from", "estimated_from", right=False),
        ], self.rows())  # fmt: skip
        print_lines(["", *self.lines()])

    def _printed(self, job: Job) -> dict[str, Any]:
        standing = self.standing(job)
        why = "see below" if standing.state == FAILED else standing.why
        return {"name": job.name, "state": standing.state, "why": why}

    def faults(self) -> list[str]:
        """Return what is wrong with the jobs that would fail, of many the first ones."""
        failed = [job for job in self.jobs if self.standing(job).state == FAILED]
        rest = [f"and {len(failed) - SHOWN:,} more"] if len(failed) > SHOWN else []
        return [*(_placed(job, self.standing(job).why) for job in failed[:SHOWN]), *rest]

    def lines(self) -> list[str]:
        """Return the totals and the notes as sentences."""
        counts = ", ".join(f"{count:,} {state}" for state, count in self.states().items() if count)
        size = f", and {size_text(self.byte_count)}" if self.byte_count else ""
        lines = [f"{plural(len(self.jobs), 'asset')} into {self.output}: {counts}.",
                 f"Estimated: {time_text(self.seconds)} on one GPU, one after the other{size}.",
                 ]  # fmt: skip
        unsized = sum(job.name not in self.byte_counts for job in self.fitted)
        if unsized:
            lines.append(f"Bytes of {plural(unsized, 'asset')} are left out: a fit finds them.")
        if self.stale:
            lines.append(stale_note(self.stale, self.output))
        return [*lines, *self.notes, *self.faults()]


def _placed(job: Job, fault: str) -> str:
    """Return what is wrong with a job, after the line of the manifest that it comes from."""
    own = os.path.abspath(job.place)  # of a folder: the input itself
    return fault if not job.place or fault.startswith(own) else f"{job.place}: {fault}"
