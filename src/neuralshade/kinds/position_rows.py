"""Arguments of modules, of any shape, as rows for computing, and results back in that shape."""

from __future__ import annotations

from typing import Any

import torch

from neuralshade.errors import ShapeError


def float_rows(place: str, values: Any) -> torch.Tensor:
    """Return floats [..., D] as float32 [N, D], on their device and with their gradients.

    Checked to be finite, except while PyTorch traces.

    Raises: ShapeError naming ``place``, for no tensor of floats, and for NaN and infinity.
    """
    if not isinstance(values, torch.Tensor):
        raise ShapeError(f"{place}: got {type(values).__name__}, need a tensor of floats. Pass "
                         "torch.tensor of it.")  # fmt: skip
    if not values.is_floating_point():
        raise ShapeError(f"{place}: got {values.dtype}, need floats. Pass {place}.float().")
    check_finite(place, values)
    return values.float() if values.dim() < 3 else values.float().flatten(0, -2)


def check_finite(place: str, values: torch.Tensor) -> None:
    """Raise ShapeError naming ``place`` for NaN and infinity, except while tracing."""
    if not torch.compiler.is_compiling() and not values.isfinite().all():
        raise ShapeError(f"{place}: got NaN or infinity, need finite numbers. Replace them first.")


def in_shape(rows: torch.Tensor, before: torch.Size) -> torch.Tensor:
    """Return rows [N, C] in the shape [..., C] of the argument."""
    return rows if len(before) == 1 else rows.unflatten(0, before)
