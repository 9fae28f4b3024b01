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
except ImportError:  # Windows: nothing is locked, and nothing is removed
    locks = None

BOOT = Path("/proc/sys/kernel/random/boot_id")
TEMP_PREFIX = "neuralshade-scratch"  # prefix of folders in the temporary folder


@functools.cache
def machine() -> str:
    """Return 8 hex digits for this machine since its last boot.

    Part of all names: on a folder shared by several machines, locks of others may be invisible.
    """
    try:
        boot = BOOT.read_text("ascii")
    except OSError:  # not Linux
        boot = ""
    return hashlib.sha256(f"{platform.node()} {boot}".encode()).hexdigest()[:8]


def fresh_name(prefix: str) -> str:
    """Return a new, unused name with this machine's digits."""
    return f"{prefix}-{machine()}-{secrets.token_hex(8)}"


def lock(path: Path, descriptor: int) -> bool:
    """Lock the open file or folder at ``path`` until ``descriptor`` is closed: its owner lives.

    Return False where another process is removing it as stale. On a file system without
    locks nothing is locked, and nothing is removed.
    """
    if locks is None:
        return True
    try:
        locks.flock(descriptor, locks.LOCK_EX | locks.LOCK_NB)
    except BlockingIOError:  # another process is removing it
        return False
    except OSError:
        return True
    return _is_there(path, descriptor)


def remove_stale(folder: Path, prefix: str) -> None:
    """Remove files and folders named by ``fresh_name(prefix)`` that no living process has locked.

    What cannot be opened or removed stays, and so do files of other machines.
    """
    if locks is None:
        return
    try:
        names = [name for name in os.listdir(folder) if name.startswith(f"{prefix}-{machine()}-")]
    except OSError:  # the writer reports it
        return
    for name in names:
        _remove_unheld(folder / name)


class TempFolder(Closeable):
    """An empty temporary folder, ``path``, removed by ``close`` or at exit.

    Stale folders of killed processes are removed first.

    Raises: OutputError where none can be created.
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
        """Remove the folder with its content."""
        self._end()


@functools.cache
def sweep_temp_folder() -> None:
    """Remove stale folders of killed processes, once per process."""
    try:
        remove_stale(Path(tempfile.gettempdir()), TEMP_PREFIX)
    except FileNotFoundError:  # without a usable temporary folder: its users report it
        return


def _made_scratch() -> tuple[Path, int | None]:
    """Return a new folder, and a descriptor with its lock where there are locks."""
    while True:
        path = Path(tempfile.gettempdir()) / fresh_name(TEMP_PREFIX)
        path.mkdir(0o700)
        if locks is None:
            return path, None
        try:
            descriptor = os.open(path, os.O_RDONLY)
        except FileNotFoundError:  # removed as stale by another process
            continue
        if lock(path, descriptor):
            return path, descriptor
        os.close(descriptor)


def _discard(path: Path, held: int | None) -> None:
    shutil.rmtree(path, ignore_errors=True)
    if held is not None:
        os.close(held)


def _is_there(path: Path, descriptor: int) -> bool:
    """Return whether ``path`` still names the open file."""
    try:
        return os.path.samestat(os.lstat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _remove_unheld(path: Path) -> None:
    try:
        # not followed, not waited for: anybody may have put it into a shared folder
        mode = os.lstat(path).st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            return
        access = os.O_RDONLY if stat.S_ISDIR(mode) else os.O_RDWR
        descriptor = os.open(path, access | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:  # removed meanwhile, or not ours
        return
    try:
        locks.flock(descriptor, locks.LOCK_EX | locks.LOCK_NB)
        if stat.S_ISDIR(mode):
            shutil.rmtree(path, ignore_errors=True)
        elif _is_there(path, descriptor):
            path.unlink()
    except OSError:  # locked, or no locks here, or a folder that refuses
        return
    finally:
        os.close(descriptor)
