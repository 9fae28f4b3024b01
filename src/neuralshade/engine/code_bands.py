"""Bands of quantized grid codes for refinement: levels, pixel lattices, and rows of both."""

from __future__ import annotations

import abc
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Protocol

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.model.axis_stencil import Axis


@dataclass(frozen=True)
class Tiles:
    """Square tiles of a picture with texels of their own: no pixel reads those of two.

    A level's rows are those of the first tile, then those of the second, and so on.
    """

    side: int  # texels along a tile's side
    tile: int  # pixels along it; the last ones may lie beyond the picture
    origins: torch.Tensor  # int64 [tiles, 2]: (x, y) of their first pixels, row by row
    size: tuple[int, int]  # height, width of the picture

    def own_rows(self, low: float, high: float) -> slice:
        """Return the rows of tiles with centres in a range of the height."""
        top = self.origins[:, 1]
        centres = (top + (top + self.tile).clamp(max=self.size[0])) / (2 * self.size[0])
        return slice(*(self.side * int((centres < edge).sum()) for edge in (low, high)))

    def pixel_rows(self, own: slice) -> torch.Tensor:
        """Return the rows of pixels that read one of some rows: bool [height]."""
        seen = torch.zeros(self.size[0], dtype=torch.bool)
        tops = self.origins_of(own)[:, 1]
        if len(tops):
            seen[int(tops[0]) : int(tops[-1]) + self.tile] = True
        return seen

    def origins_of(self, own: slice) -> torch.Tensor:
        """Return the origins of the tiles to which some rows belong."""
        return self.origins[own.start // self.side : own.stop // self.side]


@dataclass
class Level(abc.ABC):
    """Codes of one grid level, and the position of its features in the encoding."""

    codes: torch.Tensor  # float32 [features, rows, columns], integers
    step: torch.Tensor  # [features]: change of the encoding from one code to the next
    limits: tuple[int, int]  # least and greatest code
    first: int  # index of its first feature in the encoding
    axes: Sequence[tuple[Axis, Axis]]  # by each lattice: along, down
    # In kernels: number ``first_number`` of the encoding and those after it, row by row and texel
    # by texel, each (code + offset) * quantum; from one texel to the next are ``stride``.
    first_number: int
    stride: int
    offset: float
    quantum: torch.Tensor  # [features]
    # Where set, the axes are those of any one tile, and there is one lattice.
    tiles: Tiles | None = field(default=None, kw_only=True)

    @abc.abstractmethod
    def apply(self, rows: slice) -> None:
        """Write the codes of some rows to the field."""

    def own_rows(self, low: float, high: float) -> slice:
        """Return the rows with centres in a range of the height: whole tiles, where it has such."""
        if self.tiles is not None:
            return self.tiles.own_rows(low, high)
        return centered(self.codes.shape[1], low, high)

    def pixel_rows(self, index: int, own: slice) -> torch.Tensor:
        """Return the rows of a lattice that read one of some rows: bool [height]."""
        if self.tiles is not None:
            return self.tiles.pixel_rows(own)
        return self.axes[index][1].reading_pixels(own)

    @property
    def reach(self) -> int:
        """Return the largest change of a code in a pass: the decoder is about linear that far."""
        low, high = self.limits
        return max(1, (high - low + 1) // 32)


class Lattice(Protocol):
    """Evenly spaced pixels with target values: a picture, or a mip of a set."""

    size: tuple[int, int]  # height, width
    beyond: tuple[float, ...]  # coordinates after (u, v), the same for all positions
    weights: torch.Tensor | None  # square roots of the channels' weights, [C]
    alpha: int | None  # channel whose target weighs the errors of all others

    def encoded(self, rows: torch.Tensor) -> torch.Tensor:
        """Return the current encoding of the pixels of some rows: [features, N]."""

    def target(self, rows: torch.Tensor) -> torch.Tensor:
        """Return the targets of these pixels: float32 [C, rows, width] in [0, 1]."""

    def targets(self) -> npt.NDArray[np.float32]:
        """Return the targets of all pixels, row by row: float32 [height * width, C]."""


@dataclass(frozen=True)
class Group:
    """Levels, and all lattices whose pixels read one of them."""

    levels: Sequence[Level]
    lattices: Sequence[Lattice]


@dataclass(frozen=True)
class Band:
    """Texels with centres in a range of rows, and all pixels that read one of them."""

    own: list[slice]  # rows of each level
    rows: list[torch.Tensor]  # of each lattice: int64, consecutive, row 0 after the last

    @staticmethod
    def of(levels: Sequence[Level], lattices: Sequence[Lattice], low: float, high: float) -> Band:
        """Return the band of rows between two fractions of the height."""
        own = [level.own_rows(low, high) for level in levels]
        rows = []
        for index in range(len(lattices)):
            seen = [level.pixel_rows(index, some)
                    for level, some in zip(levels, own, strict=True)]  # fmt: skip
            rows.append(around(torch.stack(seen).any(0)))
        return Band(own, rows)


def bands_of(levels: Sequence[Level], lattices: Sequence[Lattice], most_pixels: int) -> list[Band]:
    """Return bands that cover all rows, each with about ``most_pixels`` of the finest lattice."""
    if not levels:
        return []
    height, width = max(lattice.size for lattice in lattices)
    count = max(1, min(height, round(height * width / most_pixels)))
    if count > 1:
        count += count % 2  # a wrapping grid has the first band beside the last
    edges = [index / count for index in range(count + 1)]
    tile = max((level.tiles.tile for level in levels if level.tiles is not None), default=1)
    if tile > 1:
        edges = between_tiles(edges, height, tile)
    return [Band.of(levels, lattices, *pair) for pair in pairwise(edges)]


def between_tiles(edges: Sequence[float], height: int, tile: int) -> list[float]:
    """Return the fractions of the height nearest to some, 0 and 1 among them, that cut no tile.

    A band would read all rows of a tile of which it contains the centre, and so would others
    beside it: fewer and higher ones read fewer rows in all, and few in common.
    """
    inner = {round(edge * height / tile) * tile for edge in edges[1:-1]}
    return [0.0, *(row / height for row in sorted(inner) if 0 < row < height), 1.0]


def centered(count: int, low: float, high: float) -> slice:
    """Return which of ``count`` texels have their centres in [low, high)."""
    return slice(math.ceil(low * count - 0.5), math.ceil(high * count - 0.5))


def around(seen: torch.Tensor) -> torch.Tensor:
    """Return the shortest consecutive run of rows, cyclically, that contains all of ``seen``.

    bool [rows] -> int64.
    """
    count, where = len(seen), seen.nonzero()[:, 0]
    if not len(where):
        return where
    gaps = torch.cat([where[1:], where[:1] + count]) - where
    widest = int(gaps.argmax())
    first, rows = where[(widest + 1) % len(where)], count - int(gaps[widest]) + 1
    return (first + torch.arange(rows)) % count
