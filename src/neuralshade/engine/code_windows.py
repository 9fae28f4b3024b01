"""Pixels of a band as the texels of one level read them, for refinement on a CPU."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch

from neuralshade.engine.code_bands import Level, Tiles
from neuralshade.model.axis_stencil import Axis


@dataclass(frozen=True)
class Window:
    """Rows of a lattice, read by the searched codes of a level along two axes.

    Pixels are [C, rows, columns]; those that the level reads are all of them.
    """

    along: Axis
    down: Axis
    rows: torch.Tensor  # int64, of axis ``down``

    @property
    def first(self) -> int:
        return int(self.rows[0])

    def cut(self, pixels: torch.Tensor) -> torch.Tensor:
        """Return the pixels that the level reads; the same memory where these are all."""
        return pixels

    def cut_slopes(self, slopes: torch.Tensor) -> torch.Tensor:
        """Return the slopes of these pixels, 0 where there is no such pixel."""
        return slopes

    def paste(self, read: torch.Tensor, pixels: torch.Tensor) -> None:
        """Write what ``cut`` returned back to where that is a copy."""


@dataclass(frozen=True)
class TileWindow(Window):
    """Tiles of a lattice, stacked along their rows, as the level's codes are."""

    index: torch.Tensor  # int64 [rows * columns]: of their pixels among the band's
    inside: torch.Tensor  # bool [rows * columns]: False beyond the lattice

    def cut(self, pixels: torch.Tensor) -> torch.Tensor:
        flat = pixels.flatten(1).index_select(1, self.index)
        return flat.view(len(pixels), len(self.rows), -1)

    def cut_slopes(self, slopes: torch.Tensor) -> torch.Tensor:
        found = self.cut(slopes)
        return found if self._complete else found.mul_(self.inside.view(found.shape[1:]))

    def paste(self, read: torch.Tensor, pixels: torch.Tensor) -> None:
        flat, index = read.flatten(1), self.index
        if not self._complete:
            flat, index = flat[:, self.inside], index[self.inside]
        pixels.view(len(pixels), -1).index_copy_(1, index, flat)

    @cached_property
    def _complete(self) -> bool:
        return bool(self.inside.all())


def window_of(level: Level, own: slice, index: int, rows: torch.Tensor) -> Window:
    """Return the window of a level's own rows.

    ``index``: of the lattice; ``rows``: those of the band, int64.
    """
    along, down = level.axes[index]
    if level.tiles is None:
        return Window(along, down, rows)
    tiles, origins = level.tiles, level.tiles.origins_of(own)
    stacked = down.stacked(len(origins))
    place, inside = _tile_pixels(tiles, origins, rows)
    return TileWindow(along, stacked, torch.arange(stacked.pixels), place, inside)


def searched_rows(level: Level, own: slice) -> slice:
    """Return the rows whose codes the axes of a window read: all, or those of the own tiles."""
    return slice(0, level.codes.shape[1]) if level.tiles is None else own


def _tile_pixels(
    tiles: Tiles, origins: torch.Tensor, rows: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the index of all pixels of tiles among those of some rows, and which there are.

    int64 and bool [tiles * tile * tile], row by row of one tile after the other.
    """
    (height, width), within = tiles.size, torch.arange(tiles.tile)
    x, y = (origins[:, axis, None] + within for axis in (0, 1))  # [tiles, tile]
    row = (y - rows[0]) % height
    inside = (y < height)[:, :, None] & (x < width)[:, None]
    index = row[:, :, None] * width + x[:, None]
    return torch.where(inside, index, 0).flatten(), inside.flatten()
