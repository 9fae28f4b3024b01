"""neuralshade fit material: fit of a layered material to a feature map and a small decoder."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neuralshade.asset.asset import Header, save_asset
from neuralshade.asset.checkpoint import load_checkpoint
from neuralshade.base.argument_checks import check_path
from neuralshade.base.message_text import plain, plural
from neuralshade.base.progress_scope import part
from neuralshade.errors import ConfigError
from neuralshade.fitting.facts import Reached
from neuralshade.fitting.job import Job
from neuralshade.fitting.loop import Observer, ignore
from neuralshade.fitting.options import (
    USUAL,
    FitOptions,
    check_options,
    check_torch,
    checked_output,
    chosen_engine,
)
from neuralshade.fitting.recipe import Unpack, flag_of, make_recipe, resumed_with
from neuralshade.fitting.resuming import Source, resumed_recipe
from neuralshade.fitting.scene import Scene
from neuralshade.kinds.material import KIND
from neuralshade.kinds.material.asset import (
    pack_field,
    pack_sampler,
    recipe_facts,
    stored_field,
    stored_sampler,
)
from neuralshade.kinds.material.build import (
    check_engine,
    engine_on,
    prepare_reference,
    reference_gpu,
)
from neuralshade.kinds.material.engine import ENCODED, TRAINED
from neuralshade.kinds.material.judging.judge import Judged
from neuralshade.kinds.material.judging.judges import Judges
from neuralshade.kinds.material.judging.lit_surfaces import Shade, at_centers
from neuralshade.kinds.material.map_rows import with_rows
from neuralshade.kinds.material.memory import check_memory
from neuralshade.kinds.material.mip_fit import LeveledEngine, finest_level_share
from neuralshade.kinds.material.noise import sampler_noise
from neuralshade.kinds.material.opened import OpenedMaterial
from neuralshade.kinds.material.recipe import MaterialRecipe, MaterialSettings, with_preset
from neuralshade.kinds.material.references.emission import with_emission_note
from neuralshade.kinds.material.references.reference_bsdf import ReferenceBsdf, ReferenceKernels
from neuralshade.kinds.material.references.sources import load_reference, reference_digest
from neuralshade.kinds.material.references.varied_reference import vary_reference
from neuralshade.kinds.material.sampler_fit import SampledEngine
from neuralshade.kinds.material.scene import material_scene
from neuralshade.kinds.material.shared import LAYERS, SharedPart, shared_digest
from neuralshade.kinds.material.staged_loop import StagedLoop
from neuralshade.model.field import Field

LOST = 0.8  # of the light around highlights: above it, a highlight may be missing


@dataclass(frozen=True)
class MaterialResult(Reached):
    """Result of a fit; quality and size are those of the file."""

    asset: str  # path
    engine: str
    device: str
    seconds: float  # of training, measuring during it included
    steps: int
    loss: float  # of the last batch
    psnr_db: float  # mean of spheres under held-out single lights
    worst_db: float  # of these
    sky_db: float  # under a sky
    highlight_l1: float  # sum of errors over sum of values, around highlights
    asset_bytes: int
    skipped_steps: int  # whose gradient was not finite
    notes: tuple[str, ...]  # parts of the material that were left out

    def brief(self) -> str:
        return f"{self.asset}, {self.psnr_db:.2f} dB, {self.asset_bytes:,} bytes"

    def print(self) -> None:
        """Print the result."""
        for note in self.notes:
            print(plain(note))
        print(f"{self.asset}: {self.psnr_db:.2f} dB (worst light {self.worst_db:.2f}, sky "
              f"{self.sky_db:.2f}), L1 around highlights {self.highlight_l1:.3f}, in "
              f"{self.asset_bytes:,} bytes")  # fmt: skip
        if self.memory_bytes is not None:
            print(f"in a GPU: {self.memory_bytes:,} bytes")
        print(f"{plural(self.steps, 'step')} in {self.seconds:.1f} s on {self.device}")
        if self.skipped_steps:
            print(f"{plural(self.skipped_steps, 'step')} skipped: the gradient was not finite")


def fit_material(
    source: str | os.PathLike[str] | ReferenceBsdf,
    output: str | os.PathLike[str] | None = None,
    *,
    preset: str | None = None,
    element: str | None = None,
    share: str | os.PathLike[str] | None = None,
    trust: bool = False,
    options: FitOptions = USUAL,
    observer: Observer = ignore,
    **settings: Unpack[MaterialSettings],
) -> MaterialResult:
    """Fit a feature map and a decoder to a material's BSDF, and save them.

    Args:
        source: a MaterialX document, a stack of layers in TOML, a Slang module with ``eval``, a
            folder of PBR maps or their JSON manifest, or a ReferenceBsdf.
        output: the asset; by default the material's name with .nsh, in the current folder.
        preset: of the decoder: standard (if None), 32 x 2 neurons; high, 64 x 3; fast, 16 x 2.
        element: which material of a document; None is its first.
        share: an asset whose first decoder layer is used, and kept fixed.
        trust: run the code of a MaterialX document, after it was checked.
        options: engine, device, kernels, deterministic, tensorboard, events, live, report, resume.
        observer: called about ten times a second with a Progress.
        settings: fields of MaterialRecipe in place of the preset's or of the default end.

    Raises: PictureError, ConfigError, KernelError, OutputError, DeviceError, AssetError (resume,
        share) before training starts; FitInterrupted on Ctrl-C or SIGTERM, with a checkpoint.
    """
    check_options(options, KIND.name, KIND.takes)
    check_torch(options)
    merged, setting = with_preset(preset, settings), flag_of(preset, settings)
    if share is not None:
        check_path("share", share)
    shared = None if share is None else OpenedMaterial.read(share).shared_part
    if shared is not None:
        merged = shared.architecture | merged
    recipe = make_recipe(MaterialRecipe, merged)
    if shared is not None:
        shared.check(recipe, setting)
    checkpoint = None if options.resume is None else load_checkpoint(options.resume, KIND.name)
    border = recipe.wrap if checkpoint is None else checkpoint.wrap
    bsdf = source
    if not isinstance(bsdf, ReferenceBsdf):
        bsdf = load_reference(bsdf, element, border, trust=trust)
    place = None if isinstance(source, ReferenceBsdf) else os.fspath(source)
    stem = bsdf.name if place is None else Path(place).stem
    target = checked_output(place, stem, output, options, KIND.name)
    fitted = Source(bsdf.name, reference_digest(bsdf))
    if checkpoint is not None:
        resumed = resumed_with(MaterialRecipe, merged)
        recipe = resumed_recipe(checkpoint, options.resume, fitted, MaterialRecipe, resumed,
                                "material", setting)  # fmt: skip
    bsdf = vary_reference(bsdf, recipe.vary)
    check_memory(recipe)
    with chosen_engine(options) as chosen, reference_gpu(chosen) as gpu:
        if checkpoint is not None and options.resume is not None:
            check_engine(options.resume, checkpoint.state, chosen.engine)
        kernels = ReferenceKernels(gpu, bsdf)
        prepare_reference(chosen, kernels, recipe)
        job = _Job(kernels, shared, fitted, recipe, target, chosen, options, observer, place)
        typed = {"--element": element, "--share": None if share is None else os.fspath(share)}
        trusted = ("--trust",) if trust else ()
        job.resumed_words = tuple(word for flag, value in typed.items() if value is not None
                                  for word in (flag, value)) + trusted  # fmt: skip
        job.bsdf = with_emission_note(kernels)
        job.preset = KIND.presets[0] if preset is None and checkpoint is None else preset
        return job.run(checkpoint)


class _Job(Job[MaterialRecipe]):
    kind = KIND
    subject = "material"
    steps_sized_by = "rate and latent_rate"

    def __init__(self, kernels: ReferenceKernels, shared: SharedPart | None, fitted: Source,
                 recipe: MaterialRecipe, *rest: Any):  # fmt: skip
        super().__init__(fitted, recipe, *rest)
        self.bsdf = kernels.bsdf
        self.field_engine = engine_on(self.chosen, self.options, recipe, kernels, shared)
        self.leveled = LeveledEngine(self.field_engine, recipe, kernels)
        self.engine = SampledEngine(self.leveled, recipe, self._stored)
        self.judges = Judges(kernels, recipe)
        ends = (finest_level_share(recipe) * (1 - recipe.sampler), 1 - recipe.sampler)
        self.loop = StagedLoop(self.engine, recipe, self._quick_psnr, self._observe, due=self._due,
                               samples_per_step=self.engine.batch, starts=(0.0, *ends))  # fmt: skip

    def _due(self, share: float) -> float:
        """Start the next stage when it is due; return when the one after it is due."""
        before = 1 - self.recipe.sampler
        if share < before:
            return before * self._field_due(share / before)
        self._field_due(1.0)
        if self.engine.trainer is None:
            self._begin(self.engine)
        return 1.0

    def _field_due(self, share: float) -> float:
        """Bake, freeze and leave the finest level when due; return when the next step is due."""
        engine, recipe, whole = self.field_engine, self.recipe, finest_level_share(self.recipe)
        if share < recipe.encoded_until * whole:
            return recipe.encoded_until * whole
        if engine.phase == ENCODED:
            engine.bake()
        if share < recipe.frozen_from * whole:
            return recipe.frozen_from * whole
        if engine.phase == TRAINED:
            engine.freeze()
        if share < whole:
            return whole
        if self.leveled.mips is None and whole < 1:
            self._begin(self.leveled)
        return 1.0

    def _begin(self, part: LeveledEngine | SampledEngine) -> None:
        """Start a stage of the fit that has its own loss."""
        self.judges.wait()
        part.begin()
        self.loop.progress.breaks.append(self.loop.progress.step)

    def _quick_psnr(self) -> float:
        """Return the mean PSNR in dB of a few spheres."""
        return self.judges.quick_psnr(self._shade())

    def _shade(self) -> Shade:
        """Return the f * cos function of the current state."""
        if self.field_engine.phase == ENCODED:
            return self.field_engine.encoded
        return self.field_engine.shade(self._stored(compresses=False))

    def scene(self) -> Scene:
        """Return the live page's scene: a sphere and a plane beside the reference."""
        return material_scene(self.bsdf.name, lambda: at_centers(self._shade()),
                              lambda: self.judges.reference.eval, changes=True,
                              varied=self.bsdf.varied)  # fmt: skip

    def _stored(self, *, compresses: bool = True) -> Field:
        """Return the field as a file would store it, with all trained levels; see pack_field."""
        tensors = pack_field(self.field_engine.field(), compresses=compresses)
        trained = self.leveled.trained_levels()
        return stored_field(self.recipe, self.recipe.size, with_rows(tensors, trained))

    def open(self, asset: Path) -> OpenedMaterial:
        """Open an asset of this kind."""
        return OpenedMaterial.read(asset)

    @property
    def reference(self) -> ReferenceBsdf:
        """Return the reference for reports."""
        return self.bsdf

    def save(self, path: Path) -> tuple[Judged, int]:
        """Write the asset as it is now; return its quality and the file's size."""
        self._check_trained()
        field, drawn = self._stored(), pack_sampler(self.engine.sampler)
        sampler = stored_sampler(self.recipe, drawn)
        parameters = (*field.parameters(), *sampler.parameters())
        ends = [end for p in parameters for end in p.detach().aminmax()]  # NaN is both
        if not all(bool(end.isfinite()) for end in ends):
            raise ConfigError(f"{self.bsdf.name}: diverged at step "
                              f"{self.loop.progress.step:,}: weights are beyond float16. "
                              f"{self.remedy}")  # fmt: skip
        with part("measuring"):
            judged = self.judges.judge(self.field_engine.shade(field))
        self.loop.settle(judged.psnr_db)
        noise = {name: round(value, 5) for name, value in sampler_noise(field, sampler).items()}
        del field, parameters  # gigabytes for a large map
        with part("judging levels"):
            tensors, levels = self.judges.with_levels(pack_field(self.field_engine.field()),
                                                      self.leveled.trained_levels())  # fmt: skip
        own = {"name": self.bsdf.name, "side": self.recipe.size, "digest": self.original.digest,
               "notes": list(self.bsdf.notes), "levels": levels}  # fmt: skip
        own["shared"] = {"layers": LAYERS, "digest": shared_digest(tensors)}
        if self.bsdf.element is not None:
            own["element"] = self.bsdf.element
        if self.bsdf.varied:
            own["varied"] = [one.facts() for one in self.bsdf.varied]
        header = Header(recipe_facts(self.recipe), self.training, {**judged.facts(), **noise},
                        own={"material": own})  # fmt: skip
        return judged, save_asset(path, KIND.name, header, {**tensors, **drawn})

    def finish(self) -> MaterialResult:
        """Write the asset."""
        judged, size = self.save(self.output)
        p = self.loop.progress
        self.warnings.add_steps(p, self.recipe, on_cpu=self.chosen.on_cpu)
        self.warnings.add(self.recipe.block_warning)
        if judged.highlight_l1 > LOST:
            self.warnings.add(f"fit: {judged.highlight_l1:.0%} of the light around highlights is "
                              "wrong, which a PSNR does not see. Lobes are as narrow as a "
                              "roughness of 0.07: make it rougher, or give it more "
                              "--steps.")  # fmt: skip
        self._written()
        self._report()
        return MaterialResult(
            str(self.output), self.chosen.engine, self.chosen.device_name, p.seconds, p.step,
            p.loss, judged.psnr_db, judged.worst_db, judged.sky_db, judged.highlight_l1, size,
            self.engine.skipped, self.bsdf.notes,
        )  # fmt: skip
