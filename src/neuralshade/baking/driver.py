"""Driver of a bake: which job is next, what is repeated, what fails. The same everywhere.

Memory does not grow with what was made: rows go to the ledger, and counts stay.
"""

from __future__ import annotations

import heapq
import logging
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from neuralshade.baking.executors.executor import Ended, Executor, Lost, Started
from neuralshade.baking.job import FAILED, Job, Row
from neuralshade.baking.progress import BakeEvents, BakeObserver, BakeProgress, Counter
from neuralshade.baking.tables.ledger import Ledger
from neuralshade.base.interrupt import Interruption
from neuralshade.errors import FitInterrupted

ATTEMPTS = 3  # of a job whose workers are lost
IN_FLIGHT = 2  # jobs at an executor for each slot, so that none waits for the driver
WAIT_SECONDS = 0.2  # for events; Ctrl-C and time limits are noticed as late
NOTICE_SECONDS = 0.1  # between two reports of progress
# Before another attempt of a job whose store was silent: three of them take longer than the lock of
# a store that is silent for all counts, so that the bake ends before its jobs fail.
SILENT_SECONDS = 45.0
MOST_LOST = 20  # lost attempts that the log names: of a night's thousands the table has all

log = logging.getLogger("neuralshade")


def may_go_on() -> None:
    """Check nothing: a driver without a lock."""


@dataclass
class Flight:
    """A job that an executor has."""

    job: Job
    slots: int  # of the executor at its submission
    begun: float | None = None  # seconds, by time.monotonic
    too_slow: bool = False


@dataclass
class Driver:
    """Runs jobs on an executor.

    ``timeout``: seconds that a job may run. One that takes longer is stopped and fails at once:
    another attempt would take as long again. ``check`` raises where this driver may not go on.
    """

    executor: Executor
    ledger: Ledger
    events: BakeEvents
    observer: BakeObserver
    timeout: float | None = None
    check: Callable[[], None] = may_go_on
    flights: dict[str, Flight] = field(default_factory=dict)
    lost: dict[str, list[str]] = field(default_factory=dict)  # reasons, by jobs that wait again

    def run(self, jobs: Iterable[Job]) -> BakeProgress:
        """Run all jobs, the longest first, and return the counts.

        Raises: FitInterrupted on Ctrl-C, SIGTERM or SIGHUP: running fits have saved their
            checkpoints; OutputError where the ledger cannot be written; DeviceError where no
            worker can run; else what ``check`` raises.
        """
        self.queue = Queue(jobs)
        self.counter = Counter(self.queue.total, self.queue.cost)
        self._noticed, self._lost_count = 0.0, 0
        with Interruption() as interruption:
            while (self.queue.left or self.flights) and not interruption.requested:
                self.check()
                self.queue.wake()
                self._fill()
                self._take(WAIT_SECONDS)
                self._stop_slow()
                self._notice()
            if interruption.requested:
                self._end_early()
        assert not self.queue.blocked, "jobs that wait for each other"
        self._notice(last=True)
        return self.counter.progress()

    def _fill(self) -> None:
        slots = self.executor.slots()
        most = IN_FLIGHT * max(1, slots)
        while self.queue.ready and len(self.flights) < most:
            job = self.queue.take()
            self.flights[job.name] = Flight(job, slots)
            self.executor.submit(job)

    def _take(self, seconds: float) -> None:
        """Handle what happened."""
        if not self.flights:  # all jobs that are left wait for a silent store
            time.sleep(seconds)
        for event in self.executor.events(seconds if self.flights else 0.0):
            flight = self.flights.get(event.name)
            if flight is None:  # of an attempt that was given up
                continue
            if isinstance(event, Started):
                if flight.begun is None:
                    flight.begun = time.monotonic()
                self.events.started(event.name, event.worker)
            elif isinstance(event, Ended):
                self._end(flight, event.row)
            else:
                self._repeat(flight, event)
        self.counter.running = sum(f.begun is not None for f in self.flights.values())

    def _end(self, flight: Flight, row: Row) -> None:
        del self.flights[flight.job.name]
        lost = self.lost.pop(row.name, [])
        self._record(flight.job, replace(row, attempts=len(lost) + 1, lost="\n".join(lost)))

    def _record(self, job: Job, row: Row) -> None:
        """Write a job's row, and those of jobs that can no longer be made."""
        self.ledger.write(row)
        self.events.row(row)
        self.counter.count(row, job.cost)
        for other in self.queue.end(job, failed=row.state == FAILED):
            self._record(other, _failed(other, f"{other.output}: got no {job.output}, which failed,"
                                        f" need it first. See {job.name}."))  # fmt: skip

    def _repeat(self, flight: Flight, event: Lost) -> None:
        """Try a lost job again, or let it fail."""
        job, lost = flight.job, self.lost.setdefault(event.name, [])
        lost.append(event.reason)
        del self.flights[job.name]
        self.events.lost(job.name, event.reason, len(lost))
        # a lack of memory makes the executor run fewer at once: that is tried to the end
        eased = event.memory and self.executor.slots() < flight.slots
        again = (eased or len(lost) < ATTEMPTS) and not flight.too_slow
        self._log_lost(job, event.reason, len(lost), again=again)
        if again:
            self.counter.repeated += 1
            self.queue.put(job, SILENT_SECONDS if event.silent else 0.0)
            return
        del self.lost[job.name]
        reason = event.reason
        if flight.too_slow:
            reason = (f"{job.output}: got no end in {self.timeout:g} s, need one by then. Raise "
                      "--timeout, or give the fit fewer steps.")  # fmt: skip
        self._record(job, replace(_failed(job, reason), attempts=len(lost), lost="\n".join(lost)))

    def _log_lost(self, job: Job, reason: str, attempt: int, *, again: bool) -> None:
        """Log that an attempt was lost, of many the first ones."""
        self._lost_count += 1
        if self._lost_count <= MOST_LOST:
            then = "It is tried again." if again else "It fails."
            log.warning("%s: lost attempt %d of %d. %s %s", job.name, attempt,
                        max(attempt, ATTEMPTS), reason, then)  # fmt: skip
        elif self._lost_count == MOST_LOST + 1:
            log.warning("Further lost attempts are in the table, not here.")

    def _stop_slow(self) -> None:
        if self.timeout is None:
            return
        latest = time.monotonic() - self.timeout
        for name, flight in self.flights.items():
            if flight.begun is not None and flight.begun < latest and not flight.too_slow:
                flight.too_slow = True
                self.executor.stop(name)

    def _notice(self, last: bool = False) -> None:
        now = time.monotonic()
        if last or now - self._noticed >= NOTICE_SECONDS:
            self._noticed = now
            progress = self.counter.progress()
            self.observer(progress)
            self.events.progress(progress)

    def _end_early(self) -> None:
        """Record what ended meanwhile, and raise FitInterrupted."""
        running = self.counter.running
        self.executor.close()
        for event in self.executor.events(0.0):
            if isinstance(event, Ended) and event.name in self.flights:
                self._end(self.flights[event.name], event.row)
                running -= 1
        self._notice(last=True)
        made = self.counter.progress()
        raise FitInterrupted(
            f"interrupted after {made.ended:,} of {made.total:,} jobs; {max(0, running):,} that "
            "ran are kept as far as they had come. The same command goes on."
        )


class Queue:
    """Jobs that wait: the longest first, none before those that it needs."""

    def __init__(self, jobs: Iterable[Job]):
        self.ready: list[tuple[float, int, Job]] = []
        self.blocked: dict[str, tuple[Job, set[str]]] = {}
        self._after: dict[str, list[str]] = {}  # by what they wait for
        self._later: deque[tuple[float, Job]] = deque()  # with the time at which they are ready
        self.total, self.cost, self._number = 0, 0.0, 0
        for job in jobs:
            self.total += 1
            self.cost += job.cost
            if job.after:
                self.blocked[job.name] = (job, set(job.after))
                for name in job.after:
                    self._after.setdefault(name, []).append(job.name)
            else:
                self.put(job)

    @property
    def left(self) -> bool:
        """Return whether jobs wait that need no other."""
        return bool(self.ready or self._later)

    def wake(self) -> None:
        """Queue the jobs whose time has come."""
        while self._later and self._later[0][0] <= time.monotonic():
            self.put(self._later.popleft()[1])

    def put(self, job: Job, seconds: float = 0.0) -> None:
        """Queue a job, behind others of its cost; not before so many ``seconds``, always equal."""
        if seconds:
            self._later.append((time.monotonic() + seconds, job))
            return
        self._number += 1
        heapq.heappush(self.ready, (-job.cost, self._number, job))

    def take(self) -> Job:
        """Return the longest job, of equals the first."""
        return heapq.heappop(self.ready)[2]

    def end(self, job: Job, *, failed: bool) -> list[Job]:
        """Let those begin that waited for ``job``; return those that cannot, where it failed."""
        lost = []
        for name in self._after.pop(job.name, ()):
            if name not in self.blocked:  # given up because of another
                continue
            waiting, missing = self.blocked[name]
            missing.discard(job.name)
            if failed:
                del self.blocked[name]
                lost.append(waiting)
            elif not missing:
                del self.blocked[name]
                self.put(waiting)
        return lost


def _failed(job: Job, message: str) -> Row:
    return Row(job.name, job.kind, job.output, FAILED, message, digest=job.digest)
