"""Which Gaussians meet which cell of a picture: the lists that shaders go through."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from neuralshade.kinds.splats.draw import Cloud
from neuralshade.model.gaussian import CENTER, SHEAR, SIZE, reach_px

Words = npt.NDArray[np.uint32]
Doubles = npt.NDArray[np.float64]

CELL_PX = 8  # a side
AT_ONCE = 2**20  # pairs of a Gaussian and a cell that are tested in one go
SLACK = 1e-5  # of a squared distance, for what float32 rounds
SHORT = 2**16  # numbers of Gaussians below it take half a word


@dataclass(frozen=True)
class Lists:
    """The Gaussians that each cell meets, in their order, one cell behind the other."""

    across: int  # cells
    down: int
    firsts: Words  # [cells + 1], where in ``numbers`` each cell's begin
    numbers: Words  # [any], of Gaussians

    def words(self, count: int) -> Words:
        """Return the firsts, and then the numbers: two to a word where ``count`` allows it."""
        numbers = self.numbers
        if count <= SHORT:
            pairs = np.pad(numbers, (0, len(numbers) % 2)).reshape(-1, 2)
            numbers = pairs[:, 0] | pairs[:, 1] << np.uint32(16)
        return np.concatenate([self.firsts, numbers])


def pair_count(cloud: Cloud) -> int:
    """Return how many pairs of a Gaussian and a cell have boxes that meet: at least the lists'."""
    first, behind = _boxes(cloud)
    return int(((behind - first).prod(0)).sum())


def cell_lists(cloud: Cloud) -> Lists:
    """Return the lists of a cloud: a Gaussian is in those of cells where it is not 0."""
    across, down = _cells(cloud)
    parts = list(_met(cloud))
    cells = np.concatenate([cell for cell, _ in parts] or [np.zeros(0, np.int64)])
    numbers = np.concatenate([number for _, number in parts] or [np.zeros(0, np.int64)])
    order = np.argsort(cells, kind="stable")
    firsts = np.zeros(across * down + 1, np.uint32)
    firsts[1:] = np.bincount(cells, minlength=across * down).cumsum()
    return Lists(across, down, firsts, numbers[order].astype(np.uint32))


def _cells(cloud: Cloud) -> tuple[int, int]:
    return -(-cloud.width // CELL_PX), -(-cloud.height // CELL_PX)


def _boxes(cloud: Cloud) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the first cell of each Gaussian's box, and that behind it: [2, N]; empty where none.

    What lies beyond the picture meets no cell.
    """
    reach = reach_px(cloud.values.double(), cloud.compositing.cutoff).numpy() * (1 + SLACK)
    centers, most = cloud.values[CENTER].double().numpy(), np.array(_cells(cloud))[:, None]
    low, high = np.floor((centers - reach) / CELL_PX), np.floor((centers + reach) / CELL_PX)
    first = np.clip(low, 0, most).astype(np.int64)
    return first, np.maximum(np.clip(high + 1, 0, most).astype(np.int64), first)


def _met(cloud: Cloud) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
    """Yield cells and the numbers of Gaussians that are not 0 in them, in order of these."""
    first, behind = _boxes(cloud)
    wide = behind - first
    values, across = cloud.values.double().numpy(), _cells(cloud)[0]
    ends = wide.prod(0).cumsum()
    begin = 0
    while begin < len(ends):
        before = ends[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, before + AT_ONCE, "right")))
        own = np.arange(begin, end)
        counts = wide[:, own].prod(0)
        number = np.repeat(own, counts)
        place = np.arange(len(number)) - np.repeat(counts.cumsum() - counts, counts)
        column = first[0, number] + place % np.maximum(wide[0, number], 1)
        row = first[1, number] + place // np.maximum(wide[0, number], 1)
        near = _nearest(values[:, number], np.stack([column, row]) * float(CELL_PX))
        met = near < cloud.compositing.cutoff**2 * (1 + SLACK)
        yield (row * across + column)[met], number[met]
        begin = end


def _nearest(values: Doubles, corner: Doubles) -> Doubles:
    """Return the least squared distance, in standard deviations, of Gaussians in squares: [n].

    ``values`` [A, n]; ``corner`` [2, n]: the squares' lower corners in pixels.
    """
    low = corner - values[CENTER]
    high = low + CELL_PX
    thin, flat = np.exp(-values[SIZE])
    shear = values[SHEAR]

    def squared(x: Doubles, y: Doubles) -> Doubles:
        u = x * thin
        return u**2 + (y * flat - shear * u) ** 2

    inside = ((low <= 0) & (high >= 0)).all(0)
    found = [np.where(inside, 0.0, np.inf)]
    for x in (low[0], high[0]):
        found.append(squared(x, np.clip(shear * x * thin / flat, low[1], high[1])))
    for y in (low[1], high[1]):
        nearest = shear * y * flat / ((1 + shear**2) * thin)
        found.append(squared(np.clip(nearest, low[0], high[0]), y))
    return np.minimum.reduce(found)
