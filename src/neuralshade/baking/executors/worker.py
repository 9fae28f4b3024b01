"""Worker process of local bakes: jobs come in on its pipe as JSON lines, events go out.

It begins with a line that names its version. It ends when the pipe is closed, by its driver or
because that died: then a running fit saves its checkpoint first.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from neuralshade.baking.executors.executor import Ended, Lost
from neuralshade.baking.executors.make import make
from neuralshade.baking.job import Job, job_of, plain_data
from neuralshade.baking.stores.fetch_ahead import AheadFolder
from neuralshade.baking.stores.folder_store import open_store
from neuralshade.baking.stores.local_inputs import read_ahead
from neuralshade.baking.stores.store import Store
from neuralshade.baking.stores.stored import worker_name
from neuralshade.base.deferred_modules import defer_parts_of_pytorch
from neuralshade.base.garbage import freeze_with
from neuralshade.base.json_lines import json_line
from neuralshade.base.strict_json import strict_json
from neuralshade.base.version import VERSION

MODULE = "neuralshade.baking.executors.worker"
SAVE_SECONDS = 10.0  # for the checkpoint of a fit whose driver is gone


def main() -> None:
    """Work until the pipe is closed, or after an event that may have left this process unsound."""
    jobs, events = _own_pipes()
    defer_parts_of_pytorch()
    freeze_with("torch")
    place, folder = sys.argv[1:]
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the driver's, which closes the pipe
    _send(events, {"hello": VERSION, "worker": worker_name()})
    store, ahead = open_store(place), AheadFolder(Path(folder))
    waiting: queue.SimpleQueue[Job] = queue.SimpleQueue()
    later: queue.SimpleQueue[Job] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(jobs, waiting, later), daemon=True).start()
    threading.Thread(target=_read_ahead, args=(later, store, ahead), daemon=True).start()
    while True:
        event = make(job := waiting.get(), store, ahead)
        if isinstance(event, Ended):
            _send(events, {"ended": job.name, "row": plain_data(event.row)})
        else:
            _send(events, {"lost": job.name, "reason": event.reason, "sound": event.sound})
        if isinstance(event, Lost) and not event.sound:
            os._exit(0)  # a GPU may hang in an orderly end, and this process has shown a fault


def _own_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Return the pipes from and to the driver; what libraries print goes to standard error."""
    jobs, events = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return jobs, events


def _receive(jobs: IO[bytes], waiting: queue.SimpleQueue[Job],
             later: queue.SimpleQueue[Job]) -> None:  # fmt: skip
    """Pass jobs on, those that are somebody's next to ``later``, and end with the driver."""
    for line in jobs:
        message = strict_json(line)
        if "next" in message:
            later.put(job_of(message["next"]))
        else:
            waiting.put(job_of(message["job"]))
    os.kill(os.getpid(), signal.SIGTERM)  # a fit saves its checkpoint; else this ends the process
    time.sleep(SAVE_SECONDS)
    os._exit(1)


def _read_ahead(later: queue.SimpleQueue[Job], store: Store, ahead: AheadFolder) -> None:
    """Read the inputs of jobs that wait, of several the last one's."""
    while True:
        job = later.get()
        while not later.empty():
            job = later.get()
        read_ahead(job, store, ahead)


def _send(events: IO[bytes], message: Mapping[str, Any]) -> None:
    try:
        events.write(json_line(message).encode())
        events.flush()
    except OSError:  # the driver is gone
        os._exit(1)


if __name__ == "__main__":
    main()
