"""Positions of points: of a set by how many lie in which half, of a list one by one."""

from functools import lru_cache

import numpy as np

from neuralshade.kinds.splats.coding.mixture import Floats, Mixture, bells
from neuralshade.kinds.splats.coding.point_order import morton, square_bits, unmorton
from neuralshade.kinds.splats.coding.range_coder import Coder, Ints

EXACT = 255  # the most points of a cell whose halves are counted one by one
PARTS = 64  # that larger counts are divided into; within a part all are equally likely
PART_WIDTHS = range(4, 16, 2)  # of bells over them
GATHERINGS = (2.0, 8.0, 32.0, 128.0)  # of beta distributions of the density: small ones clump
EXPERTS = 2 + len(GATHERINGS)  # of how a cell's points fall into its halves
LIST_BITS = 8  # of the place along the Z curve, in a list: how often each is, is learnt
FIRST_BLOCK, GROWTH = 16, 8  # coded before anything is learnt; then an eighth of what is known


def code_set(coder: Coder, x: Ints, y: Ints, width: int, height: int) -> tuple[Ints, Ints]:
    """Code points as a set; return them sorted along the Z curve.

    Args:
        x, y: int64 [N], N > 0, sorted along the Z curve; when reading, zeros.
        width, height: levels of the lattice, 1 ... 2**20.
    """
    bits = square_bits(width, height)
    cells = _Cells(coder, width, height)
    given = morton(x, y, bits)
    places, counts = np.zeros(1, np.int64), np.array([len(x)])
    single = np.zeros(1, bool)  # cells of one point, whose place is known
    for shift in range(2 * bits - 1, -1, -1):
        starts = np.cumsum(counts) - counts
        new = (counts == 1) & ~single
        places[new] = cells.code_inside(places[new], shift + 1, given[starts[new]])
        single |= new
        right = np.zeros_like(counts)
        ones = np.append(0, np.cumsum((given >> shift) & 1))
        held = ones[starts + counts] - ones[starts]
        right[~single] = cells.code_right(places[~single], counts[~single], shift, held[~single])
        # both halves in the place of the whole, and none that is empty
        places = np.stack([places, places | np.where(right > 0, 1 << shift, 0)], 1).ravel()
        counts = np.stack([counts - right, right], axis=1).ravel()
        places, counts, single = (a[counts > 0] for a in (places, counts, np.repeat(single, 2)))
    return unmorton(np.repeat(places, counts), bits)


def code_list(coder: Coder, x: Ints, y: Ints, width: int, height: int) -> tuple[Ints, Ints]:
    """Code points in their order; arguments as of ``code_set``, but in any order."""
    bits = square_bits(width, height)
    low = max(0, 2 * bits - LIST_BITS)
    given = morton(x, y, bits)
    places = np.zeros_like(given)
    counts = np.ones(1 << (2 * bits - low), np.int64)
    start = 0
    while start < len(given):
        block = slice(start, start + max(FIRST_BLOCK, start // GROWTH))
        cells = given[block] >> low
        if len(counts) > 1:
            cells = coder.code_alike(counts, cells)
        counts += np.bincount(cells, minlength=len(counts))
        places[block] = cells << low
        start = block.stop
    return unmorton(_Cells(coder, width, height).code_inside(places, low, given), bits)


class _Cells:
    """Codes what happens inside cells of the lattice; what lies outside of it costs nothing."""

    def __init__(self, coder: Coder, width: int, height: int) -> None:
        self._coder, self._width, self._height = coder, width, height
        self._bits = square_bits(width, height)
        self._exact = Mixture(EXACT.bit_length() + 1, [1] * EXPERTS)
        self._parts = Mixture(1, [1] * len(PART_WIDTHS))

    def code_inside(self, places: Ints, low: int, given: Ints) -> Ints:
        """Code one point in each cell, whose place has ``low`` zero bits at its end."""
        x, y = unmorton(places, self._bits)
        given_x, given_y = unmorton(given, self._bits)
        # clipped below: damaged streams name cells outside of the lattice
        wide = np.clip(self._width - x, 1, 1 << ((low + 1) // 2))
        high = np.clip(self._height - y, 1, 1 << (low // 2))
        x = x + self._coder.code_evenly(wide, given_x - x)
        y = y + self._coder.code_evenly(high, given_y - y)
        return morton(x, y, self._bits)

    def code_right(self, places: Ints, counts: Ints, shift: int, right: Ints) -> Ints:
        """Code how many of a cell's points lie in the half whose bit ``shift`` is set."""
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
    """Return distributions of how many of ``count`` points lie in the right half.

    ``share`` in (0, 1] is the right half's area over the left one's. Binomial; its square, for
    points that keep apart; beta-binomial for each of ``GATHERINGS``. float64 [6, count + 1].
    """
    right = np.arange(count, dtype=np.float64)
    rising = (count - right) / (right + 1)
    even = np.cumprod(np.append(1.0, rising * share))
    kinds = [even, even * even]
    for gathering in GATHERINGS:
        of_right = gathering * share / (1 + share)
        ratio = (right + of_right) / (count - right - 1 + (gathering - of_right))
        kinds.append(np.cumprod(np.append(1.0, rising * ratio)))
    # the last of a running sum: its order is the same on every machine
    return np.stack([kind / np.cumsum(kind)[-1] for kind in kinds])
