"""Ledger of a bake: a JSON line for each job that ended, and the lock against a second driver."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from neuralshade.baking.job import Row, plain_data, row_of
from neuralshade.base.closeable import Closeable
from neuralshade.base.json_lines import json_line, json_lines, opened_to_append
from neuralshade.base.strict_json import strict_json
from neuralshade.base.temp_files import locks
from neuralshade.base.version import VERSION
from neuralshade.errors import OutputError

LEDGER, LOCK = "ledger.jsonl", "lock"


class Ledger(Closeable):
    """The rows of a bake in ``folder``, written as jobs end; nobody else writes while it is open.

    Each run begins with a line of its own, so that the file has all runs; ``run`` has this one.
    Lines are handed to the system one by one, so that a killed driver loses none.

    Raises: OutputError where another driver runs, or the folder cannot be written.
    """

    def __init__(self, folder: Path, place: str):
        self.path = folder / LEDGER
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{folder}: got '{error.strerror}', need a folder for the ledger of "
                              "a bake. Choose another output.") from error  # fmt: skip
        self._lock = _locked(folder / LOCK, place)
        try:
            self._file: IO[str] | None = opened_to_append(self.path, "the ledger of a bake")
            self.run = Run(self.path, self._file.tell())
            self._append({"run": VERSION})
        except BaseException:
            os.close(self._lock)
            raise

    def write(self, row: Row) -> None:
        """Append a row. Raises OutputError where the disk is full."""
        self._append(plain_data(row))

    def _append(self, data: dict[str, Any]) -> None:
        assert self._file is not None
        try:
            self._file.write(json_line(data))
            self._file.flush()
        except OSError as error:
            raise OutputError(f"{self.path}: got '{error.strerror}', need room for the ledger. "
                              "Free some space; the same command goes on.") from error  # fmt: skip

    def close(self) -> None:
        """Let another driver begin."""
        if self._file is not None:
            file, self._file = self._file, None
            file.close()
            os.close(self._lock)


@dataclass(frozen=True)
class Run:
    """Rows of one run in a ledger, in the order in which its jobs ended.

    They are read anew by each iteration, one at a time, from ``begin`` on: the bytes of the runs
    before. Later runs are left out.
    """

    path: Path
    begin: int

    def __iter__(self) -> Iterator[Row]:
        found = json_lines(self.path, self.begin)
        next(found, None)  # the line that begins it
        for data in found:
            if "run" in data:
                return
            yield row_of(data)


def _locked(path: Path, place: str) -> int:
    """Return the descriptor of the lock file, which names this process; locked until it is closed.

    The system releases it when its process dies. Without locks, as on Windows, the process that
    the file names is looked for.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
    except OSError as error:
        raise OutputError(f"{path}: got '{error.strerror}', need a writable folder. Choose another "
                          "output.") from error  # fmt: skip
    owner = _owner(descriptor)
    try:
        if locks is None:
            taken = _lives(owner)
        else:
            locks.flock(descriptor, locks.LOCK_EX | locks.LOCK_NB)
            taken = False
    except BlockingIOError:
        taken = True
    except OSError:  # a network file system without locks
        taken = _lives(owner)
    if taken:
        os.close(descriptor)
        host, pid = owner.get("host", "another host"), owner.get("pid", "?")
        raise OutputError(f"{place}: got a bake that runs already, process {pid} on {host}, need "
                          "one at a time. Wait for it, or end it.")  # fmt: skip
    os.ftruncate(descriptor, 0)
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.write(descriptor, json.dumps({"host": platform.node(), "pid": os.getpid()}).encode())
    return descriptor


def _owner(descriptor: int) -> dict[str, Any]:
    try:
        found = strict_json(os.read(descriptor, 4096))
    except ValueError:  # empty: nobody had it yet
        return {}
    return found if isinstance(found, dict) else {}


def _lives(owner: dict[str, Any]) -> bool:
    """Return whether the process that a lock names is there; one of another host counts as such."""
    import psutil  # only where the system has no locks

    if not isinstance(owner.get("pid"), int):
        return False
    return owner.get("host") != platform.node() or psutil.pid_exists(owner["pid"])
