"""What a sampler hands to an engine."""

from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class PixelLattice:
    """Every pixel where one of ``rows`` [R] crosses one of ``cols`` [C]; int64 indices."""

    rows: torch.Tensor
    cols: torch.Tensor


@dataclass(frozen=True)
class Pixels:
    """Pixels (row[i], col[i]); int64 [N]."""

    row: torch.Tensor
    col: torch.Tensor


@dataclass(frozen=True)
class Positions:
    """Continuous positions ``uv`` float32 [N, 2] in [0, 1)."""

    uv: torch.Tensor


Sample = PixelLattice | Pixels | Positions
