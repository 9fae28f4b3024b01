"""neuralshade fit materials: fits of several materials of one architecture, one by one."""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from neuralshade.asset.texture.texture_files import file_name
from neuralshade.base.argument_checks import check_output, check_path
from neuralshade.base.atomic import check_writable
from neuralshade.errors import ConfigError, FitInterrupted, NeuralShadeError, OutputError
from neuralshade.fitting.loop import Observer, ignore
from neuralshade.fitting.options import (
    USUAL,
    FitOptions,
    check_callbacks,
    check_options,
    check_torch,
)
from neuralshade.fitting.output_checks import check_asset_place, check_no_input
from neuralshade.fitting.recipe import Unpack, make_recipe
from neuralshade.kinds.material.family import KIND
from neuralshade.kinds.material.family.result import (
    FittedMaterial,
    MaterialsResult,
    materials_result,
)
from neuralshade.kinds.material.fit import MaterialResult, fit_material
from neuralshade.kinds.material.opened import OpenedMaterial
from neuralshade.kinds.material.recipe import MaterialRecipe, MaterialSettings, with_preset
from neuralshade.kinds.material.references.reference_bsdf import ReferenceBsdf
from neuralshade.kinds.material.references.sources import MATERIALX, ONE, load_reference
from neuralshade.kinds.material.shared import shared_digest

PathLike = str | os.PathLike[str]
LOG = logging.getLogger("neuralshade")


def fit_materials(
    sources: Sequence[PathLike | ReferenceBsdf],
    output: PathLike | None = None,
    *,
    preset: str | None = None,
    share: bool = False,
    compare: bool = True,
    reports: bool = False,
    trust: bool = False,
    options: FitOptions = USUAL,
    observer: Observer = ignore,
    **settings: Unpack[MaterialSettings],
) -> MaterialsResult:
    """Fit several materials with the same settings, and save an asset of each.

    One that cannot be fitted is reported and left out; the others are fitted.

    Args:
        sources: what ``fit_material`` takes, of different names; shelf.mtlx#Oak is the material
            Oak of a document, and its name is Oak.
        output: the folder of the assets; by default the current one.
        preset: standard (if None), high or fast: see ``fit_material``.
        share: all others use the first layer of the first one's decoder.
        compare: with ``share``, fit each of the others also without sharing, for as many steps, to
            measure the cost; those fits are not kept.
        reports: write a report of each beside its asset.
        trust: run the code of MaterialX documents, after it was checked.
        options: engine, device, kernels, deterministic, events, and tensorboard, where each
            material has a folder of its name. There is no resume.
        observer: called about ten times a second with the Progress of the current material.
        settings: fields of MaterialRecipe; an end (steps, seconds) is that of each.

    Raises: ConfigError, OutputError before training starts; the first material's error if
        none can be fitted; FitInterrupted on Ctrl-C or SIGTERM: those before are written.
    """
    check_options(options, KIND.name, KIND.takes)
    check_torch(options)
    check_callbacks(options)
    chosen = with_preset(preset, settings)
    make_recipe(MaterialRecipe, chosen)
    check_output(output)
    folder = Path() if output is None else Path(output)
    jobs = _jobs(sources, folder)
    written = [path for job in jobs for path in (job.asset, *([job.page] if reports else ()))]
    for path in written if os.path.isdir(folder) else (folder,):
        check_writable(path)
    batch = _Batch(jobs, options, observer, chosen, reports, trust)
    batch.load()
    _make_folder(folder)
    batch.run(share, share and compare)
    return batch.result(str(folder), share)


@dataclass(frozen=True)
class _Item:
    """A material to fit, and where to save it."""

    name: str
    source: PathLike | ReferenceBsdf
    element: str | None  # of a document
    asset: Path

    @property
    def page(self) -> Path:
        """Return the path of its report."""
        return self.asset.with_suffix(".html")


def _jobs(sources: Sequence[PathLike | ReferenceBsdf], folder: Path) -> list[_Item]:
    alone = isinstance(sources, (str, bytes, os.PathLike, ReferenceBsdf))
    several: Any = [sources] if alone or not isinstance(sources, Iterable | None) else sources
    if not several:
        raise ConfigError("materials: got none, need one or more. Name files of materials.")
    taken: dict[str, str] = {}
    jobs = []
    for one in several:
        source, element, name = _split(one)
        place = name if isinstance(one, ReferenceBsdf) else os.fspath(one)
        file = f"{file_name(name)}.nsh"
        before = taken.setdefault(file.casefold(), place)
        if before is not place:
            raise ConfigError(f"{place}: got a material named {name} like {before}, need another "
                              "name, as its asset goes by that. Rename it, or fit it by "
                              "itself.")  # fmt: skip
        asset = folder / file
        check_no_input(asset, source)
        check_asset_place(asset)
        jobs.append(_Item(name, source, element, asset))
    return jobs


def _split(requested: PathLike | ReferenceBsdf) -> tuple[PathLike | ReferenceBsdf, str | None, str]:
    """Return a source, the name of its element, and the material's name."""
    if isinstance(requested, ReferenceBsdf):
        return requested, None, requested.name
    check_path("material", requested)
    place, _, element = os.fspath(requested).rpartition("#")
    suffix = Path(place).suffix.lower()
    if element and suffix in (MATERIALX, *ONE) and not os.path.exists(requested):
        return place, element, element
    return requested, None, Path(requested).stem


def _make_folder(folder: Path) -> None:
    """Create the folder if it is missing. Raises OutputError."""
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: got {error.strerror!r}, need a folder for the assets. Choose "
                          "another path.") from error  # fmt: skip


class _Batch:
    """Fits of materials, one after the other."""

    def __init__(
        self, jobs: Sequence[_Item], options: FitOptions, observer: Observer, settings: Any,
        reports: bool, trust: bool,
    ):  # fmt: skip
        self.reports, self.trust = reports, trust
        self.jobs, self.options, self.observer, self.settings = jobs, options, observer, settings
        self.done: list[FittedMaterial] = []
        self.failed: dict[str, NeuralShadeError] = {}

    def load(self) -> None:
        """Load each material once, so that errors are reported at once, and release it."""
        for job in self.jobs:
            try:
                if not isinstance(job.source, ReferenceBsdf):
                    load_reference(job.source, job.element, trust=self.trust)
            except NeuralShadeError as error:
                self.failed[job.name] = error
        self._check_some(len(self.failed) < len(self.jobs))
        for name, why in self.failed.items():
            LOG.warning(f"{name} is not fitted: {why}")

    def _check_some(self, some: bool) -> None:
        """Raise the first material's error if no material is left."""
        if not some:
            raise next(iter(self.failed.values()))

    def run(self, share: bool, compare: bool) -> None:
        """Fit the materials that could be loaded."""
        for number, job in enumerate(self.jobs, 1):
            if job.name in self.failed:
                continue
            LOG.info(f"{job.name}, material {number} of {len(self.jobs)}")
            lender = self.done[0].fitted.asset if share and self.done else None
            try:
                with self._report_failure(job):
                    fitted = self._fit(job, job.asset, self._logged(job), share=lender)
                    page = str(job.page) if self.reports else None
                    self.done.append(FittedMaterial(job.name, fitted, report=page))
                    if lender is not None and compare:
                        alone = self._fit_unshared(job, fitted)
                        self.done[-1] = replace(self.done[-1], alone=alone)
            except FitInterrupted as error:
                raise FitInterrupted(self._rest(number) + str(error)) from error
        self._check_some(bool(self.done))

    def result(self, folder: str, share: bool) -> MaterialsResult:
        """Return the results."""
        lender = self.done[0].fitted.asset
        digest = shared_digest(OpenedMaterial.read(lender).tensors)
        failed = {name: str(error) for name, error in self.failed.items()}
        return materials_result(folder, lender if share else None, digest if share else None,
                                tuple(self.done), failed)  # fmt: skip

    def _fit(
        self, job: _Item, asset: Path, options: FitOptions, **changed: Any
    ) -> MaterialResult:  # fmt: skip
        return fit_material(job.source, asset, element=job.element, trust=self.trust,
                            options=options, observer=self.observer,
                            **self.settings | changed)  # fmt: skip

    def _fit_unshared(self, job: _Item, fitted: MaterialResult) -> MaterialResult | None:
        """Return the result of a fit without sharing; its asset is not kept.

        Return None, with a warning, if it fails.
        """
        LOG.info(f"{job.name} alone, to compare with")
        unlogged = replace(self.options, tensorboard=None, events=None)
        with tempfile.TemporaryDirectory(prefix="neuralshade-") as folder:
            try:
                return self._fit(job, Path(folder) / "alone.nsh", unlogged, steps=fitted.steps,
                                 seconds=None)  # fmt: skip
            except FitInterrupted as error:
                raise FitInterrupted(f"interrupted while {job.name} was fitted alone, to compare "
                                     f"with: {job.asset} is written.") from error  # fmt: skip
            except NeuralShadeError as error:
                LOG.warning(f"{job.name} is not fitted alone, to compare with: {error}")
                return None

    def _logged(self, job: _Item) -> FitOptions:
        """Return the options of one fit, with its TensorBoard folder and report."""
        options = replace(self.options, report=job.page) if self.reports else self.options
        if options.tensorboard is None:
            return options
        return replace(options, tensorboard=Path(options.tensorboard) / file_name(job.name))

    def _rest(self, number: int) -> str:
        """Return the text of finished and open fits, when fit ``number`` ends early."""
        left = [job.name for job in self.jobs[number:] if job.name not in self.failed]
        whole = ", ".join(one.fitted.asset for one in self.done)
        finished = f"finished: {whole}; " if whole else ""
        return finished + (f"not begun: {', '.join(left)}; " if left else "")

    @contextmanager
    def _report_failure(self, job: _Item) -> Iterator[None]:
        """Report a material that cannot be fitted, and continue."""
        try:
            yield
        except NeuralShadeError as error:
            self.failed[job.name] = error
            LOG.warning(f"{job.name} is not fitted: {error}")
