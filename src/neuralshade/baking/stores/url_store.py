"""Outputs and inputs by URL, through fsspec: objects are written whole by the store itself."""

from __future__ import annotations

import hashlib
import io
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Any

import platformdirs

from neuralshade.asset.file import LONGEST_HEADER, stored_header
from neuralshade.baking.job import Job
from neuralshade.baking.stores.store import LEASE, OWN, SUFFIX, Store, checked_output, work_name
from neuralshade.baking.stores.url_files import answered, opened
from neuralshade.baking.stores.url_lease import UrlLeaseFile
from neuralshade.base.temp_files import TempFolder
from neuralshade.fitting.output_checks import checkpoint_path

FIRST_BYTES = 2**16  # of an asset: nearly every header is shorter
REQUESTS = 16  # for headers, at once
UPLOAD_SECONDS = 5.0  # between two looks for a new checkpoint


class UrlStore(Store):
    """Outputs below a URL, such as s3://bucket/assets.

    Its ledger is in this user's cache folder: object stores append nothing.
    """

    requests = REQUESTS

    def __init__(self, place: str):
        super().__init__(place.rstrip("/"))
        self._files, self._root = opened(self.place)

    @property
    def ledger_folder(self) -> Path:
        digest = hashlib.sha256(self.place.encode()).hexdigest()[:16]
        return Path(platformdirs.user_cache_dir("neuralshade", appauthor=False)) / "bakes" / digest

    def lease_file(self) -> UrlLeaseFile:
        return UrlLeaseFile(self._files, f"{self._root}/{OWN}/{LEASE}", self.place)

    def header(self, output: str) -> dict[str, Any] | None:
        path = self._path(output)
        with answered(path):
            try:
                start = self._files.cat_file(path, start=0, end=FIRST_BYTES)
                length = 8 + min(int.from_bytes(start[:8], "little"), LONGEST_HEADER)
                if length > len(start) == FIRST_BYTES:
                    start = self._files.cat_file(path, start=0, end=length)
            except FileNotFoundError:
                return None
        return stored_header(io.BytesIO(start))

    def size(self, output: str) -> int | None:
        path = self._path(output)
        with answered(path):
            found = self._files.size(path)
        return None if found is None else int(found)

    def outputs(self) -> Iterator[str]:
        with answered(self.place):
            self._files.invalidate_cache()  # of listings: workers write meanwhile
            try:
                found = self._files.find(self._root)
            except FileNotFoundError:
                return
        below = (path.removeprefix(self._root).lstrip("/") for path in found)
        yield from (name for name in below
                    if name.endswith(SUFFIX) and not name.startswith(f"{OWN}/"))  # fmt: skip

    @contextmanager
    def work(self, job: Job) -> Iterator[Path]:
        """Keep the checkpoint in the store too, so that another machine goes on from it."""
        remote = f"{self._root}/{OWN}/work/{work_name(job)}.nsh"
        with TempFolder() as folder:
            local = checkpoint_path(folder.path / PurePosixPath(job.output).name)
            with answered(remote), suppress(FileNotFoundError):
                self._files.get_file(remote, str(local))
            copies = _Copies(self._files, local, remote)
            try:
                yield folder.path
            finally:
                copies.close()
            if copies.any:
                with answered(remote):
                    self._files.rm_file(remote)

    def publish(self, made: Path, output: str) -> None:
        path = self._path(checked_output(output))
        with answered(path):
            self._files.put_file(str(made), path)

    def clear(self) -> None:
        """Leave the store as it is: each job removed its own checkpoint."""

    def _path(self, output: str) -> str:
        return f"{self._root}/{output}"


class _Copies:
    """Copies a checkpoint to the store whenever it was written anew."""

    def __init__(self, files: Any, local: Path, remote: str):
        self._files, self._local, self._remote = files, local, remote
        self._copied = self._stamp()
        self.any = self._copied is not None  # in the store
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Copy the last one, and stop."""
        self._end.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._end.wait(UPLOAD_SECONDS):
            self._copy()
        self._copy()

    def _copy(self) -> None:
        stamp = self._stamp()
        if stamp is None or stamp == self._copied:
            return
        try:
            self._files.put_file(str(self._local), self._remote)
            self._copied, self.any = stamp, True
        except Exception:  # tried again; without a checkpoint the fit begins anew elsewhere
            return

    def _stamp(self) -> tuple[int, int] | None:
        try:
            found = os.stat(self._local)
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size
