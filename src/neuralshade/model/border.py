"""Texels beyond the border of a grid, repeated or clamped. Device half: border.slang."""

import torch


def within(at: torch.Tensor, size: torch.Tensor, wraps: bool) -> torch.Tensor:
    """Return the texels that stand at ``at``, int64 [..., 2] of any sign, of a grid of ``size``.

    Around the border where the grid ``wraps``, else clamped. ``size``: int64, across and down.
    """
    return at % size if wraps else at.clamp(min=0).minimum(size - 1)
