"""Adaptive residual coder: levels around predictions, by a mixture learnt while coding."""

import numpy as np

from neuralshade.kinds.splats.coding.mixture import Floats, Mixture, bell_count, bells
from neuralshade.kinds.splats.coding.range_coder import Coder, Ints

FIRST_BLOCK, GROWTH = 8, 8  # coded before the first update; then an eighth of what is coded
BLOCK_WEIGHTS = 1 << 22  # of symbols in one block, at most; bounds memory
WIDTHS = range(0, 10, 2)  # of the bells of a spread, in half octaves from its narrowest
TRUST = (1, 3, 12, 4, 1, 3, 1)  # initial: of the bells, the histogram, and a uniform distribution
COARSE = 7  # spread from which centers are rounded: to a quarter of the bell, at most


class Symbols:
    """Codes one column's levels with a mixture of bells and the histogram of coded levels."""

    def __init__(self, coder: Coder, size: int) -> None:
        self._coder, self._size = coder, size
        self._mixture = Mixture(1, TRUST)
        self._seen = np.zeros(size, np.int64)

    def code(self, predictions: Ints, spreads: Ints, levels: Ints) -> Ints:
        """Code the levels, int64 [n], of a pass and return them.

        Args:
            predictions: int64 [n], of the levels, in 16ths.
            spreads: int64 [n], log2 of the expected error in levels, in 16ths.
        """
        widest = bell_count(self._size) - 1 - WIDTHS[-1]
        widths = np.clip((spreads + 20) // 8, 0, widest)
        step = 1 << np.maximum(0, (widths - COARSE) // 2)
        centers = np.clip((predictions + 4) // 8 + step // 2, 0, 2 * self._size - 2) // step * step
        kinds = widths * (2 * self._size) + centers
        found, start = levels.copy(), 0
        while start < len(levels):
            seen = int(self._seen.sum())
            length = min(max(FIRST_BLOCK, seen // GROWTH), BLOCK_WEIGHTS // self._size)
            block = slice(start, start + length)
            found[block] = self._code_block(kinds[block], levels[block])
            self._seen += np.bincount(found[block], minlength=self._size)
            start = block.stop
        return found

    def _code_block(self, kinds: Ints, levels: Ints) -> Ints:
        different, members = np.unique(kinds, return_inverse=True)
        experts = self._experts(*np.divmod(different, 2 * self._size))
        weights = self._mixture.blend(np.zeros_like(different), experts)
        found = self._coder.code(weights[members], levels)
        self._mixture.learn(np.zeros_like(found), experts[:, members, found])
        return found

    def _experts(self, widths: Ints, centers: Ints) -> Floats:
        """Return bells, histogram and uniform distribution: [experts, n, size]."""
        experts = np.empty((len(WIDTHS) + 2, len(widths), self._size))
        for width in np.unique(widths).tolist():
            alike = widths == width
            for expert, wider in enumerate(WIDTHS):
                experts[expert, alike] = bells(width + wider, centers[alike], self._size)
        experts[-2] = (2 * self._seen + 1) / float(2 * self._seen.sum() + self._size)
        experts[-1] = 1 / self._size
        return experts
