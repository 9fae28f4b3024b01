"""Outputs in a folder, which several machines may share; and the store of any place."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from neuralshade.asset.file import stored_header
from neuralshade.baking.job import Job
from neuralshade.baking.stores.folder_lease import FolderLeaseFile
from neuralshade.baking.stores.store import (
    LEASE,
    OWN,
    SUFFIX,
    Store,
    checked_output,
    is_url,
    local_path,
    work_name,
)
from neuralshade.base import temp_files
from neuralshade.base.atomic import replace_whole
from neuralshade.errors import OutputError
from neuralshade.fitting.output_checks import check_asset_place

LOCK_SECONDS = 12.0  # in which a worker whose driver died saves its checkpoint and ends


class FolderStore(Store):
    """Outputs in a local folder, or one that several machines share."""

    locks = True

    def __init__(self, place: str):
        super().__init__(place)
        self.root = Path(os.path.abspath(place))

    @property
    def ledger_folder(self) -> Path:
        return self.root / OWN

    def lease_file(self) -> FolderLeaseFile:
        return FolderLeaseFile(self.ledger_folder / LEASE)

    def header(self, output: str) -> dict[str, Any] | None:
        path = self.root / output
        try:
            if not os.path.isfile(path):
                return None
            with path.open("rb") as file:
                return stored_header(file)
        except OSError as error:
            raise OutputError(f"{path}: got '{error.strerror}', need an output that can be read "
                              "and replaced. Choose another output.") from error  # fmt: skip

    def size(self, output: str) -> int | None:
        return os.path.getsize(self.root / output)

    def outputs(self) -> Iterator[str]:
        for folder, folders, files in os.walk(self.root):
            folders[:] = [name for name in folders if not name.startswith(".")]
            below = os.path.relpath(os.path.join(folder, "x"), self.root)[:-1].replace(os.sep, "/")
            yield from (below + name for name in files if name.endswith(SUFFIX))

    def check_place(self, output: str) -> None:
        check_asset_place(self.root / output)

    @contextmanager
    def work(self, job: Job) -> Iterator[Path]:
        """Lock the folder meanwhile: a worker that was given up may be in it still.

        Then this attempt has a folder of its own, without the checkpoint.

        Raises: OutputError as ``check_place``.
        """
        self.check_place(job.output)
        usual = self.ledger_folder / "work" / work_name(job)
        end = time.monotonic() + LOCK_SECONDS
        while (locked := _locked_folder(usual)) is None and time.monotonic() < end:
            time.sleep(0.05)
        folder, descriptor = locked or _own_folder(usual)
        try:
            yield folder
            shutil.rmtree(folder, ignore_errors=True)
        finally:
            if descriptor is not None:
                os.close(descriptor)

    def publish(self, made: Path, output: str) -> None:
        path = self.root / checked_output(output)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{path.parent}: got '{error.strerror}', need a folder for "
                              f"{path.name}. Choose another output.") from error  # fmt: skip
        replace_whole(made, path)

    def clear(self) -> None:
        shutil.rmtree(self.ledger_folder / "work", ignore_errors=True)


def open_store(place: str | os.PathLike[str]) -> Store:
    """Return the store of a bake's outputs: a folder, or a URL such as s3://bucket/assets.

    Raises: ConfigError for a URL of another kind; DeviceError without the packages that read it.
    """
    text = os.fspath(place)
    if not is_url(text):
        return FolderStore(local_path(text))
    from neuralshade.baking.stores.url_store import UrlStore  # fsspec is optional

    return UrlStore(text)


def _locked_folder(folder: Path) -> tuple[Path, int | None] | None:
    """Return the folder, made if missing, with a descriptor that locks it; None where it is locked.

    Without locks, as on Windows, each attempt has a folder that it may have to share.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if temp_files.locks is None:
            return folder, None
        descriptor = os.open(folder, os.O_RDONLY)
    except FileNotFoundError:  # removed just now by who had it
        return None
    except OSError as error:
        raise OutputError(f"{folder}: got '{error.strerror}', need a writable folder. Choose "
                          "another output.") from error  # fmt: skip
    if temp_files.lock(folder, descriptor):
        return folder, descriptor
    os.close(descriptor)
    return None


def _own_folder(usual: Path) -> tuple[Path, int | None]:
    while True:
        found = _locked_folder(usual.with_name(temp_files.fresh_name(usual.name)))
        if found is not None:
            return found
