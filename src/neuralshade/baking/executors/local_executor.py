"""Executor of local processes: a few workers that take one job after the other."""

from __future__ import annotations

import math
import queue
import time
from collections import Counter, deque
from collections.abc import Sequence
from typing import Any

from neuralshade.baking.executors.executor import GRACE_SECONDS, Ended, Event, Lost, Started
from neuralshade.baking.executors.gpu_packing import GpuPacking
from neuralshade.baking.executors.local_slots import VISIBLE, free_bytes
from neuralshade.baking.executors.local_worker import LocalWorker
from neuralshade.baking.job import MADE, Job, Row, row_of
from neuralshade.base.cores import LIMIT, core_count
from neuralshade.base.temp_files import TempFolder
from neuralshade.base.version import VERSION
from neuralshade.errors import DeviceError

LOOK_SECONDS = 5.0  # between two looks at the free memory of the GPUs
MOST_STILLBORN = 3  # workers in a row that end before their first message

Message = tuple[LocalWorker, "dict[str, Any] | None"]


class LocalExecutor:
    """Runs jobs in processes on this machine; a dead one is replaced.

    Args:
        output: the bake's place, a folder or a URL.
        count: how many at once; by default what fits, see local_slots.py.
        gpus: numbers of the GPUs that workers spread over; none: the fits choose.
        packing: adapts the number to the GPU memory of the fits; None: it stays.
    """

    def __init__(self, output: str, count: int, gpus: Sequence[str] = (),
                 packing: GpuPacking | None = None):  # fmt: skip
        self._output, self._gpus, self._packing = output, tuple(gpus), packing
        self._ahead = TempFolder()  # for inputs by URL of jobs that wait
        self._inbox: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._waiting: deque[Job] = deque()
        self._found: list[Event] = []
        self._stillborn = 0
        self._closed = False
        self._count, self._looked = count, -math.inf
        self._workers: list[LocalWorker] = []

    def slots(self) -> int:
        """Return how many jobs run at once."""
        return self._count

    def submit(self, job: Job) -> None:
        """Start a job, or queue it. The first one starts the workers, as many as are of use."""
        self._waiting.append(job)
        kept = [worker for worker in self._workers if worker.number < self._count]
        idle = sum(worker.job is None for worker in kept)
        if len(kept) < self._count and idle < len(self._waiting):
            taken = {worker.number for worker in self._workers}
            self._start(next(n for n in range(len(taken) + 1) if n not in taken))
        self._dispatch()

    def events(self, timeout: float) -> Sequence[Event]:
        """Return what happened; waits until something did, ``timeout`` seconds at most.

        Raises: DeviceError where workers end before they begin, or are of another version.
        """
        end = time.monotonic() + timeout
        while not self._found:
            try:
                self._handle(*self._inbox.get(timeout=max(0.0, end - time.monotonic())))
            except queue.Empty:
                break
        while not self._inbox.empty():
            self._handle(*self._inbox.get())
        found, self._found = self._found, []
        return found

    def stop(self, name: str) -> None:
        """Kill the worker that runs ``name``."""
        for worker in self._workers:
            if worker.job is not None and worker.job.name == name:
                worker.kill()

    def close(self) -> None:
        """End all workers; running fits save their checkpoints, unless it is called again."""
        end = time.monotonic() + (0.0 if self._closed else GRACE_SECONDS)
        self._closed = True
        self._waiting.clear()
        for worker in self._workers:
            worker.hang_up()
        while self._workers and (left := end - time.monotonic()) > 0:
            try:
                self._handle(*self._inbox.get(timeout=left))
            except queue.Empty:
                break
        for worker in self._workers:
            worker.kill()
            worker.close()
        self._workers = []
        self._ahead.close()

    def _start(self, number: int) -> None:
        environment = {LIMIT: str(max(1, core_count() // self._count))}
        if self._gpus:
            environment[VISIBLE] = self._gpu(number)
        places = (self._output, str(self._ahead.path))
        self._workers.append(LocalWorker(number, places, environment, self._inbox))

    def _dispatch(self) -> None:
        busy = sum(worker.job is not None for worker in self._workers)
        for worker in self._workers:
            if worker.job is not None:
                continue
            if worker.number >= self._count:
                worker.hang_up()
            elif worker.ready and self._waiting and busy < self._count:
                job = self._waiting.popleft()
                worker.begin(job)
                worker.beside, busy = self._count, busy + 1
                self._found.append(Started(job.name, worker.name))
        self._announce()

    def _announce(self) -> None:
        """Let busy workers read the inputs of jobs that wait, each those of one."""
        told = {worker.next for worker in self._workers}
        untold = deque(job for job in self._waiting if job.name not in told)
        waiting = {job.name for job in self._waiting}
        for worker in self._workers:
            if untold and worker.job is not None and worker.next not in waiting:
                worker.announce(untold.popleft())

    def _handle(self, worker: LocalWorker, message: dict[str, Any] | None) -> None:
        """Take a message of a worker; None: it has ended."""
        if message is None:
            self._bury(worker)
        elif "hello" in message:
            if message["hello"] != VERSION:
                raise DeviceError(f"worker {message['worker']}: got neuralshade "
                                  f"{message['hello']}, need {VERSION}, which this bake began "
                                  "with. Start the bake again.")  # fmt: skip
            worker.name, worker.ready, self._stillborn = message["worker"], True, 0
        elif "ended" in message:
            worker.job = None
            self._found.append(ended := Ended(message["ended"], row_of(message["row"])))
            self._measure(ended.row)
        else:  # an unsound one ends now
            worker.job, worker.ready = None, message["sound"]
            self._found.append(lost := Lost(message["lost"], message["reason"], message["sound"]))
            if self._packing is not None and lost.memory:
                self._packing.out_of_memory(worker.beside)
                self._count = self._packing.count()
        if not self._closed:
            self._dispatch()

    def _measure(self, row: Row) -> None:
        """Adapt the number of processes to what a fit took of its GPU."""
        if self._packing is None or row.state != MADE:
            return
        if row.gpu_bytes is not None:
            self._packing.measured(row.gpu_bytes)
        elif time.monotonic() - self._looked > LOOK_SECONDS:
            self._looked = time.monotonic()
            gpus = Counter(self._gpu(worker.number) for worker in self._workers if worker.name)
            self._packing.shared(free_bytes(), gpus)
        self._count = self._packing.count()

    def _gpu(self, number: int) -> str:
        """Return the number of a worker's GPU."""
        gpus = self._gpus or tuple(self._packing.free if self._packing is not None else ())
        return gpus[number % len(gpus)]

    def _bury(self, worker: LocalWorker) -> None:
        """Report the job of a dead worker, and replace it."""
        if worker not in self._workers:
            return
        reason = worker.reason()
        self._workers.remove(worker)
        worker.close()
        if worker.job is not None:
            self._found.append(Lost(worker.job.name, reason))
        if self._closed or worker.number >= self._count:
            return
        if worker.job is None and not worker.name:
            self._stillborn += 1
        if self._stillborn >= MOST_STILLBORN:
            raise DeviceError(f"{reason} Got {self._stillborn} workers that ended at their start, "
                              "need ones that run. Start the bake again.")  # fmt: skip
        self._start(worker.number)
