"""Bilinear mixing of table entries at scattered positions."""

import torch


def mix_corners(
    table: torch.Tensor, index: torch.Tensor, across: torch.Tensor, down: torch.Tensor
) -> torch.Tensor:
    """Return the mean of four table entries per sample, weighted by the position between them.

    Args:
        table: float [entries, features].
        index: int64 [4, N]: upper left, upper right, lower left, lower right entry.
        across: float [N] in [0, 1], from left to right.
        down: float [N] in [0, 1], from top to bottom.

    Returns:
        float [N, features].

    Gradients: reach ``table`` only. They are summed by the embedding's backward, which has
    one order on every run; that of indexing with [] has not.
    """
    left, upper = 1.0 - across, 1.0 - down
    weights = torch.stack([left * upper, across * upper, left * down, across * down]).detach()
    values = torch.nn.functional.embedding(index, table)  # (4, N, features)
    return (values * weights[..., None]).sum(0)
