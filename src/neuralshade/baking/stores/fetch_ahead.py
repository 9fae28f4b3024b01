"""Copies of inputs by URL that are fetched before their jobs begin, in a folder of the machine."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from neuralshade.base.temp_files import locks

MOST_COPIES = 64  # that wait: jobs that end before they read theirs leave them
DATA, FINGERPRINT = "data", "fingerprint"  # of a copy


class AheadFolder:
    """Copies in ``folder``, which the processes of one bake share; each is taken by one job.

    Without locks between processes, as on Windows, nothing is fetched ahead.
    """

    def __init__(self, folder: Path):
        self._folder = folder

    def fetch(self, url: str) -> None:
        """Make a copy unless there is one, or somebody makes one. Raises as ``url_files.fetch``."""
        from neuralshade.baking.stores.url_files import fetch, fingerprint  # fsspec is optional

        with self._locked(url, wait=False) as locked:
            copy, part = self._copy(url), self._copy(url).with_suffix(".part")
            if not locked or os.path.exists(copy) or len(self.copies()) >= MOST_COPIES:
                return
            shutil.rmtree(part, ignore_errors=True)  # of a process that was killed
            part.mkdir()
            try:
                # before it is read: a change meanwhile is noticed
                (part / FINGERPRINT).write_text(fingerprint(url))
                fetch(url, part / DATA)
                part.rename(copy)
            except BaseException:
                shutil.rmtree(part, ignore_errors=True)  # its job may need the room
                raise

    def take(self, url: str, target: Path) -> Path | None:
        """Move a copy to ``target``, a new folder, and return its path in that.

        None where there is none, or its object has changed. Waits for a copy that is being made.

        Raises: PictureError, DeviceError: as ``url_files.fingerprint``.
        """
        from neuralshade.baking.stores.url_files import fingerprint  # fsspec is optional

        with self._locked(url, wait=True) as locked:
            copy = self._copy(url)
            if not locked or not os.path.exists(copy):
                return None
            same = (copy / FINGERPRINT).read_text() == fingerprint(url)
            if same:
                (copy / DATA).rename(target)
            shutil.rmtree(copy)
        return next(target.iterdir()) if same else None

    def copies(self) -> list[Path]:
        """Return the copies that wait for their jobs."""
        return [path for path in self._folder.iterdir() if path.suffix == ".copy"]

    def _copy(self, url: str) -> Path:
        return self._folder / f"{hashlib.sha256(url.encode()).hexdigest()[:24]}.copy"

    @contextmanager
    def _locked(self, url: str, wait: bool) -> Iterator[bool]:
        """Yield whether no other process works on the copy of ``url`` meanwhile."""
        if locks is None:
            yield False
            return
        descriptor = os.open(self._copy(url).with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            yield _is_locked(descriptor, wait)
        finally:
            os.close(descriptor)


def _is_locked(descriptor: int, wait: bool) -> bool:
    try:
        locks.flock(descriptor, locks.LOCK_EX | (0 if wait else locks.LOCK_NB))
    except OSError:  # another has it; or a file system without locks
        return False
    return True
