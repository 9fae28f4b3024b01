"""Store of a bake's outputs, as workers and driver use it; and which texts are URLs."""

from __future__ import annotations

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from neuralshade.baking.job import Job
from neuralshade.baking.stores.lease import LeaseFile
from neuralshade.errors import ConfigError, OutputError

URL = re.compile(r"([a-z][a-z0-9+.-]*)://")
# What a manifest may name: one of a stranger must not reach whatever else fsspec opens.
PROTOCOLS = ("s3", "gs", "gcs", "az", "abfs", "memory")
LEASE = "lock.json"
SILENT = "need a store that answers"  # in messages of stores by URL that do not
SUFFIX = ".nsh"  # of assets
OWN = ".bake"  # folder of a bake below its output: ledger, lock, unfinished work


class Store(ABC):
    """Place of a bake's outputs; a worker makes its own from ``place``."""

    requests = 1  # that are of use at once: more where each takes a while
    locks = False  # ``work`` waits for who has the job still, and may have published it

    def __init__(self, place: str):
        self.place = place

    @property
    @abstractmethod
    def ledger_folder(self) -> Path:
        """Return the local folder of the ledger and the lock of this machine."""

    @abstractmethod
    def lease_file(self) -> LeaseFile:
        """Return the file or object of the lock between machines."""

    @abstractmethod
    def header(self, output: str) -> dict[str, Any] | None:
        """Return the header of an asset; None where there is none. Raises OutputError."""

    @abstractmethod
    def size(self, output: str) -> int | None:
        """Return the bytes of an output that ``header`` found."""

    @abstractmethod
    def outputs(self) -> Iterator[str]:
        """Yield the files there that are named as assets, as outputs of jobs are."""

    def check_place(self, output: str) -> None:  # noqa: B027  most stores replace whatever is there
        """Raise OutputError where an output is a file that is no asset: it is not replaced."""

    @abstractmethod
    def work(self, job: Job) -> Any:
        """Return a context with a local folder for a job's asset and checkpoint.

        A checkpoint of an earlier attempt lies in it. It is removed once its job is published.
        """

    @abstractmethod
    def publish(self, made: Path, output: str) -> None:
        """Put a whole file there, in one step. Raises OutputError."""

    @abstractmethod
    def clear(self) -> None:
        """Remove the work of a bake that ended: nothing is left to resume."""


def is_url(text: str) -> bool:
    """Return whether ``text`` is a URL that a store reads; file:// is a path, see ``local_path``.

    Raises: ConfigError for a URL of a protocol that none of them reads.
    """
    found = URL.match(text)
    if found is None or found[1] == "file":
        return False
    if found[1] not in PROTOCOLS:
        raise ConfigError(f"{text}: got a URL of {found[1]}, need a path or one of "
                          f"{', '.join(f'{name}://' for name in PROTOCOLS[:-1])}. Copy it to one "
                          "of these.")  # fmt: skip
    return True


def local_path(text: str) -> str:
    """Return the path of a file:// URL; other text as it is."""
    return url2pathname(urlsplit(text).path) if text.startswith("file://") else text


def checked_output(output: str) -> str:
    """Return a relative output unchanged; OutputError where it would leave the store's folder."""
    path = PurePosixPath(output)
    if path.is_absolute() or ".." in path.parts or not path.parts or path.parts[0] == OWN:
        raise OutputError(f"{output}: got an output outside of the bake's folder, need one in it. "
                          "Name it without .. and a leading /.")  # fmt: skip
    return output


def work_name(job: Job) -> str:
    """Return the name of a job's folder: changed inputs or settings have another one."""
    return hashlib.sha256(f"{job.output}\n{job.digest}".encode()).hexdigest()[:24]
