"""Plateau detection: ends a fit when a doubling of its steps gains little.

Step sizes stay constant until then, since no schedule knows the end. From the plateau on, or from
CONSTANT_SHARE of a requested end where that comes first, they run through the whole schedule, in
which the fit settles.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

FEWEST_STEPS = 512  # before them a flat curve is a slow start
FEWEST_POINTS = 4  # measurements in the last half of the steps
SETTLING = 0.25  # of the steps before a plateau, run after it
BEFORE = 1.5  # times the gain: limit for two doublings together
AGAIN = 1.1  # times the steps, over which a curve has to stay flat
CONSTANT_SHARE = 0.8  # of a requested end, until which step sizes stay; 1 / (1 + SETTLING)

Row = Sequence[float | None]  # step, seconds, loss, psnr_db


@dataclass(frozen=True)
class Plateau:
    """``gain_db``: gain of a doubling of steps below which a fit ends."""

    gain_db: float

    def reached(self, curve: Sequence[Row], since: int = 0) -> bool:
        """Return whether a curve is flat at its end; rows up to step ``since`` are ignored.

        A falling curve counts as flat: constant step sizes gain nothing more. PSNR measurements
        vary by tenths of a dB, while files of few bits gain little for long: so the curve must have
        been flat a while before as well.
        """
        last = (curve[-1][0] or 0) if curve else 0
        before = [row for row in curve if (row[0] or 0) <= last / AGAIN]
        return last >= FEWEST_STEPS and self._flat(curve, since) and self._flat(before, since)

    def _flat(self, curve: Sequence[Row], since: int) -> bool:
        """Return whether a doubling gained little, and two together did.

        The latter delays smooth curves only where a doubling gains less than half of the one
        before.
        """
        gain = gain_per_doubling(curve, since)
        if gain is None or gain >= self.gain_db:
            return False
        both = gain_per_doubling(curve, since, doublings=2)
        return both is not None and both < BEFORE * self.gain_db

    def settled(self, share: float, step: float, found: int | None) -> float:
        """Return the progress of the last part, in [0, 1]: 0 before it, 1 at the end of the fit.

        Args:
            share: completed share of the requested ends, in [0, 1].
            step: the next one.
            found: the step at which a plateau was found, None before.
        """
        by_end = (share - CONSTANT_SHARE) / (1 - CONSTANT_SHARE)
        by_plateau = 0.0 if found is None else (step - found) / (self.end(found) - found)
        return min(1.0, max(0.0, by_end, by_plateau))

    def end(self, found: int) -> int:
        """Return the last step of a fit, from the step of its plateau."""
        return found + max(1, math.ceil(SETTLING * found))


def gain_per_doubling(curve: Sequence[Row], since: int = 0, doublings: int = 1) -> float | None:
    """Return the gain in dB of a doubling of steps at the end of a curve.

    Slope of a line through PSNR against the logarithm of steps, over the last half of the steps or
    over ``doublings``: single measurements vary by some tenths of a dB. None with fewer than
    FEWEST_POINTS, or all of them in the last quarter.
    """
    pairs = ((row[0] or 0, row[3]) for row in curve)
    rows = [(step, psnr) for step, psnr in pairs if psnr is not None and step > since]
    first = rows[-1][0] / 2**doublings if rows else 0
    points = [(math.log2(step), psnr) for step, psnr in rows if step and step >= first]
    finite = all(math.isfinite(psnr) for _, psnr in points)
    if len(points) < FEWEST_POINTS or points[-1][0] - points[0][0] < 0.4 or not finite:
        return None
    middle = sum(x for x, _ in points) / len(points)
    level = sum(y for _, y in points) / len(points)
    across = sum((x - middle) ** 2 for x, _ in points)
    return sum((x - middle) * (y - level) for x, y in points) / across
