"""Rounding numbers to the steps that an asset stores, while they are still trained."""

from typing import Any

import torch

LEVELS_8BIT = 127  # integers -127 ... 127; -128 is never used, so that the range is symmetric


def scale_of(values: torch.Tensor) -> torch.Tensor:
    """Return the 8-bit step per slice of the first axis: [K, ...] -> float32 [K, 1, ...].

    The largest magnitude of a slice becomes +-127. Slices of zeros get step 1.
    """
    axes = tuple(range(1, values.dim()))
    largest = values.detach().abs().amax(dim=axes, keepdim=True).float()
    return torch.where(largest > 0, largest / LEVELS_8BIT, 1.0)


def quantize(values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return int8 [K, ...] and its float32 steps [K, 1, ...]; their product approximates."""
    scale = scale_of(values)
    return (values.detach() / scale).round().to(torch.int8), scale


def fake_quantize(values: torch.Tensor, bits: int) -> torch.Tensor:
    """Return ``values`` rounded as ``bits`` bits will hold them: 8 (int8), 16 (float16), 32.

    Gradients: pass through to ``values`` unchanged (straight-through estimator,
    Bengio et al. 2013, section 4).
    """
    if bits == 32:
        return values
    if bits == 16:
        return _StraightThrough.apply(values, values.detach().half().float())
    scale = scale_of(values)
    return _StraightThrough.apply(values, (values.detach() / scale).round_().mul_(scale))


class _StraightThrough(torch.autograd.Function):
    """Identity for gradients, replacement for values."""

    @staticmethod
    def forward(ctx: Any, values: torch.Tensor, replacement: torch.Tensor) -> torch.Tensor:
        return replacement

    @staticmethod
    def backward(ctx: Any, d_values: torch.Tensor) -> tuple[torch.Tensor, None]:
        return d_values, None
