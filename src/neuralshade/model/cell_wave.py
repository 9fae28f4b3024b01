"""Encoding of the position within a grid cell, by sines. Device half: cell_wave.slang."""

import math

import torch

from neuralshade.model.encoding import Encoding
from neuralshade.model.parameters import SlangType


class CellWave(Encoding):
    """Encoding ``sin(2 pi width u), sin(2 pi height v)``: one period per cell of a grid.

    Beside a bilinearly sampled grid of the same size it tells the network the place
    between the texels, which the interpolated values alone do not.
    Source: ours, after the sub-cell features of the "Learn a Lake" demonstration.
    """

    def __init__(self, width: int = 128, height: int = 128):
        super().__init__()
        self.cells = (width, height)
        self.width = 2

    def forward(self, uv: torch.Tensor) -> torch.Tensor:
        return torch.cat([self.along(0, uv[:, 0]), self.along(1, uv[:, 1])], dim=1)

    def along(self, axis: int, x: torch.Tensor) -> torch.Tensor:
        periods = x * self.cells[axis]
        # whole periods taken off first, exactly: a float32 angle of many turns says little
        return torch.sin((periods - periods.round()) * (2.0 * math.pi))[:, None]

    def combine(
        self, along_u: torch.Tensor, along_v: torch.Tensor, compute: torch.dtype | None = None
    ) -> torch.Tensor:
        along_u, along_v = along_u.to(dtype=compute), along_v.to(dtype=compute)
        rows, cols = len(along_v), len(along_u)
        return torch.stack([along_u.t().expand(rows, cols), along_v.expand(rows, cols)])

    def slang(self, name: str) -> SlangType:
        return SlangType(
            f"CellWave<{self.cells[0]}, {self.cells[1]}>",
            frozenset({"neuralshade.model.cell_wave"}),
        )
