"""Command neuralshade fit shader: trains the marked members of a user's Slang function."""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from neuralshade.asset.asset import Header, save_asset
from neuralshade.asset.checkpoint import Checkpoint, load_checkpoint
from neuralshade.base.message_text import plain_name, plural, rate_text
from neuralshade.errors import ConfigError
from neuralshade.fitting.command import CommandLine, FitCall
from neuralshade.fitting.facts import MOST_SHOWN, Reached
from neuralshade.fitting.job import Job
from neuralshade.fitting.loop import Loop, Observer, ignore
from neuralshade.fitting.options import (
    USUAL,
    FitOptions,
    checked_output,
    chosen_engine,
)
from neuralshade.fitting.output_checks import check_no_input
from neuralshade.fitting.picture_scene import picture_scene
from neuralshade.fitting.recipe import Unpack, make_recipe, resumed_with, to_dict
from neuralshade.fitting.resuming import Source, resumed_recipe
from neuralshade.fitting.scene import Scene
from neuralshade.fitting.snapshots import snapshots_for
from neuralshade.fitting.typed_values import parse_values
from neuralshade.kinds.shader import KIND
from neuralshade.kinds.shader.build import BuiltTask, build_shader_engine, build_task
from neuralshade.kinds.shader.inputs import size_of_pictures
from neuralshade.kinds.shader.opened import OpenedShader
from neuralshade.kinds.shader.recipe import ShaderRecipe, ShaderSettings
from neuralshade.kinds.shader.render_checks import check_drawn, compared_picture, form_of
from neuralshade.kinds.shader.source import ShaderSource, kept_words, load_shader
from neuralshade.kinds.shader.trust import remember
from neuralshade.model.trainable import Floats, Member, arrays_of
from neuralshade.source.picture import Picture

log = logging.getLogger("neuralshade")
CURVE_POINTS = 100  # of the training curve in an asset


@dataclass(frozen=True)
class ShaderResult(Reached):
    """Result of a fit, and the trained members by name, float32 in their shapes."""

    asset: str  # path
    device: str
    seconds: float  # of training
    steps: int
    samples_per_second: float  # threads
    loss: float  # of the last step: mean over its threads
    asset_bytes: int
    members: dict[str, Any]

    def brief(self) -> str:
        return f"{self.asset}, loss {self.loss:.4g}, {self.asset_bytes:,} bytes"

    def print(self) -> None:
        """Print the result, and small trained members."""
        print(f"{self.asset}: loss {self.loss:.4g} in {self.asset_bytes:,} bytes")
        print(f"{plural(self.steps, 'step')} in {self.seconds:.1f} s on {self.device}, "
              f"{rate_text(self.samples_per_second, 'threads')}")  # fmt: skip
        for name, array in self.members.items():
            if array.size <= MOST_SHOWN:
                shown = np.array2string(array, precision=6, separator=", ", prefix="  ")
                print(f"  {name} = {shown}")


def fit_shader(
    task: str | os.PathLike[str] | ShaderSource,
    output: str | os.PathLike[str] | None = None,
    *,
    values: Mapping[str, Any] | None = None,
    options: FitOptions = USUAL,
    observer: Observer = ignore,
    **settings: Unpack[ShaderSettings],
) -> ShaderResult:
    """Train the members that a Slang module marks, and save them as an asset.

    Args:
        task: a .slang file with a struct Task (docs/shader.md), or a ShaderSource.
        output: the asset; by default the file's name with .nsh, in the current folder.
        values: of members by name: numbers, pictures (as ``load_picture`` takes them), initial
            values of trained ones (a number, or an array of the member's shape), NAME.size and
            NAME.rate.
        options: device, snapshots, movie, tev, tensorboard, events, report, resume. It runs on a
            GPU, or on software Vulkan. A report compares what the task renders with the one
            picture among ``values`` that has as many channels.
        observer: called about ten times a second with a Progress.
        settings: fields of ShaderRecipe: threads, steps, seconds, rate... Without size, the
            pictures' common size, if they have one.

    Raises: KernelError with the compiler's whole output; ConfigError, PictureError,
        OutputError, DeviceError, AssetError (resume) before training starts; ConfigError where
        a loss or gradient is not finite, naming step, thread and member; FitInterrupted on
        Ctrl-C, SIGTERM or SIGHUP, after a checkpoint was saved.
    """
    named = dict[str, Any](settings)
    source = task if isinstance(task, ShaderSource) else load_shader(task)
    values = dict(values or {})
    target = checked_output(None, source.name, output, options, KIND.name)
    for path in (target, options.movie, options.report):
        check_no_input(path, task, *values.values())
    checkpoint = None
    if options.resume is not None:
        checkpoint = load_checkpoint(options.resume, KIND.name)
    recipe = shader_recipe(named) if checkpoint is None else ShaderRecipe(steps=1)
    built = build_task(source, values, recipe.seed)
    if checkpoint is None and "size" not in named:
        recipe = replace(recipe, size=size_of_pictures(source, built.pictures) or recipe.size)
    origin = source_of(source, built)
    if checkpoint is not None:
        recipe = resumed_recipe(checkpoint, options.resume, origin, ShaderRecipe,
                                resumed_with(ShaderRecipe, named), "text and values")  # fmt: skip
        built = build_task(source, values, recipe.seed)
        origin = source_of(source, built)
    check_drawn(options, built, form_of(source, built, recipe))
    if not source.foreign:
        remember(source)
    with chosen_engine(options, "gpu") as chosen:
        job = _Job(values, built, source, origin, recipe, target, chosen, options, observer,
                   _place(task, options))  # fmt: skip
        return job.run(checkpoint)


def _place(task: str | os.PathLike[str] | ShaderSource, options: FitOptions) -> str | None:
    """Return the task's file, also one that a page sent; None for a task in memory."""
    if not isinstance(task, ShaderSource):
        return os.fspath(task)
    live = options.live
    return task.place if live is not None and live.sent(task.place) is not None else None


def shader_recipe(settings: dict[str, Any]) -> ShaderRecipe:
    """Return the recipe of ``settings``; steps or seconds among them replace the default end."""
    return make_recipe(ShaderRecipe, settings)


def source_of(source: ShaderSource, built: BuiltTask) -> Source:
    """Return the identity of a module with its values."""
    pictures = sorted((n, p.digest) for n, p in built.pictures.items())
    numbers = sorted(built.numbers.items())
    trained = [(member.name, member.shape, member.rate) for member in built.task.members]
    return Source(source.name, f"{source.digest} {pictures} {numbers} {trained}")


def call_of(typed: CommandLine) -> FitCall:
    """Return the call of a command line."""
    values = parse_values(typed.flags["set"])
    return FitCall(fit_shader, (typed.subject, typed.output), {"values": values, **typed.settings})


class _Job(Job[ShaderRecipe]):
    kind = KIND
    subject = "task, values=values"

    def __init__(self, values: Mapping[str, Any], built: BuiltTask, source: ShaderSource,
                 origin: Source, recipe: ShaderRecipe, *rest: Any):  # fmt: skip
        super().__init__(origin, recipe, *rest)
        assert self.chosen.gpu is not None
        self.values, self.built, self.source = values, built, source
        if source.foreign and self.place is not None:  # uploaded by a page, with its pictures
            self.resumed_beside = tuple(v.name for v in values.values() if isinstance(v, Picture))
        trained = [member.name for member in built.task.members]
        words = kept_words(values, trained, self.resumed_beside)
        self.resumed_words, self.place = words or (), None if words is None else self.place
        self.engine = build_shader_engine(built, recipe, self.chosen.gpu)
        self.engine.prepare()  # before the clock starts
        self.form = form_of(source, built, recipe)
        if self.form is not None:
            self.snapshots = snapshots_for(
                self.options, self.form, nullcontext, self.engine.draw, list
            )  # fmt: skip
        threads = self.engine.training.count
        self.loop = Loop(self.engine, recipe, None, self._observe,
                         self.snapshots.take if self.snapshots else None,
                         samples_per_step=threads)  # fmt: skip

    def scene(self) -> Scene | None:
        """Return the scene of a live page: the rendered picture, if there is one."""
        if self.form is None:
            return None
        return picture_scene(KIND.name, self.form, self.engine.draw, continuous=True)

    @property
    def reference(self) -> Picture:
        """Return the picture that the report compares with. Raises ConfigError without one."""
        return compared_picture(self.built, self.form)[1]

    def write_report(self, asset: Path, page: Any, snapshots: Any) -> None:
        """Write the report of ``asset``; refused where there is no picture to compare with."""
        name, picture = compared_picture(self.built, self.form)
        self.report_facts = (("Compared with", f"Task.{name}, {plain_name(picture.name)}"),)
        super().write_report(asset, page, snapshots)

    def save(self, path: Path) -> tuple[int, dict[str, Any]]:
        """Write the asset in its current state; return its size and the members."""
        p = self.loop.progress
        numbers = self.engine.values()
        if not (math.isfinite(p.loss) and np.isfinite(numbers).all()):
            raise ConfigError(f"{self.source.place}: diverged at step {p.step:,}: the members are "
                              f"not finite. {self.remedy}")  # fmt: skip
        self._check_trained()
        members = arrays_of(self.built.task.members, numbers)
        module = module_facts(self.source, self.built, self.values)
        header = Header(to_dict(self.recipe), self.training, {"loss": p.loss},
                        self._picture_facts(), {"module": module})  # fmt: skip
        return save_asset(path, KIND.name, header, members, CURVE_POINTS), members

    def open(self, asset: Path) -> OpenedShader:
        """Return an asset of this kind, opened, with the pictures that have no file."""
        kept = {name: picture for name, picture in self.built.pictures.items()
                if not isinstance(self.values[name], (str, os.PathLike))}  # fmt: skip
        return replace(OpenedShader.read(asset), values=kept, trusted=self.source.foreign)

    def finish(self) -> ShaderResult:
        """Write the asset and the other outputs."""
        written, members = self.save(self.output)
        self._written()
        p = self.loop.progress
        for name in untouched(self.built.task.members, self.begun, self.engine.state()):
            self.warnings.add(f"{name}: no gradient reached it in {p.step} steps")
        self._report()
        return ShaderResult(str(self.output), self.chosen.device_name, p.seconds, p.step,
                            p.samples_per_second, p.loss, written, members)  # fmt: skip

    def train(self, checkpoint: Checkpoint | None) -> None:
        """Run the loop; see Job."""
        self.begun = self.built.start
        if checkpoint is not None:
            kept = checkpoint.state.get("values")  # a state without them is refused below
            self.begun = self.built.start if kept is None else kept.numpy()
        super().train(checkpoint)

    def _picture_facts(self) -> dict[str, Any] | None:
        if self.form is None:
            return None
        return {**vars(self.form), "dtype": "float32" if self.form.hdr else "uint8"}


def untouched(members: Sequence[Member], begun: Floats, state: Mapping[str, Any]) -> list[str]:
    """Return the trained members that never had a gradient.

    Means of gradients are 0 then. Some devices let them decay to 0 as well where gradients end
    early: there, changed numbers show that there were gradients.

    Args:
        begun: float32 [all numbers] at the start of the fit.
        state: what the engine's ``state`` returns.
    """
    means, squares = state["moments"].numpy().reshape(2, -1)
    got = (means != 0) | (squares != 0) | (state["values"].numpy() != begun)
    return [m.name for m in members if m.rate > 0 and not got[m.first : m.first + m.size].any()]


def module_facts(
    source: ShaderSource, built: BuiltTask, values: Mapping[str, Any]
) -> dict[str, Any]:
    """Return an asset's facts of the user's module."""
    pictures = {
        name: {"path": str(values[name]) if isinstance(values[name], (str, os.PathLike)) else None,
               "digest": picture.digest}
        for name, picture in built.pictures.items()
    }  # fmt: skip
    sizes = {
        f"{m.name}.size": [m.shape[1], m.shape[0]]
        for m in built.task.members
        if m.kind == "texture"
    }
    return {"name": source.name, "text": source.text, "files": dict(source.files),
            "values": {**built.numbers, **sizes}, "pictures": pictures}  # fmt: skip
