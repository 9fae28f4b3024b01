"""Bytes of a cloud's stream, weighed once and told from entropy afterwards."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Levels = npt.NDArray[np.int32]
Weigh = Callable[[Levels, npt.NDArray[Any]], tuple[int, int]]
ORDER_BITS = 1.44  # log2(e): a set of N saves log2(N) - log2(e) bits each by having no order


class StreamScale:
    """Returns the bytes of clouds that differ little from each other.

    Packing one takes as long as thousands of steps on a GPU. So ``weigh`` packs the first cloud;
    later streams are longer by as much as the entropy of their numbers is.
    """

    def __init__(self, weigh: Weigh, *, ordered: bool):
        self._weigh, self._ordered = weigh, ordered
        self._known: tuple[float, int] | None = None  # bytes for each bit, and of the other parts

    def __call__(self, levels: Levels, ranges: npt.NDArray[Any]) -> tuple[float, int]:
        """Return the bytes of the stream of ``levels`` [A, N], and of the rest of the file."""
        bits = entropy_bits(levels, ranges["levels"], ordered=self._ordered)
        if self._known is None:
            stream, other = self._weigh(levels, ranges)
            self._known = stream / bits, other
        return self._known[0] * bits, self._known[1]

    def state(self) -> list[float]:
        """Return what a restart needs."""
        return list(self._known or ())

    def load_state(self, state: list[float]) -> None:
        """Load what ``state`` returned; anything else is as if nothing was weighed yet."""
        self._known = (state[0], int(state[1])) if len(state) == 2 else None


def entropy_bits(levels: Levels, sizes: npt.NDArray[Any], *, ordered: bool) -> float:
    """Return the bits of a cloud whose attributes are independent: positions evenly distributed,
    every other one as often at each level as here. 1 at least.
    """
    count = levels.shape[1]
    bits = count * float(np.log2(np.maximum(sizes[:2].astype(np.float64), 1)).sum())
    if not ordered:
        bits -= count * max(0.0, math.log2(count) - ORDER_BITS)
    for column in levels[2:]:
        often = np.unique(column, return_counts=True)[1]
        bits -= float((often * np.log2(often / count)).sum())
    return max(bits, 1.0)
