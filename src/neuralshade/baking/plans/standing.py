"""What an output has of a bake already: which assets would be kept or made, without making any."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice

from neuralshade.baking.job import FAILED, KEPT, MADE, Job
from neuralshade.baking.plans.digest import (
    FileDigests,
    FileStamps,
    changed_parts,
    cheap_digest,
    inputs_digest,
    job_digest,
)
from neuralshade.baking.plans.settings import Recipes
from neuralshade.baking.stores.sources import path_of
from neuralshade.baking.stores.store import Store, is_url
from neuralshade.baking.stores.stored import Stored
from neuralshade.base.message_text import plural
from neuralshade.errors import NeuralShadeError, OutputError, PictureError

AGAIN = "made again"  # beside the states of rows
MOST_READ_BYTES = 2**30  # of inputs whose names, sizes or times are others, for their content
MOST_STALE = 1000  # assets that are counted
NAMED = 5  # of them


@dataclass(frozen=True)
class Standing:
    """What would become of a job: ``state`` is MADE, AGAIN, KEPT or FAILED, ``why`` for users."""

    state: str
    why: str = ""


def standings_of(jobs: Sequence[Job], store: Store,
                 there: Collection[str]) -> dict[str, Standing]:  # fmt: skip
    """Return what would become of each job, by name.

    ``there``: assets of the store, see ``Store.outputs``.

    Raises: OutputError for an asset that cannot be read, DeviceError where a store does not answer.
    """
    seen = _Comparison(store)

    def one(job: Job) -> Standing:
        return seen.standing(job) if job.output in there else Standing(MADE)

    if store.requests == 1:
        found = {job.name: one(job) for job in jobs}
    else:
        with ThreadPoolExecutor(store.requests) as pool:
            found = dict(zip((job.name for job in jobs), pool.map(one, jobs), strict=True))
    for job in jobs:  # what it takes a part of is made before it
        if found[job.name].state == KEPT and any(found[name].state != KEPT for name in job.after):
            found[job.name] = Standing(AGAIN, f"needs {job.after[0]}, which is made before it")
    return found


class _Comparison:
    """Compares jobs with the headers of assets, as workers do; reads MOST_READ_BYTES at most."""

    def __init__(self, store: Store):
        self._store, self._recipes = store, Recipes()
        self._stamps, self._files = FileStamps(), FileDigests()
        self._left = MOST_READ_BYTES

    def standing(self, job: Job) -> Standing:
        """Return what would become of a job whose asset is there."""
        stored = Stored.of(job.output, self._store)
        if stored is not None and job.force:
            return Standing(AGAIN, "--force")
        if stored is None:
            try:
                self._store.check_place(job.output)
            except OutputError as error:
                return Standing(FAILED, str(error))
            return Standing(AGAIN, "made by no bake")
        if any(is_url(path_of(source)) for source in job.subject):
            changed = changed_parts(stored.digest, self._cheap(job))
            return _again(changed) if changed else Standing(KEPT, "unless its URL has changed")
        if stored.has_stamp(job_digest(job, self._stamps, self._recipes)):
            return Standing(KEPT)
        changed = changed_parts(stored.digest, self._cheap(job))
        return _again(changed) if changed else self._by_content(job, stored.digest)

    def _cheap(self, job: Job) -> str:
        try:
            return cheap_digest(job, self._files, self._recipes)
        except OSError:  # of an asset that this bake makes first
            return " "

    def _by_content(self, job: Job, old: str) -> Standing:
        """Return what follows from the content of the inputs, where few enough were read."""
        self._left -= sum(_sizes(job))
        if self._left < 0:
            return Standing(AGAIN, "inputs changed, or only their times")
        try:
            new = inputs_digest(job, self._files)
        except (OSError, PictureError) as error:
            return Standing(FAILED, str(error))
        return Standing(KEPT) if old.endswith(new) else _again(["inputs"])


def _again(changed: list[str]) -> Standing:
    return Standing(AGAIN, f"{' and '.join(changed)} changed")


def _sizes(job: Job) -> Iterator[int]:
    """Yield the bytes of a job's sources, of a folder those of the files in it."""
    for path in map(path_of, job.subject):
        folder = os.path.isdir(path)
        for place in os.scandir(path) if folder else (path,):
            yield os.stat(place).st_size


def stale_outputs(jobs: Sequence[Job], store: Store, there: Collection[str]) -> list[str]:
    """Return assets that a bake wrote and that are none of ``jobs``, sorted, MOST_STALE at most.

    Files of others stay unnamed. An asset that cannot be read is left out.
    """
    wanted = {job.output for job in jobs}
    others = (output for output in sorted(there) if output not in wanted)
    return list(islice((output for output in others if _is_baked(output, store)), MOST_STALE))


def _is_baked(output: str, store: Store) -> bool:
    try:
        return Stored.of(output, store) is not None
    except NeuralShadeError:
        return False


def stale_note(stale: Sequence[str], place: str) -> str:
    """Return a sentence on ``stale_outputs`` for users."""
    more = len(stale) - NAMED
    names = ", ".join(stale[:NAMED]) + (f" and {more:,} more" if more > 0 else "")
    least = " or more" if len(stale) == MOST_STALE else ""
    return (f"{place} has {plural(len(stale), 'asset')}{least} of earlier bakes that this one does "
            f"not make: {names}. They are left as they are.")  # fmt: skip
