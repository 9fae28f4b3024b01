"""Engines of a picture's fit: training steps, previews, drawing.

The GPU engine's task is task.py and task.slang.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy.typing as npt
import torch

from neuralshade.engine.draw import draw_field
from neuralshade.kinds.image.field import PREVIEW_SIDE
from neuralshade.loss.pointwise import alpha_weights
from neuralshade.measure.picture_psnr import decibels
from neuralshade.model.field import Field
from neuralshade.sampler.draw import PixelLattice, Pixels, Sample, Sampler
from neuralshade.source.crop import Crop
from neuralshade.source.target import Target

if TYPE_CHECKING:  # a fit loads the one that runs it
    from neuralshade.engine.network_trainer import NetworkTrainer
    from neuralshade.engine.torch_engine import Batch, TorchEngine

SMALLEST_PREVIEW = 64  # a side: with fewer pixels PSNR is off by more than some tenths of a dB
TABLE_LIMIT = 2**24  # prepared numbers kept per axis (64 MB); above it each step prepares its own


@dataclass
class TorchImageTask:
    """Draws batches of a picture and evaluates ``field`` there, with products in ``compute``.

    What the encoding prepares per column and per row is cached for the whole picture: a lattice of
    R rows and C columns then costs look-ups and ``field.combine``, which makes a step fast on the
    CPU.
    """

    field: Field
    target: Target
    sampler: Sampler
    compute: torch.dtype = torch.float32
    _tables: tuple[torch.Tensor, torch.Tensor] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.device = self.target.planes.device
        height, width = self.target.height, self.target.width
        of_u, of_v = self.field.prepared_numbers
        if max(width * of_u, height * of_v) <= TABLE_LIMIT:
            self._tables = (self._along(0, width), self._along(1, height))

    def __call__(self, rng: torch.Generator) -> Batch:
        """Draw a batch; return the field's and the picture's channels there, as columns."""
        return self.at_sample(self.sampler(rng))

    def at_sample(self, sample: Sample) -> Batch:
        """Return the field's and the picture's channels at a sample, as columns."""
        if isinstance(sample, PixelLattice):
            return self._at_lattice(sample), self.target.at_lattice(sample.rows, sample.cols)
        if isinstance(sample, Pixels):
            row, col = sample.row.to(self.device), sample.col.to(self.device)
            uv = torch.stack([self._centers(col, 0), self._centers(row, 1)], dim=1)
            return self.field.on_samples(uv, self.compute), self.target.at_pixels(row, col)
        uv = sample.uv.to(self.device)
        return self.field.on_samples(uv, self.compute), self.target.at_positions(uv)

    def _at_lattice(self, sample: PixelLattice) -> torch.Tensor:
        rows, cols = len(sample.rows), len(sample.cols)
        if self._tables is not None and self.field.takes_lattice(rows, cols):
            along_u, along_v = self._tables[0][sample.cols], self._tables[1][sample.rows]
            return self.field.combine(along_u, along_v, self.compute)
        u = self._centers(sample.cols.to(self.device), 0)
        v = self._centers(sample.rows.to(self.device), 1)
        return self.field.at_columns(u, rows, self.compute)(v)

    def _along(self, axis: int, count: int) -> torch.Tensor:
        index = torch.arange(count, device=self.device)
        return self.field.encoding.along(axis, self._centers(index, axis))

    def _centers(self, index: torch.Tensor, axis: int) -> torch.Tensor:
        """Return the positions of pixel centres in [0, 1]."""
        return (index + 0.5) / (self.target.width, self.target.height)[axis]


class Engine(ABC):
    """Steps of one fit. ``field`` holds the numbers of the last ``averaged`` block."""

    def __init__(self, trainer: TorchEngine | NetworkTrainer, target: Target):
        self.trainer, self.field, self.target = trainer, trainer.field, target

    @abstractmethod
    def preview(self, lattice: PixelLattice) -> Batch:
        """Return the averaged field's and the picture's channels at a lattice, as columns."""

    @abstractmethod
    def draw(self, width: int, height: int, crop: Crop) -> npt.NDArray[Any]:
        """Return the averaged field as ``draw_field`` does."""

    @property
    def skipped(self) -> int:
        """Return how many steps had a gradient that was not finite."""
        return self.trainer.skipped

    def advance(self, rate_factors: Sequence[float]) -> float:
        """Run one step per factor of the step size; return the last step's mean loss."""
        return self.trainer.advance(rate_factors)

    def averaged(self) -> AbstractContextManager[None]:
        """Put the averaged weights, if there are any, into the field inside the block."""
        return self.trainer.averaged()

    def state(self) -> dict[str, torch.Tensor]:
        """Return everything that a restart needs besides the recipe, by name."""
        fixed = {f"field.{name}": values for name, values in self.field.named_buffers()}
        return self.trainer.state() | fixed

    def load_state(self, state: dict[str, torch.Tensor]) -> None:
        """Load what ``state`` returned, here or on the other engine."""
        self.trainer.load_state(state)


class TorchImageEngine(Engine):
    """A picture's fit in PyTorch."""

    trainer: TorchEngine

    def __init__(self, trainer: TorchEngine, task: TorchImageTask):
        super().__init__(trainer, task.target)
        self.task = task

    @torch.no_grad()
    def preview(self, lattice: PixelLattice) -> Batch:
        with self.trainer.threads.as_steps(), self.averaged():
            return self.task.at_sample(lattice)

    def draw(self, width: int, height: int, crop: Crop) -> npt.NDArray[Any]:
        with self.trainer.threads.as_steps(), self.averaged():
            return draw_field(self.field, width, height, crop)


class GpuImageEngine(Engine):
    """A picture's fit on the GPU, which also draws the result."""

    trainer: NetworkTrainer

    def preview(self, lattice: PixelLattice) -> Batch:
        height, width = self.target.height, self.target.width
        u, v = (lattice.cols + 0.5) / width, (lattice.rows + 0.5) / height
        uv = torch.stack(torch.meshgrid(u, v, indexing="xy"), dim=-1).reshape(-1, 2)
        self.trainer.round_mean()
        drawn = self.trainer.inference.at_positions(uv.float().numpy())
        return torch.from_numpy(drawn).t(), self.target.at_lattice(lattice.rows, lattice.cols)

    def draw(self, width: int, height: int, crop: Crop) -> npt.NDArray[Any]:
        self.trainer.round_mean()
        return self.trainer.inference.picture(width, height, crop)


@dataclass
class PreviewPsnr:
    """PSNR of a fit during training, on fewer pixels where measuring takes too long."""

    engine: Engine
    white: float
    hdr: bool
    side: int = PREVIEW_SIDE  # pixels along an axis, at most
    alpha_weighted: bool = False

    def __call__(self) -> float:
        """Return the PSNR in dB."""
        return preview_psnr(self.engine, self.white, self.hdr, self.side, self.alpha_weighted)

    def coarser(self, times: float) -> None:
        """Use ``times`` fewer pixels from now on, at least SMALLEST_PREVIEW squared."""
        self.side = max(SMALLEST_PREVIEW, math.floor(self.side / math.sqrt(times)))


def preview_psnr(
    engine: Engine, white: float, hdr: bool, side: int = PREVIEW_SIDE, alpha_weighted: bool = False
) -> float:
    """Return the PSNR in dB on evenly spread rows and columns, ``side`` of each at most."""
    target = engine.target
    lattice = PixelLattice(_spread(target.height, side), _spread(target.width, side))
    predicted, expected = engine.preview(lattice)
    error = (predicted.float() if hdr else predicted.float().clamp(0, 1)) - expected
    if not alpha_weighted:
        return decibels(float(error.square().mean()), white)
    weights = alpha_weights(expected)
    return decibels(float((error.square() * weights).sum() / weights.sum()), white)


def _spread(size: int, most: int) -> torch.Tensor:
    return torch.arange(0, size, math.ceil(size / most))
