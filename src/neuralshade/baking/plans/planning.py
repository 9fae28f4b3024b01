"""Planning of a bake: all jobs of a source, checked without training, and what they will take."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuralshade.baking.job import Job
from neuralshade.baking.plans.faults import Faults
from neuralshade.baking.plans.folder import read_folder
from neuralshade.baking.plans.input_checks import Inputs
from neuralshade.baking.plans.manifest import SUFFIXES, read_manifest
from neuralshade.baking.plans.plan import Plan
from neuralshade.baking.plans.settings import FILE_FORMS, Recipes, settings_of
from neuralshade.baking.stores.store import is_url, local_path
from neuralshade.base.argument_checks import check_path
from neuralshade.base.garbage import no_collection
from neuralshade.base.message_text import plural, shown
from neuralshade.errors import ConfigError

if TYPE_CHECKING:
    from neuralshade.baking.gltf.jobs import ModelJobs

MODELS = (".glb", ".gltf")
USUAL_SECONDS = 30.0  # of a job whose kind has no estimate


def default_output(source: str) -> str:
    """Return the folder of a bake that names none: after its source, in the current folder."""
    return f"{Path(os.path.abspath(source)).stem}_baked"


@no_collection()  # of a million jobs none is garbage
def planned(source: str | os.PathLike[str], output: str | os.PathLike[str] | None = None, *,
            kind: str | None = None, pattern: str | None = None,
            settings: Mapping[str, Any] | None = None, scratch: Path | None = None,
            ) -> Plan:  # fmt: skip
    """Return the plan of a manifest, a folder or a glTF model.

    Args:
        source: a manifest, .toml or .json; a folder; or a model, .glb or .gltf.
        output: the folder or the URL of the assets; see ``default_output``.
        kind: of assets that name none.
        pattern: of the sources in a folder.
        settings: over the defaults of a manifest, or of all assets of a folder.
        scratch: folder for the images of a model, in place of the output; then nothing else is
            written.

    Raises: ConfigError with all faults of the source.
    """
    check_path("source", source)
    if output is not None:
        check_path("output", output)
    place = os.fspath(source)
    target = local_path(os.fspath(output)) if output is not None else default_output(place)
    if os.path.isfile(target):
        raise ConfigError(f"output: got {target}, a file, need a folder. Name another.")
    faults, inputs, recipes = Faults(place), Inputs(), Recipes()
    model, loose = None, 0
    if Path(place).suffix.lower() in MODELS:
        _check_model_arguments(place, target, kind, pattern)
        model = _model_jobs(place, target, faults, recipes, settings or {}, scratch)
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
    if inputs.opened < inputs.all:
        notes.append(f"Headers of {inputs.opened:,} of {inputs.all:,} inputs were read: broken "
                     "files among the others are found by their fits.")  # fmt: skip
    if loose:
        notes.append(f"{plural(loose, 'picture')} beside sets of maps left out: add --kind or "
                     "--pattern for them.")  # fmt: skip
    plan = Plan(place, target, jobs, {}, {}, tuple(notes), model, inputs.broken)
    return _estimated(plan, pixels, recipes)


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
                settings: Mapping[str, Any], scratch: Path | None) -> ModelJobs:  # fmt: skip
    """Return the jobs of a glTF model; its settings are those of all of them."""
    from neuralshade.baking.gltf.jobs import KIND, model_jobs  # loads NumPy

    known, checked = settings_of(KIND), {}
    for name, value in settings.items():
        with faults.noted("settings"):
            checked[name] = known.checked(name, value)
    with faults.noted("settings"):
        recipes.of(known, checked)
    faults.check()  # before its images are written
    return model_jobs(place, output, checked, scratch)


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
