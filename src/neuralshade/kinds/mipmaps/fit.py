"""neuralshade fit mipmaps: training of mip levels that look like the texels they cover."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from neuralshade.asset.asset import Header, save_asset
from neuralshade.asset.checkpoint import load_checkpoint
from neuralshade.base.progress_scope import part
from neuralshade.errors import ConfigError, FitInterrupted
from neuralshade.fitting.job import Job
from neuralshade.fitting.loop import Loop, Observer, ignore
from neuralshade.fitting.options import (
    USUAL,
    FitOptions,
    check_callbacks,
    check_options,
    chosen_engine,
)
from neuralshade.fitting.output_checks import (
    check_distinct,
    check_no_input,
    check_page,
    events_path,
)
from neuralshade.fitting.recipe import Unpack, resumed_with, stored_recipe, to_dict
from neuralshade.fitting.resuming import Source, resumed_recipe
from neuralshade.fitting.scene import RESULT, Scene
from neuralshade.kinds.mipmaps import KIND
from neuralshade.kinds.mipmaps.asset import (
    CURVE_POINTS,
    KEPT,
    OVER_BOX,
    STORED,
    level_tensors,
    stored_level,
)
from neuralshade.kinds.mipmaps.build import (
    base_maps,
    build_mip_engine,
    chain_of,
    numbers_of,
    opacity_levels,
    pool_notes,
    with_opacity,
)
from neuralshade.kinds.mipmaps.choice import chosen_methods, note_worse_levels
from neuralshade.kinds.mipmaps.family.role import NoPrior, PriorRole
from neuralshade.kinds.mipmaps.files import (
    USUAL_FORMATS,
    checked_formats,
    make_folder,
    write_files,
)
from neuralshade.kinds.mipmaps.judge import (
    HELD_OUT,
    METHODS,
    TRAINED,
    Judged,
    as_stored,
    combined,
    judge,
)
from neuralshade.kinds.mipmaps.map_request import MapRequest
from neuralshade.kinds.mipmaps.opened import OpenedMipmaps
from neuralshade.kinds.mipmaps.plan import Plan, plan_set
from neuralshade.kinds.mipmaps.plane_scene import TRAINED_TITLE, plane_scene
from neuralshade.kinds.mipmaps.recipe import MipmapsRecipe, MipmapsSettings, mipmaps_recipe
from neuralshade.kinds.mipmaps.result import MipmapsResult
from neuralshade.measure.plane.mip_filters import FILTERS, Floats, Maps
from neuralshade.source.map_entry import Entry
from neuralshade.source.material_set import MaterialSet
from neuralshade.source.texture_set import TextureSet, as_textures


def fit_mipmaps(
    source: str | os.PathLike[str] | Mapping[str, Any] | TextureSet | MaterialSet | None = None,
    output: str | os.PathLike[str] | None = None,
    *,
    maps: Mapping[str, Entry | None] | None = None,
    normal_convention: str | None = None,
    formats: Sequence[str] = USUAL_FORMATS,
    options: FitOptions = USUAL,
    observer: Observer = ignore,
    **settings: Unpack[MipmapsSettings],
) -> MipmapsResult:
    """Train the mip levels of a PBR set and save them.

    Every texel of every level is trained so that its shading equals the mean reflection of its
    footprint. If a filter is better on a level, the filter's level is kept, with a note.

    Args:
        source: what ``load_texture_set`` takes, also a dict of maps in memory, a TextureSet or a
            MaterialSet; optional if ``maps`` names albedo and roughness.
        output: the folder to write into; by default the set's name with _mips, here.
        maps: single maps by name, see ``load_texture_set``.
        normal_convention: opengl or directx, if neither file names nor the map tell.
        formats: png and exr have a file for each level and map; dds and ktx2 one for each map;
            dds-bc and ktx2-bc too, in BC7, BC5 (normals' x and y) and BC4. exr holds numbers
            as trained (albedo linear, normals -1 to 1), the others 8 bits.
        options: device, tensorboard (no pictures), events, report, resume. It runs on a GPU, or
            on software Vulkan.
        observer: called about ten times a second with a Progress.
        settings: fields of MipmapsRecipe.

    Raises: PictureError, ConfigError, OutputError, DeviceError, AssetError (resume) before
        training starts; FitInterrupted on Ctrl-C, SIGTERM or SIGHUP, after saving a checkpoint.
    """
    request = MapRequest(as_textures(source), dict(maps or {}), normal_convention,
                      checked_formats(formats))  # fmt: skip
    return fit_set(request, output, dict(settings), options, observer)


def fit_set(
    request: MapRequest,
    output: str | os.PathLike[str] | None,
    settings: dict[str, Any],
    options: FitOptions,
    observer: Observer,
    role: PriorRole | None = None,
) -> MipmapsResult:
    """Train one set as ``fit_mipmaps`` does, alone or in a role of a family."""
    check_options(options, KIND.name, KIND.takes)
    recipe = mipmaps_recipe(dict(settings))
    checkpoint = None if options.resume is None else load_checkpoint(options.resume, KIND.name)
    with part("reading maps"):
        begun = recipe if checkpoint is None else stored_recipe(MipmapsRecipe, checkpoint.recipe)
        textures = request.textures(begun.wrap, begun.keep_hidden_color)
        maps = source_of(textures, not begun.keep_hidden_color)
    if checkpoint is not None:
        recipe = resumed_recipe(checkpoint, options.resume, maps, MipmapsRecipe,
                                resumed_with(MipmapsRecipe, settings), "maps")  # fmt: skip
    plan = plan_set(textures, request.formats, output, recipe)
    plan.check()
    _check_others(options, [plan.target, *plan.files], textures)
    with chosen_engine(options, "gpu") as chosen:
        job = _Job(request, plan, maps, recipe, plan.target, chosen, options, observer,
                   request.place, role=role or NoPrior())  # fmt: skip
        make_folder(plan.target.parent)
        return job.run(checkpoint)


def _check_others(options: FitOptions, files: Sequence[Path], textures: TextureSet) -> None:
    """Raise errors of report and logs, and of one that would be written to twice."""
    events = events_path(options.events)
    for path in (options.report, events):
        check_no_input(path, options.resume, *textures.paths.values())
    for file in files:
        check_distinct(levels=file, report=options.report, events=events,
                    tensorboard=options.tensorboard)  # fmt: skip
    if options.report is not None:
        check_page(options.report)
    check_callbacks(options)


def source_of(textures: TextureSet, weighted: bool) -> Source:
    """Return the identity of the maps that training sees."""
    state = hashlib.sha256()
    for values in base_maps(textures, weighted).arrays().values():
        state.update(np.ascontiguousarray(values).data)
    return Source(textures.name, state.hexdigest())


class _Job(Job[MipmapsRecipe]):
    kind = KIND

    def __init__(self, request: MapRequest, plan: Plan, maps: Source,
                 recipe: MipmapsRecipe, *rest: Any, role: PriorRole):  # fmt: skip
        super().__init__(maps, recipe, *rest)
        assert self.chosen.gpu is not None
        self.typed_output, self.subject = self.output.parent, request.subject
        self.resumed_words = () if self.place is None else request.words
        self.request, self.plan, self.textures = request, plan, plan.textures
        self.base, self.levels = base_maps(plan.textures, plan.weighted), plan.levels
        below = len(self.levels.sizes) - 1
        with part("filtering maps"):
            self.chains = {name: make(self.base, below) for name, make in FILTERS.items()}
        self.role, self.filtered = role, numbers_of(self.chains["box"])
        with part("compiling kernels"):
            self.engine = build_mip_engine(
                recipe, self.base, self.levels, self.filtered, self.chosen.gpu
            )
        started = role.start(self.engine, recipe, self.base, self.filtered)
        self.notes = (*plan.textures.notes, *plan.notes(), *pool_notes(recipe, self.levels),
                      *started)  # fmt: skip
        self.loop = Loop(self.engine, recipe, None, self._observe,
                         samples_per_step=self.engine.texels * recipe.pairs)  # fmt: skip

    def scene(self) -> Scene:
        """Return the live page's scene: a lit plane, as trained and as filtered."""
        shown = {RESULT: self.chains["box"], **self.chains}  # all have the same sizes
        return plane_scene(self.textures.name, self.base, shown, TRAINED_TITLE,
                           lambda: chain_of(self.engine.values(), self.levels))  # fmt: skip

    def finish(self) -> MipmapsResult:
        """Choose and write the levels; a checkpoint protects the training until then."""
        step, resume = self.loop.progress.step, self.options.resume
        trained = self.engine.values()
        if not (math.isfinite(self.loop.progress.loss) and np.isfinite(trained).all()):
            raise ConfigError(f"{self.textures.name}: diverged at step {step:,}: the loss is not "
                              f"finite. {self.remedy}")  # fmt: skip
        self._save()
        if resume is None or Path(resume).resolve() != self.checkpoint.resolve():
            self.saved_step = step  # removed at the end
        try:
            return self._finish(trained)
        except KeyboardInterrupt as error:
            raise FitInterrupted(f"interrupted after step {step}: {self._kept(step)}") from error

    def _finish(self, trained: Floats) -> MipmapsResult:
        """Choose each level's best chain, write it, and write the other requested files."""
        self.warnings.add_steps(self.loop.progress, self.recipe, on_cpu=self.chosen.on_cpu)
        chains = {**self.chains, TRAINED: chain_of(trained, self.levels)}
        numbers = {name: numbers_of(chain) for name, chain in chains.items()}
        shown = {name: numbers_of(as_stored(chain)) for name, chain in chains.items()}
        best = chosen_methods(self.engine, shown, self.recipe)
        chain = combined(chains, best)
        numbers[KEPT] = numbers_of(as_stored(chain))
        numbers |= {STORED[name]: shown[name] for name in FILTERS}
        chain = self._with_opacity([self.base, *chain])
        stored = [stored_level(level) for level in chain]
        judged = judge(self.engine, numbers, self.recipe, HELD_OUT, briefly=METHODS)
        if self.recipe.favor == "all":
            worse = note_worse_levels(judged.symmetric(), KEPT, tuple(STORED.values()))
            self.notes += worse  # stored in the file
            self.warnings.add(*worse)
        header = self._header(judged, best)
        written = save_asset(self.output, KIND.name, header, level_tensors(stored), CURVE_POINTS)
        with part("writing files"):
            files = write_files(self.output.parent, self.request.formats, chain)
        self.notes += self.plan.clear()
        self._written()
        self.role.trained(self.base, self.levels, self.filtered, trained)
        self._report()
        return self._reached(written, files, best, judged)

    def _with_opacity(self, chain: list[Maps]) -> list[Maps]:
        opacity, weighted = self.textures.opacity, self.plan.weighted
        levels = None if opacity is None else opacity_levels(opacity, weighted, self.levels)
        return with_opacity(chain, levels)

    @property
    def training(self) -> dict[str, Any]:
        """Return the training facts of a header, with the divisor of losses."""
        return super().training | {"loss_over": OVER_BOX}

    def _header(self, judged: Judged, best: Sequence[str]) -> Header:
        facts = {"name": self.textures.name, "sizes": [list(s) for s in self.levels.sizes],
                 "notes": list(self.notes), "kept": list(best),
                 "files": [path.name for path in self.plan.files],
                 "formats": list(self.request.formats),
                 "normal_convention": self.request.normal_convention}  # fmt: skip
        if self.plan.opacity is not None:
            facts["opacity"] = self.plan.opacity
        recipe = to_dict(self.recipe)
        # not rounded: printing rounds, and rounding twice may change the last digit
        return Header(recipe, self.training, judged.errors, own={"maps": facts})

    @property
    def reference(self) -> TextureSet:
        """Return the maps."""
        return self.textures

    def open(self, asset: Path) -> OpenedMipmaps:
        """Open an asset of this kind."""
        return OpenedMipmaps.read(asset)

    def _reached(
        self, size: int, files: Sequence[Path], best: Sequence[str], judged: Judged
    ) -> MipmapsResult:
        p = self.loop.progress
        return MipmapsResult(
            str(self.output), tuple(map(str, files)), self.levels.sizes, self.chosen.device_name,
            p.seconds, p.step, p.loss, size, tuple(best), judged.symmetric(), judged.bias(),
            self.notes,
        )  # fmt: skip
