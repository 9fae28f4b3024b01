"""Coding order of a set of points, and each point's nearest neighbours in it."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neuralshade.kinds.splats.coding.range_coder import Ints

FIRST = 16  # points of the first pass, at most; no point of it has neighbours
NEAREST = 6  # neighbours per point
WINDOW = 3  # candidates before and after a point, along each curve
SHIFTS = (0, 1 / 3, 2 / 3)  # of the curves, in sides of the square: their seams do not coincide
FAR = np.int64(1) << 58  # squared distance that marks no neighbour
CONTACT = 10  # ratio to the usual squared distance at which contact is half
CHUNK = 1 << 15  # points searched at a time; bounds memory
ONE = 1 << 12  # a weight of 1


@dataclass(frozen=True)
class Pass:
    """Points that are coded after their neighbours: indices into the order.

    ``neighbors`` int64 [n, k] are indices too; in the first pass k is 0. ``weights`` int64
    [n, k] of a point sum to nearly ``ONE``; ``contact`` int64 [n, k] is ``ONE`` for neighbours
    in the same place and falls to 0 within the usual distance.
    """

    points: Ints
    neighbors: Ints
    weights: Ints
    contact: Ints


@dataclass(frozen=True)
class Neighborhood:
    """The passes over all points, and the local spacing of points.

    ``spread`` int64 [N] is log2 of the mean squared distance to the nearest points, relative to
    evenly scattered ones, in 16ths.
    """

    passes: list[Pass]
    spread: Ints


def square_bits(width: int, height: int) -> int:
    """Return b of the smallest square of 2**b levels a side that holds the lattice."""
    return max(width - 1, height - 1).bit_length()


def morton(x: Ints, y: Ints, bits: int) -> Ints:
    """Return Morton codes of points: their bits interleaved, y's first."""
    place = np.zeros_like(x)
    for bit in range(bits):
        place |= ((x >> bit) & 1) << (2 * bit)
        place |= ((y >> bit) & 1) << (2 * bit + 1)
    return place


def unmorton(place: Ints, bits: int) -> tuple[Ints, Ints]:
    """Return x and y of Morton codes."""
    x, y = np.zeros_like(place), np.zeros_like(place)
    for bit in range(bits):
        x |= ((place >> (2 * bit)) & 1) << bit
        y |= ((place >> (2 * bit + 1)) & 1) << bit
    return x, y


def neighborhood(x: Ints, y: Ints, width: int, height: int) -> Neighborhood:
    """Return passes that halve the gaps along the order, each point after its neighbours.

    Args:
        x, y: int64 [N], N > 0, sorted along the Z curve; levels of a lattice width x height.
    """
    search = _Search(x, y, square_bits(width, height))
    area = max(1, width * height // len(x))  # of the lattice, per point
    return Neighborhood(list(_passes(search, area)), _spread(search, area))


class _Search:
    """Approximate nearest points, searched along three shifted Z curves."""

    def __init__(self, x: Ints, y: Ints, bits: int) -> None:
        self.x, self.y, self.count = x, y, len(x)
        shifts = [int(shift * 2**bits) for shift in SHIFTS]
        self.places = [morton(x + shift, y + shift, bits + 1) for shift in shifts]
        self.orders = [np.argsort(place, kind="stable") for place in self.places]

    def nearest(self, points: Ints, known: NDArray[np.bool_]) -> tuple[Ints, Ints]:
        """Return the nearest of the points ``known`` [N] and squared distances: [n, k]."""
        curves = [(place, order[known[order]]) for place, order in
                  zip(self.places, self.orders, strict=True)]  # fmt: skip
        chunks = [points[i : i + CHUNK] for i in range(0, len(points), CHUNK)]
        found = [self._nearest_of(chunk, curves) for chunk in chunks]
        return np.concatenate([f[0] for f in found]), np.concatenate([f[1] for f in found])

    def _nearest_of(self, points: Ints, curves: list[tuple[Ints, Ints]]) -> tuple[Ints, Ints]:
        candidates = np.concatenate([_around(points, *curve) for curve in curves], axis=1)
        candidates.sort(axis=1)
        x_far = self.x[candidates] - self.x[points][:, None]
        y_far = self.y[candidates] - self.y[points][:, None]
        distance = x_far * x_far + y_far * y_far
        distance[:, 1:][candidates[:, 1:] == candidates[:, :-1]] = FAR  # found along two curves
        distance[candidates == points[:, None]] = FAR
        best = np.argsort(distance, axis=1, kind="stable")[:, :NEAREST]
        return np.take_along_axis(candidates, best, 1), np.take_along_axis(distance, best, 1)


def _around(points: Ints, place: Ints, along: Ints) -> Ints:
    """Return the points of ``along`` next to ``points`` on its curve."""
    at = np.searchsorted(place[along], place[points])
    around = at[:, None] + np.arange(-WINDOW, WINDOW + 1)
    return along[np.clip(around, 0, len(along) - 1)]


def _passes(search: _Search, area: int) -> Iterator[Pass]:
    gap = 1
    while search.count > FIRST * gap:
        gap *= 2
    first = np.arange(0, search.count, gap)
    none = np.zeros((len(first), 0), np.int64)
    yield Pass(first, none, none, none)
    known = np.zeros(search.count, bool)
    known[first] = True
    while gap > 1:
        points = np.arange(gap // 2, search.count, gap)
        neighbors, distance = search.nearest(points, known)
        yield Pass(points, neighbors, _weights(distance, area), _contact(distance, area))
        known[points] = True
        gap //= 2


def _weights(distance: Ints, area: int) -> Ints:
    """Return integer weights that fall with the distance, equal for every reader."""
    share = (np.int64(area) << 20) // (distance + area)
    return share * ONE // np.maximum(share.sum(axis=1, keepdims=True), 1)


def _contact(distance: Ints, area: int) -> Ints:
    """Return weights that are not normalised: a point without near neighbours gets 0."""
    share = (np.int64(area) << 20) // (CONTACT * distance + area)
    return (share * share) >> 28  # 40 bits to the 12 of ONE


def _spread(search: _Search, area: int) -> Ints:
    everyone = np.ones(search.count, bool)
    _, distance = search.nearest(np.arange(search.count), everyone)
    total = np.where(distance < FAR, distance, 0).sum(axis=1)
    return log2_16ths(total / float(NEAREST * area) + 0.05)


def log2_16ths(values: NDArray[np.float64]) -> Ints:
    """Return 16 log2 of positive numbers, linear between powers of two.

    The library's logarithm rounds differently between machines; frexp is exact.
    """
    fraction, exponent = np.frexp(values)
    return np.floor(16 * (exponent + 2 * (fraction - 1))).astype(np.int64)
