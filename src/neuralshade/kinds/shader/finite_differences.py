"""Whether a derivative agrees with differences of the function, and which numbers say neither.

A difference over a narrow step drowns in rounding, one over a wide step in the function's
bending; so there are several widths, and the one that is known best counts. Where the slopes on
both sides tend to different limits, there is a kink, at the place or nearer than the widths, and
the limits judge.
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
KINK = 2.0  # times their doubts together that both sides' limits are apart where there is a kink

RIGHT, WRONG = "right", "wrong"
NOT_SMOOTH, NOISE = "not differentiable here", "noise"
NO_GRADIENT = "no gradient"  # of a member that the function never depends on


@dataclass(frozen=True)
class Slope:
    """What differences tell of one derivative.

    The derivative is taken to be within ``doubt`` of ``middle``. ``below`` and ``above`` are what
    the slopes on both sides tend to, together known to ``side_doubt``.
    """

    middle: float
    below: float
    above: float
    doubt: float
    side_doubt: float

    @property
    def kink(self) -> bool:
        """Return whether both sides tend to different slopes."""
        return abs(self.above - self.below) > KINK * self.side_doubt


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
    low, low_doubt = _limit(below, widths[:, 0], 2 * noise)
    high, high_doubt = _limit(above, widths[:, 1], 2 * noise)
    return Slope(float(middle[best]), low, high, float(doubt[best]), low_doubt + high_doubt)


def _limit(
    slopes: npt.NDArray[np.float64],
    widths: npt.NDArray[np.float64],
    noise: npt.NDArray[np.float64],
) -> tuple[float, float]:
    """Return what slopes on one side tend to where they change evenly, and how unsure that is."""
    rest = (slopes[:-1] - slopes[1:]) * widths[1:] / (widths[:-1] - widths[1:])
    doubt = np.abs(rest) + noise[1:]
    best = int(np.argmin(doubt))
    return float(slopes[1 + best] - rest[best]), float(doubt[best])


def judge(derivative: float, slope: Slope | None, largest: float) -> str:
    """Return RIGHT, WRONG, NOT_SMOOTH or NOISE; ``largest``: derivative of the member."""
    if slope is None:
        return NOISE
    away = abs(derivative - slope.middle)
    rounding = _rounding(derivative, slope, largest)
    drowned = DOUBTS * slope.doubt > KNOWN * largest
    if rounding < away <= rounding + DOUBTS * slope.doubt and drowned:
        return NOISE
    if away > allowed_error(derivative, slope, largest):
        return WRONG
    return NOT_SMOOTH if slope.kink else RIGHT


def allowed_error(derivative: float, slope: Slope, largest: float) -> float:
    """Return how far from ``slope.middle`` a derivative may be, on its side, and not be wrong."""
    rounding = _rounding(derivative, slope, largest)
    away, drowned = abs(derivative - slope.middle), DOUBTS * slope.doubt > KNOWN * largest
    if drowned and away <= rounding:
        return rounding  # beyond it the difference says nothing
    if not slope.kink:
        return rounding + DOUBTS * slope.doubt
    low, high = sorted((slope.below, slope.above))
    to_edge = high - slope.middle if derivative > slope.middle else slope.middle - low
    return max(to_edge + slope.side_doubt + rounding, 0.0)


def _rounding(derivative: float, slope: Slope, largest: float) -> float:
    return AGREEMENT * max(abs(derivative), abs(slope.middle)) + SMALL * largest


def overall(verdicts: Sequence[str]) -> str:
    """Return what a member's numbers say together: one that is wrong is enough."""
    for verdict in (WRONG, RIGHT, NOT_SMOOTH):
        if verdict in verdicts:
            return verdict
    return NOISE
