"""neuralshade fit shader: what a user's own Slang function marks as trainable."""

from __future__ import annotations

import dataclasses
import logging
import math
import os
from collections.abc import Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from neuralshade.asset.checkpoint import Checkpoint, load_checkpoint
from neuralshade.asset.shader import KIND, ShaderHeader, save_shader_asset
from neuralshade.engine.choose import choose_engine
from neuralshade.errors import ConfigError
from neuralshade.fitting.job import Job
from neuralshade.fitting.loop import Loop, Observer, ignore
from neuralshade.fitting.options import (
    KEPT_FLAGS,
    USUAL,
    FitOptions,
    check_gpu_engine,
    check_left_out,
    checked_output,
)
from neuralshade.fitting.output_checks import check_no_input
from neuralshade.fitting.recipe import from_dict
from neuralshade.fitting.resuming import resumed_recipe
from neuralshade.fitting.snapshots import snapshots_for
from neuralshade.kinds.shader.build import BuiltTask, build_shader_engine, build_task
from neuralshade.kinds.shader.recipe import ShaderRecipe, size_of
from neuralshade.kinds.shader.source import ShaderSource, load_shader
from neuralshade.kinds.shader.task import CHANNELS
from neuralshade.model.trainable import Floats, Member, arrays_of
from neuralshade.source.picture import Picture
from neuralshade.verbs.canvas import Canvas, empty_canvas

if TYPE_CHECKING:
    from neuralshade.fitting.scene import Scene

log = logging.getLogger("neuralshade")
ONLY_OTHERS = ("engine", "kernels", "deterministic", "report")  # flags that fit shader has not


@dataclass(frozen=True)
class ShaderResult:
    """What a fit reached, and the trained members by name, float32 each in its shape."""

    asset: str  # path
    device: str
    seconds: float  # of training
    steps: int
    samples_per_second: float  # threads
    loss: float  # of the last step: mean over its threads
    asset_bytes: int
    members: dict[str, Any]


def fit_shader(
    task: str | os.PathLike[str] | ShaderSource,
    output: str | os.PathLike[str] | None = None,
    *,
    values: Mapping[str, Any] | None = None,
    options: FitOptions = USUAL,
    observer: Observer = ignore,
    **settings: Any,
) -> ShaderResult:
    """Train the members that a Slang module marks, and save them as an asset.

    Args:
        task: a .slang file with a struct Task (docs/shader.md), or a ShaderSource.
        output: the asset; by default the file's name with .nsh, in the current folder.
        values: of members by name: numbers, pictures (path or Picture), where trained ones begin
            (a number, or an array of the member's shape), NAME.size and NAME.rate.
        options: device, snapshots, movie, tev, tensorboard, events, resume. It runs on a GPU, or
            on software Vulkan.
        observer: called about ten times a second with a Progress.
        settings: fields of ShaderRecipe: threads, steps, seconds, rate...

    Raises: KernelError with all that the Slang compiler said; ConfigError, PictureError,
        OutputError, DeviceError, AssetError (resume) before training starts; ConfigError where
        a loss or gradient is no number, naming step, thread and member; FitInterrupted on
        Ctrl-C or SIGTERM, after a checkpoint was saved.
    """
    source = task if isinstance(task, ShaderSource) else load_shader(task)
    values = dict(values or {})
    target = checked_output(None, source.name, output, options)
    for path in (target, options.movie):
        check_no_input(path, task, *values.values())
    checkpoint = None
    if options.resume is not None:
        checkpoint = load_checkpoint(options.resume, KIND)
    recipe = shader_recipe(settings) if checkpoint is None else ShaderRecipe(steps=1)
    built = build_task(source, values, recipe.seed)
    canvas = canvas_of(source, built, recipe)
    if checkpoint is not None:
        recipe = resumed_recipe(checkpoint, options.resume, canvas, ShaderRecipe,
                                lambda kept: from_dict(ShaderRecipe, kept | settings),
                                "text and values")  # fmt: skip
        built = build_task(source, values, recipe.seed)
        canvas = canvas_of(source, built, recipe)
    _check_options(options, built)
    words = kept_words(values, built)
    place = None if words is None or isinstance(task, ShaderSource) else os.fspath(task)
    with closing(choose_engine("gpu", options.device)) as chosen:
        job = _Job(values, built, source, canvas, recipe, target, chosen, options, observer, place)
        return job.run(checkpoint)


def shader_recipe(settings: dict[str, Any]) -> ShaderRecipe:
    """Return the recipe of ``settings``; steps or seconds among them replace the usual end."""
    ends = any(settings.get(name) is not None for name in ("steps", "seconds"))
    return from_dict(ShaderRecipe, ({"seconds": None} if ends else {}) | settings)


def _check_options(options: FitOptions, built: BuiltTask) -> None:
    """Refuse options that fit shader has not, rather than pass them over."""
    check_gpu_engine(options)
    check_left_out(options, ONLY_OTHERS[1:], "fit shader")
    drawn = options.snapshots or options.movie or options.tev
    if drawn and built.task.renders is None:
        raise ConfigError(f"{built.task.place}: got a Task without render(float2 uv), need it for "
                          "snapshots. Write one that returns a color.")  # fmt: skip


def canvas_of(source: ShaderSource, built: BuiltTask, recipe: ShaderRecipe) -> Canvas:
    """Return what the task renders into."""
    width, height = size_of(recipe)
    channels = CHANNELS[built.task.renders] if built.task.renders else 1
    given = sorted((n, p.digest) for n, p in built.pictures.items())
    numbers = sorted(built.numbers.items())
    trained = [(member.name, member.shape, member.rate) for member in built.task.members]
    digest = f"{source.digest} {given} {numbers} {trained}"
    return empty_canvas((width, height), channels, recipe.color_space, source.name, digest)


def kept_words(values: Mapping[str, Any], built: BuiltTask) -> tuple[str, ...] | None:
    """Return the flags that give a resumed fit its values; None where one cannot be typed.

    Where trained members begin is left out: the checkpoint has where they are.
    """
    words: list[str] = []
    trained = {member.name for member in built.task.members}
    for name, value in values.items():
        if name in trained:
            continue
        if not isinstance(value, str) and name.endswith(".size"):
            value = "x".join(map(str, value))
        if not isinstance(value, (str, os.PathLike, int, float)):
            return None
        words += ["--set", f"{name}={value}"]
    return tuple(words)


class _Job(Job[ShaderRecipe]):
    kind = KIND
    subject = "task, values=values"
    kept_flags = tuple(flag for flag in KEPT_FLAGS if flag not in ONLY_OTHERS)

    def __init__(self, values: Mapping[str, Any], built: BuiltTask, source: ShaderSource,
                 canvas: Canvas, recipe: ShaderRecipe, *rest: Any):  # fmt: skip
        super().__init__(canvas, recipe, *rest)
        assert self.chosen.gpu is not None
        self.values, self.built, self.source = values, built, source
        self.kept_words = kept_words(values, built) or ()
        self.engine = build_shader_engine(built, recipe, self.chosen.gpu)
        self.engine.prepare()  # before the clock runs
        self.snapshots = None
        if built.task.renders is not None:
            self.snapshots = snapshots_for(
                self.options, canvas, nullcontext, self.engine.draw, list
            )  # fmt: skip
        threads = self.engine.training.count
        self.loop = Loop(self.engine, recipe, None, self._observe,
                         self.snapshots.take if self.snapshots else None,
                         samples_per_step=threads)  # fmt: skip

    def scene(self) -> Scene | None:
        """Return what a live page shows of it: what the task renders, if it does."""
        from neuralshade.fitting.scene import picture_scene

        if self.built.task.renders is None:
            return None
        return picture_scene(self.kind, self.picture, self.engine.draw, compared=False,
                             continuous=True)  # fmt: skip

    def write_report(self, asset: Path, page: Any, snapshots: Any) -> None:
        """Refuse it: a fit does not know what its task's picture is to look like."""
        raise ConfigError("report: got a fit of shader, need its asset, and a picture to compare "
                          "it with. Run: neuralshade report ASSET PICTURE.")  # fmt: skip

    def save(self, path: Path) -> tuple[int, dict[str, Any]]:
        """Write the asset as it is now; return its size and the members."""
        p = self.loop.progress
        numbers = self.engine.values()
        if not (math.isfinite(p.loss) and np.isfinite(numbers).all()):
            raise ConfigError(f"{self.source.place}: got numbers beyond float32, need a fit that "
                              f"converges. {self.remedy}")  # fmt: skip
        self._check_trained()
        members = arrays_of(self.built.task.members, numbers)
        training = {"steps": p.step, "seconds": round(p.seconds, 3), "curve": p.curve}
        module = module_facts(self.source, self.built, self.values)
        header = ShaderHeader(dataclasses.asdict(self.recipe), module, self._picture_facts(),
                              training, {"loss": p.loss})  # fmt: skip
        return save_shader_asset(path, header, members), members

    def finish(self) -> ShaderResult:
        """Write the asset and what else was asked for."""
        written, members = self.save(self.output)
        self._written()
        p = self.loop.progress
        for name in untouched(self.built.task.members, self.begun, self.engine.state()):
            log.warning("%s: no gradient reached it in %d steps", name, p.step)
        return ShaderResult(str(self.output), self.chosen.device_name, p.seconds, p.step,
                            p.samples_per_second, p.loss, written, members)  # fmt: skip

    def train(self, checkpoint: Checkpoint | None) -> None:
        """Run the loop; see Job."""
        self.begun = self.built.start
        if checkpoint is not None:
            kept = checkpoint.state.get("values")  # or a state that is refused below
            self.begun = self.built.start if kept is None else kept.numpy()
        super().train(checkpoint)

    def _picture_facts(self) -> dict[str, Any] | None:
        if self.built.task.renders is None:
            return None
        c = self.original
        return {"name": c.name, "width": c.width, "height": c.height, "channels": c.channels,
                "color_space": c.color_space, "dtype": c.pixels.dtype.name}  # fmt: skip


def untouched(members: Sequence[Member], begun: Floats, state: Mapping[str, Any]) -> list[str]:
    """Return the trained members of which no number ever got a gradient.

    Means of gradients are 0 then; but some devices let them fade to 0 too where gradients end
    early: numbers that are not what they were when the fit began tell of these.

    Args:
        begun: float32 [all numbers] at the beginning of the fit.
        state: what the engine's ``state`` returns.
    """
    means, squares = state["moments"].numpy().reshape(2, -1)
    got = (means != 0) | (squares != 0) | (state["values"].numpy() != begun)
    return [m.name for m in members if m.rate > 0 and not got[m.first : m.first + m.size].any()]


def module_facts(
    source: ShaderSource, built: BuiltTask, values: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what an asset says of the user's module."""
    pictures = {
        name: {"path": str(values[name]) if not isinstance(values[name], Picture) else None,
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
