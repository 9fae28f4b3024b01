"""Texture sampling of a repeating mip chain, as GPUs do it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.measure.plane.mip_filters import Floats, Maps

Doubles = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
NUMBERS = 8  # of a texel: albedo, normal, roughness, metallic
RANDOM = 5  # numbers that choose a texel: its level, and twice one of four and a position in it


@dataclass(frozen=True)
class TexelLevels:
    """The texels of a chain: float32 [all texels, NUMBERS], and the range of each level.

    The numbers of a texel are contiguous, so that a sample touches one cache line. Results,
    [..., NUMBERS], are stored number by number: sums and cross products of vectors of three cost
    several times as much where the three are contiguous.
    """

    texels: Floats
    first: Integers  # texel, of each level
    width: Integers
    height: Integers

    @classmethod
    def of(cls, chain: Sequence[Maps]) -> TexelLevels:
        """Return the levels of ``chain``, level 0 first, each of any size."""
        height, width = np.array([maps.roughness.shape for maps in chain]).T
        first = np.cumsum(height * width) - height * width
        texels = np.concatenate([_numbers(maps) for maps in chain])
        return cls(texels, first, width, height)

    @classmethod
    def sharing(cls, base: Maps, chains: Mapping[str, Sequence[Maps]]) -> dict[str, TexelLevels]:
        """Return ``chains`` of levels 1 and on, all over one shared level 0."""
        every = cls.of([base, *(maps for chain in chains.values() for maps in chain)])
        found: dict[str, TexelLevels] = {}
        begin = 1
        for name, chain in chains.items():
            own = [0, *range(begin, begin + len(chain))]
            found[name] = cls(every.texels, every.first[own], every.width[own], every.height[own])
            begin += len(chain)
        return found

    def replace_below(self, chain: Sequence[Maps]) -> None:
        """Replace levels 1 and on by others of the same sizes."""
        numbers = np.concatenate([_numbers(maps) for maps in chain])
        begin = int(self.first[1])
        self.texels[begin : begin + len(numbers)] = numbers

    def places(self, x: Doubles, y: Doubles) -> tuple[Doubles, Doubles]:
        """Return the fractional position in a tile, from its left and its top."""
        return _part(x), _part(-y * (self.width[0] / self.height[0]))

    def take(self, level: Integers, row: Integers, col: Integers) -> torch.Tensor:
        """Return texels [..., NUMBERS] of repeating tiles."""
        height, width = self.height[level], self.width[level]
        index = self.first[level] + row % height * width + col % width
        return self._gather(index)

    def nearest(self, x: Doubles, y: Doubles) -> torch.Tensor:
        """Return the texels of level 0 at positions: [..., NUMBERS]."""
        return self._at(*self.places(x, y))

    def _at(self, left: Doubles, above: Doubles) -> torch.Tensor:
        height, width = int(self.height[0]), int(self.width[0])
        row, col = (above * height).astype(np.int64), (left * width).astype(np.int64)
        row[row == height], col[col == width] = 0, 0  # a fraction of 1 was rounded up
        return self._gather(row * width + col)

    def _gather(self, index: Integers) -> torch.Tensor:
        found = np.moveaxis(self.texels.take(index, axis=0), -1, 0)
        return torch.from_numpy(np.ascontiguousarray(found)).movedim(0, -1)

    def bilinear(self, x: Doubles, y: Doubles, level: Integers) -> torch.Tensor:
        """Return bilinear samples of a level: [n, NUMBERS]."""
        u, v = self.places(x, y)
        u, v = u * self.width[level] - 0.5, v * self.height[level] - 0.5
        row, col = np.floor(v).astype(np.int64), np.floor(u).astype(np.int64)
        found = torch.zeros(len(u), NUMBERS)
        for down, row_part in ((0, 1 - (v - row)), (1, v - row)):
            for right, col_part in ((0, 1 - (u - col)), (1, u - col)):
                found += self.take(level, row + down, col + right) * _column(row_part * col_part)
        return found

    def trilinear(self, x: Doubles, y: Doubles, level: Doubles) -> torch.Tensor:
        """Return trilinear samples: [n, NUMBERS]."""
        lower = level.astype(np.int64)
        upper = np.minimum(lower + 1, len(self.first) - 1)
        part = level - lower
        fine, coarse = self.bilinear(x, y, lower), self.bilinear(x, y, upper)
        return fine * _column(1 - part) + coarse * _column(part)

    def drawn(self, x: Doubles, y: Doubles, level: Doubles, u: Doubles) -> torch.Tensor:
        """Return random texels of level 0, with the probability of their weight in ``trilinear``.

        One of the two levels is drawn, one of its four texels, and a position in its area.

        Args:
            x: [...], as ``y`` and ``level``.
            u: uniform in [0, 1), [RANDOM, ...].

        Returns:
            float32 [..., NUMBERS].

        Source: Pharr et al. 2024, Filtering After Shading With Stochastic Texture Filtering.
        """
        lower = level.astype(np.int64)
        chosen = np.minimum(lower + (u[0] < level - lower), len(self.first) - 1)
        left, above = self.places(x, y)
        width, height = self.width[chosen], self.height[chosen]
        col = np.floor(left * width - 0.5 + u[1]) + u[2]
        row = np.floor(above * height - 0.5 + u[3]) + u[4]
        return self._at(_part(col / width), _part(row / height))


def _numbers(maps: Maps) -> Floats:
    """Return the texels of a level: float32 [H * W, NUMBERS], copied.

    Contiguous in C order, whatever the maps' order: otherwise each sample would copy all texels.
    """
    parts = (maps.albedo, maps.normal, maps.roughness[..., None], maps.metallic[..., None])
    texels = np.empty((maps.roughness.size, NUMBERS), np.float32)
    np.concatenate(parts, axis=2, out=texels.reshape(*maps.roughness.shape, NUMBERS))
    return texels


def _part(values: Doubles) -> Doubles:
    """Return values modulo 1; several times as fast as %."""
    return np.asarray(values - np.floor(values))


def _column(values: Doubles) -> torch.Tensor:
    return torch.from_numpy(values.astype(np.float32))[:, None]
