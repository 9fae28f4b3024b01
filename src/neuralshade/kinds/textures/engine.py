"""Engines of a texture set's fit: training steps, latent freezing, decoding."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.kinds.textures.rectangle import decode_rectangle, rectangle_of, takes_rectangles
from neuralshade.kinds.textures.texels import PEAK, Decode, Texels, TexelSampler
from neuralshade.loss.pointwise import alpha_weights
from neuralshade.model.block_grid import BlockGrid
from neuralshade.model.field import Field
from neuralshade.model.latent_grid import LatentGrid
from neuralshade.model.mlp import MLP
from neuralshade.optimizer.schedule import rate_factor
from neuralshade.source.crop import WHOLE, Crop

if TYPE_CHECKING:  # a fit loads the one that runs it
    from neuralshade.engine.network_trainer import NetworkTrainer
    from neuralshade.engine.torch_engine import TorchEngine
    from neuralshade.kinds.textures.hardware_decoder import HardwareDecoder

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]

# When latents are frozen, a cosine has fallen to 0.6 % of the decoder's step size; for the decoder
# alone it restarts at a tenth and falls to 0.
FROZEN_RATE = 0.1
REFIT_STEPS = 128  # submitted at once while the decoder is refitted
NOISE_OFFSETS = 4096  # start positions in a pool of noise
BLOCK_TEXELS = 2**14  # decoded at once: their activations fit into a core's cache


def latent_grids(field: Field) -> list[LatentGrid | BlockGrid]:
    """Return the grids of a field's encoding, the finest first."""
    kinds = (LatentGrid, BlockGrid)
    return [module for module in field.encoding.modules() if isinstance(module, kinds)]


def plain_grids(field: Field) -> list[LatentGrid]:
    """Return the grids that are plain codes."""
    return [grid for grid in latent_grids(field) if isinstance(grid, LatentGrid)]


def mip_positions(sizes: Sequence[tuple[int, int]], mip: int, index: torch.Tensor) -> torch.Tensor:
    """Return (u, v, mip) of texels of a mip by their index, row by row: float32 [n, 3]."""
    width, height = sizes[mip]
    u, v = (index % width + 0.5) / width, (index // width + 0.5) / height
    return torch.stack([u, v, torch.full_like(u, float(mip))], dim=1)


def texels_under(
    size: tuple[int, int], width: int, height: int, region: Crop = WHOLE
) -> tuple[Integers, Integers]:
    """Return rows and columns of the texels under the centres of pixels that cover ``region``.

    ``size``: width and height of the mip; int64 [height] and [width].
    """
    u0, v0, u1, v1 = region
    u = u0 + (np.arange(width) + 0.5) / width * (u1 - u0)
    v = v0 + (np.arange(height) + 0.5) / height * (v1 - v0)
    cols = np.clip((u * size[0]).astype(np.int64), 0, size[0] - 1)
    rows = np.clip((v * size[1]).astype(np.int64), 0, size[1] - 1)
    return rows, cols


class TexturesEngine(ABC):
    """Steps of one fit. ``field`` holds the numbers of the last ``trained``."""

    field: Field
    trainer: Any

    def __init__(self, texels: Texels, batch: int, freeze_factor: float):
        self.texels, self.batch = texels, batch
        self.frozen = False
        self._boost = FROZEN_RATE / max(freeze_factor, 1e-6)

    @abstractmethod
    def freeze(self) -> None:
        """Round latents for good; afterwards only the decoder is trained."""

    @abstractmethod
    def trained(self) -> Field:
        """Return the field with the current numbers."""

    def trained_network(self) -> MLP:
        """Return the decoder with the current numbers."""
        return self.trained().network

    @abstractmethod
    def set_latents(self, field: Field) -> None:
        """Load the frozen latents of a field."""

    def refit_decoder(self, field: Field, steps: int) -> None:
        """Train the decoder alone, for the latents of ``field``; its step size falls to 0 again.

        Freezes latents if the fit ended before that.
        """
        if not self.frozen:
            self.freeze()
        self.set_latents(field)
        factors = [FROZEN_RATE * rate_factor("cosine", step / steps, step, 0.0, 0)
                   for step in range(steps)]  # fmt: skip
        for first in range(0, steps, REFIT_STEPS):
            self.trainer.advance(factors[first : first + REFIT_STEPS])

    def decoder(self, field: Field) -> Decode:
        """Return ``decode_texels`` of the numbers that a field has now, on this fit's device."""
        return partial(decode_texels, field)

    @property
    def skipped(self) -> int:
        """Return how many steps had a gradient that was not finite."""
        return int(self.trainer.skipped)

    def advance(self, rate_factors: Sequence[float]) -> float:
        """Run one step per factor of the step sizes; return the last step's mean loss."""
        boost = self._boost if self.frozen else 1.0
        return float(self.trainer.advance([boost * factor for factor in rate_factors]))

    def state(self) -> dict[str, torch.Tensor]:
        """Return everything that a restart needs besides the recipe, by name."""
        return {**self.trainer.state(), "frozen": torch.tensor(self.frozen)}

    def load_state(self, state: dict[str, torch.Tensor]) -> None:
        """Load what ``state`` returned."""
        self.trainer.load_state({n: v for n, v in state.items() if n != "frozen"})
        if bool(state["frozen"]) and not self.frozen:
            self.freeze()


class NoisyTask:
    """Draws a batch and evaluates ``field`` there, with new noise on the latents in each step."""

    def __init__(
        self, field: Field, sampler: TexelSampler, weights: torch.Tensor | None,
        compute: torch.dtype, seed: int,
    ):  # fmt: skip
        self.field, self.sampler, self.weights, self.compute = field, sampler, weights, compute
        self.grids, self.noisy = latent_grids(field), True
        rng = torch.Generator().manual_seed(seed)
        self.pools = [self._pool(grid, rng) for grid in self.grids]

    @staticmethod
    def _pool(grid: LatentGrid | BlockGrid, rng: torch.Generator) -> torch.Tensor:
        """Return a pool of uniform noise, one code wide: drawing it anew would dominate a step."""
        shape = (len(grid.noisy) + NOISE_OFFSETS, *grid.noisy.shape[1:])
        return torch.rand(shape, generator=rng).sub_(0.5).div_(grid.steps).to(grid.noisy.device)

    def __call__(self, rng: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the compared values of the field and the set at a batch, as columns."""
        if self.noisy:
            for grid, pool in zip(self.grids, self.pools, strict=True):
                first = int(torch.randint(NOISE_OFFSETS, (1,), generator=rng))
                grid.add_noise(pool[first : first + len(grid.noisy)])
        at, target = self.sampler(rng)
        return self.compared(self.field.on_samples(at, self.compute), target, rng)

    def compared(
        self, predicted: torch.Tensor, target: torch.Tensor, rng: torch.Generator
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the compared values of channels [C, N]: here multiplied by roots of weights."""
        roots = self.weights
        if self.sampler.alpha is not None:
            texels = alpha_weights(target, self.sampler.alpha).sqrt_()
            roots = texels if roots is None else roots * texels
        if roots is None:
            return predicted, target
        return predicted * roots.to(predicted.dtype), target * roots


class TorchTexturesEngine(TexturesEngine):
    """A set's fit in PyTorch."""

    trainer: TorchEngine

    def __init__(self, trainer: TorchEngine, task: NoisyTask, texels: Texels, freeze_factor: float):
        super().__init__(texels, task.sampler.batch, freeze_factor)
        self.trainer, self.task, self.field = trainer, task, trainer.field

    def freeze(self) -> None:
        self.frozen, self.task.noisy = True, False
        for grid in self.task.grids:
            grid.round()
            grid.requires_grad_(False)

    def trained(self) -> Field:
        return self.field

    @torch.no_grad()
    def set_latents(self, field: Field) -> None:
        for own, found in zip(self.field.encoding.parameters(), field.encoding.parameters(),
                              strict=True):  # fmt: skip
            own.copy_(found)


class GpuTexturesEngine(TexturesEngine):
    """A set's fit on the GPU."""

    trainer: NetworkTrainer

    def __init__(self, trainer: NetworkTrainer, texels: Texels, freeze_factor: float):
        super().__init__(texels, trainer.training.batch, freeze_factor)
        self.trainer, self.field = trainer, trainer.field
        self._decoder: HardwareDecoder | None = None

    def freeze(self) -> None:
        self.frozen = True
        for grid in latent_grids(self.trained()):
            grid.round()
        self.trainer.freeze_grid(list(self.field.encoding.parameters()))

    def trained(self) -> Field:
        with self.trainer.averaged():
            return self.field

    def trained_network(self) -> MLP:
        self.trainer.fill_network()
        return self.field.network

    def set_latents(self, field: Field) -> None:
        self.trainer.set_grid(list(field.encoding.parameters()))

    def decoder(self, field: Field) -> Decode:
        if self.trainer.gpu.adapter.software:
            return super().decoder(field)
        if self._decoder is None:
            from neuralshade.kinds.textures.hardware_decoder import HardwareDecoder

            self._decoder = HardwareDecoder(self.trainer.gpu)
        return self._decoder.decoder(field, super().decoder(field))


@torch.no_grad()
def decode_texels(
    field: Field, sizes: Sequence[tuple[int, int]], mip: int, index: torch.Tensor | None = None
) -> Floats:
    """Return trained channels as the field has them: float32 [n, C], not clamped.

    ``index``: of texels in the mip, row by row; all where None.
    """
    width, height = sizes[mip]
    texels = torch.arange(width * height) if index is None else index
    device = next(field.parameters()).device
    is_cheap = device.type == "cpu" and takes_rectangles(field)
    rectangle = rectangle_of(texels, width) if is_cheap else None
    if rectangle is not None:
        drawn: Floats = decode_rectangle(field, sizes, mip, rectangle).contiguous().numpy()
        return drawn
    blocks = [
        field.on_samples(mip_positions(sizes, mip, block.to(device)), torch.float32).t()
        for block in texels.split(BLOCK_TEXELS)
    ]
    found: Floats = torch.cat(blocks).cpu().numpy()
    return found


def mip_errors(decode: Decode, texels: Texels, mip: int, step: int = 1) -> npt.NDArray[np.float64]:
    """Return the mean squared error of each channel of a mip, over every ``step``-th texel."""
    width, height = texels.sizes[mip]
    index = torch.arange(0, width * height, step)
    first = texels.firsts[mip]
    target = texels.words[first : first + width * height : step].astype(np.float32) / PEAK
    found = decode(texels.sizes, mip, index).clip(0, 1)
    squares: npt.NDArray[np.float64] = np.square(found.astype(np.float64) - target)
    if texels.alpha is None:
        return squares.mean(0)
    weights = np.repeat(target[:, texels.alpha, None].astype(np.float64), target.shape[1], axis=1)
    weights[:, texels.alpha] = 1
    errors: npt.NDArray[np.float64] = (squares * weights).sum(0) / weights.sum(0).clip(1e-9)
    return errors


def rounded_field(field: Field) -> Field:
    """Return a copy of a field with its latents rounded."""
    rounded = copy.deepcopy(field)
    for grid in latent_grids(rounded):
        grid.round()
    return rounded
