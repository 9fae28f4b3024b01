"""Cauchy's loss. Device half: cauchy.slang."""

import torch


def cauchy(p: torch.Tensor, t: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return log(1 + (p - t)^2) and its gradient 2 (p - t) / (1 + (p - t)^2)."""
    error = p - t
    square = error * error
    return torch.log1p(square), 2.0 * error / (1.0 + square)
