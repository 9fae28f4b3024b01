"""Time plan of a fit: seconds for training and code refinement, and a log line about them."""

from __future__ import annotations

import logging
import math
import time
from dataclasses import dataclass
from typing import Any, Protocol

log = logging.getLogger("neuralshade")

LEAST_STEPS = 640  # of a fit without a requested end; a plateau needs 640, too: see plateau.py
PATIENCE = 9.0  # factor of its seconds at which a fit without a requested end stops
SEARCH_SHARE = 0.25  # of the seconds, at most, for code refinement
MARGIN = 1.5  # factor on the estimated time of code refinement, for the load of other programs
SHORTEST_PLANNED = 3.0  # seconds: shorter fits log no plan


@dataclass(frozen=True)
class Clock:
    """Accounting of ``--seconds`` while a fit trains.

    ``reserved``: seconds kept for code refinement after training. ``least_steps``: steps before the
    seconds can end the fit, within PATIENCE times the seconds.
    """

    reserved: float = 0.0
    least_steps: int = 0

    def share(self, limit: float | None, step: float, seconds: float) -> float:
        """Return the used share of a ``limit`` in seconds; 0 without a limit."""
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
    """Returns whether code refinement is out of time; once True, always True."""

    def __init__(self, seconds: float = math.inf):
        self.end = time.perf_counter() + seconds

    @property
    def left(self) -> float:
        """Return the remaining seconds, 0 or more."""
        return max(0.0, self.end - time.perf_counter())

    def __call__(self) -> bool:
        return time.perf_counter() >= self.end


NO_DEADLINE = Deadline()


def clock_of(recipe: Any, estimate: float) -> Clock:
    """Return the clock of a fit, from the estimated seconds of its code refinement."""
    least = LEAST_STEPS if getattr(recipe, "until", "") == "usual" else 0
    if recipe.seconds is None:
        return UNHURRIED
    return Clock(min(SEARCH_SHARE * recipe.seconds, MARGIN * estimate), least)


def deadline_of(recipe: Any, clock: Clock, trained: float) -> Deadline:
    """Return the deadline of code refinement after ``trained`` seconds of training."""
    if recipe.seconds is None:
        return Deadline()
    longest = [clock.reserved, recipe.seconds - trained]
    if clock.least_steps:  # training may have been slow, and so may this
        longest.append(SEARCH_SHARE * trained)
    return Deadline(max(longest))


def log_plan(job: PlannedJob) -> None:
    """Log how long a fit takes."""
    text = plan_text(job.recipe, job.loop.clock, reported=job.options.report is not None)
    if text is not None:
        log.info("%s", text)


def plan_text(recipe: Any, clock: Clock, *, reported: bool) -> str | None:
    """Return a line on the duration of a fit; None without an end in seconds, or a short one."""
    if recipe.seconds is None or recipe.seconds < SHORTEST_PLANNED:
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
