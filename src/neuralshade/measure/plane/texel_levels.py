"""Look-ups of texels in a mip chain whose tiles have no end, as a GPU makes them."""

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
RANDOM = 5  # numbers that choose a texel: its level, and twice which of the four and where in it


@dataclass(frozen=True)
class TexelLevels:
    """The texels of a chain: float32 [NUMBERS, all texels], and where each level lies.

    Look-ups return [..., NUMBERS] laid out the same, number by number: shading sums and crosses
    vectors of three, which costs several times as much where the three lie beside each other.
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
        texels = np.concatenate([_numbers(maps) for maps in chain], axis=1)
        return cls(texels, first, width, height)

    @classmethod
    def sharing(cls, base: Maps, chains: Mapping[str, Sequence[Maps]]) -> dict[str, TexelLevels]:
        """Return ``chains`` of levels 1 and on, all over one level 0, which is held once."""
        every = cls.of([base, *(maps for chain in chains.values() for maps in chain)])
        found: dict[str, TexelLevels] = {}
        begin = 1
        for name, chain in chains.items():
            own = [0, *range(begin, begin + len(chain))]
            found[name] = cls(every.texels, every.first[own], every.width[own], every.height[own])
            begin += len(chain)
        return found

    def replace_below(self, chain: Sequence[Maps]) -> None:
        """Take over other levels 1 and on, of the same sizes."""
        numbers = np.concatenate([_numbers(maps) for maps in chain], axis=1)
        begin = int(self.first[1])
        self.texels[:, begin : begin + numbers.shape[1]] = numbers

    def places(self, x: Doubles, y: Doubles) -> tuple[Doubles, Doubles]:
        """Return which part of a tile's width and height lies left of a place, and above it."""
        return _part(x), _part(-y * (self.width[0] / self.height[0]))

    def take(self, level: Integers, row: Integers, col: Integers) -> torch.Tensor:
        """Return texels [..., NUMBERS] of tiles without end."""
        height, width = self.height[level], self.width[level]
        index = self.first[level] + row % height * width + col % width
        return self._gather(index)

    def nearest(self, x: Doubles, y: Doubles) -> torch.Tensor:
        """Return the texels of level 0 that places lie in: [..., NUMBERS]."""
        return self._at(*self.places(x, y))

    def _at(self, left: Doubles, above: Doubles) -> torch.Tensor:
        height, width = int(self.height[0]), int(self.width[0])
        row, col = (above * height).astype(np.int64), (left * width).astype(np.int64)
        row[row == height], col[col == width] = 0, 0  # a part of 1 is one that was rounded up
        return self._gather(row * width + col)

    def _gather(self, index: Integers) -> torch.Tensor:
        return torch.from_numpy(self.texels.take(index, axis=1)).movedim(0, -1)

    def bilinear(self, x: Doubles, y: Doubles, level: Integers) -> torch.Tensor:
        """Return what lies between four texels of a level: [n, NUMBERS]."""
        u, v = self.places(x, y)
        u, v = u * self.width[level] - 0.5, v * self.height[level] - 0.5
        row, col = np.floor(v).astype(np.int64), np.floor(u).astype(np.int64)
        found = torch.zeros(len(u), NUMBERS)
        for down, row_part in ((0, 1 - (v - row)), (1, v - row)):
            for right, col_part in ((0, 1 - (u - col)), (1, u - col)):
                found += self.take(level, row + down, col + right) * _column(row_part * col_part)
        return found

    def trilinear(self, x: Doubles, y: Doubles, level: Doubles) -> torch.Tensor:
        """Return what lies between two levels: [n, NUMBERS]."""
        lower = level.astype(np.int64)
        upper = np.minimum(lower + 1, len(self.first) - 1)
        part = level - lower
        fine, coarse = self.bilinear(x, y, lower), self.bilinear(x, y, upper)
        return fine * _column(1 - part) + coarse * _column(part)

    def drawn(self, x: Doubles, y: Doubles, level: Doubles, u: Doubles) -> torch.Tensor:
        """Return texels of level 0, each as likely as the filter of ``trilinear`` weighs it.

        Of the two levels one is drawn, of its four texels one, and a place in what that covers.

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
    """Return the texels of a level: float32 [NUMBERS, H * W]."""
    vectors = (np.moveaxis(of_three, 2, 0) for of_three in (maps.albedo, maps.normal))
    planes = np.concatenate([*vectors, maps.roughness[None], maps.metallic[None]])
    # NumPy keeps pixels' own layout where it can, and takes out of it only by copying all of it
    return np.ascontiguousarray(planes.reshape(NUMBERS, -1), dtype=np.float32)


def _part(values: Doubles) -> Doubles:
    """Return values modulo 1, as % has them but several times as fast."""
    return np.asarray(values - np.floor(values))


def _column(values: Doubles) -> torch.Tensor:
    return torch.from_numpy(values.astype(np.float32))[:, None]
