"""The plan of a bake: all jobs, checked without training, with what they will take."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuralshade.baking.faults import Faults
from neuralshade.baking.folder import read_folder
from neuralshade.baking.input_checks import Inputs
from neuralshade.baking.job import Job
from neuralshade.baking.manifest import SUFFIXES, read_manifest
from neuralshade.baking.progress import time_text
from neuralshade.baking.settings import FILE_FORMS, Recipes, settings_of
from neuralshade.baking.store import is_url
from neuralshade.base.argument_checks import check_path
from neuralshade.base.message_text import plural, shown
from neuralshade.errors import ConfigError
from neuralshade.measure.table import Column, print_lines, print_rows

if TYPE_CHECKING:
    from neuralshade.baking.gltf.jobs import ModelJobs

MODELS = (".glb", ".gltf")
USUAL_SECONDS = 30.0  # of a job whose kind has no estimate


@dataclass(frozen=True)
class Plan:
    """Jobs of a bake, and estimates of what they take.

    ``seconds``: on one GPU, one after the other; each job's are its ``cost``. ``byte_counts``: of
    the assets by name, where they can be known. ``notes``: for users.
    """

    source: str
    output: str
    jobs: tuple[Job, ...]
    byte_counts: Mapping[str, int]
    sources: Mapping[str, str]  # of the estimates, by kind
    notes: tuple[str, ...] = ()
    model: ModelJobs | None = None  # where the source is a glTF model

    @property
    def seconds(self) -> float:
        """Return the estimated seconds of all jobs on one GPU."""
        return sum(job.cost for job in self.jobs)

    @property
    def byte_count(self) -> int:
        """Return the estimated bytes of the assets whose size can be known."""
        return sum(self.byte_counts.values())

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each kind, as plain JSON data."""
        counts = Counter(job.kind for job in self.jobs)
        return [self._row(kind, count) for kind, count in counts.most_common()]

    def _row(self, kind: str, count: int) -> dict[str, Any]:
        jobs = [job for job in self.jobs if job.kind == kind]
        known = [self.byte_counts[job.name] for job in jobs if job.name in self.byte_counts]
        return {"kind": kind, "assets": count, "gpu_seconds": sum(job.cost for job in jobs),
                "bytes": sum(known) if known else None, "sized_assets": len(known),
                "estimated_from": self.sources.get(kind)}  # fmt: skip

    def facts(self) -> dict[str, Any]:
        """Return the plan as plain JSON data."""
        return {"source": self.source, "output": self.output, "assets": len(self.jobs),
                "gpu_seconds": self.seconds, "bytes": self.byte_count,
                "sized_assets": len(self.byte_counts), "kinds": self.rows(),
                "notes": list(self.notes),
                "jobs": [{"name": job.name, "kind": job.kind, "input": list(job.subject),
                          "output": job.output, "settings": dict(job.settings),
                          "place": job.place, "gpu_seconds": job.cost,
                          "bytes": self.byte_counts.get(job.name)} for job in self.jobs],
                }  # fmt: skip

    def print(self) -> None:
        """Print what will be made, and the estimates, to standard output."""
        columns = [
            Column("kind", "kind", right=False),
            Column("assets", "assets", ",d"),
            Column("on one GPU", lambda row: time_text(row["gpu_seconds"])),
            Column("MB", lambda row: None if row["bytes"] is None else row["bytes"] / 1e6, ",.2f"),
            Column("estimated from", "estimated_from", right=False),
        ]
        print_rows(columns, self.rows())
        print_lines(["", *self.lines()])

    def lines(self) -> list[str]:
        """Return the totals and the notes as sentences."""
        unsized = len(self.jobs) - len(self.byte_counts)
        lines = [f"{plural(len(self.jobs), 'asset')} into {self.output}.",
                 f"Estimated: {time_text(self.seconds)} on one GPU, one after the other, and "
                 f"{self.byte_count / 1e6:,.2f} MB."]  # fmt: skip
        if unsized:
            lines.append(f"Without the bytes of {plural(unsized, 'asset')}, whose size their fit "
                         "finds.")  # fmt: skip
        return [*lines, *self.notes]


def default_output(source: str) -> str:
    """Return the folder of a bake that names none: after its source, in the current folder."""
    return f"{Path(os.path.abspath(source)).stem}_baked"


def planned(source: str | os.PathLike[str], output: str | os.PathLike[str] | None = None, *,
            kind: str | None = None, pattern: str | None = None,
            settings: Mapping[str, Any] | None = None) -> Plan:  # fmt: skip
    """Return the plan of a manifest, a folder or a glTF model.

    Args:
        source: a manifest, .toml or .json; a folder; or a model, .glb or .gltf.
        output: the folder or the URL of the assets; see ``default_output``.
        kind: of assets that name none.
        pattern: of the sources in a folder.
        settings: over the defaults of a manifest, or of all assets of a folder.

    Raises: ConfigError with all faults of the source.
    """
    check_path("source", source)
    if output is not None:
        check_path("output", output)
    place = os.fspath(source)
    target = os.fspath(output) if output is not None else default_output(place)
    if os.path.isfile(target):
        raise ConfigError(f"output: got {target}, a file, need a folder. Name another.")
    faults, inputs, recipes = Faults(place), Inputs(), Recipes()
    model, loose = None, 0
    if Path(place).suffix.lower() in MODELS:
        _check_model_arguments(place, target, kind, pattern)
        model = _model_jobs(place, target, faults, recipes, settings or {})
        jobs = model.jobs
    else:
        jobs, loose = _jobs(place, target, faults, recipes, kind, pattern, settings)
    inputs.check(jobs, faults)
    jobs = _ordered(jobs, target, faults)
    pixels = inputs.sizes(jobs, faults)
    faults.check()
    notes = [*model.notes] if model is not None else []
    if inputs.urls:
        notes.append(f"{plural(inputs.urls, 'input')} by URL: not looked at before the bake.")
    if loose:
        notes.append(f"{plural(loose, 'picture')} beside sets of maps left out: add --kind or "
                     "--pattern for them.")  # fmt: skip
    return _estimated(Plan(place, target, jobs, {}, {}, tuple(notes), model), pixels, recipes)


def _jobs(place: str, output: str, faults: Faults, recipes: Recipes, kind: str | None,
          pattern: str | None, settings: Mapping[str, Any] | None,
          ) -> tuple[tuple[Job, ...], int]:  # fmt: skip
    """Return the jobs of a folder or a manifest, and the pictures of a folder left out."""
    if os.path.isdir(place):
        return read_folder(place, faults, recipes, kind, pattern, settings,
                           None if is_url(output) else output)  # fmt: skip
    if pattern is not None:
        raise ConfigError(f"pattern: got {pattern!r} beside {place}, need a folder to search. "
                          "Leave it out.")  # fmt: skip
    if Path(place).suffix.lower() in SUFFIXES:
        return read_manifest(place, faults, recipes, kind, settings), 0
    got = "another file" if os.path.exists(place) else "no such file or folder"
    raise ConfigError(f"{place}: got {got}, need a folder, a manifest (.toml, "
                      ".json) or a model (.glb, .gltf). Check the path.")  # fmt: skip


def _check_model_arguments(place: str, output: str, kind: str | None, pattern: str | None) -> None:
    for name, value in (("kind", kind), ("pattern", pattern)):
        if value is not None:
            raise ConfigError(f"{name}: got {value!r} beside {place}, need neither: a model's "
                              "textures are fitted. Leave it out.")  # fmt: skip
    if is_url(output):
        raise ConfigError(f"output: got {output} beside {place}, need a local folder for the "
                          "model. Copy it from there.")  # fmt: skip


def _model_jobs(place: str, output: str, faults: Faults, recipes: Recipes,
                settings: Mapping[str, Any]) -> ModelJobs:  # fmt: skip
    """Return the jobs of a glTF model; its settings are those of all of them."""
    from neuralshade.baking.gltf.jobs import KIND, model_jobs  # loads NumPy

    known, checked = settings_of(KIND), {}
    for name, value in settings.items():
        with faults.noted("settings"):
            checked[name] = known.checked(name, value)
    with faults.noted("settings"):
        recipes.of(known, checked)
    faults.check()  # before its images are written
    return model_jobs(place, output, checked)


def _ordered(jobs: tuple[Job, ...], output: str, faults: Faults) -> tuple[Job, ...]:
    """Return jobs, each after the asset of this bake that its settings name, as in share.

    Notes the jobs whose asset is an input, and assets that need one which needs another.
    """
    if is_url(output):
        return jobs
    folder = os.path.abspath(output)
    made = {os.path.normpath(os.path.join(folder, job.output)): job for job in jobs}
    needed = {job.name: made[path] for job in jobs for path in _files_of(job) if path in made}
    for job in jobs:
        if any(source in made for source in job.subject):
            faults.add(job.place, f"input: got {job.subject[0]}, which this bake writes, need "
                       "another file. Change the name of that asset.")  # fmt: skip
        elif job.name in needed and needed[job.name].name in needed:
            first = needed[job.name]
            faults.add(job.place, f"got {shown(first.name)}, which needs another asset itself, "
                       "need one that needs none. Name that other one.")  # fmt: skip
    return tuple(replace(job, after=(needed[job.name].name,)) if job.name in needed else job
                 for job in jobs)  # fmt: skip


def _files_of(job: Job) -> Iterator[str]:
    """Yield the files that a job's settings name."""
    for name, flag in settings_of(job.kind).flags.items():
        if flag.form in FILE_FORMS and name in job.settings:
            yield job.settings[name]


def _estimated(plan: Plan, pixels: Mapping[str, int], recipes: Recipes) -> Plan:
    """Return a plan with costs and bytes; jobs of unknown size are taken for usual ones."""
    means: dict[str, int | None] = {}
    jobs, sizes, sources = [], {}, {}
    for job in plan.jobs:
        known = settings_of(job.kind)
        if known.estimate is None:
            jobs.append(replace(job, cost=USUAL_SECONDS))
            continue
        if job.kind not in means:
            measured = [pixels[other.name] for other in plan.jobs
                        if other.kind == job.kind and other.name in pixels]  # fmt: skip
            means[job.kind] = sum(measured) // len(measured) if measured else None
            sources[job.kind] = known.estimate.source
        recipe = recipes.of(known, job.settings)
        jobs.append(replace(job, cost=known.estimate.seconds(recipe)))
        size = pixels.get(job.name, means[job.kind])
        count = known.estimate.byte_count(recipe, known.split(job.settings).flags, size)
        if count is not None:
            sizes[job.name] = round(count)
    return replace(plan, jobs=tuple(jobs), byte_counts=sizes, sources=sources)
