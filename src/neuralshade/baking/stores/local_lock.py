"""Lock of a bake on its driver's machine: a file that the system unlocks when its process dies."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from neuralshade.base.closeable import Closeable
from neuralshade.base.strict_json import strict_json
from neuralshade.base.temp_files import locks
from neuralshade.errors import OutputError

LOCK = "lock"
MOST_BYTES = 4096  # of an owner's entry


class LocalLock(Closeable):
    """The file ``folder``/lock, locked until it is closed; it has ``owner`` as JSON.

    ``before``: its last owner, who has ended. Without locks, as on Windows, the process that the
    file names is looked for.

    Raises: OutputError where another driver has it, or the folder cannot be written.
    """

    def __init__(self, folder: Path, place: str, owner: Mapping[str, Any]):
        self._descriptor = _opened(folder)
        self.before = owner_of(os.read(self._descriptor, MOST_BYTES))
        if _is_taken(self._descriptor, self.before):
            os.close(self._descriptor)
            raise busy(place, self.before, "Wait for it, or end it.")
        os.ftruncate(self._descriptor, 0)
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        os.write(self._descriptor, json.dumps(dict(owner)).encode())

    def close(self) -> None:
        """Let another driver begin."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def owner_of(data: bytes) -> dict[str, Any]:
    """Return the owner that a lock names; {} where it is empty or no such text."""
    try:
        found = strict_json(data)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def busy(place: str, owner: Mapping[str, Any], remedy: str) -> OutputError:
    """Return the error of a second driver."""
    return OutputError(f"{place}: got a bake that runs already, {owner_text(owner)}, need one at a "
                       f"time. {remedy}")  # fmt: skip


def owner_text(owner: Mapping[str, Any]) -> str:
    """Return who a lock's owner is and since when, for users."""
    text = f"process {owner.get('pid', '?')} on {owner.get('host', 'another host')}"
    return f"{text} since {owner['since']}" if "since" in owner else text


def _opened(folder: Path) -> int:
    """Return the descriptor of the lock's file, made where it is missing."""
    path = folder / LOCK
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
    except OSError as error:
        raise OutputError(f"{path}: got '{error.strerror}', need a writable folder. Choose another "
                          "output.") from error  # fmt: skip


def _is_taken(descriptor: int, owner: Mapping[str, Any]) -> bool:
    """Lock the file; return whether another process has it."""
    if locks is None:
        return _lives(owner)
    try:
        locks.flock(descriptor, locks.LOCK_EX | locks.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # a network file system without locks
        return _lives(owner)
    return False


def _lives(owner: Mapping[str, Any]) -> bool:
    """Return whether the process that a lock names is there; for other hosts see lease.py."""
    import psutil  # only where the system has no locks

    here = owner.get("host") == platform.node() and isinstance(owner.get("pid"), int)
    return here and psutil.pid_exists(owner["pid"])
