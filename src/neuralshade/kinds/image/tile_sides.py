"""Texels of a picture's tiles: as many as lower its error most, all in all as many as fit.

What a tile loses with so many texels is estimated by what bilinear interpolation between as many,
chosen best for each channel, would lose. A network reads more out of them, but where one tile
gains more than another is much the same.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch

from neuralshade.model.field import Field
from neuralshade.model.tile_grid import FEWEST, MOST, TileGrid
from neuralshade.source.picture import Picture

CLASSES = 14  # sides that tiles may have, from FEWEST to a texel a pixel: each is refined alone
AT_ONCE = 2**20  # pixels
# Interpolated noise loses in proportion to the texels that it lacks, so that alike tiles would have
# all of them or few. What a network makes of texels has a diminishing return: each texel a pixel
# lowers the loss by this factor of e more. Measured on pictures of Kodak: docs/notes/images.md.
DIMINISHING = 2.0
HALVINGS = 80  # of the interval in which the price of a texel is


def set_sides(field: Field, picture: Picture, kept: Mapping[str, torch.Tensor]) -> None:
    """Set the sides of a field's tile grids: those of ``kept``, by name, or what suits a picture.

    Raises: ConfigError for sides of ``kept`` that are none of such a grid.
    """
    for path, module in field.named_modules():
        if isinstance(module, TileGrid):
            own = kept.get(f"{path}.sides")
            module.set_sides(tile_sides(picture, module) if own is None else own)


@torch.no_grad()
def tile_sides(picture: Picture, grid: TileGrid) -> torch.Tensor:
    """Return the texels along each tile's side: uint8 [down, across], for any picture."""
    sides = side_classes(grid.tile)
    bases = [_basis(side, grid.tile) for side in sides]
    some = max(1, AT_ONCE // (grid.tile * grid.size[0]))  # rows of tiles
    starts = range(0, grid.count[1], some)
    losses = torch.cat([_losses(picture, grid, row, min(some, grid.count[1] - row), bases)
                        for row in starts])  # fmt: skip
    costs = torch.tensor(sides).square()
    losses *= torch.exp(-DIMINISHING * costs / grid.tile**2)
    chosen = shared_out(losses.t(), costs, grid.texels.shape[1])
    return torch.tensor(sides, dtype=torch.uint8)[chosen].view(grid.count[1], grid.count[0])


def side_classes(tile: int) -> list[int]:
    """Return the sides that tiles of ``tile`` pixels may have, evenly spaced as logarithms."""
    most = min(tile, MOST)
    growth = (most / FEWEST) ** (1 / (CLASSES - 1))
    return sorted({round(FEWEST * growth**step) for step in range(CLASSES)})


def _losses(
    picture: Picture, grid: TileGrid, row: int, count: int, bases: list[torch.Tensor]
) -> torch.Tensor:
    """Return the squared errors of some rows of tiles, for each side: float64 [tiles, sides]."""
    tile, across, (width, height) = grid.tile, grid.count[0], grid.size
    # a grid of another size than the picture: its tiles are as large a share of it
    rows = _sampled(row * tile, count * tile, height, picture.height)
    cols = _sampled(0, across * tile, width, picture.width)
    first = int(rows[0])
    pixels = torch.from_numpy(picture.as_float(slice(first, int(rows[-1]) + 1)))
    strip = pixels[rows - first][:, cols]
    if picture.hdr:
        strip = strip.clamp(min=0).log1p()
    if picture.alpha_weighted:
        strip[..., :-1] *= strip[..., -1:]
    tiles = strip.view(count, tile, across, tile, -1).permute(0, 2, 4, 1, 3).flatten(0, 1)
    tiles = tiles - tiles.mean((2, 3), keepdim=True)  # which any side keeps; so are sums exact
    energy = tiles.square().sum((1, 2, 3))
    left = [energy - (basis.t() @ tiles @ basis).square().sum((1, 2, 3)) for basis in bases]
    # pixels beyond the border repeat the last one; they count for nothing
    inside = _inside(height, tile)[row : row + count, None] * _inside(width, tile)
    return torch.stack(left, dim=1).clamp_(min=0).double() * inside.view(-1, 1)


def _basis(side: int, tile: int) -> torch.Tensor:
    """Return an orthonormal basis of what ``side`` texels interpolate to: [tile, side]."""
    at = torch.linspace(0, side - 1, tile, dtype=torch.float64)
    weights = (1 - (at[:, None] - torch.arange(side)).abs()).clamp_(min=0)
    return torch.linalg.qr(weights)[0].float()


def _sampled(first: int, count: int, size: int, pixels: int) -> torch.Tensor:
    """Return the pixels under ``count`` of a grid's from ``first`` on; the last beyond the end."""
    at = (torch.arange(first, first + count).double() + 0.5) * (pixels / size)
    return at.long().clamp_(max=pixels - 1)


def _inside(size: int, tile: int) -> torch.Tensor:
    """Return how much of each tile along an axis lies in a picture: [tiles] in (0, 1]."""
    begins = torch.arange(0, size, tile)
    return (size - begins).clamp(max=tile) / tile


def shared_out(losses: torch.Tensor, costs: torch.Tensor, budget: int) -> torch.Tensor:
    """Return which option each tile takes: the least sum of losses within a budget, or nearly.

    Args:
        losses: float64 [options, tiles].
        costs: int64 [options], rising.
        budget: of the tiles' costs together; at least the first cost for each.

    Returns:
        int64 [tiles].
    """
    low, high = 0.0, 2 * float(losses.max()) + 1.0  # of a texel's price: at ``high`` all are cheap
    for _ in range(HALVINGS):
        price = (low + high) / 2
        taken = (losses + price * costs[:, None]).argmin(0)
        low, high = (price, high) if int(costs[taken].sum()) > budget else (low, price)
    return _filled((losses + high * costs[:, None]).argmin(0), losses, costs, budget)


def _filled(
    taken: torch.Tensor, losses: torch.Tensor, costs: torch.Tensor, budget: int
) -> torch.Tensor:
    """Return ``taken`` with what is left of a budget spent, where most is gained for it first."""
    tiles, last = torch.arange(len(taken)), len(costs) - 1
    while True:
        left = budget - int(costs[taken].sum())
        more = (taken + 1).clamp(max=last)
        dearer = costs[more] - costs[taken]
        gains = (losses[taken, tiles] - losses[more, tiles]) / dearer.clamp(min=1)
        order = torch.where(dearer > 0, gains, -1.0).argsort(descending=True, stable=True)
        order = order[(dearer[order] > 0) & (dearer[order] <= left)]
        chosen = order[dearer[order].cumsum(0) <= left]
        if not len(chosen):
            return taken
        taken = taken.clone()
        taken[chosen] += 1
