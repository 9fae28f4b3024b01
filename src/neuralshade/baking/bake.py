"""Public function bake: many fits, on this machine or a Ray cluster."""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from neuralshade.baking.driver import Driver
from neuralshade.baking.executors.executor import Executor
from neuralshade.baking.job import FAILED, Job, Row
from neuralshade.baking.plans.plan import Plan
from neuralshade.baking.plans.planning import planned
from neuralshade.baking.plans.standing import stale_outputs
from neuralshade.baking.progress import BakeEvents, BakeObserver, BakeProgress
from neuralshade.baking.shared import shared_first
from neuralshade.baking.stores.driver_lock import DriverLock
from neuralshade.baking.stores.folder_store import open_store
from neuralshade.baking.stores.store import Store
from neuralshade.baking.tables.ledger import Ledger, Run
from neuralshade.baking.tables.results import write_results
from neuralshade.baking.tables.table import check_table
from neuralshade.base.argument_checks import is_whole
from neuralshade.base.message_text import shown
from neuralshade.base.short_repr import ShortRepr
from neuralshade.base.temp_files import TempFolder
from neuralshade.errors import ConfigError, NeuralShadeError

log = logging.getLogger("neuralshade")
MOST_JOBS = 1024  # processes of one machine


@dataclass(frozen=True)
class BakeResult(ShortRepr):
    """Result of a bake. ``rows`` are read from its ledger, of a million assets one by one."""

    output: str
    progress: BakeProgress
    run: Run | None = None  # None where nothing was run
    plan: Plan | None = None  # its jobs, and what they were estimated to take
    files: tuple[Path, ...] = ()  # besides the assets: of a model its .glb and its page

    def brief(self) -> str:
        return f"{self.output}, {self.progress.line()}"

    @property
    def rows(self) -> list[Row]:
        """Return a row for each job, in the order in which they ended."""
        return list(self.each_row())

    @property
    def failed(self) -> list[Row]:
        """Return the rows of jobs that failed."""
        return list(self.each_failed())

    def each_row(self) -> Iterator[Row]:
        """Yield the rows without keeping them."""
        yield from self.run or ()

    def each_failed(self) -> Iterator[Row]:
        """Yield the rows of jobs that failed without keeping them."""
        return (row for row in self.each_row() if row.state == FAILED)


def ignore(progress: BakeProgress) -> None:
    """Ignore the progress."""


def bake(source: str | os.PathLike[str], output: str | os.PathLike[str] | None = None, *,
         kind: str | None = None, pattern: str | None = None,
         settings: Mapping[str, Any] | None = None, jobs: int | None = None,
         ray: str | None = None, force: bool = False, timeout: float | None = None,
         share: bool = False, events: str | os.PathLike[str] | None = None, plan: bool = False,
         table: str | os.PathLike[str] | None = None,
         observer: BakeObserver = ignore) -> BakeResult:  # fmt: skip
    """Fit every asset of a manifest, a folder or a model, on this machine or a Ray cluster.

    An asset that was made of the same inputs and settings is kept. One that cannot be made fails,
    and the others are made. A model comes out with decoded textures, too. See docs/bake.md.

    Args:
        source: a manifest, .toml or .json; a folder; or a model, .glb or .gltf.
        output: folder or URL of the assets; by default NAME_baked, in the current folder.
        kind: of assets that name none.
        pattern: of the sources in a folder, as in "**/*.png".
        settings: of all assets; those of a manifest's entry replace them.
        jobs: fits at once on this machine; None: as many as fit.
        ray: address of a Ray cluster, or "auto".
        force: make all assets again, none is kept.
        timeout: seconds that a fit may take; one that takes longer is stopped and fails.
        share: materials of equal settings take the shared part of the first of them.
        events: file for JSON lines; "-": standard output.
        plan: check everything, compare with the output and estimate, but write nothing.
        table: further file for the rows, .csv or .parquet. The output always gets bake.csv, and
            the page bake.html.
        observer: called about ten times a second with a BakeProgress.

    Raises: ConfigError with all faults of the source, before anything runs; OutputError where
        another bake of this output runs; DeviceError where no worker can run; FitInterrupted on
        Ctrl-C, SIGTERM or SIGHUP: running fits have saved their checkpoints.
    """
    _check(jobs, ray, timeout)
    find = partial(planned, source, output, kind=kind, pattern=pattern, settings=settings)
    if plan:
        with TempFolder() as folder:
            found = _shared(find(scratch=folder.path), share, force)
            found = found.compared(open_store(found.output))
            if found.model is not None:
                found = found.moved(folder.path)
        return BakeResult(found.output, BakeProgress(len(found.jobs)), None, found)
    found = _shared(find(), share, force)
    if table is not None:
        check_table(table)
    store = open_store(found.output)
    for fault in found.faults():
        log.warning("%s", fault)  # at once: these will fail, and the others go on
    executor = started_executor(store.place, jobs, ray)
    result = run_jobs(found.jobs, store, executor, timeout=timeout, events=events,
                      observer=observer)  # fmt: skip
    if found.model is not None:
        from neuralshade.baking.gltf.finish import finish_model  # decodes: loads what draws

        made = finish_model(found.model, result.each_row())
        result = replace(result, files=tuple(made))
    subjects = {job.name: job.subject for job in found.jobs}
    write_results(store, result.each_row, subjects, table)
    return replace(result, plan=replace(found, stale=_stale(found, store)))


def _stale(found: Plan, store: Store) -> tuple[str, ...]:
    """Return ``stale_outputs``; none where the store no longer answers: all else is done."""
    try:
        return tuple(stale_outputs(found.jobs, store, set(store.outputs())))
    except NeuralShadeError as error:
        log.warning("Assets of earlier bakes were not looked for. %s", error)
        return ()


def _shared(found: Plan, share: bool, force: bool) -> Plan:
    """Return a plan with the flags that concern all its jobs."""
    jobs: Sequence[Job] = shared_first(found.jobs, found.output) if share else found.jobs
    return replace(found, jobs=tuple(replace(job, force=True) for job in jobs) if force
                   else tuple(jobs))  # fmt: skip


def _check(jobs: Any, ray: Any, timeout: Any) -> None:
    """Raise ConfigError for arguments of a wrong type or size."""
    if jobs is not None and ray is not None:
        raise ConfigError("jobs: got it beside ray, need one of them: the cluster has its own "
                          "number. Leave jobs out.")  # fmt: skip
    if jobs is not None and (not is_whole(jobs) or not 1 <= jobs <= MOST_JOBS):
        raise ConfigError(f"jobs: got {shown(jobs)}, need a whole number from 1 to {MOST_JOBS}. "
                          "Leave it out for what fits.")  # fmt: skip
    number = isinstance(timeout, (int, float)) and not isinstance(timeout, bool)
    if timeout is not None and not (number and 0 < timeout < math.inf):
        raise ConfigError(f"timeout: got {shown(timeout)}, need seconds above 0. Leave it out for "
                          "no limit.")  # fmt: skip


def started_executor(place: str, jobs: int | None, ray: str | None) -> Executor:
    """Return the executor of a bake: a Ray cluster, or processes of this machine.

    Raises: DeviceError where no cluster answers.
    """
    if ray is not None:
        from neuralshade.baking.executors.ray_executor import RayExecutor  # ray is optional

        return RayExecutor(ray, place)
    from neuralshade.baking.executors.local_executor import LocalExecutor
    from neuralshade.baking.executors.local_slots import local_slots

    slots = local_slots(jobs)
    return LocalExecutor(place, slots.count, slots.gpus, slots.packing)


def run_jobs(jobs: Iterable[Job], store: Store, executor: Executor, *,
             timeout: float | None = None, events: str | os.PathLike[str] | None = None,
             observer: BakeObserver = ignore) -> BakeResult:  # fmt: skip
    """Run jobs on ``executor`` and close it.

    Raises: OutputError for a second driver of the same output, also one that took it over;
        DeviceError where the store does not answer; else as ``Driver.run``.
    """
    try:
        with (DriverLock(store) as lock, Ledger(store.ledger_folder) as ledger,
              BakeEvents(events) as written):  # fmt: skip
            made = Driver(executor, ledger, written, observer, timeout, lock.check).run(jobs)
            if not made.failed:
                store.clear()
        return BakeResult(store.place, made, ledger.run)
    finally:
        executor.close()
