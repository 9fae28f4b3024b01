"""Linear predictor: a weighted sum of features, with few integer weights that the writer fits."""

from math import log2

import numpy as np

from neuralshade.kinds.splats.coding.mixture import Floats
from neuralshade.kinds.splats.coding.range_coder import Coder, Ints

WEIGHT_ONE = 32  # a weight of 1
STEEPEST = 127  # the largest weight
WEIGHT_BITS = 10.0  # that a weight must save: its own bits, and a margin
FINEST = 16.0 * 16.0 / 12  # squared error that rounding leaves, where numbers are in 16ths
USED = np.array([3, 1])  # chances that a weight is none, or some


def weighted(features: Ints, weights: Ints) -> Ints:
    """Return the sums, int64 [n], of features [n, F] times weights [F], rounded."""
    return (features @ weights + WEIGHT_ONE // 2) // WEIGHT_ONE


def code_weights(coder: Coder, weights: Ints) -> Ints:
    """Code weights, int64 [F] in -127 ... 127, most of which are 0."""
    used = coder.code_alike(USED, (weights != 0).astype(np.int64)) > 0
    sizes = np.full(int(used.sum()), 2 * STEEPEST + 1)
    coded = np.zeros_like(weights)
    coded[used] = coder.code_evenly(sizes, weights[used] + STEEPEST) - STEEPEST
    return coded


class Moments:
    """Sums over all points of products of features and the predicted target."""

    def __init__(self, features: int) -> None:
        self._square: Floats = np.zeros((features, features))
        self._product: Floats = np.zeros(features)
        self._error, self._count = 0.0, 0

    def add(self, features: Ints, target: Ints) -> None:
        """Add features [n, F] and target [n], in 16ths."""
        x, y = features.astype(np.float64), target.astype(np.float64)
        self._square += x.T @ x
        self._product += x.T @ y
        self._error += float(y @ y)
        self._count += len(target)

    def weights(self) -> Ints:
        """Return int64 [F] in units of 1 / WEIGHT_ONE; 0 where a weight does not pay."""
        used: list[int] = []
        error = self._error
        while True:
            errors = {i: self._left([*used, i]) for i in range(len(self._product)) if i not in used}
            best = min(errors, key=lambda i: errors[i], default=-1)
            if best < 0 or self._saved(error, errors[best]) < WEIGHT_BITS:
                break
            used.append(best)
            error = errors[best]
        weights = np.zeros(len(self._product), np.int64)
        rounded = np.round(self._solved(used) * WEIGHT_ONE)
        weights[used] = np.clip(rounded, -STEEPEST, STEEPEST).astype(np.int64)
        return weights

    def _saved(self, before: float, after: float) -> float:
        """Return the bits that a smaller error saves."""
        least = FINEST * self._count
        return self._count / 2 * log2(max(before, least) / max(after, least))

    def _left(self, used: list[int]) -> float:
        return self._error - float(self._solved(used) @ self._product[used])

    def _solved(self, used: list[int]) -> Floats:
        # regularised: columns may be equal, or constant
        square = self._square[np.ix_(used, used)] + np.eye(len(used))
        return np.asarray(np.linalg.solve(square, self._product[used]), np.float64)
