"""Temporary files and folders with locks, so that those of killed processes are removed."""

from __future__ import annotations

import functools
import hashlib
import os
import platform
import secrets
import shutil
import stat
import tempfile
import weakref
from pathlib import Path
from typing import Any

from neuralshade.base.closeable import Closeable
from neuralshade.errors import OutputError

locks: Any
try:
    import fcntl as locks
except ImportError:  # Windows: nothing is held, and nothing is removed
    locks = None

BOOT = Path("/proc/sys/kernel/random/boot_id")
TEMP_PREFIX = "neuralshade-scratch"  # begins the names of folders below the temporary one


@functools.cache
def machine() -> str:
    """Return 8 hex digits of this machine since it was started.

    Names bear them: on a folder that several machines share, locks of others may not be seen.
    """
    try:
        boot = BOOT.read_text("ascii")
    except OSError:  # not Linux
        boot = ""
    return hashlib.sha256(f"{platform.node()} {boot}".encode()).hexdigest()[:8]


def fresh_name(prefix: str) -> str:
    """Return a name of this machine's that nothing has yet."""
    return f"{prefix}-{machine()}-{secrets.token_hex(8)}"


def lock(path: Path, descriptor: int) -> bool:
    """Lock what ``path`` names and ``descriptor`` is of, until that is closed: its process lives.

    Return False where another process has just taken it for left over. A file system without
    locks gives nobody one: there nothing is held, and nothing is removed.
    """
    if locks is None:
        return True
    try:
        locks.flock(descriptor, locks.LOCK_EX | locks.LOCK_NB)
    except BlockingIOError:  # it is being removed
        return False
    except OSError:
        return True
    return _is_there(path, descriptor)


def remove_stale(folder: Path, prefix: str) -> None:
    """Remove files and folders with ``fresh_name`` of ``prefix`` that no living process holds.

    What cannot be looked at or removed stays, and so does what another machine left.
    """
    if locks is None:
        return
    try:
        names = [name for name in os.listdir(folder) if name.startswith(f"{prefix}-{machine()}-")]
    except OSError:  # who writes there is told of it
        return
    for name in names:
        _remove_unheld(folder / name)


class TempFolder(Closeable):
    """An empty folder below the temporary one, ``path``, that goes with ``close``, or at the end.

    What processes left there that were killed is removed first.

    Raises: OutputError where none can be made.
    """

    def __init__(self) -> None:
        sweep_temp_folder()
        try:
            self.path, held = _made_scratch()
        except OSError as error:
            raise OutputError(f"temporary folder: got '{error.strerror}', need one that takes "
                              "files. Set TMPDIR to another.") from error  # fmt: skip
        self._end = weakref.finalize(self, _discard, self.path, held)

    def close(self) -> None:
        """Remove the folder, and what is in it."""
        self._end()


@functools.cache
def sweep_temp_folder() -> None:
    """Remove what killed processes left in the temporary folder, once in a process."""
    try:
        remove_stale(Path(tempfile.gettempdir()), TEMP_PREFIX)
    except FileNotFoundError:  # no folder is usable for temporary files: who needs one is told
        return


def _made_scratch() -> tuple[Path, int | None]:
    """Return a new folder, and a descriptor that holds it, where there are locks."""
    while True:
        path = Path(tempfile.gettempdir()) / fresh_name(TEMP_PREFIX)
        path.mkdir(0o700)
        if locks is None:
            return path, None
        try:
            descriptor = os.open(path, os.O_RDONLY)
        except FileNotFoundError:  # taken for left over
            continue
        if lock(path, descriptor):
            return path, descriptor
        os.close(descriptor)


def _discard(path: Path, held: int | None) -> None:
    shutil.rmtree(path, ignore_errors=True)
    if held is not None:
        os.close(held)


def _is_there(path: Path, descriptor: int) -> bool:
    """Return whether ``path`` still names what is open."""
    try:
        return os.path.samestat(os.lstat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _remove_unheld(path: Path) -> None:
    try:
        # not followed, not waited for: in a folder of all, anybody may have put it there
        mode = os.lstat(path).st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            return
        access = os.O_RDONLY if stat.S_ISDIR(mode) else os.O_RDWR
        descriptor = os.open(path, access | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:  # gone meanwhile, or not ours
        return
    try:
        locks.flock(descriptor, locks.LOCK_EX | locks.LOCK_NB)
        if stat.S_ISDIR(mode):
            shutil.rmtree(path, ignore_errors=True)
        elif _is_there(path, descriptor):
            path.unlink()
    except OSError:  # held, or no locks here, or a folder that refuses
        return
    finally:
        os.close(descriptor)
