"""Column coder: Gaussians' attributes, one by one, predicted from neighbors and earlier columns.

Points are coded in passes that halve the gaps (point_order.py), so most have neighbours on all
sides. Two weighted sums predict a level and the spread of the error. Their features are the
neighbours' levels, the attributes coded before, and how densely points lie. The writer fits the
weights and sends them (predictor.py). An adaptive mixture codes the residuals (symbols.py).
"""

import numpy as np

from neuralshade.kinds.splats.coding.point_order import FIRST, ONE, Neighborhood, Pass, log2_16ths
from neuralshade.kinds.splats.coding.predictor import Moments, code_weights, weighted
from neuralshade.kinds.splats.coding.range_coder import Coder, Ints
from neuralshade.kinds.splats.coding.symbols import Symbols

PREDICTED_BITS = 9  # of a level, at most: the tables of bells grow with the square of the levels
PART = 16  # deviations and logarithms are in 16ths


class Columns:
    """Codes columns of levels of points that are sorted along the Z curve."""

    def __init__(self, coder: Coder, count: int, neighborhood: Neighborhood | None) -> None:
        self._coder, self._count, self._neighborhood = coder, count, neighborhood
        self._done: list[_Column] = []

    def code(self, levels: Ints, size: int) -> Ints:
        """Code int64 [N] in 0 ... ``size`` - 1 and return it.

        Only the upper bits of very fine levels are predicted: the lower ones are noise.
        """
        fine = max(0, (size - 1).bit_length() - PREDICTED_BITS)
        coarse = self._code_predicted(levels >> fine, ((size - 1) >> fine) + 1)
        if not fine:
            return coarse
        rest = levels & ((1 << fine) - 1)
        return (coarse << fine) | self._coder.code_evenly(np.full(self._count, 1 << fine), rest)

    def _code_predicted(self, levels: Ints, size: int) -> Ints:
        if self._neighborhood is None or size == 1:
            return self._coder.code_evenly(np.full(self._count, size), levels)
        typical = np.array([int(levels.sum() + self._count // 2) // self._count])
        typical = self._coder.code_evenly(np.array([size]), typical)
        column = _Column(size, PART * (levels - typical))
        context = _Context(self._neighborhood, self._done, column)
        to_level, to_spread = self._code_weights(context)
        symbols = Symbols(self._coder, size)
        for each in self._neighborhood.passes:
            context.add_neighbors(each)
            centers = PART * typical + weighted(context.level_features(each), to_level)
            spreads = weighted(context.spread_features(each), to_spread)
            found = symbols.code(centers, spreads, levels[each.points])
            column.deviation[each.points] = PART * (found - typical)
        self._done.append(column)
        return column.deviation // PART + typical

    def _code_weights(self, context: "_Context") -> tuple[Ints, Ints]:
        """Fit the weights of both predictions in the writer, and code them."""
        assert self._neighborhood is not None
        to_level = np.zeros(context.level_count, np.int64)
        to_spread = np.zeros(context.spread_count, np.int64)
        if self._coder.writes:
            levels, spreads = Moments(context.level_count), Moments(context.spread_count)
            for each in self._neighborhood.passes:
                context.add_neighbors(each)
                levels.add(context.level_features(each), context.deviation(each))
            to_level = levels.weights()
            for each in self._neighborhood.passes:
                off = context.deviation(each) - weighted(context.level_features(each), to_level)
                spreads.add(context.spread_features(each), magnitude(off))
            to_spread = spreads.weights()
        return code_weights(self._coder, to_level), code_weights(self._coder, to_spread)


class _Column:
    """A column as deviations from its typical level, in 16ths of a level, int64 [N].

    So are ``around``, the mean of a point's neighbours, and ``touching``, the sum of those in
    almost the same place. ``apart`` is log2, in 16ths, of the neighbours' deviation from it.
    """

    def __init__(self, size: int, deviation: Ints) -> None:
        self.size, self.deviation = size, deviation
        self.around, self.touching, self.apart = (np.zeros_like(deviation) for _ in range(3))


class _Context:
    """Features for predicting a column's levels: neighbours in it, and earlier columns."""

    def __init__(self, neighborhood: Neighborhood, done: list[_Column], column: _Column) -> None:
        self._spread, self._done, self._column = neighborhood.spread, done, column
        self.level_count = 4 + 2 * len(done)
        self.spread_count = 3 + 2 * len(done)

    def add_neighbors(self, each: Pass) -> None:
        """Update the statistics of each point's neighbours, which must be coded already."""
        if not each.neighbors.shape[1]:
            return
        column, near = self._column, self._column.deviation[each.neighbors]
        around = (each.weights * near).sum(axis=1) // ONE
        column.around[each.points] = around
        column.touching[each.points] = (each.contact * near).sum(axis=1) // ONE
        apart = (each.weights * np.abs(near - around[:, None])).sum(axis=1) // ONE
        column.apart[each.points] = magnitude(apart)

    def deviation(self, each: Pass) -> Ints:
        """Return the levels to predict, as deviations in 16ths of a level."""
        return self._column.deviation[each.points]

    def level_features(self, each: Pass) -> Ints:
        """Return the features that predict a level, in 16ths of one: int64 [n, level_count]."""
        points, size = each.points, self._column.size
        features = [np.full(len(points), PART), self._spread[points] * size // 32]
        for done in self._done:
            features += [done.deviation[points] * size // done.size,
                         done.around[points] * size // done.size]  # fmt: skip
        features += [self._column.around[points], self._column.touching[points]]
        return np.stack(features, axis=1)

    def spread_features(self, each: Pass) -> Ints:
        """Return the features that predict log2 of the error, in 16ths: [n, spread_count]."""
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
    """Return whether predictions pay: for fewer points their weights cost more than they save."""
    return count > FIRST
