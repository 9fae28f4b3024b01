"""An end that is found while a fit runs: what a doubling of its steps still gains is little.

Step sizes stay at their start until then, since no schedule knows the end. From the plateau on, or
from HELD of a given end on where that comes first, they go through the whole schedule: a last part
in which a fit settles.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

FEWEST_STEPS = 512  # before them a flat curve is a beginning, not a plateau
FEWEST_POINTS = 4  # measurings among the last half of the steps
SETTLING = 0.25  # of the steps before a plateau, which are run after it
BEFORE = 1.5  # times the gain: as much as two doublings may have had, each
AGAIN = 1.1  # times the steps, after which a curve has to be flat still
HELD = 0.8  # of a given end, until which step sizes stay; 1 / (1 + SETTLING)

Row = Sequence[float | None]  # step, seconds, loss, psnr_db


@dataclass(frozen=True)
class Plateau:
    """``gain_db``: what the last doubling of steps has to have gained, for a fit to go on."""

    gain_db: float

    def reached(self, curve: Sequence[Row], since: int = 0) -> bool:
        """Return whether a curve is flat at its end; rows up to step ``since`` do not count.

        A curve that falls is flat too: with step sizes as they are nothing more is gained. PSNR
        wavers by tenths of a dB from one measuring to the next, where files of few bits gain a
        little for long: it has to have been flat a while before, too.
        """
        last = (curve[-1][0] or 0) if curve else 0
        before = [row for row in curve if (row[0] or 0) <= last / AGAIN]
        return last >= FEWEST_STEPS and self._flat(curve, since) and self._flat(before, since)

    def _flat(self, curve: Sequence[Row], since: int) -> bool:
        """Return whether a doubling gained little, and two together did.

        A smooth curve waits for the latter no longer, unless a doubling gains less than half of
        what the one before did.
        """
        gain = gain_per_doubling(curve, since)
        if gain is None or gain >= self.gain_db:
            return False
        both = gain_per_doubling(curve, since, doublings=2)
        return both is not None and both < BEFORE * self.gain_db

    def settled(self, share: float, step: float, found: int | None) -> float:
        """Return how far the last part is, in [0, 1]: 0 before it, 1 at the end of the fit.

        Args:
            share: of the fit that is done by its given ends, in [0, 1].
            step: that is to be run.
            found: the step at which a plateau was found, None before.
        """
        by_end = (share - HELD) / (1 - HELD)
        by_plateau = 0.0 if found is None else (step - found) / (self.end(found) - found)
        return min(1.0, max(0.0, by_end, by_plateau))

    def end(self, found: int) -> int:
        """Return the last step of a fit whose plateau was found at a step."""
        return found + max(1, math.ceil(SETTLING * found))


def gain_per_doubling(curve: Sequence[Row], since: int = 0, doublings: int = 1) -> float | None:
    """Return how many dB a doubling of the steps gains at the end of a curve.

    The slope of a line through PSNR against the logarithm of steps, over the rows of the last half
    of the steps, or of so many doublings: single measurings are off by some tenths of a dB. None
    where there are fewer than FEWEST_POINTS, or all of them in the last quarter.
    """
    told = ((row[0] or 0, row[3]) for row in curve)
    rows = [(step, psnr) for step, psnr in told if psnr is not None and step > since]
    first = rows[-1][0] / 2**doublings if rows else 0
    points = [(math.log2(step), psnr) for step, psnr in rows if step and step >= first]
    finite = all(math.isfinite(psnr) for _, psnr in points)
    if len(points) < FEWEST_POINTS or points[-1][0] - points[0][0] < 0.4 or not finite:
        return None
    middle = sum(x for x, _ in points) / len(points)
    level = sum(y for _, y in points) / len(points)
    across = sum((x - middle) ** 2 for x, _ in points)
    return sum((x - middle) * (y - level) for x, y in points) / across
