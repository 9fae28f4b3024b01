"""Worker process that measures textures of others, while a fit needs this one's Python lock.

Compression is many short calls on all cores: each hands the lock over, and the thread that trains
waits for it in turn.
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from neuralshade.asset.texture.bc7_process import can_start_process
from neuralshade.base.ahead import begin, taken_result
from neuralshade.base.lazy_import import import_object
from neuralshade.base.sandbox.sandbox import main_text
from neuralshade.base.sandbox.wire import Array, BrokenError, receive, send

LEAST_APART = 2**18  # numbers worth a process: 0.3 s of work, twice its start
MOST_BYTES = 2**30  # of what is measured
NICENESS = 10  # of 19 at most
LEFT_CORES, MANY_CORES = 2, 8  # that are left to the fit, on machines with so many or more
KEY = "process that measures textures"  # of what is begun ahead

log = logging.getLogger("neuralshade")


class RivalProcess:
    """A worker process that waits for work; it ends after one answer, or with this object.

    ``task``: "module:name" of a function of facts and arrays whose result is plain JSON data; its
    module is loaded at once.

    Raises: OSError where it does not start.
    """

    def __init__(self, task: str) -> None:
        # -S: the text has all paths
        self._worker = subprocess.Popen([sys.executable, "-S", "-c", main_text(__name__), task],
                                        stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)  # fmt: skip
        self._end = weakref.finalize(self, _ended, self._worker)

    def answer(self, facts: Mapping[str, Any], arrays: Sequence[Array]) -> dict[str, Any]:
        """Return what the task makes of facts and arrays. Raises: OSError, BrokenError."""
        worker = self._worker
        assert worker.stdin is not None and worker.stdout is not None
        try:
            send(worker.stdin, dict(facts), arrays)
            found, _ = receive(worker.stdout, 0)
        finally:
            self._end()
        return found


def begin_process(task: str) -> None:
    """Begin to start a process that ``begun_process`` returns, if anybody keeps it."""
    begin(KEY, lambda: waiting_process(task))


def begun_process() -> RivalProcess | None:
    """Return the process of ``begin_process``, for once; it ends where nobody keeps it."""
    process: RivalProcess | None = taken_result(KEY)
    return process


def waiting_process(task: str) -> RivalProcess | None:
    """Return a process that is ready sooner for ``measured_apart``; None where none starts."""
    try:
        return RivalProcess(task) if can_start_process() else None
    except OSError:
        return None


def measured_apart(
    task: str,
    facts: Mapping[str, Any],
    arrays: Sequence[Array],
    process: RivalProcess | None = None,
) -> dict[str, Any]:
    """Return what ``task`` makes of facts and arrays, in a process where that is worth it.

    In this one where that fails, with a log entry. ``process``: one that waits, with this task.
    Raises: what the task raises.
    """
    if sum(each.size for each in arrays) >= LEAST_APART and can_start_process():
        try:
            return (process or RivalProcess(task)).answer(facts, arrays)
        except (OSError, BrokenError) as error:
            log.info("blocks: got no result of a process (%s), need none: this one goes on.", error)
    found: dict[str, Any] = import_object(task)(facts, arrays)
    return found


def _ended(worker: subprocess.Popen[bytes]) -> None:
    worker.kill()  # at its end already, but for one that was not needed
    with suppress(OSError), worker:  # what is still to be written has nobody to read it
        pass


def main() -> None:
    """Do the task named as argument; its facts and arrays are standard input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by the parent
    _give_way()
    task = import_object(sys.argv[1])
    send(sys.stdout.buffer, task(*receive(sys.stdin.buffer, MOST_BYTES)))


def _give_way() -> None:
    """Leave cores to the fit, which waits for its GPU in short turns."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    if hasattr(os, "sched_setaffinity"):  # not on Windows, nor on a Mac
        cores = sorted(os.sched_getaffinity(0))
        if len(cores) >= MANY_CORES:
            os.sched_setaffinity(0, cores[LEFT_CORES:])
