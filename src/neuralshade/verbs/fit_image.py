"""neuralshade fit image: a picture into an encoding and a small network."""

import dataclasses
import math
import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from neuralshade.asset.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from neuralshade.asset.image import ImageHeader, save_image_asset
from neuralshade.asset.tensors import pack_field
from neuralshade.atomic import check_writable
from neuralshade.engine.choose import choose_device, choose_engine
from neuralshade.errors import AssetError, ConfigError, FitInterrupted
from neuralshade.fit import Loop, Observer, Progress, ignore
from neuralshade.recipes.image import ImageRecipe
from neuralshade.recipes.image_build import build_engine, resolve
from neuralshade.recipes.memory import check_memory
from neuralshade.recipes.presets import ENDS, preset_recipe
from neuralshade.recipes.recipe import from_dict, to_dict
from neuralshade.source.image_file import load_picture
from neuralshade.source.picture import Picture
from neuralshade.source.transform import transform_picture
from neuralshade.verbs.inputs import check_no_input
from neuralshade.verbs.measuring import glance_psnr, stored_quality, white_of
from neuralshade.verbs.snapshots import Snapshots


@dataclass(frozen=True)
class FitOptions:
    """How a fit is run, whatever is fitted; none of it changes what is learned."""

    engine: str = "auto"  # auto, torch or gpu
    device: str | None = None  # a torch device such as cpu or cuda:0; None chooses the CPU
    snapshots: str | os.PathLike[str] | None = None  # folder for log-spaced pictures
    report: str | os.PathLike[str] | None = None  # HTML file to write at the end
    resume: str | os.PathLike[str] | None = None  # checkpoint to go on from


@dataclass(frozen=True)
class FitResult:
    """What a fit reached; quality and size are those of the file."""

    asset: str  # path
    engine: str
    device: str
    seconds: float  # of training, measuring on the way included
    steps: int
    samples_per_second: float
    loss: float  # of the last batch
    psnr_db: float  # of the picture as the asset holds it
    asset_bytes: int
    bits_per_pixel: float
    skipped_steps: int  # whose gradient was not finite


def fit_image(
    picture: str | os.PathLike[str] | Picture,
    output: str | os.PathLike[str] | None = None,
    *,
    preset: str | None = None,
    options: FitOptions = FitOptions(),
    observer: Observer = ignore,
    **settings: Any,
) -> FitResult:
    """Fit an encoding and a small network to a picture and save them as an asset.

    Args:
        picture: a picture file, or a Picture (see picture_from_array).
        output: the asset; by default the picture's name with .nsh, in the current folder.
        preset: grid (if None), detail, rtxns, rtxns-fast, lake, tiny or tiny-9.
        options: engine, device, snapshots, report, resume.
        observer: called about ten times a second with a Progress.
        settings: fields of ImageRecipe that replace the preset's; an end (steps, seconds)
            given here replaces the preset's ends.

    Returns:
        What was reached; psnr_db is measured on the stored numbers.

    Raises: PictureError, ConfigError, OutputError, DeviceError, AssetError (resume) before
        training starts; FitInterrupted on Ctrl-C or SIGTERM, after a checkpoint was saved.
    """
    source = picture if isinstance(picture, Picture) else load_picture(picture)
    target = Path(output) if output is not None else Path(Path(source.name).stem + ".nsh")
    for path in (target, options.report):
        check_no_input(path, picture)
    engine_name, device = choose_engine(options.engine), choose_device(options.device)
    checkpoint = load_checkpoint(options.resume) if options.resume is not None else None
    recipe = _recipe_for(source, preset, settings, checkpoint, options.resume)
    for path in (target, options.report):
        if path is not None:
            check_writable(path)
    job = _Job(source, recipe, target, device, options, observer)
    job.train(checkpoint, None if isinstance(picture, Picture) else os.fspath(picture))
    return job.finish(engine_name)


def _recipe_for(
    picture: Picture,
    preset: str | None,
    settings: dict[str, Any],
    checkpoint: Checkpoint | None,
    place: Any,
) -> ImageRecipe:
    """Return the resolved recipe: of the checkpoint where there is one, else as asked."""
    if checkpoint is None:
        return _resolved(preset_recipe(preset or "grid", settings), picture)
    if checkpoint.picture["digest"] != picture.digest:
        raise ConfigError(f"{place}: got a checkpoint of {checkpoint.picture['name']!r}, need one "
                          f"of {picture.name!r}. Resume with the same picture.")  # fmt: skip
    recipe = from_dict(ImageRecipe, checkpoint.recipe)
    kept = to_dict(recipe)
    named = kept if preset is None else to_dict(preset_recipe(preset, settings))
    named |= {end: kept[end] for end in ENDS}  # those of a preset may have been replaced
    asked = _resolved(from_dict(ImageRecipe, named | settings), picture)
    for name, value in to_dict(asked).items():
        if value != kept[name]:
            raise ConfigError(f"{place}: got {name}={value!r}, need {kept[name]!r} as the fit was "
                              f"started with. Leave --{name.replace('_', '-')} out.")  # fmt: skip
    return recipe


def _resolved(recipe: ImageRecipe, picture: Picture) -> ImageRecipe:
    """Return what 'auto' means for the picture that is fitted: the transformed one."""
    return resolve(recipe, transform_picture(picture, recipe.transform))


class _Job:
    """One fit from start to file."""

    def __init__(
        self,
        picture: Picture,
        recipe: ImageRecipe,
        output: Path,
        device: torch.device,
        options: FitOptions,
        observer: Observer,
    ):
        self.original, self.recipe, self.output = picture, recipe, output
        self.options, self.device = options, device
        self.picture = transform_picture(picture, recipe.transform)
        check_memory(recipe, self.picture)
        self.engine = build_engine(recipe, self.picture, device)
        self.snapshots: Snapshots | None = None
        if options.snapshots is not None or options.report is not None:
            folder = None if options.snapshots is None else Path(options.snapshots)
            self.snapshots = Snapshots(self.engine, self.picture, folder)
        white, hdr = white_of(self.picture), self.picture.hdr
        self.loop = Loop(
            self.engine,
            recipe,
            lambda: glance_psnr(self.engine, white, hdr),
            observer,
            self.snapshots.take if self.snapshots else None,
        )

    def train(self, checkpoint: Checkpoint | None, place: str | None) -> None:
        """Run the loop; on interruption save a checkpoint and raise FitInterrupted.

        ``place`` is where the picture was read, None for one in memory.
        """
        if checkpoint is not None:
            self._load(checkpoint.state)
            known = {k: v for k, v in checkpoint.progress.items() if v is not None}
            self.loop.progress = Progress(**known)
        if not self.loop.run():
            path = self.output.with_suffix(".checkpoint.nsh")
            progress = dataclasses.asdict(self.loop.progress)
            facts, state = picture_facts(self.original), self.engine.state()
            save_checkpoint(path, Checkpoint(to_dict(self.recipe), facts, progress, state))
            raise FitInterrupted(
                f"interrupted at step {self.loop.progress.step}: the fit is kept in {path}. "
                f"Go on with: {self._resume_command(path, place)}"
            )

    def _load(self, state: dict[str, torch.Tensor]) -> None:
        try:
            self.engine.load_state(state)
        except (KeyError, RuntimeError) as error:  # a tensor is missing, or has another shape
            raise AssetError(
                f"{self.options.resume}: got a state that does not fit its recipe, "
                "need a whole checkpoint. Start the fit again."
            ) from error

    def _resume_command(self, checkpoint: Path, place: str | None) -> str:
        if place is None:
            return f"fit_image(picture, options=FitOptions(resume={str(checkpoint)!r}))"
        words = ["neuralshade", "fit", "image", place, "-o", str(self.output)]
        for flag in ("device", "snapshots", "report"):
            value = getattr(self.options, flag)
            words += [] if value is None else [f"--{flag}", os.fspath(value)]
        return shlex.join([*words, "--resume", str(checkpoint)])

    def finish(self, engine_name: str) -> FitResult:
        """Quantise, measure, write the asset and what else was asked for."""
        with self.engine.averaged():
            tensors = pack_field(self.engine.field)
        quality = stored_quality(self.recipe, tensors, self.picture)
        p = self.loop.progress
        if not math.isfinite(quality["psnr_db"]):
            raise ConfigError(f"fit: got numbers beyond float32 after {p.step} steps, need a fit "
                              "that converges. Lower rate and grid_rate.")  # fmt: skip
        training = {"steps": p.step, "seconds": round(p.seconds, 3), "curve": p.curve}
        header = ImageHeader(to_dict(self.recipe), picture_facts(self.original), training, quality)
        size = save_image_asset(self.output, header, tensors)
        if self.options.report is not None:
            from neuralshade.verbs.report import report  # loads plots and metrics: 1.5 s

            kept = self.snapshots.kept if self.snapshots else ()
            facts = [("Engine", f"{engine_name} on {self.device}")]
            report(self.output, self.original, self.options.report, snapshots=kept, facts=facts)
        pixels = self.picture.width * self.picture.height
        return FitResult(
            asset=str(self.output),
            engine=engine_name,
            device=str(self.device),
            seconds=p.seconds,
            steps=p.step,
            samples_per_second=p.samples_per_second,
            loss=p.loss,
            psnr_db=quality["psnr_db"],
            asset_bytes=size,
            bits_per_pixel=size * 8 / pixels,
            skipped_steps=self.engine.skipped,
        )


def picture_facts(picture: Picture) -> dict[str, Any]:
    """Return what an asset says of the picture it was fitted to."""
    return {
        "name": picture.name,
        "width": picture.width,
        "height": picture.height,
        "channels": picture.channels,
        "color_space": picture.color_space,
        "dtype": picture.pixels.dtype.name,
        "digest": picture.digest,
    }
