"""One attribute of all Gaussians after the other, each guessed from what is known by then.

Points are coded in passes that halve the gaps (point_order.py), so most have neighbours on all
sides. Two weighted sums say which level is likely, and how far off that may be: of the
neighbours' levels, of the attributes that came before, and of how densely points lie. The writer
fits the weights and sends them (splat_guess.py). What is left is learnt (splat_symbols.py).
"""

import numpy as np

from neuralshade.kinds.splats.coding.point_order import FIRST, ONE, Neighborhood, Pass, log2_16ths
from neuralshade.kinds.splats.coding.predictor import Moments, code_weights, weighted
from neuralshade.kinds.splats.coding.range_coder import Coder, Ints
from neuralshade.kinds.splats.coding.symbols import Symbols

GUESSED_BITS = 9  # of a level, at most: the tables of bells grow with the square of the levels
PART = 16  # deviations and logarithms are in 16ths


class Columns:
    """Codes columns of levels of points that are sorted along the Z curve."""

    def __init__(self, coder: Coder, count: int, neighborhood: Neighborhood | None) -> None:
        self._coder, self._count, self._neighborhood = coder, count, neighborhood
        self._done: list[_Column] = []

    def code(self, levels: Ints, size: int) -> Ints:
        """Code int64 [N] in 0 ... ``size`` - 1 and return it.

        Only the upper bits of very fine levels are guessed: the lower ones are noise.
        """
        fine = max(0, (size - 1).bit_length() - GUESSED_BITS)
        coarse = self._code_guessed(levels >> fine, ((size - 1) >> fine) + 1)
        if not fine:
            return coarse
        rest = levels & ((1 << fine) - 1)
        return (coarse << fine) | self._coder.code_evenly(np.full(self._count, 1 << fine), rest)

    def _code_guessed(self, levels: Ints, size: int) -> Ints:
        if self._neighborhood is None or size == 1:
            return self._coder.code_evenly(np.full(self._count, size), levels)
        typical = np.array([int(levels.sum() + self._count // 2) // self._count])
        typical = self._coder.code_evenly(np.array([size]), typical)
        column = _Column(size, PART * (levels - typical))
        view = _View(self._neighborhood, self._done, column)
        to_level, to_doubt = self._code_weights(view)
        symbols = Symbols(self._coder, size)
        for each in self._neighborhood.passes:
            view.look_around(each)
            centers = PART * typical + weighted(view.of_level(each), to_level)
            doubts = weighted(view.of_doubt(each), to_doubt)
            found = symbols.code(centers, doubts, levels[each.points])
            column.deviation[each.points] = PART * (found - typical)
        self._done.append(column)
        return column.deviation // PART + typical

    def _code_weights(self, view: "_View") -> tuple[Ints, Ints]:
        """Fit the weights of both guesses where the levels are known, and code them."""
        assert self._neighborhood is not None
        to_level = np.zeros(view.level_count, np.int64)
        to_doubt = np.zeros(view.doubt_count, np.int64)
        if self._coder.writes:
            levels, doubts = Moments(view.level_count), Moments(view.doubt_count)
            for each in self._neighborhood.passes:
                view.look_around(each)
                levels.add(view.of_level(each), view.deviation(each))
            to_level = levels.weights()
            for each in self._neighborhood.passes:
                off = view.deviation(each) - weighted(view.of_level(each), to_level)
                doubts.add(view.of_doubt(each), magnitude(off))
            to_doubt = doubts.weights()
        return code_weights(self._coder, to_level), code_weights(self._coder, to_doubt)


class _Column:
    """A column as deviations from its typical level, in 16ths of a level, int64 [N].

    So are ``around``, the mean of a point's neighbours, and ``touching``, the sum of those in
    almost the same place. ``apart`` is log2, in 16ths, of how far neighbours are from their mean.
    """

    def __init__(self, size: int, deviation: Ints) -> None:
        self.size, self.deviation = size, deviation
        self.around, self.touching, self.apart = (np.zeros_like(deviation) for _ in range(3))


class _View:
    """What is known of a column's levels before they are."""

    def __init__(self, neighborhood: Neighborhood, done: list[_Column], column: _Column) -> None:
        self._spread, self._done, self._column = neighborhood.spread, done, column
        self.level_count = 4 + 2 * len(done)
        self.doubt_count = 3 + 2 * len(done)

    def look_around(self, each: Pass) -> None:
        """Note what each point's neighbours, which must be coded by now, say of it."""
        if not each.neighbors.shape[1]:
            return
        column, near = self._column, self._column.deviation[each.neighbors]
        around = (each.weights * near).sum(axis=1) // ONE
        column.around[each.points] = around
        column.touching[each.points] = (each.contact * near).sum(axis=1) // ONE
        apart = (each.weights * np.abs(near - around[:, None])).sum(axis=1) // ONE
        column.apart[each.points] = magnitude(apart)

    def deviation(self, each: Pass) -> Ints:
        """Return the levels to be guessed, as deviations in 16ths of a level."""
        return self._column.deviation[each.points]

    def of_level(self, each: Pass) -> Ints:
        """Return what the level is guessed from, in 16ths of a level: int64 [n, level_count]."""
        points, size = each.points, self._column.size
        features = [np.full(len(points), PART), self._spread[points] * size // 32]
        for done in self._done:
            features += [done.deviation[points] * size // done.size,
                         done.around[points] * size // done.size]  # fmt: skip
        features += [self._column.around[points], self._column.touching[points]]
        return np.stack(features, axis=1)

    def of_doubt(self, each: Pass) -> Ints:
        """Return what the guess's error is guessed from, its log2 in 16ths: [n, doubt_count]."""
        points = each.points
        features = [np.full(len(points), PART), self._spread[points], self._column.apart[points]]
        for done in self._done:
            deviation = done.deviation[points]
            features += [magnitude(deviation), deviation * 4 // done.size]
        return np.stack(features, axis=1)


def magnitude(deviation: Ints) -> Ints:
    """Return log2 of deviations in levels, in 16ths; half a level more, so that none is log 0."""
    return log2_16ths(np.abs(deviation) / float(PART) + 0.5)


def has_neighborhood(count: int) -> bool:
    """Say whether guesses pay: for fewer points their weights cost more than they save."""
    return count > FIRST
