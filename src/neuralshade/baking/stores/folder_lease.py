"""Lock of a bake as a file of a folder that several machines share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from neuralshade.base.temp_files import fresh_name
from neuralshade.errors import DeviceError


class FolderLeaseFile:
    """The file at ``path``; see ``lease.LeaseFile``. Times are those that its file server sets."""

    def __init__(self, path: Path):
        self._path = path

    def read(self) -> bytes | None:
        with self._answered():
            try:
                return self._path.read_bytes()
            except FileNotFoundError:
                return None

    def age(self) -> float | None:
        with self._answered(), self._new(b"now") as clock:
            try:
                return _written(clock) - _written(self._path)
            except FileNotFoundError:
                return None

    def create(self, data: bytes) -> bool:
        with self._answered():
            try:
                with self._path.open("xb", buffering=0) as file:
                    file.write(data)
            except FileExistsError:
                return False
            return True

    def write(self, data: bytes) -> None:
        with self._answered(), self._new(data) as new:
            os.replace(new, self._path)

    def remove(self) -> None:
        with self._answered(), suppress(FileNotFoundError):
            self._path.unlink()

    @contextmanager
    def _new(self, data: bytes) -> Iterator[Path]:
        """Yield a new file beside it; what is left of that is removed."""
        path = self._path.with_name(fresh_name(self._path.name))
        try:
            path.write_bytes(data)
            yield path
        finally:
            path.unlink(missing_ok=True)

    @contextmanager
    def _answered(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise DeviceError(f"{self._path}: got '{error.strerror}', need a folder that can be "
                              "read and written. Check it, and its disk.") from error  # fmt: skip


def _written(path: Path) -> float:
    """Return the time at which a file was written, seconds.

    Opened for it: then network file systems ask their server.
    """
    with path.open("rb") as file:
        return os.fstat(file.fileno()).st_mtime
