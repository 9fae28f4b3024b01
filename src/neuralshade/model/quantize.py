"""Quantization-aware rounding of trained numbers. Device half: quantize.slang."""

from dataclasses import dataclass
from typing import Any

import torch

SMALLEST_STEP = 1e-30  # a slice of zeros is divided by it


@dataclass(frozen=True)
class Levels:
    """The integers low ... high, each standing for (integer + offset) * step.

    ``reach``: in a grid, steps cover at most so many root mean squares of a feature to either
    side. A few texels far out would otherwise make the steps coarse for all; they are moved in
    instead, and training sees it. The values lie between those that docs/performance.md has;
    there the range was in standard deviations, and 1.8 itself was not tried.
    """

    low: int
    high: int
    offset: float
    reach: float

    @property
    def largest(self) -> float:
        return self.high + self.offset


LEVELS = {
    4: Levels(-8, 7, 0.5, 1.8),  # no zero, so that all 16 levels are used symmetrically
    8: Levels(-127, 127, 0.0, 4.0),
}


def step_of(values: torch.Tensor, bits: int, grid: bool) -> torch.Tensor:
    """Return the step per slice of the first axis: [K, ...] -> float32 [K, 1, ...], > 0.

    The largest magnitude of a slice becomes the last level, or ``reach`` root mean squares
    do where that is less and ``values`` are a grid's.
    """
    axes = tuple(range(1, values.dim()))
    values = values.detach().float()
    largest = values.abs().amax(dim=axes, keepdim=True)
    if grid:
        rms = values.square().mean(dim=axes, keepdim=True).sqrt_()
        largest = torch.minimum(largest, rms * LEVELS[bits].reach)
    return (largest / LEVELS[bits].largest).clamp_(min=SMALLEST_STEP)


def quantize(values: torch.Tensor, bits: int, grid: bool) -> tuple[torch.Tensor, torch.Tensor]:
    """Return int8 levels [K, ...] and their float32 steps [K, 1, ...]; see ``dequantize``."""
    step = step_of(values, bits, grid)
    return _nearest(values.detach(), step, bits).to(torch.int8), step


def dequantize(levels: torch.Tensor, step: torch.Tensor, bits: int) -> torch.Tensor:
    """Return (level + offset) * step in float32."""
    return (levels.float() + LEVELS[bits].offset) * step


def fake_quantize(values: torch.Tensor, bits: int, grid: bool = False) -> torch.Tensor:
    """Return ``values`` rounded to their stored form: 4 and 8 bits (steps per slice of
    the first axis), 16 (float16), 32 (unchanged).

    Gradients: pass through to ``values`` unchanged (straight-through estimator,
    Bengio et al. 2013, section 4).
    """
    if bits == 32:
        return values
    if bits == 16:
        rounded = values.detach().half().float()
    else:
        step = step_of(values, bits, grid)
        rounded = _nearest(values.detach(), step, bits).add_(LEVELS[bits].offset).mul_(step)
    result: torch.Tensor = _StraightThrough.apply(values, rounded)
    return result


def _nearest(values: torch.Tensor, step: torch.Tensor, bits: int) -> torch.Tensor:
    levels = LEVELS[bits]
    return (values / step).sub_(levels.offset).round_().clamp_(levels.low, levels.high)


class _StraightThrough(torch.autograd.Function):
    """Identity for gradients, replacement for values."""

    @staticmethod
    def forward(ctx: Any, values: torch.Tensor, replacement: torch.Tensor) -> torch.Tensor:
        return replacement

    @staticmethod
    def backward(ctx: Any, d_values: torch.Tensor) -> tuple[torch.Tensor, None]:
        return d_values, None
