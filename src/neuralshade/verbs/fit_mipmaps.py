"""neuralshade fit mipmaps: mip levels that look like what they cover."""

from __future__ import annotations

import dataclasses
import hashlib
import math
import os
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from neuralshade.asset.checkpoint import load_checkpoint
from neuralshade.asset.mipmaps import (
    KIND,
    MipmapsHeader,
    save_mipmaps_asset,
    shown_level,
    stored_level,
    write_chain,
)
from neuralshade.engine.choose import choose_engine
from neuralshade.errors import ConfigError, OutputError
from neuralshade.fit import Loop, Observer, ignore
from neuralshade.measure.mip_filters import FILTERS, Maps
from neuralshade.recipes.mipmaps import MipmapsRecipe
from neuralshade.recipes.mipmaps_build import (
    CHOSEN_BY,
    HELD_OUT,
    TRAINED,
    Judged,
    base_maps,
    best_methods,
    build_mip_engine,
    chain_levels,
    chain_of,
    combined,
    judge,
    numbers_of,
)
from neuralshade.recipes.recipe import from_dict
from neuralshade.source.image_output import save_picture
from neuralshade.source.texture_set import TextureSet, load_texture_set
from neuralshade.verbs.canvas import Canvas, empty_canvas
from neuralshade.verbs.job import KEPT_FLAGS, USUAL, FitOptions, Job
from neuralshade.verbs.resuming import resumed_recipe

FORMATS = ("png", "exr", "dds", "dds-bc", "ktx2", "ktx2-bc")
ONLY_OTHERS = ("engine", "kernels", "deterministic", "snapshots", "movie", "tev")
KEPT = "kept"  # the chain that is written, each level by its best method, in 8 bits


@dataclass(frozen=True)
class MipmapsResult:
    """What a fit reached; ``errors`` are held-out errors by kind of directions and method."""

    asset: str  # path
    files: tuple[str, ...]  # paths of the chains
    device: str
    seconds: float  # of training
    steps: int
    loss: float
    asset_bytes: int
    kept: tuple[str, ...]  # the method of each level from 1 on
    errors: dict[str, dict[str, list[float]]]  # symmetric relative error of each level from 1 on
    notes: tuple[str, ...]  # what was done to the maps


def fit_mipmaps(
    source: str | os.PathLike[str] | TextureSet | None = None,
    output: str | os.PathLike[str] | None = None,
    *,
    maps: dict[str, Any] | None = None,
    normal_convention: str | None = None,
    formats: Sequence[str] = ("dds",),
    options: FitOptions = USUAL,
    observer: Observer = ignore,
    **settings: Any,
) -> MipmapsResult:
    """Train the mip levels of a PBR set and save them.

    Every texel of every level is trained so that shading it gives what its footprint reflects on
    average. Where a filter is better on a level, its level is kept (and told).

    Args:
        source: a folder, a JSON manifest, or a TextureSet; may be left out where ``maps`` names
            albedo, normal and roughness.
        output: the folder to write into; by default the set's name with _mips, here.
        maps: single maps by name, see ``load_texture_set``.
        normal_convention: opengl or directx, where neither names nor the map tell.
        formats: of FORMATS: png and exr have a file for each level and map, dds and ktx2 one for
            each map, with -bc behind in BC7, BC5 (normals' x and y) and BC4. exr holds numbers
            as they were trained (albedo linear, normals -1 to 1), the others 8 bits.
        options: device, report, resume. It runs on a GPU, or on software Vulkan.
        observer: called about ten times a second with a Progress.
        settings: fields of MipmapsRecipe.

    Raises: PictureError, ConfigError, OutputError, DeviceError, AssetError (resume) before
        training starts; FitInterrupted on Ctrl-C or SIGTERM, after a checkpoint was saved.
    """
    textures = (
        source
        if isinstance(source, TextureSet)
        else load_texture_set(source, normal_convention=normal_convention, **(maps or {}))
    )
    recipe = mipmaps_recipe(settings)
    _check_formats(formats)
    _check_options(options)
    canvas = _canvas_of(textures)
    checkpoint = None
    if options.resume is not None:
        checkpoint = load_checkpoint(options.resume, KIND)
        recipe = resumed_recipe(checkpoint, options.resume, canvas, MipmapsRecipe,
                                lambda kept: from_dict(MipmapsRecipe, kept | settings))  # fmt: skip
    chain_levels(textures, recipe)
    folder = _folder_for(textures, output)
    place = None if source is None or isinstance(source, TextureSet) else os.fspath(source)
    with closing(choose_engine("gpu", options.device)) as chosen:
        job = _Job(textures, tuple(formats), canvas, recipe, folder / f"{textures.name}.nsh",
                   chosen, options, observer, place)  # fmt: skip
        job.train(checkpoint)
        return job.finish()


def mipmaps_recipe(settings: dict[str, Any]) -> MipmapsRecipe:
    """Return the recipe of ``settings``; steps or seconds among them replace the usual end."""
    ends = any(settings.get(name) is not None for name in ("steps", "seconds"))
    return from_dict(MipmapsRecipe, ({"steps": None} if ends else {}) | settings)


def _check_formats(formats: Sequence[str]) -> None:
    for form in formats:
        if form not in FORMATS:
            raise ConfigError(f"format: got {form!r}, need one of {', '.join(FORMATS)}. "
                              "Write for example dds.")  # fmt: skip


def _check_options(options: FitOptions) -> None:
    """Refuse options that fit mipmaps has not, rather than pass them over."""
    for name in ONLY_OTHERS:
        given, usual = getattr(options, name), getattr(USUAL, name)
        if given != usual and not (name == "engine" and given == "gpu"):
            raise ConfigError(f"{name}: got {given!r}, need {usual!r}: fit mipmaps has no choice "
                              f"of it. Leave {name} out.")  # fmt: skip


def _folder_for(textures: TextureSet, output: str | os.PathLike[str] | None) -> Path:
    folder = Path(f"{textures.name}_mips" if output is None else output)
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: got '{error.strerror}', need a folder for the levels. "
                          "Create its parent, or choose another.") from error  # fmt: skip
    return folder


def _canvas_of(textures: TextureSet) -> Canvas:
    state = hashlib.sha256()
    for values in vars(base_maps(textures)).values():
        state.update(np.ascontiguousarray(values).data)
    size = textures.width, textures.height
    return empty_canvas(size, 3, "srgb", textures.name, state.hexdigest())


class _Job(Job[MipmapsRecipe]):
    kind = KIND
    kept_flags = tuple(flag for flag in KEPT_FLAGS if flag not in ONLY_OTHERS)
    snapshots = None

    def __init__(self, textures: TextureSet, formats: tuple[str, ...], canvas: Canvas,
                 recipe: MipmapsRecipe, *rest: Any):  # fmt: skip
        super().__init__(canvas, recipe, *rest)
        assert self.chosen.gpu is not None
        self.textures, self.formats, self.base = textures, formats, base_maps(textures)
        self.levels = chain_levels(textures, recipe)
        below = len(self.levels.sizes) - 1
        self.chains = {name: make(self.base, below) for name, make in FILTERS.items()}
        start = numbers_of(self.chains["box"])
        self.engine = build_mip_engine(recipe, self.base, self.levels, start, self.chosen.gpu)
        self.loop = Loop(self.engine, recipe, None, self._observe,
                         samples_per_step=self.engine.texels * recipe.pairs)  # fmt: skip

    def _write(self, folder: Path, form: str, chain: list[Maps], stored: Any) -> list[Path]:
        if form in ("png", "exr"):
            return _write_pictures(folder, f".{form}", chain)
        return write_chain(folder, form, stored)

    def finish(self) -> MipmapsResult:
        """Choose each level's best chain, write it, and what else was asked for."""
        p = self.loop.progress
        if not math.isfinite(p.loss):
            raise ConfigError(f"{self.textures.name}: got a loss that is no number, need a fit "
                              "that converges. Lower the rates.")  # fmt: skip
        chains = {**self.chains, TRAINED: chain_of(self.engine.values(), self.levels)}
        numbers = {name: numbers_of(chain) for name, chain in chains.items()}
        best = best_methods(judge(self.engine, numbers, self.recipe, CHOSEN_BY))
        kept = combined(chains, best)
        stored = [stored_level(level) for level in (self.base, *kept)]
        numbers[KEPT] = numbers_of([Maps(**shown_level(level)) for level in stored[1:]])
        judged = judge(self.engine, numbers, self.recipe, HELD_OUT)
        training = {"steps": p.step, "seconds": round(p.seconds, 3), "curve": p.curve}
        facts = {"name": self.textures.name, "sizes": [list(s) for s in self.levels.sizes],
                 "notes": list(self.textures.notes), "kept": best}  # fmt: skip
        header = MipmapsHeader(dataclasses.asdict(self.recipe), facts, training, _short(judged))
        written = save_mipmaps_asset(self.output, header, stored)
        folder = self.output.parent
        files = [path for form in self.formats
                 for path in self._write(folder, form, [self.base, *kept], stored)]  # fmt: skip
        self._written()
        return MipmapsResult(
            str(self.output), tuple(map(str, files)), self.chosen.device_name, p.seconds, p.step,
            p.loss, written, tuple(best), _symmetric(judged), self.textures.notes,
        )  # fmt: skip


def _write_pictures(folder: Path, suffix: str, chain: list[Maps]) -> list[Path]:
    """Write each map of each level as a picture of its own; return the files."""
    written = []
    for i, level in enumerate(chain):
        for name, values in vars(level).items():
            written.append(folder / f"{name}_{i}{suffix}")
            texels = values if values.ndim == 3 else values[..., None]
            if suffix == ".png":
                texels = stored_level(level)[name].astype(np.float32) / 255
            save_picture(written[-1], texels, "linear" if suffix == ".exr" else "srgb")
    return written


def _short(judged: Judged) -> dict[str, Any]:
    return {
        kind: {
            method: [{name: float(f"{value:.5g}") for name, value in row.items()} for row in rows]
            for method, rows in methods.items()
        }
        for kind, methods in judged.errors.items()
    }


def _symmetric(judged: Judged) -> dict[str, dict[str, list[float]]]:
    return {
        kind: {method: [row["symmetric"] for row in rows] for method, rows in methods.items()}
        for kind, methods in judged.errors.items()
    }
