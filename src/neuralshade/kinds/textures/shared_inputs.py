"""Shared encoding of a texel rectangle: what its columns and rows have in common.

Bilinear weights are products of a column's and a row's, so latents are mixed along rows, then along
columns, each as a product with a sparse matrix: cheaper than gathering. Sines of a position are
copied from its column and its row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import torch

from neuralshade.model.block_grid import BlockGrid
from neuralshade.model.encoding import Encoding
from neuralshade.model.latent_grid import LatentGrid
from neuralshade.model.latent_position import LatentPosition

BLOCK_ROWS, BLOCK_COLUMNS = 32, 128  # texels: 64 neurons of a block take a megabyte


class SharedInputs(Protocol):
    """An encoding at the crossings of columns and rows of a mip."""

    def strip(self, rows: slice) -> torch.Tensor:
        """Return the intermediate results of some rows, from a multiple of BLOCK_ROWS on."""

    def blocks(self, strip: torch.Tensor, tile: int) -> Sequence[torch.Tensor]:
        """Return those of each block of rows of ``strip``, in a tile of columns."""

    def write(self, out: torch.Tensor, tile: int, block: torch.Tensor, fresh: bool) -> None:
        """Write a block's encoding: [width, rows, columns].

        ``fresh``: no block of the same tile was written there before.
        """


def shared_inputs(part: Encoding, mip: int, u: torch.Tensor, v: torch.Tensor) -> SharedInputs:
    """Return an encoding of a set with columns at ``u`` and rows at ``v`` of a mip."""
    if isinstance(part, (LatentGrid, BlockGrid)):
        return SharedLatents(part, mip, u, v)
    assert isinstance(part, LatentPosition), type(part)
    return SharedPosition(part, mip, u, v)


class SharedLatents:
    """Latents: a strip holds their rows mixed, [rows, latents across, features]."""

    def __init__(self, grid: LatentGrid | BlockGrid, mip: int, u: torch.Tensor, v: torch.Tensor):
        self.grid, self.level = grid, grid.serves[mip]
        self.columns, self.rows = grid.crossings(u, v, mip)
        tiles = zip(*(part.split(BLOCK_COLUMNS) for part in self.columns), strict=True)
        self.tiles = [_weights(*tile) for tile in tiles]

    def strip(self, rows: slice) -> torch.Tensor:
        before, after, share = (part[rows] for part in self.rows)
        which, weights = _weights(before, after, share)
        seen = self.grid.level_rows(self.level, which)
        mixed = torch.mm(weights, seen.flatten(1)).mul_(2).sub_(1)
        return mixed.view(len(share), -1, self.grid.features)

    def blocks(self, strip: torch.Tensor, tile: int) -> Sequence[torch.Tensor]:
        seen = strip.index_select(1, self.tiles[tile][0]).permute(2, 0, 1)
        return [block.flatten(0, 1) for block in seen.split(BLOCK_ROWS, dim=1)]

    def write(self, out: torch.Tensor, tile: int, block: torch.Tensor, fresh: bool) -> None:
        torch.mm(block, self.tiles[tile][1].t(), out=out.flatten(0, 1))


def _weights(
    before: torch.Tensor, after: torch.Tensor, share: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the latents [k] around positions [n], and their weights: [n, k]."""
    which, of_place = torch.unique(torch.cat([before, after]), return_inverse=True)
    weights = torch.zeros(len(share), len(which))
    first, second = of_place.view(2, -1, 1)
    weights.scatter_add_(1, first, (1 - share)[:, None])
    return which, weights.scatter_add_(1, second, share[:, None])


class SharedPosition:
    """Sines of the position, octave by octave: two along u, two along v; then the mip."""

    def __init__(self, part: LatentPosition, mip: int, u: torch.Tensor, v: torch.Tensor):
        middle, level = torch.full_like(u, 0.5), torch.full_like(u, float(mip))
        of_u = part(torch.stack([u, middle, level], dim=1)).t()
        middle, level = torch.full_like(v, 0.5), torch.full_like(v, float(mip))
        of_v = part(torch.stack([middle, v, level], dim=1)).t()
        self.mip = float(of_u[-1, 0])
        self.along_u = of_u[:-1].view(-1, 2, 2, len(u))[:, 0].split(BLOCK_COLUMNS, dim=2)
        self.along_v = of_v[:-1].view(-1, 2, 2, len(v))[:, 1]

    def strip(self, rows: slice) -> torch.Tensor:
        return self.along_v[..., rows]

    def blocks(self, strip: torch.Tensor, tile: int) -> Sequence[torch.Tensor]:
        return strip.split(BLOCK_ROWS, dim=2)

    def write(self, out: torch.Tensor, tile: int, block: torch.Tensor, fresh: bool) -> None:
        waves = out[:-1].view(-1, 2, 2, *out.shape[1:])
        if fresh:
            waves[:, 0] = self.along_u[tile][:, :, None, :]
            out[-1] = self.mip
        waves[:, 1] = block[..., None]
