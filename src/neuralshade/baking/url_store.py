"""Outputs and inputs by URL, through fsspec: objects are written whole by the store itself."""

from __future__ import annotations

import hashlib
import io
import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Any

import platformdirs

from neuralshade.asset.file import LONGEST_HEADER, stored_header
from neuralshade.baking.job import Job
from neuralshade.baking.store import OWN, URL, Store, checked_output, work_name
from neuralshade.base.optional import optional_module
from neuralshade.base.plugins import one_line_error
from neuralshade.base.temp_files import TempFolder
from neuralshade.errors import DeviceError, PictureError
from neuralshade.fitting.output_checks import checkpoint_path

FIRST_BYTES = 2**16  # of an asset: nearly every header is shorter
UPLOAD_SECONDS = 5.0  # between two looks for a new checkpoint
# Entries of fsspec's infos that change with an object, in one store or the other.
CHANGING = ("size", "ETag", "etag", "md5Hash", "content_md5", "LastModified", "mtime", "created")
# what pip installs to read a protocol
PACKAGES = {"s3": "neuralshade[s3]", "gs": "gcsfs", "gcs": "gcsfs", "az": "adlfs", "abfs": "adlfs"}


class UrlStore(Store):
    """Outputs below a URL, such as s3://bucket/assets.

    Its ledger and lock are in this user's cache folder: object stores append nothing. So a second
    driver is noticed on this machine only.
    """

    def __init__(self, place: str):
        super().__init__(place.rstrip("/"))
        self._files, self._root = opened(self.place)

    @property
    def ledger_folder(self) -> Path:
        digest = hashlib.sha256(self.place.encode()).hexdigest()[:16]
        return Path(platformdirs.user_cache_dir("neuralshade", appauthor=False)) / "bakes" / digest

    def header(self, output: str) -> dict[str, Any] | None:
        path = self._path(output)
        with _answered(path):
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
        with _answered(path):
            found = self._files.size(path)
        return None if found is None else int(found)

    @contextmanager
    def work(self, job: Job) -> Iterator[Path]:
        """Keep the checkpoint in the store too, so that another machine goes on from it."""
        remote = f"{self._root}/{OWN}/work/{work_name(job)}.nsh"
        with TempFolder() as folder:
            local = checkpoint_path(folder.path / PurePosixPath(job.output).name)
            with _answered(remote), suppress(FileNotFoundError):
                self._files.get_file(remote, str(local))
            copies = _Copies(self._files, local, remote)
            try:
                yield folder.path
            finally:
                copies.close()
            if copies.any:
                with _answered(remote):
                    self._files.rm_file(remote)

    def publish(self, made: Path, output: str) -> None:
        path = self._path(checked_output(output))
        with _answered(path):
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


def opened(url: str) -> tuple[Any, str]:
    """Return the file system of a URL and the path in it; DeviceError without its packages."""
    found = URL.match(url)
    assert found is not None, url
    remedy = f"Run pip install {PACKAGES.get(found[1], 'fsspec')}."
    optional_module("fsspec", "fsspec", url, "to read and write URLs", remedy)
    from fsspec.core import url_to_fs

    try:
        files, path = url_to_fs(url)
    except ImportError as error:
        raise DeviceError(f"{url}: got no package for it ({error}), need that. {remedy}"
                          ) from error  # fmt: skip
    except Exception as error:  # credentials and hosts: each store has its own errors
        raise _silent(url, error) from error
    return files, str(path)


def fetch(url: str, folder: Path) -> Path:
    """Return the local copy of a file, or of the files of a folder, made in ``folder``.

    Raises: PictureError where nothing is there; DeviceError where the store does not answer.
    """
    files, path = opened(url)
    folder.mkdir()
    target = folder / PurePosixPath(path).name
    with _answered(url):
        try:
            if files.isdir(path):
                files.get(path.rstrip("/") + "/", f"{target}/", recursive=True)
            else:
                files.get_file(path, str(target))
        except FileNotFoundError as error:
            raise _missing(url) from error
    return target


def fingerprint(url: str) -> str:
    """Return what a store says of an object, or of all objects of a folder: SHA-256, hex.

    It has names, sizes, and checksums or times, and changes with the objects' content.

    Raises: PictureError where nothing is there; DeviceError where the store does not answer.
    """
    files, path = opened(url)
    with _answered(url):
        files.invalidate_cache()  # of listings: what this process saw before may be gone
        try:
            found = files.find(path, detail=True) or {path: files.info(path)}
        except FileNotFoundError as error:
            raise _missing(url) from error
    facts = [[name[len(path) :], *(str(info[key]) for key in CHANGING if key in info)]
             for name, info in sorted(found.items())]  # fmt: skip
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def _missing(url: str) -> PictureError:
    return PictureError(f"{url}: got no such file, need one that can be read. Check the URL.")


@contextmanager
def _answered(url: str) -> Iterator[None]:
    """Convert what a store's package raises to DeviceError: another attempt may do better."""
    try:
        yield
    except PictureError:
        raise
    except Exception as error:  # each store has its own errors
        raise _silent(url, error) from error


def _silent(url: str, error: Exception) -> DeviceError:
    return DeviceError(f"{url}: got {one_line_error(error)}, need a store that answers. Check the "
                       "URL, its access and the network.")  # fmt: skip
