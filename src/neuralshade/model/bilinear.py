"""Bilinear interpolation of table entries at scattered positions."""

from typing import Any

import torch

WHOLE = 2.0**40  # the largest number of a sum as an integer: 2**22 such fit into 63 bits


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

    Gradients: reach ``table``, and ``across`` and ``down`` where these want them. Those of the
    table are summed by the embedding's backward, which has one order on every run; that of
    indexing with [] has not.
    """
    left, upper = 1.0 - across, 1.0 - down
    weights = torch.stack([left * upper, across * upper, left * down, across * down])
    values = torch.nn.functional.embedding(index, table)  # (4, N, features)
    return (values * weights[..., None]).sum(0)


def smooth_share(share: torch.Tensor) -> torch.Tensor:
    """Return ``x * x * (3 - 2 * x)`` of how far a position is on the way, in [0, 1].

    Its slope is 0 at both ends, so that a look-up has no creases between cells.
    Source: Mueller et al. 2022, Instant NGP, appendix A; Smoothstep of tiny-cuda-nn.
    """
    return share * share * (3.0 - 2.0 * share)


def corner_weights(across: torch.Tensor, down: torch.Tensor) -> torch.Tensor:
    """Return the weights of the four entries around a sample: [N] twice -> [N, 4]."""
    left, upper = 1.0 - across, 1.0 - down
    return torch.stack([left * upper, across * upper, left * down, across * down], dim=1)


def mix_scattered(
    trained: torch.Tensor, seen: torch.Tensor, index: torch.Tensor, weights: torch.Tensor
) -> torch.Tensor:
    """Return weighted sums of the entries of ``seen``, whose gradient reaches ``trained``.

    Args:
        trained: float [entries, features], what the sums are of but for noise or rounding.
        seen: the same shape, what is summed.
        index: int64 [N, 4], entries.
        weights: float [N, 4].

    Returns:
        float [N, features].

    Gradients: reach ``trained``, with equal bits on every run: summed in one order on the CPU,
    four times as fast there as an embedding's, and as whole numbers on a device; and ``weights``
    where they want them.
    """
    mixed: torch.Tensor = _MixScattered.apply(trained, seen, index, weights)
    return mixed


class _MixScattered(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, trained: Any, seen: Any, index: Any, weights: Any) -> torch.Tensor:
        ctx.save_for_backward(index, weights, seen if ctx.needs_input_grad[3] else None)
        ctx.shape = trained.shape
        bag = torch.nn.functional.embedding_bag
        return bag(index, seen, mode="sum", per_sample_weights=weights.to(seen.dtype))

    @staticmethod
    def backward(ctx: Any, d_mixed: torch.Tensor) -> Any:
        index, weights, seen = ctx.saved_tensors
        d_weights = None
        if ctx.needs_input_grad[3]:
            d_weights = (seen[index] * d_mixed[:, None]).sum(2).to(weights.dtype)
        shares = weights.to(d_mixed.dtype)[..., None] * d_mixed[:, None]
        rows, into = shares.reshape(-1, ctx.shape[1]), index.reshape(-1)
        if rows.is_cuda:
            return summed_whole(rows, into, ctx.shape[0]), None, None, d_weights
        d_trained = d_mixed.new_zeros(ctx.shape)
        d_trained.index_add_(0, into, rows)
        return d_trained, None, None, d_weights


def summed_whole(rows: torch.Tensor, into: torch.Tensor, count: int) -> torch.Tensor:
    """Return ``count`` sums of ``rows`` [N, features] by index ``into`` [N], N at most 2**22.

    As whole multiples of 2**-40 of the largest number, so that the order of threads changes no bit;
    where one is not finite, neither are the sums.
    """
    most = rows.abs().max().clamp_min(torch.finfo(rows.dtype).tiny).double()
    whole = (rows.double() * (WHOLE / most)).round_().long()
    sums = torch.zeros((count, rows.shape[1]), dtype=torch.long, device=rows.device)
    sums.index_add_(0, into, whole)
    return (sums.double() * (most / WHOLE)).to(rows.dtype)
