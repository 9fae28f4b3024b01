"""Files by URL, through fsspec: opened, fetched, and what their store says of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from neuralshade.baking.stores.store import SILENT, URL
from neuralshade.base.optional import optional_module
from neuralshade.base.plugins import one_line_error
from neuralshade.errors import DeviceError, NeuralShadeError, PictureError

# Entries of fsspec's infos that change with an object, in one store or the other.
CHANGING = ("size", "ETag", "etag", "md5Hash", "content_md5", "LastModified", "mtime", "created")
# what pip installs to read a protocol
PACKAGES = {"s3": "neuralshade[s3]", "gs": "gcsfs", "gcs": "gcsfs", "az": "adlfs", "abfs": "adlfs"}


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
    with answered(url):
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
    with answered(url):
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
def answered(url: str) -> Iterator[None]:
    """Convert what a store's package raises to DeviceError: another attempt may do better."""
    try:
        yield
    except NeuralShadeError:
        raise
    except Exception as error:  # each store has its own errors
        raise _silent(url, error) from error


def _silent(url: str, error: Exception) -> DeviceError:
    return DeviceError(f"{url}: got {one_line_error(error)}, {SILENT}. Check the URL, its "
                       "access and the network.")  # fmt: skip
