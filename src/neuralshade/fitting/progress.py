"""Progress of a fit and its curve; warm-up time and divergence."""

import math
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from neuralshade.base.message_text import rounded_db
from neuralshade.base.progress_scope import part
from neuralshade.errors import ConfigError

STALE_SHARE = 0.2  # of all steps: an older PSNR is reported with its step
STALE_SECONDS = 2.0  # of training: the same, whatever the number of steps
MOST_ROWS = 4096  # of a curve in memory and in checkpoints; assets store far fewer
CALLBACK_SECONDS = 0.1  # between two looks at the clock
SHORTEST_SECONDS = 1e-3  # shortest time for which a speed is reported
HOPELESS_STEPS = 256  # without a finite loss, over HOPELESS_CHECKS checks at least: the fit ends
HOPELESS_CHECKS = 4
SNAPSHOT_RATIO = 2.0**0.5  # ratio of two snapshots' steps


@dataclass
class Progress:
    """State of a fit: passed to observers, stored in checkpoints and reports."""

    step: int = 0
    seconds: float = 0.0  # wall time, measurements included, over all sessions of a fit
    loss: float = math.nan  # of the last batch
    psnr_db: float | None = None  # at the last measurement
    psnr_step: int = 0  # of that measurement
    about: int = 0  # 1: of the running fit, perhaps of some pixels; 0: of the file
    plateau_step: int | None = None  # where one was found
    share: float = 0.0  # completed, in [0, 1]
    samples_per_second: float = 0.0
    curve: list[list[float | None]] = field(default_factory=list)  # step, seconds, loss, psnr_db
    breaks: list[int] = field(default_factory=list)  # steps after which the loss is another

    def __post_init__(self) -> None:
        self.reserved = 0.0  # of the recipe's seconds, for code refinement; no field: not stored

    @property
    def stale(self) -> bool:
        """Return whether PSNR is older than STALE_SHARE of the steps, or STALE_SECONDS."""
        if self.psnr_db is None or self.psnr_step == self.step:
            return False
        measured = (row[1] for row in reversed(self.curve) if row[3] is not None)
        since = self.seconds - (next(measured, None) or 0.0)
        return self.psnr_step < (1 - STALE_SHARE) * self.step or since > STALE_SECONDS

    @property
    def training(self) -> dict[str, Any]:
        """Return the training facts of an asset's header."""
        broken = {"breaks": self.breaks} if self.breaks else {}
        return {
            "steps": self.step,
            "seconds": round(self.seconds, 3),
            "curve": self.curve,
            **broken,
        }

    def speed(self, samples_per_step: int) -> float:
        """Return samples per second; 0 before any time has passed."""
        counted = self.seconds >= SHORTEST_SECONDS
        return self.step * samples_per_step / self.seconds if counted else 0.0

    def note(self, measured: bool) -> None:
        """Append the present state to the curve; with its PSNR where it was ``measured``.

        The curve has one row a step: its last measurement, for the last step the file's.
        """
        psnr_db = None if self.psnr_db is None or not measured else rounded_db(self.psnr_db)
        same = bool(self.curve) and self.curve[-1][0] == self.step
        if same and (measured or self.curve[-1][3] is None):
            self.curve.pop()
        elif same:
            return
        self.curve.append([self.step, round(self.seconds, 3), _short(self.loss), psnr_db])
        if len(self.curve) > MOST_ROWS:  # drop every other row without PSNR, except the last
            self.curve[:-1] = [
                row for i, row in enumerate(self.curve[:-1]) if row[3] is not None or i % 2
            ]


class WarmUp:
    """Time of the first step beyond that of later ones: kernels compile in it, which does not
    count.

    It is known after the engine's second call; until then nothing is counted. The curve's row of
    the first call gets its seconds then. ``renew`` does the same for further parts of a fit.
    """

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self.owed = 0.0  # seconds of the first call that may still count
        self._calls = 0

    def scope(self) -> AbstractContextManager[object]:
        """Return the progress scope of the first call."""
        return part("running the first step") if self._calls == 0 else nullcontext()

    def uncounted(self, seconds: float, steps: int) -> float:
        """Return what to take off the clock after a call of ``steps`` that took ``seconds``."""
        self._calls += 1
        if self._calls == 1:
            self.owed = seconds
            return seconds
        return -self._counted(min(self.owed, seconds / steps))

    def renew(self) -> float:
        """Make the next call a first one again; return the uncounted seconds of the last."""
        owed, self._calls = self.owed, 0
        return self._counted(owed)

    def settled(self) -> bool:
        """Count all of the first call where it was the only one; return whether it was."""
        if not self.owed:
            return False
        self.progress.seconds += self._counted(self.owed)
        return True

    def _counted(self, seconds: float) -> float:
        self.owed, curve = 0.0, self.progress.curve
        if curve:
            curve[-1][1] = round((curve[-1][1] or 0.0) + seconds, 3)
        return seconds


class DivergedError(ConfigError):
    """The loss has not been finite for long; more steps change nothing."""


class LossWatch:
    """Checks losses, a few of which may be not finite."""

    def __init__(self) -> None:
        self._since = 0  # step of the first non-finite loss
        self._checks = 0

    def check(self, progress: Progress) -> None:
        """Check the last loss. Raises: DivergedError after HOPELESS_STEPS without a finite one."""
        if math.isfinite(progress.loss):
            self._checks = 0
            return
        self._checks += 1
        if self._checks == 1:  # earlier steps may have been fine
            self._since = progress.step
        for_long = progress.step - self._since >= HOPELESS_STEPS
        if for_long and self._checks >= HOPELESS_CHECKS:
            raise DivergedError(f"fit: diverged at step {self._since:,}: the loss is not finite "
                                f"from there to step {progress.step:,}.")  # fmt: skip


def _short(value: float) -> float:
    return float(f"{value:.4g}")


def next_snapshot(step: int) -> int:
    """Return the first log-spaced step after ``step``: 1, 2, 3, 4, 5, 6, 8, 11, 16, 23 ..."""
    due, exponent = 1, 0
    while due <= step:
        exponent += 1
        due = max(due + 1, round(SNAPSHOT_RATIO**exponent))
    return due


def next_chunk(chunk: int, seconds: float) -> int:
    """Return the number of steps that takes about CALLBACK_SECONDS, from the last chunk."""
    return max(1, min(2 * chunk, round(chunk * CALLBACK_SECONDS / max(seconds, 1e-9))))
