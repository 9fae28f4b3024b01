"""Training of a material map's mip levels, after the finest level; the decoder is frozen.

A level's texels are fitted to the mean of the reference over a texel's footprint, at places and
directions drawn as for the finest level. The mean of the finest level itself would carry its
errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.engine.kernels.step.gradients import seed_word
from neuralshade.engine.recorded_engine import RecordedEngine
from neuralshade.engine.torch_engine import TorchEngine
from neuralshade.gpu.gpu import KernelText
from neuralshade.kinds.material.asset import pack_field, stored_field
from neuralshade.kinds.material.device_footprints import DeviceFootprints, footprints_text
from neuralshade.kinds.material.device_samples import samples_text
from neuralshade.kinds.material.engine import MaterialEngine, batch_of
from neuralshade.kinds.material.field import MaterialEncoding, encoding_of
from neuralshade.kinds.material.footprints import POINTS
from neuralshade.kinds.material.levels import boxed, compressed
from neuralshade.kinds.material.log_loss import FLOOR, log_loss
from neuralshade.kinds.material.map_rows import codes_of, level_rows, rows_of
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.references.reference_bsdf import ReferenceBsdf, ReferenceKernels
from neuralshade.kinds.material.samples import MaterialSampler
from neuralshade.kinds.material.schema import level_sides
from neuralshade.kinds.material.step_thinning import (
    StepThinning,
    join_states,
    restore_state,
    split_state,
)
from neuralshade.model.field import Field
from neuralshade.model.latent_grid import LatentGrid
from neuralshade.optimizer.adam import LatentAdam

BATCH_SHARE = 4 / POINTS  # of a batch: a step evaluates the reference four times as often as before
MOST_SAMPLES = 2**16  # of the batch that it is a share of: levels have a third of the texels
PREFIX = "mips."
OTHERS = 1  # makes footprints differ from samples of the same seed


def finest_level_share(recipe: MaterialRecipe) -> float:
    """Return the finest level's share of a field's steps; 1 if there is no other level."""
    return 1.0 if len(level_sides(recipe.size)) == 1 else 1 - recipe.mips


def drawing_texts(recipe: MaterialRecipe, reference: ReferenceBsdf) -> list[KernelText]:
    """Return the kernels that draw a fit's samples, by phases: encoder, map, coarser levels."""
    names = reference.parameters
    found = [samples_text(names, keeps_values=keeps) for keeps in (True, False)]
    if finest_level_share(recipe) < 1:
        found.append(footprints_text(names, wraps=recipe.wrap == "repeat"))
    return found


class MipTask:
    """Returns logarithms of the map's and the reference's light for the current footprints.

    A level is drawn in proportion to its side: coarse levels, whose texels cover more, get more
    samples a texel, and fine ones more in total.
    """

    def __init__(self, field: Field, footprints: DeviceFootprints):
        self.field, self.footprints = field, footprints

    def __call__(self, rng: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
        drawn, encoding = self.footprints.current(), encoding_of(self.field)
        quantize_lookups(encoding.grid)
        latents = encoding.latents(drawn.at[:, :3])
        read = encoding.columns(latents, drawn.wi, drawn.wo, drawn.at[:, 3:])
        predicted = self.field.network.on_columns(read, torch.float32)
        return (predicted + FLOOR).log() * drawn.seen, (drawn.target + FLOOR).log() * drawn.seen


@torch.no_grad()
def quantize_lookups(grid: LatentGrid) -> None:
    """Quantize look-ups as a file does, while gradients reach the trained values."""
    grid.seen = (grid.texels * grid.steps).round_().div_(grid.steps)


class LevelAdam(LatentAdam):
    """Adam for the latents of many levels; the step size is scaled by ``scale`` [entries, 1]."""

    def __init__(self, texels: torch.nn.Parameter, scale: torch.Tensor, *rest: Any):
        super().__init__([texels], *rest)
        self.scale = scale

    @torch.no_grad()
    def step_as_set(self) -> None:
        """Step along the gradients with the last step size."""
        (texels,) = self.parameters
        before = texels.clone()
        super().step_as_set()
        texels.copy_(torch.addcmul(before, texels - before, self.scale).clamp_(0, 1))


def level_scales(sides: Sequence[int]) -> torch.Tensor:
    """Return the step-size factor of each texel of the levels: float32 [texels, 1].

    A texel of a level half as wide sees twice as many samples in a batch. Its gradient has less
    noise by a factor of sqrt(2), so its step is longer by as much.
    """
    scales = [torch.full((side * side, 1), (sides[0] / side) ** 0.5) for side in sides]
    return torch.cat(scales)


class LevelTrainer(TorchEngine):
    """Training steps of levels; each draws the footprints of its number."""

    task: MipTask

    def state(self) -> dict[str, torch.Tensor]:
        return {**super().state(), "drawn": torch.tensor(self.task.footprints.step)}

    def load_state(self, state: dict[str, torch.Tensor]) -> None:
        super().load_state(state)
        self.task.footprints.step = int(state["drawn"])


class RecordedLevels(LevelTrainer, RecordedEngine):
    """The same on CUDA, recorded and replayed."""

    task: MipTask


def mip_trainer(
    recipe: MaterialRecipe, field: Field, reference: ReferenceKernels, device: torch.device
) -> LevelTrainer:
    """Return the trainer of all levels of ``field`` but the finest, which is finished.

    They start as box filters of the stored finest level. ``device``: a torch device.
    """
    rng = torch.Generator().manual_seed(recipe.seed)
    tensors = pack_field(field)
    decoder = stored_field(recipe, recipe.size, tensors)
    sides = level_sides(recipe.size)[1:]
    finest = codes_of(rows_of(tensors), recipe.size)
    levels = _levels(recipe, decoder, boxed(finest, recipe.size)).to(device)
    samples = min(batch_of(recipe, on_cpu=device.type == "cpu"), MOST_SAMPLES)
    batch = max(4, round(samples * BATCH_SHARE))
    sampler = MaterialSampler(reference, batch, recipe.rare, rng)
    footprints = DeviceFootprints(sampler, sides, wraps=recipe.wrap == "repeat",
                                 seed=seed_word(recipe.seed) ^ OTHERS, device=device)  # fmt: skip
    texels = encoding_of(levels).grid.texels
    adam = LevelAdam(texels, level_scales(sides).to(device), recipe.latent_rate,
                     (recipe.beta1, recipe.beta2), recipe.epsilon)  # fmt: skip
    kind = RecordedLevels if device.type == "cuda" else LevelTrainer
    task = MipTask(levels, footprints)
    return kind(levels, task, log_loss, [adam], rng, load_batch=footprints.load_next,
                repeatable=recipe.seconds is None)  # fmt: skip


def _levels(
    recipe: MaterialRecipe, decoder: Field, codes: Sequence[npt.NDArray[np.uint8]]
) -> Field:
    """Return a field of the levels behind the finest, with only their texels trainable."""
    stored = encoding_of(decoder)
    sides = level_sides(recipe.size)[1:]
    grid = LatentGrid([(side, side) for side in sides], range(len(sides)), recipe.features,
                      stored.grid.bits, wraps=stored.grid.wraps, rng=None)  # fmt: skip
    grid.set_codes(np.concatenate(codes))
    encoding = MaterialEncoding(grid, stored.lobes, stored.varied)
    for name in ("low", "high"):
        encoding.get_buffer(name).copy_(stored.get_buffer(name))
    decoder.requires_grad_(False)
    return Field(encoding, decoder.network)


class LeveledEngine:
    """Engine of a material's fit followed by that of its mip levels."""

    def __init__(self, inner: MaterialEngine, recipe: MaterialRecipe, reference: ReferenceKernels):
        self.inner = inner
        self.mips: LevelTrainer | None = None  # until ``begin``
        self.device, self.every = inner.device, inner.every
        self._recipe, self._reference = recipe, reference
        self.batch = inner.batch
        self.resized = getattr(inner, "resized", ())  # names in a state; see fitting/resuming.py

    @property
    def skipped(self) -> int:
        """Return the number of steps with a gradient that was not finite."""
        return self.inner.skipped + (0 if self.mips is None else self.mips.skipped)

    @property
    def stages_begun(self) -> int:
        """Return the number of stages that have begun."""
        return 1 + (self.mips is not None)

    @property
    def setup_count(self) -> int:
        """Return how many times kernels were set up for another task."""
        return self.inner.phase + (self.mips is not None)

    def begin(self) -> StepThinning:
        """Start to train the mip levels; the finest level and the decoder are finished."""
        self.mips = mip_trainer(self._recipe, self.inner.field(), self._reference, self.device)
        self._steps = StepThinning(self.mips, self.every)
        return self._steps

    def advance(self, rate_factors: Sequence[float]) -> float:
        """Run one step per factor of the step sizes; return the last step's mean loss."""
        return (self.inner if self.mips is None else self._steps).advance(rate_factors)

    def trained_levels(self) -> list[npt.NDArray[np.uint8]] | None:
        """Return the rows of all levels but the finest; None if none was trained."""
        if self.mips is None:
            return None
        encoding, side = encoding_of(self.mips.field), self._recipe.size
        codes = level_rows(encoding.grid.codes(), side // 2)
        if self._recipe.latents == "plain":
            return codes
        return compressed(codes, side, encoding.ends().cpu().numpy())

    def state(self) -> dict[str, torch.Tensor]:
        """Return the state for a restart, without the recipe, by name."""
        later = None if self.mips is None else self._steps
        return join_states(self.inner.state(), later, PREFIX)

    def load_state(self, state: dict[str, torch.Tensor]) -> None:
        """Restore what ``state`` returned. Raises: ValueError for a state of other levels."""
        before, own = split_state(state, PREFIX)
        self.inner.load_state(before)
        self.mips = None
        if own:
            restore_state(self.begin(), own)
