"""Training the mip levels of a material's map, behind its own training: the decoder is frozen.

What a level's texels are fitted to is the mean of the reference over a texel's footprint, at places
and directions drawn as for the finest level. Not the mean of what the finest level says: its own
errors would be learned too.
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
from neuralshade.kinds.material.asset import pack_field, stored_field
from neuralshade.kinds.material.device_footprints import DeviceFootprints
from neuralshade.kinds.material.engine import MaterialEngine, batch_of
from neuralshade.kinds.material.field import MaterialEncoding, encoding_of
from neuralshade.kinds.material.footprints import POINTS
from neuralshade.kinds.material.levels import boxed, level_sides
from neuralshade.kinds.material.log_loss import FLOOR, log_loss
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.references.reference_bsdf import ReferenceKernels
from neuralshade.kinds.material.samples import MaterialSampler
from neuralshade.kinds.material.step_thinning import (
    StepThinning,
    join_states,
    restore_state,
    split_state,
)
from neuralshade.model.field import Field
from neuralshade.model.latent_grid import LatentGrid
from neuralshade.optimizer.adam import LatentAdam

BATCH_SHARE = 4 / POINTS  # of a batch; so a step asks the reference four times as often as before
MOST_SAMPLES = 2**16  # of a batch that it is a share of: levels have a third of the texels
PREFIX = "mips."
OTHERS = 1  # makes footprints others than samples of the same seed


def finest_level_share(recipe: MaterialRecipe) -> float:
    """Return the share of a field's steps that its finest level has; 1 where there is no other."""
    return 1.0 if len(level_sides(recipe.size)) == 1 else 1 - recipe.mips


class MipTask:
    """Says what the map and the reference make of the footprints on all levels that are held.

    Logarithms, as for the finest level. A level is drawn as often as its side is long: coarse ones,
    whose texels cover more, get more samples a texel, and fine ones more altogether.
    """

    def __init__(self, field: Field, footprints: DeviceFootprints):
        self.field, self.footprints = field, footprints

    def __call__(self, rng: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
        drawn, encoding = self.footprints.held(), encoding_of(self.field)
        show_stored(encoding.grid)
        latents = encoding.latents(drawn.at[:, :3])
        read = encoding.columns(latents, drawn.wi, drawn.wo, drawn.at[:, 3:])
        said = self.field.network.on_columns(read, torch.float32)
        return (said + FLOOR).log() * drawn.seen, (drawn.wanted + FLOOR).log() * drawn.seen


@torch.no_grad()
def show_stored(grid: LatentGrid) -> None:
    """Let look-ups see what a file would hold, while gradients reach what is trained."""
    grid.seen = (grid.texels * grid.steps).round_().div_(grid.steps)


class LevelAdam(LatentAdam):
    """Adam of the latents of many levels, whose step size is times ``scale`` [entries, 1]."""

    def __init__(self, texels: torch.nn.Parameter, scale: torch.Tensor, *rest: Any):
        super().__init__([texels], *rest)
        self.scale = scale

    @torch.no_grad()
    def step_as_set(self) -> None:
        """Step once along the gradients, with the step size that was set last."""
        (texels,) = self.parameters
        before = texels.clone()
        super().step_as_set()
        texels.copy_(torch.addcmul(before, texels - before, self.scale).clamp_(0, 1))


def level_scales(sides: Sequence[int]) -> torch.Tensor:
    """Return what step sizes are multiplied by for each texel of levels: float32 [texels, 1].

    A texel of a level half as wide sees twice as many samples in a batch, so that its gradient has
    less noise, by a root of 2: as much longer is its step.
    """
    scales = [torch.full((side * side, 1), (sides[0] / side) ** 0.5) for side in sides]
    return torch.cat(scales)


class LevelTrainer(TorchEngine):
    """Steps of levels, of which each draws footprints of its own number."""

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
    """Return what trains all levels but the finest of ``field``, whose training is done.

    They begin as box filters of what is stored of the finest one. ``device``: a torch device.
    """
    rng = torch.Generator().manual_seed(recipe.seed)
    tensors = pack_field(field)
    decoder = stored_field(recipe, recipe.size, tensors)
    sides = level_sides(recipe.size)[1:]
    levels = _levels(recipe, decoder, boxed(tensors["features"], recipe.size)).to(device)
    samples = min(batch_of(recipe, on_cpu=device.type == "cpu"), MOST_SAMPLES)
    batch = max(4, round(samples * BATCH_SHARE))
    sampler = MaterialSampler(reference, batch, recipe.rare, rng)
    footprints = DeviceFootprints(sampler, sides, wraps=recipe.wrap == "repeat",
                                 seed=seed_word(recipe.seed) ^ OTHERS, device=device)  # fmt: skip
    texels = encoding_of(levels).grid.texels
    adam = LevelAdam(texels, level_scales(sides).to(device), recipe.latent_rate,
                     (recipe.beta1, recipe.beta2), recipe.epsilon)  # fmt: skip
    kind = RecordedLevels if device.type == "cuda" else LevelTrainer
    return kind(levels, MipTask(levels, footprints), log_loss, [adam], rng, bring=footprints.bring,
                repeatable=recipe.seconds is None)  # fmt: skip


def _levels(
    recipe: MaterialRecipe, decoder: Field, codes: Sequence[npt.NDArray[np.uint8]]
) -> Field:
    """Return a field of the levels behind the finest, whose texels alone can be trained."""
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
    """The engine of a material's fit, and behind it that of its mip levels, as one."""

    def __init__(self, inner: MaterialEngine, recipe: MaterialRecipe, reference: ReferenceKernels):
        self.inner = inner
        self.mips: LevelTrainer | None = None  # until ``begin``
        self.device, self.every = inner.device, inner.every
        self._recipe, self._reference = recipe, reference
        self.batch = inner.batch
        self.resized = getattr(inner, "resized", ())  # names in a state; see fitting/resuming.py

    @property
    def skipped(self) -> int:
        """Return how many steps had a gradient that was not finite."""
        return self.inner.skipped + (0 if self.mips is None else self.mips.skipped)

    @property
    def stages_begun(self) -> int:
        """Return of how many parts a fit has begun the training."""
        return 1 + (self.mips is not None)

    @property
    def setup_count(self) -> int:
        """Return how often the kernels of something else were made ready."""
        return self.inner.phase + (self.mips is not None)

    def begin(self) -> StepThinning:
        """Train the mip levels from now on; the finest level and the decoder are done."""
        self.mips = mip_trainer(self._recipe, self.inner.field(), self._reference, self.device)
        self._steps = StepThinning(self.mips, self.every)
        return self._steps

    def advance(self, rate_factors: Sequence[float]) -> float:
        """Run one step per factor of the step sizes; return the last step's mean loss."""
        return (self.inner if self.mips is None else self._steps).advance(rate_factors)

    def trained_levels(self) -> list[npt.NDArray[np.uint8]] | None:
        """Return the codes of all levels but the finest; None where none was trained."""
        if self.mips is None:
            return None
        grid = encoding_of(self.mips.field).grid
        counts = [width * height for width, height in grid.sizes]
        return np.split(grid.codes(), np.cumsum(counts)[:-1])

    def state(self) -> dict[str, torch.Tensor]:
        """Return everything that a restart needs besides the recipe, by name."""
        later = None if self.mips is None else self._steps
        return join_states(self.inner.state(), later, PREFIX)

    def load_state(self, state: dict[str, torch.Tensor]) -> None:
        """Take over what ``state`` returned once. Raises: ValueError for what fits no level."""
        before, own = split_state(state, PREFIX)
        self.inner.load_state(before)
        self.mips = None
        if own:
            restore_state(self.begin(), own)
