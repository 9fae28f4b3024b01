"""Turns of processes that need one kernel: the first compiles it, the others read the cache."""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from neuralshade.base.temp_files import locks

NAME = "compiling"  # file in the folder of the cache; each kernel locks a byte of it
DIGITS = 15  # hex digits of a kernel's key that make the byte's place: below 2^60
MOST_SECONDS = 120.0  # of waiting: longer than any kernel takes, should its process be stopped
LOOK_SECONDS = 0.02  # between two looks


@contextmanager
def compile_turn(folder: Path, key: str) -> Iterator[bool]:
    """Wait until no other process of this machine compiles kernel ``key``, hex; then hold its turn.

    Yields whether another one had it meanwhile, whose kernel may be in the cache now.
    A turn ends with its process, however that ends. Threads of one process do not wait for each
    other. Without locks, as on Windows, nobody waits: then several compile the same.
    """
    file, place = _file(folder), int(key[:DIGITS], 16)
    held, waited = (False, False) if file is None else _taken(file, place)
    try:
        yield waited
    finally:
        if held:
            assert file is not None
            locks.lockf(file, locks.LOCK_UN, 1, place)


@functools.cache  # open for as long as the process lives: to close it would end all its turns
def _file(folder: Path) -> int | None:
    """Return the descriptor of a cache's file of locks; None where it cannot be."""
    if locks is None:
        return None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return os.open(folder / NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        return None


def _taken(file: int, place: int) -> tuple[bool, bool]:
    """Return whether a byte was locked, and whether another process had it before."""
    latest, waited = time.monotonic() + MOST_SECONDS, False
    while True:
        try:
            locks.lockf(file, locks.LOCK_EX | locks.LOCK_NB, 1, place)
            return True, waited
        except (BlockingIOError, PermissionError):  # another process has it: EAGAIN or EACCES
            if time.monotonic() > latest:
                return False, True
            waited = True
            time.sleep(LOOK_SECONDS)
        except OSError:  # a file system without locks
            return False, False
