"""Position coder: point sets by counts in halves of cells, point lists one by one."""

from functools import lru_cache

import numpy as np

from neuralshade.kinds.splats.coding.mixture import Floats, Mixture, bells
from neuralshade.kinds.splats.coding.point_order import morton, square_bits, unmorton
from neuralshade.kinds.splats.coding.range_coder import Coder, Ints

EXACT = 255  # largest count whose split is coded exactly
PARTS = 64  # intervals of larger splits; uniform within one
PART_WIDTHS = range(4, 16, 2)  # of bells over them
GATHERINGS = (2.0, 8.0, 32.0, 128.0)  # parameters of beta distributions: small ones clump
EXPERTS = 2 + len(GATHERINGS)  # distributions of how a cell's points split
LIST_BITS = 8  # leading bits of a list's Morton codes, coded with a learnt histogram
FIRST_BLOCK, GROWTH = 16, 8  # coded before the first update; then an eighth of what is coded


def code_set(coder: Coder, x: Ints, y: Ints, width: int, height: int) -> tuple[Ints, Ints]:
    """Code points as a set; return them sorted along the Z curve.

    Args:
        x, y: int64 [N], N > 0, sorted along the Z curve; when reading, zeros.
        width, height: levels of the lattice, 1 ... 2**20.
    """
    bits = square_bits(width, height)
    cells = _Cells(coder, width, height)
    points = morton(x, y, bits)
    places, counts = np.zeros(1, np.int64), np.array([len(x)])
    single = np.zeros(1, bool)  # cells of one point, whose position is coded
    for shift in range(2 * bits - 1, -1, -1):
        starts = np.cumsum(counts) - counts
        new = (counts == 1) & ~single
        places[new] = cells.code_inside(places[new], shift + 1, points[starts[new]])
        single |= new
        right = np.zeros_like(counts)
        ones = np.append(0, np.cumsum((points >> shift) & 1))
        held = ones[starts + counts] - ones[starts]
        right[~single] = cells.code_right(places[~single], counts[~single], shift, held[~single])
        # both halves in place of the whole, without empty ones
        places = np.stack([places, places | np.where(right > 0, 1 << shift, 0)], 1).ravel()
        counts = np.stack([counts - right, right], axis=1).ravel()
        places, counts, single = (a[counts > 0] for a in (places, counts, np.repeat(single, 2)))
    return unmorton(np.repeat(places, counts), bits)


def code_list(coder: Coder, x: Ints, y: Ints, width: int, height: int) -> tuple[Ints, Ints]:
    """Code points in their order; arguments as for ``code_set``, but in any order."""
    bits = square_bits(width, height)
    low = max(0, 2 * bits - LIST_BITS)
    points = morton(x, y, bits)
    places = np.zeros_like(points)
    counts = np.ones(1 << (2 * bits - low), np.int64)
    start = 0
    while start < len(points):
        block = slice(start, start + max(FIRST_BLOCK, start // GROWTH))
        cells = points[block] >> low
        if len(counts) > 1:
            cells = coder.code_alike(counts, cells)
        counts += np.bincount(cells, minlength=len(counts))
        places[block] = cells << low
        start = block.stop
    return unmorton(_Cells(coder, width, height).code_inside(places, low, points), bits)


class _Cells:
    """Codes points inside cells, clipped to the lattice: what lies outside costs nothing."""

    def __init__(self, coder: Coder, width: int, height: int) -> None:
        self._coder, self._width, self._height = coder, width, height
        self._bits = square_bits(width, height)
        self._exact = Mixture(EXACT.bit_length() + 1, [1] * EXPERTS)
        self._parts = Mixture(1, [1] * len(PART_WIDTHS))

    def code_inside(self, places: Ints, low: int, points: Ints) -> Ints:
        """Code one point in each cell, whose Morton code ends in ``low`` zero bits."""
        x, y = unmorton(places, self._bits)
        points_x, points_y = unmorton(points, self._bits)
        # clipped below: damaged streams name cells outside of the lattice
        wide = np.clip(self._width - x, 1, 1 << ((low + 1) // 2))
        high = np.clip(self._height - y, 1, 1 << (low // 2))
        x = x + self._coder.code_evenly(wide, points_x - x)
        y = y + self._coder.code_evenly(high, points_y - y)
        return morton(x, y, self._bits)

    def code_right(self, places: Ints, counts: Ints, shift: int, right: Ints) -> Ints:
        """Code the number of a cell's points in the half where bit ``shift`` is set."""
        x, y = unmorton(places, self._bits)
        half = 1 << (shift // 2)
        rest = self._height - y if shift % 2 else self._width - x
        beyond = np.clip(rest - half, 0, half)
        coded = np.zeros_like(counts)
        large = (counts > EXACT) & (beyond > 0)
        small = (counts <= EXACT) & (beyond > 0)
        coded[large] = self._code_parts(counts[large], beyond[large], half, right[large])
        coded[small] = self._code_exact(counts[small], beyond[small], half, right[small])
        return coded

    def _code_exact(self, counts: Ints, beyond: Ints, half: int, right: Ints) -> Ints:
        coded, likelihoods = right.copy(), np.ones((EXPERTS, len(counts)))
        contexts = np.frexp(counts.astype(np.float64))[1].astype(np.int64)
        kinds, members = np.unique(counts * (half + 1) + beyond, return_inverse=True)
        by_kind = np.split(np.argsort(members, kind="stable"), np.cumsum(np.bincount(members)))
        for kind, group in zip(kinds, by_kind, strict=False):
            count, share = divmod(int(kind), half + 1)
            experts = _splits(count, share / half)
            row = self._exact.blend(contexts[group[:1]], experts[:, None])[0]
            coded[group] = self._coder.code_alike(row, right[group])
            likelihoods[:, group] = experts[:, coded[group]]
        self._exact.learn(contexts, likelihoods)
        return coded

    def _code_parts(self, counts: Ints, beyond: Ints, half: int, right: Ints) -> Ints:
        centers = 2 * (PARTS - 1) * beyond // (beyond + half)
        none = np.zeros_like(counts)
        experts = np.stack([bells(width, centers, PARTS) for width in PART_WIDTHS])
        parts = self._coder.code(self._parts.blend(none, experts), right * PARTS // (counts + 1))
        self._parts.learn(none, experts[:, np.arange(len(parts)), parts])
        start = -(-parts * (counts + 1) // PARTS)
        stop = -(-(parts + 1) * (counts + 1) // PARTS)
        return start + self._coder.code_evenly(stop - start, right - start)


@lru_cache(maxsize=1024)
def _splits(count: int, share: float) -> Floats:
    """Return distributions of the number of ``count`` points in the right half.

    ``share`` in (0, 1] is the right half's area over the left one's. The distributions are the
    binomial; its square, for points that repel; a beta-binomial for each of ``GATHERINGS``.
    float64 [6, count + 1].
    """
    right = np.arange(count, dtype=np.float64)
    rising = (count - right) / (right + 1)
    even = np.cumprod(np.append(1.0, rising * share))
    kinds = [even, even * even]
    for gathering in GATHERINGS:
        of_right = gathering * share / (1 + share)
        ratio = (right + of_right) / (count - right - 1 + (gathering - of_right))
        kinds.append(np.cumprod(np.append(1.0, rising * ratio)))
    # the last of a running sum, whose order is the same on every machine
    return np.stack([kind / np.cumsum(kind)[-1] for kind in kinds])
