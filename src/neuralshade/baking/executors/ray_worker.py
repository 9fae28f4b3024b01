"""Half of a Ray task that runs at its node: what is checked there, and a job's messages.

Other half: ray_executor.py.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from neuralshade.baking.executors.executor import Ended
from neuralshade.baking.executors.local_slots import VISIBLE
from neuralshade.baking.executors.make import make
from neuralshade.baking.job import job_of, plain_data
from neuralshade.baking.stores.folder_store import open_store
from neuralshade.baking.stores.store import OWN, Store, is_url
from neuralshade.baking.stores.stored import worker_name
from neuralshade.base.cores import LIMIT
from neuralshade.errors import NeuralShadeError

Message = dict[str, Any]
SEEN_SECONDS = 3.0  # in which a network file system shows a new file
LEAVE_SECONDS = 60.0  # for the executor to kill this process


class Process:
    """What this worker process keeps between tasks: once read, its GPU stays the same."""

    stores: dict[tuple[str, str], Store | str] = {}  # noqa: RUF012 - one of the process
    gpus: str | None = None


def refusal(place: str, token: str) -> str | None:
    """Return why this node cannot write a bake's outputs; None where it can."""
    key = (place, token)
    if key not in Process.stores:
        Process.stores[key] = _opened(place, token)
    found = Process.stores[key]
    return found if isinstance(found, str) else None


def run(place: str, token: str, data: Mapping[str, Any], threads: int) -> Iterator[Message]:
    """Make a job, and yield what the executor reports; then wait to be killed if that is better.

    A process that computed on one GPU cannot change to another, nor go on after some faults.
    """
    os.environ[LIMIT] = str(threads)
    gpus = os.environ.get(VISIBLE, "")  # Ray sets it anew for each task
    if Process.gpus not in (None, gpus):
        yield {"moved": True}
        time.sleep(LEAVE_SECONDS)
        return
    Process.gpus = gpus
    if reason := refusal(place, token):
        yield {"refused": reason}
        return
    yield {"started": worker_name()}
    store = Process.stores[place, token]
    assert isinstance(store, Store)
    event = make(job_of(data), store)
    if isinstance(event, Ended):
        yield {"row": plain_data(event.row)}
        return
    yield {"lost": event.reason, "sound": event.sound}
    if not event.sound:
        time.sleep(LEAVE_SECONDS)


def token_file(place: str, token: str) -> Path:
    """Return the file of a driver by which a node shows that it sees the output."""
    return Path(place, OWN, "work", f"driver-{token}")


def _opened(place: str, token: str) -> Store | str:
    """Return the store of the outputs, or why this node cannot reach it."""
    try:
        if not is_url(place) and (reason := _unseen(place, token)):
            return reason
        return open_store(place)
    except NeuralShadeError as error:
        return f"worker {worker_name()}: {error}"


def _unseen(place: str, token: str) -> str | None:
    """Return what is wrong with the driver's folder as seen from here."""
    file, end = token_file(place, token), time.monotonic() + SEEN_SECONDS
    while not os.path.isfile(file) and time.monotonic() < end:
        time.sleep(0.1)
    remedy = "Mount it there, or use a URL such as s3://bucket/assets."
    if not os.path.isfile(file):
        return (f"worker {worker_name()}: got no file of the driver in {place}, need the same "
                f"folder on every machine. {remedy}")  # fmt: skip
    if not os.access(file.parent, os.W_OK):
        return (f"worker {worker_name()}: got {place}, which it may not write, need a writable "
                f"folder on every machine. {remedy}")  # fmt: skip
    return None
