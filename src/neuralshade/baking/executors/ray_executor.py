"""Executor of a Ray cluster: each job is a task. Other half: ray_worker.py.

Tasks rather than actors: Ray places them, keeps their processes for the next ones, and asks its
autoscaler for machines. Each is a stream of messages, so that a job's start is seen.
"""

from __future__ import annotations

import os
import signal
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from neuralshade.baking.executors.executor import GRACE_SECONDS, Ended, Event, Lost, Started
from neuralshade.baking.executors.ray_nodes import RayNodes, on_node
from neuralshade.baking.executors.ray_session import connect, disconnect, ray_module
from neuralshade.baking.executors.ray_worker import token_file
from neuralshade.baking.job import Job, plain_data, row_of
from neuralshade.baking.stores.store import OWN, is_url, local_path
from neuralshade.base.atomic import make_folder, whole_file
from neuralshade.base.message_text import plain
from neuralshade.base.plugins import one_line_error
from neuralshade.base.version import VERSION
from neuralshade.errors import ConfigError

ONCE = {"max_retries": 0, "retry_exceptions": False, "num_returns": "streaming"}


class Flight:
    """A job that is a task now."""

    def __init__(self, job: Job, stream: Any, gpu_share: float):
        self.job, self.stream, self.gpu_share = job, stream, gpu_share
        self.worker = self.node = ""  # "HOST:PID" and Ray's name of its node, once it has begun


class RayExecutor:
    """Runs jobs on the GPUs of a Ray cluster, or on its cores where it has no GPU.

    Args:
        address: as for ``ray_session.connect``.
        output: the bake's place: a folder that every node sees, or a URL.
        gpu_share: share of a GPU that a job needs, in (0, 1]; None: by the memory of the smallest
            GPU and of the fits; 0: jobs run on cores alone.
        cpus: cores that a job needs; None: as on a single machine.

    Raises: DeviceError where no cluster answers, or one of its nodes cannot work: it has
        another version, or does not see ``output``.
    """

    def __init__(self, address: str, output: str, *, gpu_share: float | None = None,
                 cpus: float | None = None):  # fmt: skip
        if gpu_share is not None and not 0 <= gpu_share <= 1:
            raise ConfigError(f"gpu_share: got {gpu_share}, need 0 to 1. Leave it out.")
        self._ray, self._token = ray_module(), uuid.uuid4().hex
        # whole: a worker has another folder to work in
        self._place = output if is_url(output) else os.path.abspath(local_path(output))
        self._flights: dict[Any, Flight] = {}  # by stream
        self._found: list[Event] = []
        self._ours = connect(address)
        try:
            self._leave_token()
            self._nodes = RayNodes(self._ray, cpus, gpu_share)
            check, run = remote_functions(VERSION)
            self._task = self._ray.remote(run)
            self._nodes.check(self._ray.remote(check), self._place, self._token)
        except BaseException:
            self.close()
            raise

    def slots(self) -> int:
        """Return how many jobs run at once on the nodes that are there."""
        return self._nodes.slots()

    def submit(self, job: Job) -> None:
        """Queue a job at Ray."""
        # few names: Ray counts tasks by name, and keeps the counts
        name = f"bake {job.kind}"
        stream = self._task.options(**ONCE, **self._nodes.needs(), name=name).remote(
            self._place, self._token, plain_data(job), max(1, int(self._nodes.cpus))
        )
        self._flights[stream] = Flight(job, stream, self._nodes.gpu_share)

    def events(self, timeout: float) -> Sequence[Event]:
        """Return what happened since, at least one event unless ``timeout`` seconds pass.

        Raises: DeviceError where no node is left that can work.
        """
        end = time.monotonic() + timeout
        while self._flights and not self._found:
            ready = self._ready(max(0.0, end - time.monotonic()))
            for stream in ready:
                self._take(self._flights[stream])
            if not ready:
                break
        found, self._found = self._found, []
        return found

    def stop(self, name: str) -> None:
        """Kill the worker that runs ``name``."""
        for flight in self._flights.values():
            if flight.job.name == name:
                self._ray.cancel(flight.stream, force=True)

    def close(self) -> None:
        """End all tasks, those that run after their checkpoints; leave the cluster."""
        if self._token:
            self._interrupt()
            end = time.monotonic() + GRACE_SECONDS
            while self._flights and (left := end - time.monotonic()) > 0:
                for stream in self._ready(left):
                    self._take(self._flights[stream])
            for stream in self._flights:
                self._ray.cancel(stream, force=True)
            self._flights.clear()
            if not is_url(self._place):
                token_file(self._place, self._token).unlink(missing_ok=True)
            self._token = ""
        if self._ours:
            self._ours = False
            disconnect()

    def _interrupt(self) -> None:
        """Cancel jobs that wait, and let those that run save their checkpoints.

        Ray's own interruption would count a task as ended while it saves.
        """
        running: dict[str, list[int]] = {}  # processes by node
        for flight in self._flights.values():
            if flight.worker:
                running.setdefault(flight.node, []).append(int(flight.worker.rpartition(":")[2]))
            else:
                self._ray.cancel(flight.stream, force=True)
        call = self._ray.remote(interrupt)
        for node, pids in running.items():
            call.options(**on_node(node)).remote(pids)

    def _ready(self, timeout: float) -> list[Any]:
        """Return the tasks that have a message."""
        streams = list(self._flights)
        ready = self._ray.wait(streams, num_returns=len(streams), timeout=0)[0]
        return ready or self._ray.wait(streams, num_returns=1, timeout=timeout)[0]

    def _take(self, flight: Flight) -> None:
        """Handle the next message of a task."""
        try:
            message = self._ray.get(next(flight.stream))
        except StopIteration:
            self._end(flight, Lost(flight.job.name, f"{_named(flight)}: ended without a result."))
        except self._ray.exceptions.RayError as error:
            self._end(flight, Lost(flight.job.name, self._reason(flight, error)))
        else:
            self._handle(flight, message)

    def _handle(self, flight: Flight, message: dict[str, Any]) -> None:
        name = flight.job.name
        if "started" in message:
            flight.worker, flight.node = message["started"], message["node"]
            self._found.append(Started(name, flight.worker))
        elif "row" in message:
            self._end(flight, ended := Ended(name, row_of(message["row"])))
            self._nodes.measured(ended.row.gpu_bytes)
        elif "lost" in message:
            self._end(flight, lost := Lost(name, message["lost"]), kill=not message["sound"])
            if lost.memory:
                self._nodes.out_of_memory(flight.gpu_share)
        elif "refused" in message:
            self._nodes.exclude(message["node"], message["refused"])
            self._end(flight, None)
            self.submit(flight.job)
        else:  # a process that is bound to another GPU than its task's
            self._end(flight, None, kill=True)
            self.submit(flight.job)

    def _end(self, flight: Flight, event: Event | None, *, kill: bool = False) -> None:
        del self._flights[flight.stream]
        if kill:
            self._ray.cancel(flight.stream, force=True)
        if event is not None:
            self._found.append(event)

    def _reason(self, flight: Flight, error: BaseException) -> str:
        """Return why a task failed, for users."""
        kinds, worker = self._ray.exceptions, _named(flight)
        if isinstance(error, kinds.TaskCancelledError):
            return f"{worker}: was stopped."
        if isinstance(error, kinds.OutOfMemoryError):
            return (f"{worker}: was killed by Ray, as its machine was short of memory. Run fewer "
                    "jobs at once, or smaller ones.")  # fmt: skip
        if isinstance(error, kinds.WorkerCrashedError):
            return f"{worker}: died; the system kills processes where memory runs out."
        if isinstance(error, kinds.NodeDiedError):
            return f"{worker}: its machine no longer answers."
        cause = getattr(error, "cause", None)
        return f"{worker}: got {plain(one_line_error(cause or error))}."

    def _leave_token(self) -> None:
        """Write the file by which nodes show that they see the output."""
        if is_url(self._place):
            return
        file = token_file(self._place, self._token)
        make_folder(Path(self._place), "the outputs of a bake")
        make_folder(Path(self._place, OWN), "a bake's own files")
        make_folder(file.parent, "unfinished work")
        with whole_file(file) as unfinished:
            unfinished.write_text(f"{os.getpid()}\n")


def _named(flight: Flight) -> str:
    return f"worker {flight.worker}" if flight.worker else f"a worker of {flight.job.name}"


def remote_functions(version: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return the functions of tasks: what ``RayNodes.check`` calls, and a job's messages.

    Ray sends functions of a module by name, and those made here as code: so these run, and
    refuse, where this package is missing or of another version.
    """

    def wrong() -> str | None:
        import platform

        try:
            from neuralshade.baking.executors.make import wrong_version
        except ImportError as error:
            return (f"worker {platform.node()}: got no neuralshade that bakes ({error}), need "
                    f"{version}. Install that version on every machine.")  # fmt: skip
        return wrong_version(version)

    def check(place: str, token: str) -> tuple[str | None, int | None]:
        if reason := wrong():
            return reason, None
        from neuralshade.baking.executors.local_slots import smallest_gpu
        from neuralshade.baking.executors.ray_worker import refusal

        return refusal(place, token), smallest_gpu()

    def run(place: str, token: str, job: dict[str, Any], threads: int) -> Iterator[dict[str, Any]]:
        import ray

        if reason := wrong():
            messages: Iterator[dict[str, Any]] = iter([{"refused": reason}])
        else:
            from neuralshade.baking.executors import ray_worker

            messages = ray_worker.run(place, token, job, threads)
        for message in messages:
            yield {**message, "node": ray.get_runtime_context().get_node_id()}

    return check, run


def interrupt(pids: list[int]) -> None:
    """Let fits of this node save their checkpoints and end."""
    for pid in pids:
        with suppress(OSError):  # it has ended meanwhile
            os.kill(pid, signal.SIGTERM)  # SIGINT is blocked in Ray's processes
