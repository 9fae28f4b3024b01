"""Rate curve: expected quality by rate, extrapolated from short fits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from neuralshade.kinds.textures.targets import Quality

SHARES = (0.08, 0.24)  # of a fit's steps, for the two short fits of a layout
# Of PSNR against steps, each fit with its whole schedule:
# PSNR = best - c * (steps + OFFSET)**-EXPONENT, fitted to measured ones; see docs/textures.md
OFFSET, EXPONENT = 200.0, 0.8


def extrapolated(early: Quality, late: Quality, steps: tuple[float, float, float]) -> Quality:
    """Return the PSNR in dB, by map, that a whole fit is expected to reach.

    Args:
        early: PSNR in dB of a short fit, by map.
        late: that of a longer one.
        steps: those of the first, of the second, and of the whole fit; ascending.

    A map that did not improve with more steps keeps its value of ``late``.
    Source: ours.
    """
    first, second, whole = ((OFFSET + count) ** -EXPONENT for count in steps)
    factor = (second - whole) / (first - second)
    return {name: late[name] + factor * max(0.0, late[name] - early[name]) for name in late}


@dataclass(frozen=True)
class RateCurve:
    """PSNR in dB by map against the rate in bits per texel: never falls, and meets its points.

    Between them it is linear in the root of the rate, close to measured curves: dB are concave in
    the rate, and convex in its logarithm. A point below one of a lower rate is raised to it.
    """

    rates: Sequence[float]  # ascending
    points: Sequence[Quality]  # at the rates, for the same maps

    def __post_init__(self) -> None:
        assert list(self.rates) == sorted(set(self.rates)), self.rates
        assert len(self.rates) == len(self.points) >= 1, self.points

    def at(self, rate: float) -> Quality:
        """Return the PSNR at a rate; clamped beyond the ends."""
        roots = np.sqrt(self.rates)
        found = {}
        for name in self.points[0]:
            risen = np.maximum.accumulate([point[name] for point in self.points])
            found[name] = float(np.interp(np.sqrt(rate), roots, risen))
        return found


def bracket(spare: Callable[[int], float], count: int) -> list[int]:
    """Return which of ``count`` layouts, in order of their rates, were tried, in that order.

    From the middle, up or down, until one reaches the target and the next lower one does not, or
    none is left. ``spare`` tries one: dB beyond the target, below 0 where it is missed.
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
