"""Command neuralshade fit textures: compresses a PBR set into latents and a small decoder."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from neuralshade.asset.asset import Header, save_asset
from neuralshade.asset.checkpoint import load_checkpoint
from neuralshade.base.message_text import rounded_db, shown
from neuralshade.base.progress_scope import part
from neuralshade.errors import ConfigError
from neuralshade.fitting.command import CommandLine, FitCall
from neuralshade.fitting.loop import Loop, Observer, ignore
from neuralshade.fitting.options import USUAL, FitOptions, check_options, check_torch, chosen_engine
from neuralshade.fitting.recipe import Unpack, make_recipe, resumed_with, stored_recipe, to_dict
from neuralshade.fitting.refinement_job import CodeRefinement, RefinementJob
from neuralshade.fitting.resuming import Source, resumed_recipe
from neuralshade.fitting.scene import Scene
from neuralshade.fitting.time_plan import clock_of
from neuralshade.kinds.textures import KIND
from neuralshade.kinds.textures.asset import pack_field, round_decoder
from neuralshade.kinds.textures.block_budget import blocks_for_bytes
from neuralshade.kinds.textures.blocks_beside import begin_beside
from neuralshade.kinds.textures.build import channel_weights, engine_on
from neuralshade.kinds.textures.byte_budget import grids_for
from neuralshade.kinds.textures.channels import alpha_channel, codings_of, trained_levels
from neuralshade.kinds.textures.code_refinement import passes_of, refine_codes
from neuralshade.kinds.textures.engine import mip_errors, rounded_field
from neuralshade.kinds.textures.layout import decoder_bits, latent_rate, with_grids
from neuralshade.kinds.textures.opened import OpenedTextures
from neuralshade.kinds.textures.planner import Expected, TargetReached, planned_for, targets_of
from neuralshade.kinds.textures.psnr import map_psnr, mean_psnr
from neuralshade.kinds.textures.recipe import TexturesRecipe, TexturesSettings
from neuralshade.kinds.textures.reference import evaluated_set, source_of
from neuralshade.kinds.textures.request import MapSetRequest, PathLike, SetLike, typed_source
from neuralshade.kinds.textures.result import TexturesResult, missed_target, mostly_network
from neuralshade.kinds.textures.shaded import check_lit
from neuralshade.kinds.textures.spectrum import layouts_for
from neuralshade.kinds.textures.targets import Targets
from neuralshade.kinds.textures.texels import Texels
from neuralshade.model.field import Field
from neuralshade.source.map_entry import Entry
from neuralshade.source.material_mips import mip_sizes
from neuralshade.source.material_set import MaterialSet

Quality = dict[str, list[float]]
REFIT_SHARE = 0.05  # of a fit's steps, after each pass of code refinement
PREVIEW_TEXELS = 2**14  # of mip 0, compared by a preview while training: shown as "about"


def fit_textures(
    source: SetLike = None,
    output: PathLike | None = None,
    *,
    maps: Mapping[str, Entry | None] | None = None,
    normal_convention: str | None = None,
    byte_count: int | None = None,
    target_psnr: float | None = None,
    target: str | Mapping[str, float] | None = None,
    options: FitOptions = USUAL,
    observer: Observer = ignore,
    **settings: Unpack[TexturesSettings],
) -> TexturesResult:
    """Compress all maps and mips of a PBR set together, and save them as an asset.

    Args:
        source: a folder, FOLDER/wood for the files in it that start with wood, a JSON manifest,
            files of maps, a dict of maps by name (paths, NumPy arrays, PIL images, torch tensors;
            "name" is the set's), or a MaterialSet; optional where ``maps`` names some.
        output: the asset; by default the set's name with .nsh, in the current folder.
        maps: single maps by name, see ``load_material_set``.
        normal_convention: opengl or directx, where neither file name nor map determine it.
        byte_count: size of the file, at most, in place of ``bpp``.
        target_psnr: dB that the mean over the maps shall reach at mip 0, in place of a size: a few
            short fits find the smallest latents that are expected to.
        target: the same for single maps, by name.
        options: engine, device, tensorboard, events, report, resume.
        observer: called about ten times a second with a Progress.
        settings: fields of TexturesRecipe; an end (steps, seconds) replaces the default ends.

    Raises: PictureError, ConfigError, OutputError, DeviceError, AssetError (resume) before
        training starts; FitInterrupted on Ctrl-C or SIGTERM, after a checkpoint was saved.
    """
    named = dict[str, Any](settings)
    check_options(options, KIND.name, KIND.takes)
    check_torch(options)
    request = MapSetRequest(source, dict(maps or {}), normal_convention)
    recipe = make_recipe(TexturesRecipe, named)
    checkpoint = None if options.resume is None else load_checkpoint(options.resume, KIND.name)
    textures = request.textures(recipe.wrap if checkpoint is None else checkpoint.wrap)
    path = request.output(textures, output, options)
    fitted = source_of(textures)
    begun = recipe if checkpoint is None else stored_recipe(TexturesRecipe, checkpoint.recipe)
    textures = evaluated_set(begun, textures)
    targets = targets_of(target_psnr, target, named, byte_count, options.resume)
    planned = recipe = _planned(recipe, textures, byte_count)
    if checkpoint is not None:
        recipe = resumed_recipe(checkpoint, options.resume, fitted, TexturesRecipe,
                                resumed_with(TexturesRecipe, named), "maps")  # fmt: skip
        if byte_count is not None and recipe.grids != planned.grids:
            raise ConfigError(f"{options.resume}: got bytes={byte_count}, need the size that the "
                              "fit was started with. Leave --bytes out.")  # fmt: skip
    with chosen_engine(options) as chosen:
        expectation = None
        if targets is not None:
            expectation = planned_for(targets, textures, recipe, chosen, options)
            recipe = replace(recipe, grids=expectation[1].grids)
        if checkpoint is None and recipe.latents == "plain" and not recipe.grids:
            recipe = with_grids(recipe, layouts_for(textures, codings_of(textures)))
        # as the asset's readers will see them
        recipe = replace(recipe, network_bits=decoder_bits(recipe),
                         latent_rate=latent_rate(recipe))  # fmt: skip
        job = _Job(textures, fitted, recipe, path, chosen, options, observer, request.place)
        job.resumed_words, job.expectation = request.words, expectation
        return job.run(checkpoint)


def call_of(typed: CommandLine) -> FitCall:
    """Return the call of a command line."""
    source, maps = typed_source(typed.subject)
    flags = typed.flags
    named = {**({"maps": maps} if maps else {}),
             "normal_convention": flags["normal_convention"],
             "byte_count": _whole("bytes", flags["bytes"]), "target": flags["target"],
             "target_psnr": flags["target_psnr"], **typed.settings}  # fmt: skip
    if flags["plan"]:
        from neuralshade.kinds.textures.planned import plan_textures

        return FitCall(plan_textures, (source, typed.output), named)
    return FitCall(fit_textures, (source, typed.output), named)


def _whole(name: str, text: str | None) -> int | None:
    """Return a flag's number, such as 700_000; ConfigError for an invalid text."""
    if text is None:
        return None
    digits = text.replace("_", "").replace(",", "")
    if not digits.isdecimal() or len(digits) > 15:
        raise ConfigError(f"{name}: got {shown(text)}, need a whole number. Write for example "
                          "700000.")  # fmt: skip
    return int(digits)


def _planned(
    recipe: TexturesRecipe, textures: MaterialSet, byte_count: int | None
) -> TexturesRecipe:
    """Return the recipe with grids for a file of ``byte_count``, if that is set."""
    if byte_count is None:
        return recipe
    if recipe.grids:
        raise ConfigError(f"bytes: got {byte_count:,} beside grids, which have a size already, "
                          "need one of the two. Leave one out.")  # fmt: skip
    sizes = mip_sizes(textures.width, textures.height, recipe.mips or None)
    codings = codings_of(textures)
    channels = sum(coding.count for coding in codings)
    budget = byte_count, sizes, channels, len(codings), recipe
    if recipe.latents == "bc1":
        return replace(recipe, grids=blocks_for_bytes(*budget))
    return replace(recipe, grids=grids_for(*budget, layouts_for(textures, codings)))


class _Job(RefinementJob[TexturesRecipe]):
    kind = KIND
    subject = "textures"
    steps_sized_by = "rate and latent_rate"
    expectation: tuple[Targets, Expected] | None = None  # in dB

    def __init__(self, textures: MaterialSet, fitted: Source, recipe: TexturesRecipe, *rest: Any):
        super().__init__(fitted, recipe, *rest)
        self.textures, self.codings = textures, codings_of(textures)
        self.notes = textures.notes
        if recipe.loss == "shaded" and (line := check_lit(self.codings, textures.name)):
            self.notes = (*self.notes, line)
        self.mips = len(mip_sizes(textures.width, textures.height, recipe.mips or None))
        self.texels = Texels(trained_levels(textures, self.codings, self.mips),
                             alpha_channel(textures, self.codings))  # fmt: skip
        self.passes = passes_of(recipe, self.texels.sizes[0], self.chosen.hardware is not None)
        begin_beside(fitted.digest, textures, self.codings, self.mips, recipe.wrap,
                     on_gpu=self.chosen.hardware is not None)  # fmt: skip
        self.engine = engine_on(self.chosen, self.options, recipe, self.texels, self.codings,
                                searched=self.passes > 0)  # fmt: skip
        self.loop = Loop(self.engine, recipe, self._preview_psnr, self._observe,
                         samples_per_step=self.engine.batch, due=self._due,
                         clock=clock_of(recipe, math.inf if self.passes else 0.0))  # fmt: skip

    def _due(self, share: float) -> float:
        """Freeze latents when it is time; return the share of the fit at which that is."""
        if share < self.recipe.noise_until:
            return self.recipe.noise_until
        if not self.engine.frozen:
            self.engine.freeze()
        return 1.0

    def _preview_psnr(self) -> float:
        """Return the mean of the maps' PSNR in dB at mip 0, latents rounded."""
        texels = self.textures.width * self.textures.height
        step = math.ceil(texels / PREVIEW_TEXELS) | 1  # odd: an even one sees few columns
        decode = self.engine.decoder(rounded_field(self.engine.trained()))
        return mean_psnr(mip_errors(decode, self.texels, 0, step), self.codings)

    def scene(self) -> Scene:
        """Return the scene of a live page: the maps of mip 0."""
        from neuralshade.kinds.textures.scene import fit_scene  # few fits have a page

        return fit_scene(self.textures, self.codings, self.texels.sizes,
                         lambda: rounded_field(self.engine.trained()),
                         lambda: self.loop.progress.step)  # fmt: skip

    def open(self, asset: Path) -> OpenedTextures:
        """Return an asset of this kind, opened."""
        return OpenedTextures.read(asset)

    @property
    def reference(self) -> MaterialSet:
        """Return the maps of the fit."""
        return self.textures

    def save(self, path: Path) -> tuple[Quality, int]:
        """Write the asset in its current state; return the PSNR of each map and the file's size."""
        field = self._stored_field()
        return self._save_field(path, field, pack_field(field))

    def _stored_field(self) -> Field:
        """Return the field with all numbers rounded as in the file."""
        self._check_trained()
        field = rounded_field(self.engine.trained())
        round_decoder(field)
        if not all(bool(p.isfinite().all()) for p in field.network.parameters()):
            raise ConfigError(f"{self.textures.name}: diverged at step "
                              f"{self.loop.progress.step:,}: weights are beyond float16. "
                              f"{self.remedy}")  # fmt: skip
        return field

    def _refine_codes(self, field: Field) -> CodeRefinement | None:
        """Run code refinement on a stored field, if the recipe has passes for it."""
        if not self.passes:
            return None
        self.keep_last_state()
        self.over = self.deadline()
        roots = channel_weights(self.recipe, self.codings)
        squares = torch.ones(self.texels.channels) if roots is None else roots.square().flatten()
        return refine_codes(field, self.texels, self.codings, squares, self.passes,
                            self.chosen.hardware, self._refit, self.engine.decoder,
                            self.refinement_ended_early, self.over)  # fmt: skip

    def _refit(self, field: Field) -> None:
        """Train the decoder for the latents of a stored field, and round it as in the file."""
        p = self.loop.progress
        steps = min(math.ceil(REFIT_SHARE * p.step), self.over.left * p.step / max(p.seconds, 1e-9))
        self.engine.refit_decoder(field, math.ceil(steps))
        trained = self.engine.trained_network()
        pairs = zip(field.network.parameters(), trained.parameters(), strict=True)
        with torch.no_grad():
            for stored, found in pairs:
                stored.copy_(found)
        round_decoder(field)

    def _save_field(self, path: Path, field: Field, tensors: dict[str, Any]) -> tuple[Quality, int]:
        with part("measuring"):
            quality = map_psnr(self.engine.decoder(field), self.texels, self.codings)
        first = [values[0] for values in quality.values()]
        self.loop.settle(float(np.mean(first)))
        facts = {"name": self.textures.name, "width": self.textures.width,
                 "height": self.textures.height, "mips": self.mips,
                 "maps": [coding.facts() for coding in self.codings],
                 "notes": list(self.notes), "digest": self.original.digest}  # fmt: skip
        kept = {name: [rounded_db(value) for value in values] for name, values in quality.items()}
        reached = {"psnr_db": rounded_db(float(np.mean(first))), "maps": kept}
        header = Header(to_dict(self.recipe), self.training, reached, own={"textures": facts})
        return kept, save_asset(path, KIND.name, header, tensors)

    def finish(self) -> TexturesResult:
        """Write the asset and the other outputs."""
        field = self._stored_field()
        search = self._refine_codes(field)
        tensors = pack_field(field)
        quality, size = self._save_field(self.output, field, tensors)
        first = {name: values[0] for name, values in quality.items()}
        latents = sum(t.nbytes for name, t in tensors.items() if "latents." in name)
        p = self.loop.progress
        self.warnings.add_steps(p, self.recipe, on_cpu=self.chosen.on_cpu)
        target = None if self.expectation is None else TargetReached.of(*self.expectation, first)
        self.warnings.add(mostly_network(self.textures, size, size - latents),
                          search.failed if search else None,
                          missed_target(target, size, p, self.recipe))  # fmt: skip
        self._written()
        self._report()
        bits = 8 * size / (self.textures.width * self.textures.height)
        return TexturesResult(
            str(self.output), self.chosen.engine, self.chosen.device_name, p.seconds, p.step,
            p.loss, p.psnr_db or 0.0, quality, size, bits, self.engine.skipped, self.notes,
            target, search)  # fmt: skip
