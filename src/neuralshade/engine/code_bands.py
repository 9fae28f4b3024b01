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

    @abc.abstractmethod
    def apply(self, rows: slice) -> None:
        """Write the codes of some rows to the field."""

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
        own = [centered(level.codes.shape[1], low, high) for level in levels]
        rows = []
        for index in range(len(lattices)):
            seen = [level.axes[index][1].reading_pixels(some)
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
    return [Band.of(levels, lattices, *pair) for pair in pairwise(edges)]


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
