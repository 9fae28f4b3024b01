"""Bands of quantized grid codes for refinement: levels, pixel lattices, and rows of both."""

from __future__ import annotations

import abc
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.model.axis_stencil import Axis


@dataclass
class Level(abc.ABC):
    """The codes of one level of a grid, and where its features are among all."""

    codes: torch.Tensor  # float32 [features, rows, columns], whole numbers
    step: torch.Tensor  # [features]: what the encoding changes by, from one code to the next
    limits: tuple[int, int]  # the least code, and the greatest
    first: int  # of its features, in the encoding
    axes: Sequence[tuple[Axis, Axis]]  # by each lattice: along, down
    # What kernels read: number ``first_number`` of the encoding's and those behind it, row by row
    # and texel by texel, each (code + offset) * quantum.
    first_number: int
    offset: float
    quantum: torch.Tensor  # [features]

    @abc.abstractmethod
    def apply(self, rows: slice) -> None:
        """Let the field have the codes of some rows."""

    @property
    def reach(self) -> int:
        """Return how far a code moves in a pass at most: as far as the decoder is about linear."""
        low, high = self.limits
        return max(1, (high - low + 1) // 32)


class Lattice(Protocol):
    """Evenly spaced pixels with what they ought to be: a picture, or a mip of a set."""

    size: tuple[int, int]  # height, width
    beyond: tuple[float, ...]  # coordinates of all its positions, behind (u, v)
    weights: torch.Tensor | None  # roots of those that errors of channels count with, [C]
    alpha: int | None  # the channel that errors of all others count by, as it ought to be

    def encoded(self, rows: torch.Tensor) -> torch.Tensor:
        """Return the encoding of the pixels of some rows, as it is now: [features, N]."""

    def target(self, rows: torch.Tensor) -> torch.Tensor:
        """Return what these pixels ought to be: float32 [C, rows, width] in [0, 1]."""

    def targets(self) -> npt.NDArray[np.float32]:
        """Return what all pixels ought to be, row by row: float32 [height * width, C]."""


@dataclass(frozen=True)
class Group:
    """Levels, and all lattices that see one of them."""

    levels: Sequence[Level]
    lattices: Sequence[Lattice]


@dataclass(frozen=True)
class Band:
    """Texels whose centres lie in a share of all rows, and all pixels that see one of them."""

    own: list[slice]  # rows of each level
    rows: list[torch.Tensor]  # of each lattice: int64, one after the other, row 0 after the last

    @staticmethod
    def of(levels: Sequence[Level], lattices: Sequence[Lattice], low: float, high: float) -> Band:
        """Return the band of rows between two shares of all."""
        own = [centered(level.codes.shape[1], low, high) for level in levels]
        rows = []
        for index in range(len(lattices)):
            seen = [level.axes[index][1].seeing(some)
                    for level, some in zip(levels, own, strict=True)]  # fmt: skip
            rows.append(around(torch.stack(seen).any(0)))
        return Band(own, rows)


def bands_of(levels: Sequence[Level], lattices: Sequence[Lattice], most_pixels: int) -> list[Band]:
    """Return bands that hold all rows, of about so many pixels of the finest lattice at most."""
    if not levels:
        return []
    height, width = max(lattice.size for lattice in lattices)
    count = max(1, min(height, round(height * width / most_pixels)))
    if count > 1:
        count += count % 2  # what wraps has the first band beside the last
    edges = [index / count for index in range(count + 1)]
    return [Band.of(levels, lattices, *pair) for pair in pairwise(edges)]


def centered(count: int, low: float, high: float) -> slice:
    """Return which of ``count`` texels have their centres in [low, high)."""
    return slice(math.ceil(low * count - 0.5), math.ceil(high * count - 0.5))


def around(seen: torch.Tensor) -> torch.Tensor:
    """Return the fewest rows that follow each other, the first after the last, and hold all seen.

    bool [rows] -> int64.
    """
    count, where = len(seen), seen.nonzero()[:, 0]
    if not len(where):
        return where
    gaps = torch.cat([where[1:], where[:1] + count]) - where
    widest = int(gaps.argmax())
    first, rows = where[(widest + 1) % len(where)], count - int(gaps[widest]) + 1
    return (first + torch.arange(rows)) % count
