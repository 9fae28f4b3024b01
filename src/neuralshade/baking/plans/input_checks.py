"""Inputs of jobs looked at before anything runs: that they are there, whole, and their sizes."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from neuralshade.baking.job import Job
from neuralshade.baking.plans.faults import Faults
from neuralshade.baking.plans.settings import settings_of
from neuralshade.baking.stores.sources import path_of
from neuralshade.baking.stores.store import is_url
from neuralshade.base.lazy_import import import_object
from neuralshade.base.message_text import read_failure
from neuralshade.errors import ConfigError, NeuralShadeError, PictureError
from neuralshade.kinds.kind import Kind

MOST_OPENED = 5000  # jobs whose files are opened for their headers: of more, a part of them


class Inputs:
    """The local inputs of a bake, each looked at once."""

    def __init__(self) -> None:
        self._modes: dict[str, int | OSError] = {}
        self._unfit: set[str] = set()  # names of jobs
        self._sizes: dict[tuple[str, ...], int | NeuralShadeError | None] = {}  # of subjects
        self.urls = 0  # inputs that were not looked at
        self.opened, self.all = 0, 0  # local jobs whose headers were read, and all of them
        self.broken: dict[str, str] = {}  # what is wrong with a header, by the names of jobs

    def check(self, jobs: Sequence[Job], faults: Faults) -> None:
        """Note the inputs that are missing, or not what their kind takes."""
        for job in jobs:
            kind, before = settings_of(job.kind).kind, faults.count
            for source in job.subject:
                path = path_of(source)
                if is_url(path):
                    self.urls += 1
                else:
                    with faults.noted(job.place):
                        self._check(kind, path, alone=len(job.subject) == 1)
            if faults.count > before:
                self._unfit.add(job.name)

    def _check(self, kind: Kind, path: str, *, alone: bool) -> None:
        mode, subject = self._mode(path), kind.subject
        if isinstance(mode, OSError):
            if subject.maps and alone:  # FOLDER/wood names the files that begin with wood
                import_object(subject.maps)(path, {})
                return
            raise _unfit(path, read_failure(mode), kind)
        if stat.S_ISDIR(mode):
            if not (subject.maps and alone):
                raise _unfit(path, "a folder", kind)
        elif not stat.S_ISREG(mode):
            raise _unfit(path, "a device or pipe", kind)

    def _mode(self, path: str) -> int | OSError:
        if path not in self._modes:
            try:
                self._modes[path] = os.stat(path).st_mode
            except OSError as error:
                self._modes[path] = error
        return self._modes[path]

    def sizes(self, jobs: Sequence[Job], faults: Faults) -> dict[str, int]:
        """Return pixels by the names of jobs: of some, evenly spread, where they are many.

        Sets among them without a map that their kind needs are noted in ``faults``, and headers
        that no fit could read in ``broken``.
        """
        local = [job for job in jobs if job.name not in self._unfit
                 and not any(map(is_url, map(path_of, job.subject)))]  # fmt: skip
        step = -(-len(local) // MOST_OPENED) or 1
        found = {}
        chosen = local[::step]
        self.opened, self.all = len(chosen), len(local)
        for job in chosen:
            with faults.noted(job.place):
                try:
                    pixels = self._pixels(job)
                except PictureError as error:
                    self.broken[job.name] = str(error)
                    continue
                if pixels is not None:
                    found[job.name] = pixels
        return found

    def _pixels(self, job: Job) -> int | None:
        """Return ``_pixels`` of a job; equal sources are read once."""
        key = (job.kind, *job.subject)
        if key not in self._sizes:
            try:
                self._sizes[key] = _pixels(job)
            except NeuralShadeError as error:
                self._sizes[key] = error
        found = self._sizes[key]
        if isinstance(found, NeuralShadeError):
            raise found
        return found


def _pixels(job: Job) -> int | None:
    """Return width times height of a job's largest picture; None where no header says it.

    Raises: PictureError for a header that no fit could read.
    """
    from neuralshade.source.picture_header import header_size

    subject = settings_of(job.kind).kind.subject
    if subject.picture:
        files = [Path(job.subject[0])]
    elif subject.maps and subject.several:
        named = {source.partition("=")[0]: path_of(source) for source in job.subject
                 if path_of(source) != source}  # fmt: skip
        plain = [source for source in job.subject if path_of(source) == source]
        found = import_object(subject.maps)(plain[0] if len(plain) == 1 else plain or None, named)
        files = [path for file in found.files.values() if (path := file.on_disk) is not None]
    else:
        return None
    sizes = [size[0] * size[1] for path in dict.fromkeys(files) if (size := header_size(path))]
    return max(sizes, default=None)


def _unfit(path: str, got: str, kind: Kind) -> NeuralShadeError:
    need = "a picture" if kind.subject.picture else kind.subject.what or "a file"
    return ConfigError(f"input: got {got} at {path}, need {need}. Check the path.")
