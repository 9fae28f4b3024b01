"""Command neuralshade fit splats: fits 2D Gaussians to a picture."""

from __future__ import annotations

import dataclasses
import math
import os
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.asset.asset import Asset, Header, asset_size, picture_facts, save_asset
from neuralshade.asset.checkpoint import load_checkpoint
from neuralshade.asset.plugin_provenance import plugin_notes
from neuralshade.base.message_text import rounded_db, shown
from neuralshade.base.progress_scope import part
from neuralshade.errors import ConfigError
from neuralshade.fitting.job import Job
from neuralshade.fitting.loop import Loop, Observer, ignore
from neuralshade.fitting.options import (
    USUAL,
    FitOptions,
    check_options,
    checked_output,
    chosen_engine,
)
from neuralshade.fitting.picture_result import FitResult, judged_picture, missed, poor, reached
from neuralshade.fitting.picture_scene import picture_scene
from neuralshade.fitting.recipe import Unpack, make_recipe, resumed_with, to_dict
from neuralshade.fitting.resuming import resumed_recipe
from neuralshade.fitting.scene import Scene
from neuralshade.fitting.snapshots import snapshots_for
from neuralshade.kinds.splats import KIND
from neuralshade.kinds.splats.asset import (
    CURVE_POINTS,
    STREAM,
    CloudPacker,
    cloud_facts,
    unpack_cloud,
)
from neuralshade.kinds.splats.build import (
    background_of,
    budget_of,
    build_splat_engine,
    cloud_of,
    expected_count,
)
from neuralshade.kinds.splats.draw import unit_centers
from neuralshade.kinds.splats.gpu_renderer import SplatRenderer
from neuralshade.kinds.splats.opened import OpenedSplats
from neuralshade.kinds.splats.recipe import SplatsRecipe, SplatsSettings
from neuralshade.kinds.splats.schedule import SplatFit
from neuralshade.measure.light import light_facts
from neuralshade.measure.picture_psnr import decibels, weighted_squares, white_of
from neuralshade.source.crop import WHOLE, Crop
from neuralshade.source.image_file import PictureLike, load_as_fitted, load_picture
from neuralshade.source.picture import Picture, check_squares

LONGEST_PSNR = 88.8849  # dB: its text is as long as any
LONGEST_LIGHT = {"log_psnr_db": LONGEST_PSNR, "light_kept": 8.888e-08}


@dataclass(frozen=True)
class SplatsResult(FitResult):
    """Result of a fit of Gaussians."""

    count: int  # Gaussians

    skipped_what = "updates of single Gaussians"
    too_large = "header and one Gaussian"


def fit_splats(
    picture: PictureLike,
    output: str | os.PathLike[str] | None = None,
    *,
    options: FitOptions = USUAL,
    observer: Observer = ignore,
    naive: bool = False,
    **settings: Unpack[SplatsSettings],
) -> SplatsResult:
    """Fit 2D Gaussians to a picture and save them as an asset.

    Args:
        picture: a picture file, a Picture (see picture_from_array), or pixels [H, W, C]: a NumPy
            array, a PIL image or a torch tensor, sRGB.
        output: the asset; by default the picture's name with .nsh, in the current folder.
        options: device, snapshots, movie, tev, tensorboard, events, report, resume. It runs on
            a GPU, or on software Vulkan.
        observer: called about ten times a second with a Progress.
        naive: every pixel visits every Gaussian: slow, the reference for tests of the usual path;
            equal up to rounding.
        settings: fields of SplatsRecipe: count, bytes or bpp, compositing, seconds, steps...

    Returns:
        The result; psnr_db is measured on the stored numbers.

    Raises: PictureError, ConfigError, OutputError, DeviceError, AssetError (resume) before
        training starts; FitInterrupted on Ctrl-C, SIGTERM or SIGHUP, after a checkpoint was saved.
    """
    named = dict[str, Any](settings)
    # begins like fit_image: sharing these lines would take one more file
    source = picture if isinstance(picture, Picture) else load_picture(picture)
    check_squares(source)
    target = checked_output(picture, source.name, output, options, KIND.name)
    checkpoint = None
    if options.resume is not None:
        checkpoint = load_checkpoint(options.resume, KIND.name)
        source = load_as_fitted(picture, checkpoint.source["digest"], source)
        recipe = resumed_recipe(checkpoint, options.resume, source, SplatsRecipe,
                                resumed_with(SplatsRecipe, named))  # fmt: skip
    else:
        recipe = splats_recipe(named)
    if recipe.ssim > 0 and source.hdr:
        raise ConfigError(f"SplatsRecipe.ssim: got {recipe.ssim:g} for a picture without an upper "
                          "bound, need 0: SSIM is for values in [0, 1]. Leave it out.")  # fmt: skip
    if recipe.background != "mean":
        background_of(recipe, source)  # refused before a device is opened
    expected_count(recipe, source)
    check_options(options, KIND.name, KIND.takes)
    place = os.fspath(picture) if isinstance(picture, (str, os.PathLike)) else None
    with chosen_engine(options, "gpu") as chosen:
        job = _Job(naive, source, recipe, target, chosen, options, observer, place)
        return job.run(checkpoint)


def splats_recipe(settings: dict[str, Any]) -> SplatsRecipe:
    """Return the recipe of ``settings``; steps or seconds among them replace the default end.

    Raises: ConfigError for one that is unknown or impossible, and for bpp beside bytes or count.
    """
    for name in ("bytes", "count"):
        if settings.get("bpp") is not None and settings.get(name):
            raise ConfigError(f"SplatsRecipe.bpp: got {shown(settings['bpp'])} with {name}="
                              f"{shown(settings[name])}, need one of the two. Leave one "
                              "out.")  # fmt: skip
    return make_recipe(SplatsRecipe, settings)


def unusual(recipe: SplatsRecipe, *, straight_alpha: bool = False) -> dict[str, Any]:
    """Return the settings that are not the default, to keep the file small.

    Includes the bpp where it chose the count, and what becomes of hidden color where
    ``straight_alpha``: older files lack that setting and kept the color.
    """
    usual = {field.name: field.default for field in dataclasses.fields(recipe)}
    if recipe.is_sized_by_bpp:
        del usual["bpp"]
    if straight_alpha:
        del usual["keep_hidden_color"]
    return {name: value for name, value in to_dict(recipe).items()
            if name not in usual or value != usual[name]}  # fmt: skip


class _Job(Job[SplatsRecipe]):
    kind = KIND
    quality: dict[str, Any]  # of the numbers stored last
    steps_sized_by = "color_rate and shape_rate"

    @property
    def settings(self) -> dict[str, Any]:
        """Return the settings that repeat this fit: bpp where that chose the count."""
        by_bpp = self.recipe.is_sized_by_bpp
        return {n: value for n, value in super().settings.items() if by_bpp or n != "bpp"}

    def __init__(self, naive: bool, picture: Picture, recipe: SplatsRecipe, *rest: Any):
        super().__init__(picture, recipe, *rest)
        assert self.chosen.gpu is not None
        self.picture = picture = judged_picture(self, picture)
        self.target = picture.as_float()
        self.ordered = recipe.compositing == "over"
        self.packed = CloudPacker(self.ordered)
        count = expected_count(recipe, picture)
        with part("compiling kernels"):
            engine = build_splat_engine(recipe, picture, self.chosen.gpu, count, naive=naive)
        self.background = engine.background
        self.engine = SplatFit(
            engine, recipe, self.target, engine.form.together, count,
            budget_of(recipe, picture), self._weigh, hdr=picture.hdr,
            alpha_weighted=picture.alpha_weighted,
        )  # fmt: skip
        if recipe.seconds is not None:  # compiling must not count
            with part("compiling for the first step"):  # drivers do, when it first runs
                self.engine.warm_up()
        self.snapshots = snapshots_for(self.options, picture, nullcontext, self._drawn, list)
        self.loop = Loop(
            self.engine,
            recipe,
            self._measure,
            self._observe,
            self.snapshots.take if self.snapshots else None,
            samples_per_step=round(engine.trained_tiles * engine.tile_pixels),
            due=self.engine.due,
            target_psnr=recipe.target_psnr,
        )

    def _measure(self) -> float:
        """Return the PSNR in dB as stored; where a step trains some tiles only and the loss
        gives it, that of the last step: drawing all tiles takes as long as many steps.
        """
        engine, loss = self.engine.engine, self.loop.progress.loss
        if engine.trained_tiles == engine.layout.tiles or self.recipe.loss != "l2":
            return self._psnr(self.engine.stored_picture())
        return decibels(loss, white_of(self.picture))

    def _psnr(self, drawn: npt.NDArray[np.float32]) -> float:
        if not np.isfinite(drawn).all():
            return math.nan
        shown = drawn if self.picture.hdr else drawn.clip(0, 1)
        squares, counted = weighted_squares((shown - self.target).astype(np.float64), self.target,
                                            self.picture.alpha_weighted)  # fmt: skip
        return decibels(squares / counted, white_of(self.picture))

    def _drawn(self, width: int, height: int, crop: Crop = WHOLE) -> npt.NDArray[np.float32]:
        values = self.engine.engine.values()
        size = self.picture.width, self.picture.height
        cloud = cloud_of(self.recipe, values, self.background, *size)
        return SplatRenderer(self.engine.engine.gpu, cloud).picture(width, height, crop)

    def scene(self) -> Scene:
        """Return the scene of a live page."""
        return picture_scene(KIND.name, self.picture, self._drawn, continuous=False,
                             points={"Gaussians": self._centers})  # fmt: skip

    def _centers(self) -> npt.NDArray[np.float32]:
        values = self.engine.engine.values()
        size = self.picture.width, self.picture.height
        return unit_centers(cloud_of(self.recipe, values, self.background, *size))

    def _header(self, cloud: dict[str, Any], quality: dict[str, Any]) -> Header:
        facts = picture_facts(self.picture)
        del facts["digest"]
        own = {"cloud": cloud, **plugin_notes([("loss", self.recipe.loss)])}
        shown = unusual(self.recipe, straight_alpha=self.picture.straight_alpha)
        return Header(shown, self.training, quality, facts, own)

    def _ended_header(self, cloud: dict[str, Any]) -> Header:
        """Return the longest possible header if the fit ended now."""
        light = LONGEST_LIGHT if self.picture.hdr else {}
        header = self._header(cloud, {"psnr_db": LONGEST_PSNR, **light})
        p = self.loop.progress
        ended = dataclasses.replace(p, curve=list(p.curve), psnr_db=LONGEST_PSNR)
        ended.note(measured=True)  # as at the loop's end
        return dataclasses.replace(header, training={**header.training, "curve": ended.curve})

    def _weigh(self, levels: npt.NDArray[np.int32], ranges: Any) -> tuple[int, int]:
        """Return the bytes of the stream of ``levels``, and of the rest of the file."""
        cloud = cloud_facts(levels.shape[1], ranges, self.background)
        tensors = self.packed(levels, cloud)
        stream = tensors[STREAM].size
        header = self._ended_header(cloud)
        return stream, asset_size(KIND.name, header, tensors, CURVE_POINTS) - stream

    def save(self, path: Path) -> tuple[float, int]:
        """Measure and write the rounded cloud; return the PSNR in dB and the file's size."""
        engine = self.engine.engine
        levels = engine.levels()
        cloud = cloud_facts(levels.shape[1], engine.ranges, self.background)
        tensors = self.packed(levels, cloud)
        rounded = Asset(KIND.name, self._header(cloud, {}), tensors, path=str(self.output))
        with part("measuring"):
            drawn = engine.picture_of(unpack_cloud(rounded, self.ordered))
        quality = {"psnr_db": rounded_db(self._psnr(drawn)), **light_facts(self.picture, drawn)}
        self.quality = quality
        if not math.isfinite(quality["psnr_db"]):
            raise ConfigError(f"fit: diverged at step {self.loop.progress.step:,}: the result is "
                              f"not finite. {self.remedy}")  # fmt: skip
        self.loop.settle(quality["psnr_db"])
        header = self._header(cloud, quality)
        return quality["psnr_db"], save_asset(path, KIND.name, header, tensors, CURVE_POINTS)

    def open(self, asset: Path) -> OpenedSplats:
        """Return an asset of this kind, opened."""
        return OpenedSplats.read(asset)

    def finish(self) -> SplatsResult:
        """Round what is not rounded yet, write the asset and the other outputs."""
        with part("finding how many Gaussians fit the bytes"):
            self.engine.settle()
        psnr_db, written = self.save(self.output)
        self.warnings.add_steps(self.loop.progress, self.recipe, on_cpu=self.chosen.on_cpu)
        self.warnings.add(poor(self, self.quality, written, self.picture), missed(self, psnr_db))
        self._written()
        self._report()
        budget = budget_of(self.recipe, self.picture)
        exceeded = budget is not None and written > budget
        result = reached(self, self.picture, self.quality, written, bpp_exceeded=exceeded,
                         too_large=SplatsResult.too_large)  # fmt: skip
        return SplatsResult(**result, count=self.engine.engine.levels().shape[1])
