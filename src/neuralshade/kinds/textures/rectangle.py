"""Decoding rectangles of texels on a CPU: what rows and columns share is computed once.

Bilinear weights and the sines of a position are products or copies of what a row and a column
have, so that next to the network's products an encoding costs little.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from neuralshade.model.composite import Composite
from neuralshade.model.encoding import Encoding
from neuralshade.model.field import Field
from neuralshade.model.latent_grid import LatentGrid
from neuralshade.model.latent_position import LatentPosition

TILE_PX = 128  # a side: the activations of a tile stay in a core's cache

Rectangle = tuple[int, int, int, int]  # x, y, width, height, in texels


def rectangle_of(index: torch.Tensor, across: int) -> Rectangle | None:
    """Return which rectangle texels fill row by row; None where they do not.

    ``index``: int64 [n], numbers of texels of a mip of ``across`` columns.
    """
    if not len(index):
        return None
    first = int(index[0])
    x, y = first % across, first // across
    if int(index[-1]) < first:
        return None
    height = int(index[-1]) // across - y + 1
    width = len(index) // height
    if width * height != len(index) or x + width > across:
        return None
    rows = torch.arange(y, y + height, device=index.device) * across
    columns = torch.arange(x, x + width, device=index.device)
    filled = torch.equal(index.view(height, width), rows[:, None] + columns)
    return (x, y, width, height) if filled else None


def takes_rectangles(field: Field) -> bool:
    """Return whether a field's encoding is one that rows and columns can share the work of."""
    parts = field.encoding.members if isinstance(field.encoding, Composite) else ()
    return bool(parts) and all(isinstance(part, (LatentGrid, LatentPosition)) for part in parts)


@torch.no_grad()
def decode_rectangle(
    field: Field, sizes: Sequence[tuple[int, int]], mip: int, rectangle: Rectangle
) -> torch.Tensor:
    """Return the trained channels of a rectangle of a mip, row by row: float32 [n, C].

    As ``field.on_samples`` has them at the texels' centres, up to float32 rounding; not clamped.
    ``field``: one that ``takes_rectangles``.
    """
    x, y, width, height = rectangle
    device = next(field.parameters()).device
    u = (torch.arange(x, x + width, device=device) + 0.5) / sizes[mip][0]
    v = (torch.arange(y, y + height, device=device) + 0.5) / sizes[mip][1]
    tiles = [
        torch.cat([_tile(field, across, down, mip) for across in u.split(TILE_PX)], dim=2)
        for down in v.split(TILE_PX)
    ]
    return torch.cat(tiles, dim=1).flatten(1).t()


def _tile(field: Field, u: torch.Tensor, v: torch.Tensor, mip: int) -> torch.Tensor:
    """Return the channels where columns ``u`` [C] cross rows ``v`` [R]: [channels, R, C]."""
    encoded = torch.empty(field.encoding.width, len(v), len(u), device=u.device)
    assert isinstance(field.encoding, Composite)  # by layout.py
    first = 0
    for part in field.encoding.members:
        own = encoded[first : first + part.width]
        first += part.width
        _fill(own, part, u, v, mip)
    return field.network.on_columns(encoded.flatten(1), torch.float32).view(-1, len(v), len(u))


def _fill(out: torch.Tensor, part: Encoding, u: torch.Tensor, v: torch.Tensor, mip: int) -> None:
    if isinstance(part, LatentGrid):
        _fill_latents(out, part, u, v, mip)
        return
    assert isinstance(part, LatentPosition), type(part)
    middle = torch.full_like(u, 0.5), torch.full_like(v, 0.5)
    level_u, level_v = (torch.full_like(axis, float(mip)) for axis in (u, v))
    of_u = part(torch.stack([u, middle[0], level_u], dim=1)).t()
    of_v = part(torch.stack([middle[1], v, level_v], dim=1)).t()
    for row in range(part.width):
        # octave by octave: sin and cos along u, then along v; last the mip, the same in both
        along_v = row % 4 >= 2
        out[row] = of_v[row][:, None] if along_v else of_u[row]


def _fill_latents(
    out: torch.Tensor, grid: LatentGrid, u: torch.Tensor, v: torch.Tensor, mip: int
) -> None:
    """Mix latents along columns, for the few rows of them that are needed, then along rows."""
    (left, right, across), (upper, lower, down) = grid.crossings(u, v, mip)
    rows, of_row = torch.unique(torch.cat([upper, lower]), return_inverse=True)
    level = grid.level(grid.serves[mip]).index_select(0, rows).permute(2, 0, 1)
    mixed = torch.lerp(level.index_select(2, left), level.index_select(2, right), across)
    mixed = mixed.mul_(2).sub_(1)
    above, below = of_row.split(len(v))
    torch.lerp(mixed.index_select(1, above), mixed.index_select(1, below), down[:, None], out=out)
