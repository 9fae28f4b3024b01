"""Whether a derivative agrees with differences of the function, and which numbers say neither.

A difference over a narrow step drowns in rounding, one over a wide step in the function's
bending; so there are several widths, and the one that is known best counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

WIDTHS = (2.0**-4, 2.0**-6, 2.0**-8, 2.0**-10)  # of a step, as shares of a number's usual size
ROUNDINGS = 4.0  # of float32 that a mean loss is taken to be off by
AGREEMENT = 2e-3  # share of a derivative that it may be off by: float32 sums over many threads
SMALL = 1e-3  # the same of the member's largest: kinks of many threads are a small unrest
DOUBTS = 3.0  # times a difference's own doubt that a derivative may be away from it
KNOWN = 0.1  # share of the member's largest derivative: a difference in more doubt says nothing
KINK = 0.25  # share of their gap that both sides' slopes change by where the step is narrowed;
# of a smooth function it is 1.5 where that is to a quarter

RIGHT, WRONG = "right", "wrong"
NOT_SMOOTH, NOISE = "not differentiable here", "noise"


@dataclass(frozen=True)
class Slope:
    """What differences tell of one derivative.

    ``below`` and ``above`` are the slopes on both sides; the derivative is taken to be within
    ``doubt`` of ``middle``, unless there is a ``kink``.
    """

    middle: float
    below: float
    above: float
    doubt: float
    kink: bool


def slope_of(
    losses: npt.NDArray[np.float64], widths: npt.NDArray[np.float64], here: float, size: float
) -> Slope | None:
    """Return what mean losses around a place tell; None where they are no numbers.

    Args:
        losses: float64 [W, 2]: below and above the place.
        widths: float64 [W, 2]: how far that is, both positive, narrower and narrower.
        here: the loss at the place.
        size: mean of the losses' absolute values, of which rounding is a share.
    """
    below = (here - losses[:, 0]) / widths[:, 0]
    above = (losses[:, 1] - here) / widths[:, 1]
    middle = (losses[:, 1] - losses[:, 0]) / widths.sum(1)
    noise = ROUNDINGS * float(np.finfo(np.float32).eps) * size / widths.mean(1)
    # how much the slope changed since the width before; the first has none before it
    change = np.abs(np.diff(middle, prepend=np.nan))
    doubt = np.where(np.isnan(change), np.inf, change) + noise
    if not np.isfinite(doubt).any():
        return None
    best = int(np.nanargmin(np.where(np.isfinite(doubt), doubt, np.inf)))
    gap = abs(above[best] - below[best])
    changed = max(abs(side[best] - side[best - 1]) for side in (below, above))
    kink = bool(gap > 4 * noise[best] and changed < KINK * gap)
    return Slope(float(middle[best]), float(below[best]), float(above[best]),
                 float(doubt[best]), kink)  # fmt: skip


def judge(derivative: float, slope: Slope | None, largest: float) -> str:
    """Return RIGHT, WRONG, NOT_SMOOTH or NOISE; ``largest``: derivative of the member."""
    if slope is None:
        return NOISE
    if slope.kink:
        low, high = sorted((slope.below, slope.above))
        return NOT_SMOOTH if low - slope.doubt <= derivative <= high + slope.doubt else WRONG
    away = abs(derivative - slope.middle)
    rounding = AGREEMENT * max(abs(derivative), abs(slope.middle)) + SMALL * largest
    allowed = rounding + DOUBTS * slope.doubt
    if rounding < away <= allowed and DOUBTS * slope.doubt > KNOWN * largest:
        return NOISE
    return RIGHT if away <= allowed else WRONG


def overall(verdicts: Sequence[str]) -> str:
    """Return what a member's numbers say together: one that is wrong is enough."""
    for verdict in (WRONG, RIGHT, NOT_SMOOTH):
        if verdict in verdicts:
            return verdict
    return NOISE
