"""Mixture of predictive distributions, its weights learnt by expectation-maximisation.

Writer and reader of a stream must compute the same bits on any machine. This relies on float64 +,
*, / and square root of single numbers, which round as IEEE 754 specifies. Sums over many numbers
are of integers below 2**53, which float64 adds exactly in any order.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from neuralshade.kinds.splats.coding.range_coder import Ints

Floats = NDArray[np.float64]
UNIT = float(1 << 24)  # scale from probabilities to integer weights
SHARE = float(1 << 20)  # the same for shares of a symbol
HISTORY = 1 << 12  # the latest symbols, from which weights are learnt
ROUNDS = 3  # of expectation-maximisation after each block; they start from the last weights
TRUST = 8.0  # symbols after which a context counts as much as the prior over all contexts
FIRST_TRUST = 8.0  # pseudo-count of the initial weights, in symbols
NARROWEST = 0.018315638888734  # exp(-4): a bell of 2 ** -2.5 levels, half a level off its middle


class Mixture:
    """Weights [contexts, experts] of experts, learnt by expectation-maximisation."""

    def __init__(self, contexts: int, trust: Sequence[int]) -> None:
        """Start with weights in the proportions of ``trust``."""
        self._start: Floats = np.array(trust) / sum(trust)
        self._weights: Floats = np.repeat(self._start[None], contexts, axis=0)
        self._seen: Floats = np.zeros((len(trust), 0))
        self._contexts: Ints = np.zeros(0, np.int64)

    def blend(self, contexts: Ints, experts: Floats) -> Ints:
        """Return weights [n, K] of symbols from the experts' probabilities [experts, n, K]."""
        weights = self._weights[contexts].T[:, :, None]
        blended = sum_in_order(weights * experts)
        return np.floor(blended * UNIT).astype(np.int64) + 1

    def learn(self, contexts: Ints, likelihoods: Floats) -> None:
        """Learn from the probabilities [experts, n] that the experts gave to n coded symbols."""
        self._contexts = np.concatenate([self._contexts, contexts])[-HISTORY:]
        self._seen = np.concatenate([self._seen, likelihoods], axis=1)[:, -HISTORY:]
        for _ in range(ROUNDS):
            self._weights = self._improved()

    def _improved(self) -> Floats:
        size = len(self._weights)
        # with one context all symbols share its weights, which need no look-up
        weights = self._weights.T if size == 1 else self._weights.T[:, self._contexts]
        joint = weights * self._seen
        shares = np.floor(joint / sum_in_order(joint) * SHARE)
        if size == 1:
            counts = shares.sum(axis=1)[None]
        else:
            counts = np.stack([np.bincount(self._contexts, row, size) for row in shares], axis=1)
        everywhere = counts.sum(axis=0) + np.floor(self._start * FIRST_TRUST * SHARE)
        prior = TRUST * SHARE * (everywhere / everywhere.sum())
        total = counts.sum(axis=1, keepdims=True) + TRUST * SHARE
        return (counts + prior) / total


def sum_in_order(values: Floats) -> Floats:
    """Return the sum over the first axis, in order."""
    total = values[0]
    for value in values[1:]:
        total = total + value
    return total


def bell_count(size: int) -> int:
    """Return the number of widths for symbols of ``size`` levels."""
    return 2 * (size - 1).bit_length() + 9


def bells(width: int, centers: Ints, size: int) -> Floats:
    """Return Gaussian distributions over ``size`` levels: float64 [n, size].

    Args:
        width: 0 ... ``bell_count(size)`` - 1; the deviation is 2 ** ((width - 5) / 2) levels.
        centers: int64 [n], in half levels, 0 ... 2 * size - 2.
        size: > 1.
    """
    return _all_bells(width, size)[centers]


@lru_cache(maxsize=64)
def _all_bells(width: int, size: int) -> Floats:
    distance = np.abs(2 * np.arange(size) - np.arange(2 * size - 1)[:, None])
    ratio = NARROWEST
    for _ in range(width):
        ratio = float(np.sqrt(ratio))
    # ratio ** (t * t) as a running product: powers differ between machines
    steps = np.cumprod(np.append(ratio, np.full(2 * size, ratio * ratio)))
    bell = np.floor(np.cumprod(np.append(1.0, steps)) * SHARE * SHARE)
    heights = bell[distance]
    return heights / heights.sum(axis=1, keepdims=True)
