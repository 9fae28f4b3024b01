"""Inputs of a job: local paths as they are, URLs as local copies, both read ahead."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from neuralshade.baking.sources import path_of, split_source
from neuralshade.baking.store import is_url, local_path
from neuralshade.base.temp_files import TempFolder

AHEAD_FILES = 64  # of a folder, at most


@contextmanager
def local_inputs(subject: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Context with the local paths of a job's inputs; copies of URLs are removed after it.

    A name before = stays, as in arm=s3://bucket/packed.png.

    Raises: PictureError for a URL that is not there.
    """
    if not any(is_url(path_of(word)) for word in subject):
        yield tuple(name + local_path(place) for name, place in map(split_source, subject))
        return
    from neuralshade.baking.url_store import fetch  # fsspec is optional

    with TempFolder() as folder:
        words = []
        for number, (name, place) in enumerate(map(split_source, subject)):
            if is_url(place):
                place = str(fetch(place, folder.path / str(number)))
            words.append(name + local_path(place))
        yield tuple(words)


def source_bytes(subject: Sequence[str]) -> int:
    """Return the total size of local inputs, of folders that of the files in them."""
    return sum(path.stat().st_size for path in _files(subject))


def read_ahead(subject: Sequence[str]) -> None:
    """Let the system read local inputs before their job begins; a missing file is its job's."""
    if not hasattr(os, "posix_fadvise"):
        return
    with suppress(OSError):
        local = [place for place in map(path_of, subject) if not is_url(place)]
        for path in _files(local)[:AHEAD_FILES]:
            descriptor = os.open(path, os.O_RDONLY)
            try:
                os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_WILLNEED)
            finally:
                os.close(descriptor)


def _files(subject: Sequence[str]) -> list[Path]:
    found = []
    for word in subject:
        path = Path(path_of(word))
        if os.path.isdir(path):
            found += [each for each in sorted(path.iterdir()) if os.path.isfile(each)]
        elif os.path.isfile(path):
            found.append(path)
    return found
