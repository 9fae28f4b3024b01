"""What quality a rate is expected to give: short fits, drawn out to whole ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from neuralshade.kinds.textures.targets import Quality

SHARES = (0.08, 0.24)  # of a fit's steps, that the two short fits of a layout take
# Of PSNR against steps, each fit with its whole schedule:
# PSNR = best - c * (steps + OFFSET)**-EXPONENT, fitted to measured ones; see docs/textures.md
OFFSET, EXPONENT = 200.0, 0.8


def drawn_out(early: Quality, late: Quality, steps: tuple[float, float, float]) -> Quality:
    """Return the PSNR in dB, by map, that a whole fit is expected to reach.

    Args:
        early: PSNR in dB of a short fit, by map.
        late: that of a longer one.
        steps: those of the first, of the second, and of the whole fit; ascending.

    A map that more steps made no better stays as it was ``late``.
    Source: ours.
    """
    first, second, whole = ((OFFSET + count) ** -EXPONENT for count in steps)
    factor = (second - whole) / (first - second)
    return {name: late[name] + factor * max(0.0, late[name] - early[name]) for name in late}


@dataclass(frozen=True)
class RateCurve:
    """PSNR in dB by map against the rate in bits per texel: never falls, and meets its points.

    Between them it is straight over the root of the rate, as measured curves nearly are: dB are
    concave in the rate, and convex in its logarithm. Where a point lies below one of a lower rate
    it is raised to that.
    """

    rates: Sequence[float]  # ascending
    points: Sequence[Quality]  # at those, of the same maps

    def __post_init__(self) -> None:
        assert list(self.rates) == sorted(set(self.rates)), self.rates
        assert len(self.rates) == len(self.points) >= 1, self.points

    def at(self, rate: float) -> Quality:
        """Return the PSNR at a rate; beyond the ends that of the end."""
        roots = np.sqrt(self.rates)
        found = {}
        for name in self.points[0]:
            risen = np.maximum.accumulate([point[name] for point in self.points])
            found[name] = float(np.interp(np.sqrt(rate), roots, risen))
        return found


def bracket(spare: Callable[[int], float], count: int) -> list[int]:
    """Return which of ``count`` layouts, in order of their rates, were tried, in that order.

    From the middle on, up or down, until one reaches the target and the next lower one does not,
    or there is no other. ``spare`` tries one: dB beyond the target, below 0 where it is missed.
    """
    index = count // 2
    tried, reached = [index], spare(index) >= 0
    step = -1 if reached else 1
    while 0 <= index + step < count:
        index += step
        tried.append(index)
        if (spare(index) >= 0) != reached:
            break
    return sorted(tried)
