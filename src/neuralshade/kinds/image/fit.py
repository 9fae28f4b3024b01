"""Command neuralshade fit image: fits an encoding and a small network to a picture."""

from __future__ import annotations

import math
import os
from functools import partial
from pathlib import Path
from typing import Any

import torch

from neuralshade.asset.asset import CURVE_POINTS, Header, asset_size, picture_facts, save_asset
from neuralshade.asset.checkpoint import load_checkpoint
from neuralshade.asset.plugin_provenance import plugin_notes
from neuralshade.asset.tensors import pack_field
from neuralshade.engine.draw import draw_field
from neuralshade.errors import AssetError, ConfigError
from neuralshade.fitting.command import CommandLine, FitCall
from neuralshade.fitting.loop import Loop, Observer, ignore
from neuralshade.fitting.options import (
    USUAL,
    FitOptions,
    check_torch,
    checked_output,
    chosen_engine,
)
from neuralshade.fitting.picture_result import (
    FitResult,
    early,
    judged_picture,
    missed,
    oversized,
    poor,
    reached,
)
from neuralshade.fitting.picture_scene import grid_pages, picture_scene
from neuralshade.fitting.recipe import Unpack, to_dict
from neuralshade.fitting.refinement_job import CodeRefinement, RefinementJob
from neuralshade.fitting.resuming import restarted_state
from neuralshade.fitting.scene import Scene
from neuralshade.fitting.snapshots import snapshots_for
from neuralshade.fitting.time_plan import clock_of
from neuralshade.kinds.image import KIND
from neuralshade.kinds.image.budget import (
    auto_encoding,
    budget_bytes,
    check_memory,
    check_sized,
    kept_points,
    passes_of,
    resolve,
    search_seconds,
)
from neuralshade.kinds.image.build import begin_rivals, build_engine, build_gpu_engine, plateau_of
from neuralshade.kinds.image.engine import Engine, PreviewPsnr
from neuralshade.kinds.image.field import Tensors, feature_grids, is_same_network
from neuralshade.kinds.image.opened import OpenedImage
from neuralshade.kinds.image.presets import preset_recipe, preset_steps
from neuralshade.kinds.image.quality import Quality, stored_quality
from neuralshade.kinds.image.recipe import ImageRecipe, ImageSettings
from neuralshade.measure.picture_psnr import white_of
from neuralshade.model.registry import foreign_kinds
from neuralshade.sampler.draw import samples_per_step
from neuralshade.source.image_file import PictureLike, load_as_fitted, load_picture
from neuralshade.source.picture import LARGEST_FITTED, Picture, check_squares
from neuralshade.source.transform import transform_picture

PREVIEW_PX = 16  # a side, for checking an asset before a fit continues from it


def fit_image(
    picture: PictureLike,
    output: str | os.PathLike[str] | None = None,
    *,
    preset: str | None = None,
    options: FitOptions = USUAL,
    observer: Observer = ignore,
    **settings: Unpack[ImageSettings],
) -> FitResult:
    """Fit an encoding and a small network to a picture and save them as an asset.

    Args:
        picture: a file, a Picture, or sRGB pixels [H, W, C]: an array, a PIL image or a tensor.
        output: the asset; by default the picture's name with .nsh, in the current folder.
        preset: grid (if None), detail, rtxns, rtxns-fast, lake, tiny or tiny-9.
        options: engine, device, snapshots, movie, tev, tensorboard, events, report, resume.
        observer: called about ten times a second with a Progress.
        settings: fields of ImageRecipe that replace the preset's; an end (steps, seconds) among
            them replaces the preset's ends.

    Returns:
        The result; psnr_db is measured on the stored numbers.

    Raises: PictureError, ConfigError, OutputError, DeviceError, AssetError (resume) before
        training starts; FitInterrupted on Ctrl-C, SIGTERM or SIGHUP, after a checkpoint was saved.
    """
    named = dict[str, Any](settings)
    check_torch(options)
    source = picture if isinstance(picture, Picture) else load_picture(picture)
    check_squares(source)
    target = checked_output(picture, source.name, output, options, KIND.name)
    checkpoint, start, kept = None, None, dict[str, torch.Tensor]()
    if options.resume is not None:
        from neuralshade.kinds.image.starting_asset import continued_recipe, is_finished, start_from

        if is_finished(options.resume):
            start = OpenedImage.read(options.resume)
        else:
            checkpoint = load_checkpoint(options.resume, KIND.name)
    fitted = start.picture if start is not None else checkpoint and checkpoint.source
    source = load_as_fitted(picture, fitted.get("digest"), source) if fitted else source
    if start is not None:
        recipe = continued_recipe(start.header.recipe, options.resume, preset, named)
        recipe = resolve(recipe, transform_picture(source, recipe.transform))
        kept = dict(start.field.named_buffers())
    elif checkpoint is None:
        recipe = preset_recipe(KIND.presets[0] if preset is None else preset, named)
        recipe = resolve(recipe, transform_picture(source, recipe.transform))
    else:
        from neuralshade.kinds.image.resuming import resumed_fit

        recipe, kept = resumed_fit(checkpoint, options.resume, source, preset, named)
    place = os.fspath(picture) if isinstance(picture, (str, os.PathLike)) else None
    with chosen_engine(options) as chosen:
        job = _Job(source, recipe, target, chosen, options, observer, place, kept=kept)
        job.preset = preset or (KIND.presets[0] if checkpoint is None and start is None else None)
        if start is not None:
            start_from(job, start)
        return job.run(checkpoint)


def call_of(typed: CommandLine) -> FitCall:
    """Return the call of a command line; ConfigError where --bpp has nothing to size."""
    preset = typed.preset
    if typed.requested["bpp"] is not None and typed.options["resume"] is None:
        # an asset's own recipe may name both: only a flag is a request
        check_sized(preset_recipe(preset or KIND.presets[0], typed.settings))
    return FitCall(fit_image, (typed.subject, typed.output), {"preset": preset, **typed.settings})


class _Job(RefinementJob[ImageRecipe]):
    kind = KIND
    quality: Quality  # of the numbers stored last
    steps_sized_by = "rate and grid_rate"
    starting_asset: OpenedImage | None = None  # a finished asset that the fit continues from

    def __init__(self, picture: Picture, recipe: ImageRecipe, *rest: Any, kept: Any):
        super().__init__(picture, recipe, *rest)
        self.source, self.kept = picture, kept
        self.picture = judged_picture(self, transform_picture(picture, recipe.transform))
        check_memory(recipe, self.picture)
        self.passes = passes_of(recipe, self.picture, self.chosen.hardware is not None)
        self.engine = self._build()
        self.snapshots = snapshots_for(
            self.options, self.picture, self.engine.averaged,
            partial(draw_field, self.engine.field), lambda: feature_grids(self.engine.field),
        )  # fmt: skip
        height, width = self.picture.height, self.picture.width
        preview = PreviewPsnr(self.engine, white_of(self.picture), self.picture.hdr,
                          alpha_weighted=self.picture.alpha_weighted)  # fmt: skip
        self.loop = Loop(
            self.engine, recipe, preview, self._observe,
            self.snapshots.take if self.snapshots else None,
            samples_per_step=samples_per_step(recipe.sampling, recipe.batch, height, width),
            target_psnr=recipe.target_psnr,
            coarser=preview.coarser,
            plateau=plateau_of(recipe),
            clock=clock_of(recipe, search_seconds(self.passes, self.picture, self.chosen.hardware)),
        )  # fmt: skip

    def _build(self) -> Engine:
        begin_rivals(self.source, budget_bytes(self.recipe, self.picture), self.chosen.hardware)
        if self.chosen.gpu is None:
            return build_engine(self.recipe, self.picture, self.chosen.device, self.kept)
        return build_gpu_engine(self.recipe, self.picture, self.chosen.gpu, self.options.kernels,
                                self.options.deterministic, searched=self.passes > 0,
                                kept=self.kept)  # fmt: skip

    @property
    def settings(self) -> dict[str, Any]:
        """Return the settings that repeat this fit, for a picture of another size too."""
        return super().settings | ({"encoding": "auto"} if self._is_sized_by_bpp() else {})

    @property
    def training(self) -> dict[str, Any]:
        """Return the header's facts of the training, and whether it continued from an asset."""
        return super().training | ({} if self.starting_asset is None else {"begun": True})

    def scene(self) -> Scene:
        """Return the scene of a live page."""
        return picture_scene(KIND.name, self.picture, self.engine.draw, continuous=False,
                             pages=grid_pages(self._grids))  # fmt: skip

    def _grids(self) -> list[Any]:
        with self.engine.averaged():
            return feature_grids(self.engine.field)

    def take_over(self, path: Path) -> None:
        """Load an asset's numbers, with fresh moments. Raises AssetError, ConfigError."""
        opened = self.open(path)
        theirs = dict(opened.field.named_parameters())
        if not is_same_network(self.engine.field, opened.field):
            raise ConfigError(f"{path.name}: got another network, need the one that is trained. "
                              "Show the asset instead, or fit anew.")  # fmt: skip
        if not abs(opened.draw(PREVIEW_PX, PREVIEW_PX)).max() <= LARGEST_FITTED:  # nor is NaN
            raise AssetError(f"{path.name}: got colors beyond {LARGEST_FITTED:g}, need numbers to "
                             "go on from. Show the asset instead.")  # fmt: skip
        self.engine.load_state(restarted_state(self.engine.state(), theirs))

    def save(self, path: Path) -> tuple[float, int]:
        """Quantise, measure and write; return the PSNR in dB and the file's size."""
        tensors = self._stored()
        return self._save_tensors(path, tensors, self._measured(tensors))

    def _stored(self) -> Tensors:
        """Return the trained numbers in the asset's form."""
        self._check_trained()
        with self.engine.averaged():
            return pack_field(self.engine.field)

    def _measured(self, tensors: Tensors) -> Quality:
        return stored_quality(self.recipe, tensors, self.picture, self.chosen.hardware)

    def _save_tensors(self, path: Path, tensors: Tensors, quality: Quality) -> tuple[float, int]:
        p, self.quality = self.loop.progress, quality
        if not math.isfinite(quality["psnr_db"]):
            raise ConfigError(f"fit: diverged at step {p.step:,}: the result is not finite. "
                              f"{self.remedy}")  # fmt: skip
        self.loop.settle(quality["psnr_db"])
        plugins = [("encoding", kind) for kind in foreign_kinds(self.recipe.encoding)]
        plugins.append(("loss", self.recipe.loss))
        header = Header(to_dict(self.recipe), self.training, quality, picture_facts(self.source),
                        plugin_notes(plugins))  # fmt: skip
        size = partial(asset_size, KIND.name, header, tensors)
        sized = self._is_sized_by_bpp()
        points = kept_points(self.recipe, self.picture, size) if sized else CURVE_POINTS
        return quality["psnr_db"], save_asset(path, KIND.name, header, tensors, points)

    def open(self, asset: Path) -> OpenedImage:
        """Return an asset of this kind, opened."""
        return OpenedImage.read(asset)

    def _warn_of_ending(self, psnr_db: float, size: int, search: CodeRefinement | None) -> None:
        """Warn of a fit that ended too soon, or whose result is poor."""
        gained, failed = (search.gain_db, search.failed) if search else (0.0, None)
        if self.recipe.seconds is not None or self.loop.plateau is not None:
            from neuralshade.fitting.early_end import rising  # not for fits that end by steps alone

            self.warnings.add(rising(self.loop, self.recipe, gained))
        warning = poor(self, self.quality, size, self.picture)
        if warning is None and self.starting_asset is None:
            warning = early(self, preset_steps(self.preset))
        self.warnings.add(warning, oversized(size, self.picture), missed(self, psnr_db), failed)
        if self.starting_asset is not None:
            from neuralshade.kinds.image.starting_asset import below_start

            self.warnings.add(below_start(self.starting_asset, self, psnr_db))

    def finish(self) -> FitResult:
        """Write the asset and the other outputs."""
        tensors, quality, search = self._refined(self._stored())
        psnr_db, size = self._save_tensors(self.output, tensors, quality)
        self._warn_of_ending(psnr_db, size, search)
        self._written()
        self._report()
        exceeded = self._is_sized_by_bpp() and size > budget_bytes(self.recipe, self.picture)
        facts = reached(self, self.picture, self.quality, size, bpp_exceeded=exceeded)
        return FitResult(**facts, search=search)

    def _refined(self, tensors: Tensors) -> tuple[Tensors, Quality, CodeRefinement | None]:
        if not self.passes:
            return tensors, self._measured(tensors), None
        from neuralshade.kinds.image.code_refinement import refine_codes

        self.keep_last_state()
        return refine_codes(self.recipe, tensors, self.picture, self.passes, self.chosen.hardware,
                      self.refinement_ended_early, self.deadline())  # fmt: skip

    def _is_sized_by_bpp(self) -> bool:
        return self.recipe.encoding == auto_encoding(self.recipe, self.picture)
