"""Cell lists: the Gaussians that each cell of a picture meets, for shaders."""

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
AT_ONCE = 2**20  # pairs of a Gaussian and a cell tested at once
SLACK = 1e-5  # of a squared distance, for float32 rounding
SHORT = 2**16  # below it, a Gaussian's number takes half a word


@dataclass(frozen=True)
class Lists:
    """The Gaussians of each cell in order, one cell after the other."""

    across: int  # cells
    down: int
    firsts: Words  # [cells + 1], start of each cell in ``numbers``
    numbers: Words  # [any], indices of Gaussians

    def words(self, count: int) -> Words:
        """Return the firsts, then the numbers: two to a word where ``count`` allows it."""
        numbers = self.numbers
        if count <= SHORT:
            pairs = np.pad(numbers, (0, len(numbers) % 2)).reshape(-1, 2)
            numbers = pairs[:, 0] | pairs[:, 1] << np.uint32(16)
        return np.concatenate([self.firsts, numbers])


def pair_count(cloud: Cloud) -> int:
    """Return the number of Gaussian and cell pairs whose boxes meet: an upper bound."""
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
    """Return each Gaussian's first cell and the one after the last: [2, N]; equal for none.

    Parts outside of the picture meet no cell.
    """
    reach = reach_px(cloud.values.double(), cloud.compositing.cutoff).numpy() * (1 + SLACK)
    centers, most = cloud.values[CENTER].double().numpy(), np.array(_cells(cloud))[:, None]
    low, high = np.floor((centers - reach) / CELL_PX), np.floor((centers + reach) / CELL_PX)
    first = np.clip(low, 0, most).astype(np.int64)
    return first, np.maximum(np.clip(high + 1, 0, most).astype(np.int64), first)


def _met(cloud: Cloud) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
    """Yield cells and the indices of Gaussians that are not 0 in them, in their order."""
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
    """Return the least squared distance of Gaussians in squares, in standard deviations: [n].

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
