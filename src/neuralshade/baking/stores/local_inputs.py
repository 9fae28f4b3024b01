"""Inputs of a job: local paths as they are, URLs as local copies, both read ahead."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from neuralshade.baking.job import Job
from neuralshade.baking.stores.fetch_ahead import AheadFolder
from neuralshade.baking.stores.sources import path_of, split_source
from neuralshade.baking.stores.store import Store, is_url, local_path
from neuralshade.base.temp_files import TempFolder
from neuralshade.errors import NeuralShadeError

AHEAD_FILES = 64  # of a folder, at most


@contextmanager
def local_inputs(subject: Sequence[str], ahead: AheadFolder | None = None
                 ) -> Iterator[tuple[str, ...]]:  # fmt: skip
    """Context with the local paths of a job's inputs; copies of URLs are removed after it.

    ``ahead``: with copies that were fetched before. A name before = stays, as in
    arm=s3://bucket/packed.png.

    Raises: PictureError for a URL that is not there.
    """
    if not any(is_url(path_of(word)) for word in subject):
        yield tuple(name + local_path(place) for name, place in map(split_source, subject))
        return
    from neuralshade.baking.stores.url_files import fetch  # fsspec is optional

    with TempFolder() as folder:
        words = []
        for number, (name, place) in enumerate(map(split_source, subject)):
            if is_url(place):
                target = folder.path / str(number)
                taken = None if ahead is None else ahead.take(place, target)
                place = str(taken or fetch(place, target))
            words.append(name + local_path(place))
        yield tuple(words)


def source_bytes(subject: Sequence[str]) -> int:
    """Return the total size of local inputs, of folders that of the files in them."""
    return sum(path.stat().st_size for path in _files(subject))


def read_ahead(job: Job, store: Store, ahead: AheadFolder) -> None:
    """Read a job's inputs before it begins: the system local ones, ``ahead`` those by URL.

    Those by URL only where its output is not there. What fails here is the job's to report.
    """
    urls = [place for place in map(path_of, job.subject) if is_url(place)]
    with suppress(NeuralShadeError, OSError):
        _read_local([place for place in map(path_of, job.subject) if not is_url(place)])
        if urls and (job.force or store.header(job.output) is None):
            for url in urls:
                ahead.fetch(url)


def _read_local(places: Sequence[str]) -> None:
    if not hasattr(os, "posix_fadvise"):
        return
    for path in _files(places)[:AHEAD_FILES]:
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
