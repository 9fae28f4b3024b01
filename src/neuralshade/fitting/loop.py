"""Loop of every fit: run steps, call back, stop in time, lose nothing.

Read this file first. A fit is: a picture (source), batches of it (sampler), a field (model),
a loss, optimizers, and an engine that runs steps until an end (kinds/image/fit.py has it whole).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from neuralshade.base.interrupt import Interruption
from neuralshade.base.progress_scope import working
from neuralshade.fitting.progress import LossWatch, Progress, WarmUp, next_chunk, next_snapshot
from neuralshade.fitting.time_plan import UNHURRIED, Clock
from neuralshade.optimizer.schedule import Schedule, rate_factor

if TYPE_CHECKING:
    from neuralshade.fitting.plateau import Plateau

FIRST_MEASURE_SECONDS = 0.3  # of training before PSNR is first measured; earlier values mean little
MEASURE_SHARE = 0.02  # of the time may go into measuring PSNR, the first measurement excepted
TARGET_SHARE = 0.1  # the same where PSNR ends the fit, and where the last measurement is old
MEASUREMENTS = 12  # in a fit, where TARGET_SHARE pays for them; short fits have fewer
STALE_SHARE = 0.05  # of all steps since the last measurement: then PSNR is measured at the end too
FIRST_PROBE, PROBE_RATIO = 128, 1.15  # steps at which PSNR is measured to find a plateau


class Trained(Protocol):
    """An engine that runs steps."""

    def advance(self, rate_factors: Sequence[float]) -> float: ...


class Restart(Exception):  # noqa: N818 - not an error: a page requests it
    """A control stops the running fit for another; ``settings``: those of the other."""

    def __init__(self, settings: dict[str, Any]):
        super().__init__("the fit was stopped for another")
        self.settings = settings


class Control(Protocol):
    """External control of a running loop."""

    @property
    def rate_scale(self) -> float: ...  # of every step size
    @property
    def ended(self) -> bool: ...  # end the fit as if complete
    @property
    def most_steps(self) -> int: ...  # steps before ``attend`` is called again, >= 1
    def attend(self, progress: Progress, interrupted: Callable[[], bool]) -> float:
        """Handle requests; return the seconds of pause among them. Raises Restart."""
        ...

    def finishing(self, what: str) -> None: ...  # called before work after the last step

    def settle(self, progress: Progress) -> None:
        """Called after the asset was written: ``progress`` has its PSNR."""
        ...


Observer = Callable[[Progress], None]


def ignore(progress: Progress) -> None:
    """Observe nothing."""


@dataclass
class Loop:
    """Runs ``engine`` by the schedule and the ends of ``recipe``.

    ``measure`` returns the asset's PSNR in dB; None without a reference: the curve then has
    losses alone. ``observer`` is called about ten times a second, ``snapshot`` at log-spaced
    steps and at the end. ``samples_per_step``: samples that a step draws. ``due`` is called with
    the completed share of the fit, and returns the share at which to call it again.
    ``target_psnr``, in dB, ends the fit when measured. ``coarser`` is called with the factor by
    which a measurement was too slow; the next ones are to take less. ``control`` is called before
    the first step and after every callback; its pauses do not count. ``rate_factor``: factor of
    the last step's sizes. ``plateau`` ends the fit after it finds one, when a last part of the
    schedule has run. ``clock`` counts the seconds of the recipe.
    """

    engine: Trained
    recipe: Schedule
    measure: Callable[[], float] | None
    observer: Observer = ignore
    snapshot: Observer | None = None
    progress: Progress = field(default_factory=Progress)
    samples_per_step: int = 0
    due: Callable[[float], float] | None = None
    target_psnr: float | None = None
    coarser: Callable[[float], None] | None = None
    control: Control | None = None
    plateau: Plateau | None = None
    clock: Clock = UNHURRIED
    rate_factor: float = field(default=1.0, init=False)
    _last_snapshot: int | None = field(default=None, init=False)
    _watch: LossWatch = field(default_factory=LossWatch, init=False)
    _alike_since: int = field(default=0, init=False)  # step; PSNR before it is of other pixels
    _next_probe: int = field(default=0, init=False)  # step
    _step_seconds: float = field(default=0.0, init=False)  # of the last call; 0 before one
    _late: float = field(default=0.0, init=False)  # seconds by which a clock's end is postponed
    _next_share: float = field(default=0.0, init=False)  # done, at which PSNR is due again
    _over: bool = field(default=False, init=False)  # all steps have run

    def run(self) -> bool:
        """Train to the end; return False where an interruption came first.

        Raises: DivergedError where the loss has not been finite for HOPELESS_STEPS.
        """
        opened = time.perf_counter()
        start, warm_up, chunk = opened - self.progress.seconds, WarmUp(self.progress), 1
        self.progress.reserved = self.clock.reserved
        measuring: float | None = None
        with Interruption() as interruption:
            start += self._attend(interruption)
            while not self.is_over():
                if interruption.requested:
                    return False
                before, ready = time.perf_counter(), self._made_ready()
                share = self._due()
                if self._made_ready() > ready:  # it does not count, as in the first step
                    chunk, free = 1, time.perf_counter() - before - warm_up.renew()
                    start, opened, self._step_seconds = start + free, opened + free, 0.0
                ran = self._clipped(chunk, share)
                before = time.perf_counter()
                with warm_up.scope():
                    self._advance(ran)
                trained = time.perf_counter()
                free = warm_up.uncounted(trained - before, ran)
                start, opened = start + free, opened + free
                chunk = next_chunk(chunk, trained - before)
                self._step_seconds = (trained - before) / ran
                self.progress.seconds = trained - start
                is_due = self._is_measure_due(measuring, trained - opened)
                if is_due and not interruption.requested:
                    self._measure()
                    spent = time.perf_counter() - trained
                    times = 1.0 if measuring is None else self._afford(spent)
                    # the first one warms up; the second counts at its later, reduced cost
                    new = 0.0 if measuring is None else spent if measuring else spent / times
                    measuring = (measuring or 0.0) + new
                else:
                    self.progress.note(measured=False)
                self.progress.seconds = time.perf_counter() - start
                self._notify(timed=not warm_up.owed)
                start += self._attend(interruption)
            self._over = True
            if interruption.requested:  # during the last step
                return False
        if warm_up.settled():  # one call ran all steps
            self._notify()
        with working("measuring"):
            self._close()
        return True

    def _attend(self, interruption: Interruption) -> float:
        if self.control is None or interruption.requested:  # the interruption comes first
            return 0.0
        return self.control.attend(self.progress, lambda: interruption.requested)

    def _close(self) -> None:
        """Measure and draw the final state, unless that was done lately."""
        p = self.progress
        measured = p.curve[-1][0] if self.measure is None and p.curve else p.psnr_step
        if (measured or 0) < (1 - STALE_SHARE) * p.step:
            self._measure()
            self._notify()
        if self._last_snapshot != p.step:
            self._draw()

    def _draw(self) -> None:
        if self.snapshot is not None:
            self.snapshot(self.progress)
            self._last_snapshot = self.progress.step

    def _notify(self, timed: bool = True) -> None:
        p = self.progress
        p.share = self._share(p.step, p.seconds)
        p.samples_per_second = p.speed(self.samples_per_step) if timed else 0.0
        self.observer(p)

    def _advance(self, steps: int) -> None:
        p, r = self.progress, self.recipe
        per_step = p.seconds / p.step if p.step else 0.0
        shares = [self._rate_share(p.step + i, p.seconds + i * per_step) for i in range(steps)]
        factors = [
            rate_factor(r.schedule, share, p.step + i, r.rate_final, r.warmup)
            for i, share in enumerate(shares)
        ]
        if self.control is not None:
            factors = [factor * self.control.rate_scale for factor in factors]
        p.loss, self.rate_factor = self.engine.advance(factors), factors[-1]
        p.step += steps
        self._watch.check(p)
        if p.step == next_snapshot(p.step - 1):
            self._draw()

    def _share(self, step: int, seconds: float) -> float:
        """Return the completed share of the fit, by its ends or by the plateau."""
        share, found = self._used_share(step, seconds), self.progress.plateau_step
        if self.plateau is None or found is None:
            return share
        return max(share, min(1.0, step / self.plateau.end(found)))

    def _used_share(self, step: int, seconds: float) -> float:
        """Return the larger used share of steps and seconds."""
        by_steps = step / self.recipe.steps if self.recipe.steps else 0.0
        by_seconds = self.clock.share(self.recipe.seconds, step, seconds - self._late)
        return min(1.0, max(by_steps, by_seconds))

    def _rate_share(self, step: int, seconds: float) -> float:
        """Return the completed share of the step-size schedule."""
        share = self._used_share(step, seconds)
        if self.plateau is None:
            return share
        return self.plateau.settled(share, step, self.progress.plateau_step)

    def is_over(self) -> bool:
        """Return whether no more steps run; stays true after the last step."""
        p, target = self.progress, self.target_psnr
        reached = target is not None and p.psnr_db is not None and p.psnr_db >= target
        whole = self._share(p.step, p.seconds) >= 1.0  # p.share may be by the ends before a resume
        return self._over or reached or whole or (self.control is not None and self.control.ended)

    def _due(self) -> float:
        """Run due work; return the share of the fit at which more is due."""
        p = self.progress
        return 1.0 if self.due is None else self.due(self._share(p.step, p.seconds))

    def _made_ready(self) -> int:
        """Return how often kernels were prepared for another part of the fit; 0 without parts."""
        return 0

    def _clipped(self, chunk: int, share: float) -> int:
        """Return the number of steps to run: to the end, the next snapshot or ``share`` at most."""
        r, p = self.recipe, self.progress
        ends = [max(p.step + 1, math.ceil(r.steps * share))] if r.steps else []
        if self.plateau is not None and p.plateau_step is not None:
            ends.append(self.plateau.end(p.plateau_step))
        if self.due is not None and r.seconds and self._step_seconds:
            trained = r.seconds - self.clock.reserved
            left = (share * trained + self._late - p.seconds) / self._step_seconds
            ends.append(p.step + max(1, math.ceil(left)))
        if self.snapshot is not None:
            ends.append(next_snapshot(self.progress.step))
        if self.control is not None:
            ends.append(p.step + self.control.most_steps)
        return min([chunk, *(end - self.progress.step for end in ends)])

    def _is_measure_due(self, measuring: float | None, elapsed: float) -> bool:
        """Compare the seconds spent on measuring (None before the first) with the elapsed ones."""
        if measuring is None:
            probed = self.plateau is not None and self.progress.step >= FIRST_PROBE
            return probed or elapsed >= FIRST_MEASURE_SECONDS
        if self.measure is None:  # free: at every callback
            return True
        p = self.progress
        unseen = self._share(p.step, p.seconds) >= self._next_share
        unseen |= self.plateau is not None and p.step >= self._next_probe
        allowed = MEASURE_SHARE if self.target_psnr is None and not unseen else TARGET_SHARE
        return measuring <= allowed * elapsed

    def _measure(self) -> None:
        p = self.progress
        if self.measure is not None:
            p.psnr_db, p.psnr_step, p.about = self.measure(), p.step, 1
        p.note(measured=True)
        self._next_share = self._share(p.step, p.seconds) + 1 / MEASUREMENTS
        self._next_probe = math.ceil(PROBE_RATIO * p.step)
        if self.plateau is None or p.plateau_step is not None:
            return
        if self._rate_share(p.step, p.seconds) == 0.0:  # afterwards the fit is as good as over
            flat = self.plateau.reached(p.curve, self._alike_since)
            p.plateau_step = p.step if flat else None

    def _afford(self, spent: float) -> float:
        """Reduce the cost of later measurements if ``spent`` s are too many; return the factor."""
        p = self.progress
        share = self._share(p.step, p.seconds)
        if self.coarser is None or share == 0.0:
            return 1.0
        times = spent * MEASUREMENTS * share / (MEASURE_SHARE * p.seconds)  # share: of a whole fit
        if times > 1:
            self.coarser(times)
            self._alike_since = p.step
        return max(1.0, times)

    def settle(self, psnr_db: float) -> None:
        """Record the PSNR of the written file, which is reported from now on."""
        p = self.progress
        p.psnr_db, p.psnr_step, p.about = psnr_db, p.step, 0
        p.note(measured=True)
