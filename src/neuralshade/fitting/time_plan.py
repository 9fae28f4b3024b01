"""Time plan of a fit: training and code refinement within --seconds, and the line that says so."""

from __future__ import annotations

import logging
import math
import time
from dataclasses import dataclass
from typing import Any, Protocol

log = logging.getLogger("neuralshade")

LEAST_STEPS = 640  # of a fit that is given no end; a plateau needs 640, too: see plateau.py
PATIENCE = 9.0  # times its seconds, after which a fit that is given no end stops all the same
SEARCH_SHARE = 0.25  # of the seconds, at most, for code refinement
MARGIN = 1.5  # on the estimated time of code refinement: other programs run, too
SHORTEST_TOLD = 3.0  # seconds: who waits less needs no plan


@dataclass(frozen=True)
class Clock:
    """How ``--seconds`` are counted while a fit trains.

    ``reserved``: seconds kept for code refinement after training. ``least_steps``: run before the
    seconds end the fit, but not beyond PATIENCE times as long.
    """

    reserved: float = 0.0
    least_steps: int = 0

    def share(self, limit: float | None, step: float, seconds: float) -> float:
        """Return how much of a ``limit`` in seconds is used up; 0 where there is none."""
        if not limit:
            return 0.0
        share = seconds / (limit - self.reserved)
        if step >= self.least_steps:
            return share
        waiting = seconds / (PATIENCE * limit - self.reserved)
        return min(share, max(step / self.least_steps, waiting))


class PlannedJob(Protocol):
    """A fit that is about to train."""

    recipe: Any
    options: Any
    loop: Any


UNHURRIED = Clock()  # all seconds are for training


class Deadline:
    """Says whether code refinement has used up its time; called, it is True from then on."""

    def __init__(self, seconds: float = math.inf):
        self.end = time.perf_counter() + seconds

    @property
    def left(self) -> float:
        """Return the seconds that are left, 0 or more."""
        return max(0.0, self.end - time.perf_counter())

    def __call__(self) -> bool:
        return time.perf_counter() >= self.end


NO_DEADLINE = Deadline()


def clock_of(recipe: Any, estimate: float) -> Clock:
    """Return the clock of a fit whose code refinement is estimated to take so many seconds."""
    least = LEAST_STEPS if getattr(recipe, "until", "") == "usual" else 0
    if recipe.seconds is None:
        return UNHURRIED
    return Clock(min(SEARCH_SHARE * recipe.seconds, MARGIN * estimate), least)


def deadline_of(recipe: Any, clock: Clock, trained: float) -> Deadline:
    """Return until when codes are refined after ``trained`` seconds of training."""
    if recipe.seconds is None:
        return Deadline()
    longest = [clock.reserved, recipe.seconds - trained]
    if clock.least_steps:  # it may have taken longer than usual, and so may this
        longest.append(SEARCH_SHARE * trained)
    return Deadline(max(longest))


def tell_plan(job: PlannedJob) -> None:
    """Log, for people, how long a fit takes."""
    text = plan_text(job.recipe, job.loop.clock, reported=job.options.report is not None)
    if text is not None:
        log.info("%s", text)


def plan_text(recipe: Any, clock: Clock, *, reported: bool) -> str | None:
    """Return a line on how long a fit takes; None where it has no end in seconds, or a near one."""
    if recipe.seconds is None or recipe.seconds < SHORTEST_TOLD:
        return None
    if clock.least_steps:
        line = (f"trains until more steps gain little: {recipe.seconds:g} s, or longer for "
                f"{clock.least_steps} steps, {PATIENCE * recipe.seconds:g} s at most")  # fmt: skip
    else:
        line = f"takes {recipe.seconds:g} s"
    if clock.reserved >= 1:
        line += f", {clock.reserved:.0f} s of them for code refinement"
    more = ", and the report" if reported else ""
    return f"fit: {line}. Reading and compiling come on top{more}."
