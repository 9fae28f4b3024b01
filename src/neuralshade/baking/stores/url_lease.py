"""Lock of a bake as an object, through fsspec."""

from __future__ import annotations

import secrets
import time
from contextlib import suppress
from typing import Any

from neuralshade.baking.stores.lease import STALE_SECONDS
from neuralshade.baking.stores.url_files import answered


class UrlLeaseFile:
    """The object at ``path`` of a file system; ``url``: for messages. See ``lease.LeaseFile``."""

    def __init__(self, files: Any, path: str, url: str):
        self._files, self._path, self._url = files, path, url

    def read(self) -> bytes | None:
        with answered(self._url):
            try:
                return bytes(self._files.cat_file(self._path))
            except FileNotFoundError:
                return None

    def age(self) -> float | None:
        with answered(self._url):
            try:
                return self._written_ago()
            except FileNotFoundError:
                return None
            except NotImplementedError:
                return self._watched()

    def create(self, data: bytes) -> bool:
        with answered(self._url):
            try:
                self._files.pipe_file(self._path, data, mode="create")
            except FileExistsError:
                return False
            except Exception:  # each store has its own error for what it refuses or does not know
                if self.read() is not None:
                    return False
                self._files.pipe_file(self._path, data)
            return True

    def write(self, data: bytes) -> None:
        with answered(self._url):
            self._files.pipe_file(self._path, data)

    def remove(self) -> None:
        with answered(self._url), suppress(FileNotFoundError):
            self._files.rm_file(self._path)

    def _written_ago(self) -> float:
        """Return its age: the time of an object that is written now, less its own."""
        clock = f"{self._path}.{secrets.token_hex(8)}"
        self._files.pipe_file(clock, b"now")
        self._files.invalidate_cache()  # of listings, which have times of earlier
        try:
            return float((self._files.modified(clock) - self._files.modified(self._path))
                         .total_seconds())  # fmt: skip
        finally:
            with suppress(Exception):  # where nothing may be removed it stays
                self._files.rm_file(clock)

    def _watched(self) -> float | None:
        """Return STALE_SECONDS where it stays the same for so long, 0 once it changes."""
        first, end = self.read(), time.monotonic() + STALE_SECONDS
        while time.monotonic() < end:
            time.sleep(1.0)
            if (found := self.read()) != first:
                return None if found is None else 0.0
        return STALE_SECONDS
