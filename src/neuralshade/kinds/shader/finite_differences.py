"""Finite differences: the verdict on a derivative by differences of the function's values.

Rounding dominates a difference over a narrow step, curvature one over a wide step; so there are
several widths, and the most certain one is used. Where the one-sided slopes tend to different
limits there is a kink, at the place or nearer than the widths, and the limits bound the
derivative.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

WIDTHS = (2.0**-4, 2.0**-6, 2.0**-8, 2.0**-10)  # of a step, as shares of a number's usual size
ROUNDINGS = 4.0  # assumed error of a mean loss, in float32 roundings
AGREEMENT = 2e-3  # allowed relative error of a derivative: float32 sums over many threads
SMALL = 1e-3  # the same relative to the member's largest: many threads' kinks act as noise
DOUBTS = 3.0  # allowed error of a derivative, in uncertainties of the difference
LARGEST_DOUBT = 0.1  # largest usable uncertainty, as a share of the member's largest derivative
KINK = 2.0  # least distance of the one-sided limits at a kink, in their uncertainties

RIGHT, WRONG = "right", "wrong"
NOT_SMOOTH, NOISE = "not differentiable here", "noise"
NO_GRADIENT = "no gradient"  # of a member that the function does not depend on


@dataclass(frozen=True)
class Slope:
    """Estimate of one derivative by differences.

    The derivative lies within ``doubt`` of ``middle``. ``below`` and ``above`` are the limits of
    the one-sided slopes, with the common uncertainty ``side_doubt``.
    """

    middle: float
    below: float
    above: float
    doubt: float
    side_doubt: float

    @property
    def kink(self) -> bool:
        """Return whether the one-sided slopes tend to different limits."""
        return abs(self.above - self.below) > KINK * self.side_doubt


def slope_of(
    losses: npt.NDArray[np.float64], widths: npt.NDArray[np.float64], here: float, size: float
) -> Slope | None:
    """Return the slope from mean losses around a place; None where one is not finite.

    Args:
        losses: float64 [W, 2]: below and above the place.
        widths: float64 [W, 2]: the distances, positive, in decreasing order.
        here: the loss at the place.
        size: mean of the losses' absolute values, to which rounding is relative.
    """
    below = (here - losses[:, 0]) / widths[:, 0]
    above = (losses[:, 1] - here) / widths[:, 1]
    middle = (losses[:, 1] - losses[:, 0]) / widths.sum(1)
    noise = ROUNDINGS * float(np.finfo(np.float32).eps) * size / widths.mean(1)
    # change of the slope from the width before; the first has none
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
    """Return the limit of the slopes on one side, extrapolated linearly, and its uncertainty."""
    rest = (slopes[:-1] - slopes[1:]) * widths[1:] / (widths[:-1] - widths[1:])
    doubt = np.abs(rest) + noise[1:]
    best = int(np.argmin(doubt))
    return float(slopes[1 + best] - rest[best]), float(doubt[best])


def judge(derivative: float, slope: Slope | None, largest: float) -> str:
    """Return RIGHT, WRONG, NOT_SMOOTH or NOISE; ``largest``: of the member's derivatives."""
    if slope is None:
        return NOISE
    away = abs(derivative - slope.middle)
    rounding = _rounding(derivative, slope, largest)
    drowned = DOUBTS * slope.doubt > LARGEST_DOUBT * largest
    if rounding < away <= rounding + DOUBTS * slope.doubt and drowned:
        return NOISE
    if away > allowed_error(derivative, slope, largest):
        return WRONG
    return NOT_SMOOTH if slope.kink else RIGHT


def allowed_error(derivative: float, slope: Slope, largest: float) -> float:
    """Return how far from ``slope.middle``, on its side, a derivative still counts as right."""
    rounding = _rounding(derivative, slope, largest)
    away, drowned = abs(derivative - slope.middle), DOUBTS * slope.doubt > LARGEST_DOUBT * largest
    if drowned and away <= rounding:
        return rounding  # beyond it the difference has no information
    if not slope.kink:
        return rounding + DOUBTS * slope.doubt
    low, high = sorted((slope.below, slope.above))
    to_edge = high - slope.middle if derivative > slope.middle else slope.middle - low
    return max(to_edge + slope.side_doubt + rounding, 0.0)


def _rounding(derivative: float, slope: Slope, largest: float) -> float:
    return AGREEMENT * max(abs(derivative), abs(slope.middle)) + SMALL * largest


def overall(verdicts: Sequence[str]) -> str:
    """Return the verdict on a member from those on its numbers: a single wrong one decides."""
    for verdict in (WRONG, RIGHT, NOT_SMOOTH):
        if verdict in verdicts:
            return verdict
    return NOISE
