"""neuralshade fit image: a picture into an encoding and a small network."""

import math
import os
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neuralshade.asset.checkpoint import Checkpoint, load_checkpoint
from neuralshade.asset.image import ImageHeader, picture_facts, save_image_asset
from neuralshade.asset.tensors import pack_field
from neuralshade.atomic import check_writable
from neuralshade.engine.choose import Chosen, choose_engine
from neuralshade.engine.engine import Engine
from neuralshade.errors import ConfigError, DeviceError, FitInterrupted
from neuralshade.fit import Loop, Observer, Progress, ignore
from neuralshade.recipes.budget import auto_encoding
from neuralshade.recipes.image import ImageRecipe
from neuralshade.recipes.image_build import build_engine, build_gpu_engine
from neuralshade.recipes.memory import check_memory
from neuralshade.recipes.presets import preset_recipe
from neuralshade.recipes.recipe import to_dict
from neuralshade.recipes.resolve import resolve
from neuralshade.sampler.draw import samples_per_step
from neuralshade.source.image_file import load_picture
from neuralshade.source.picture import Picture
from neuralshade.source.transform import transform_picture
from neuralshade.verbs.inputs import check_apart, check_no_input
from neuralshade.verbs.measuring import glance_psnr, stored_quality, white_of
from neuralshade.verbs.resuming import keep, restore, resume_command, resumed_recipe
from neuralshade.verbs.snapshots import Snapshots

AUTOSAVE_SECONDS = 60.0  # of training between two checkpoints while a fit runs

# options that a resumed fit is given again, where they are not the default
KEPT_FLAGS = ("engine", "device", "kernels", "deterministic", "snapshots", "report")


@dataclass(frozen=True)
class FitOptions:
    """How a fit is run, whatever is fitted; none of it changes what is learned."""

    engine: str = "auto"  # auto, torch or gpu
    device: str | None = None  # torch device (cpu, cuda:0), or API of the GPU engine (vulkan)
    kernels: str = "auto"  # of the GPU engine: matrix or fma
    deterministic: bool = False  # the GPU engine gives equal bits on every run, more slowly
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
    bpp_exceeded: bool  # the picture is too small for a file of the bits per pixel asked for


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
    check_apart(asset=target, report=options.report, snapshots=options.snapshots)
    checkpoint = load_checkpoint(options.resume) if options.resume is not None else None
    if checkpoint is None:
        recipe = preset_recipe("grid" if preset is None else preset, settings)
        recipe = resolve(recipe, transform_picture(source, recipe.transform))
    else:
        recipe = resumed_recipe(checkpoint, options.resume, source, preset, settings)
    for path in (target, options.report):
        if path is not None:
            check_writable(path)
    place = None if isinstance(picture, Picture) else os.fspath(picture)
    with closing(choose_engine(options.engine, options.device)) as chosen:
        job = _Job(source, recipe, target, chosen, options, observer, place)
        job.train(checkpoint)
        return job.finish()


class _Job:
    """One fit from start to file; ``place`` is where the picture was read, None for memory."""

    def __init__(
        self,
        picture: Picture,
        recipe: ImageRecipe,
        output: Path,
        chosen: Chosen,
        options: FitOptions,
        observer: Observer,
        place: str | None,
    ):
        self.observer, self.place = observer, place
        self.checkpoint = output.with_suffix(".checkpoint.nsh")
        self.saved_step: int | None = None  # of the checkpoint that this fit left while it ran
        self.saved_seconds: float | None = None
        self.original, self.recipe, self.output = picture, recipe, output
        self.options, self.chosen = options, chosen
        self.picture = transform_picture(picture, recipe.transform)
        check_memory(recipe, self.picture)
        self.engine = self._build()
        self.snapshots: Snapshots | None = None
        if options.snapshots is not None or options.report is not None:
            folder = None if options.snapshots is None else Path(options.snapshots)
            self.snapshots = Snapshots(self.engine, self.picture, folder)
        height, width = self.picture.height, self.picture.width
        white, hdr = white_of(self.picture), self.picture.hdr
        self.loop = Loop(
            self.engine,
            recipe,
            lambda: glance_psnr(self.engine, white, hdr),
            self._observe,
            self.snapshots.take if self.snapshots else None,
            samples_per_step=samples_per_step(recipe.sampling, recipe.batch, height, width),
        )

    def _build(self) -> Engine:
        gpu, options = self.chosen.gpu, self.options
        if gpu is None:
            return build_engine(self.recipe, self.picture, self.chosen.device)
        return build_gpu_engine(
            self.recipe, self.picture, gpu, options.kernels, options.deterministic
        )

    def train(self, checkpoint: Checkpoint | None) -> None:
        """Run the loop; on interruption save a checkpoint and raise FitInterrupted."""
        if checkpoint is not None:
            self.loop.progress = restore(self.engine, checkpoint, self.options.resume)
        try:
            ended = self.loop.run()
        except DeviceError as error:
            if self.saved_step is None:
                raise
            kept = self._kept(self.saved_step)
            raise DeviceError(f"{error} {kept[0].upper()}{kept[1:]}") from error
        if not ended:
            self._save()
            step = self.loop.progress.step
            raise FitInterrupted(f"interrupted at step {step}: {self._kept(step)}")

    def _kept(self, step: int) -> str:
        given, usual = vars(self.options), vars(FitOptions())
        flags = {name: given[name] for name in KEPT_FLAGS if given[name] != usual[name]}
        command = resume_command(self.checkpoint, self.place, self.output, flags)
        kept = "the fit" if step == self.loop.progress.step else f"step {step}"
        return f"{kept} is kept in {self.checkpoint}. Go on with: {command}"

    def _observe(self, progress: Progress) -> None:
        """Tell the observer; leave a checkpoint now and then, for a device that is lost."""
        self.observer(progress)
        if self.saved_seconds is None:
            self.saved_seconds = progress.seconds
        elif progress.seconds - self.saved_seconds >= AUTOSAVE_SECONDS:
            self._save()
            self.saved_step, self.saved_seconds = progress.step, progress.seconds

    def _save(self) -> None:
        keep(self.checkpoint, self.recipe, self.original, self.loop.progress, self.engine)

    def finish(self) -> FitResult:
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
        if self.saved_step is not None:
            self.checkpoint.unlink(missing_ok=True)  # it was for the case that this is not reached
        if self.options.report is not None:
            from neuralshade.verbs.report import report  # loads plots and metrics: 1.5 s

            kept = self.snapshots.kept if self.snapshots else ()
            facts = [("Engine", f"{self.chosen.engine} on {self.chosen.device_name}")]
            report(self.output, self.original, self.options.report, snapshots=kept, facts=facts)
        pixels = self.picture.width * self.picture.height
        return FitResult(
            asset=str(self.output),
            engine=self.chosen.engine,
            device=self.chosen.device_name,
            seconds=p.seconds,
            steps=p.step,
            samples_per_second=p.samples_per_second,
            loss=p.loss,
            psnr_db=quality["psnr_db"],
            asset_bytes=size,
            bits_per_pixel=size * 8 / pixels,
            skipped_steps=self.engine.skipped,
            bpp_exceeded=size * 8 / pixels > self.recipe.bpp and self._is_sized_by_bpp(),
        )

    def _is_sized_by_bpp(self) -> bool:
        return self.recipe.encoding == auto_encoding(self.recipe, self.picture)
