"""Where a fit stands, and the curve of what it has come through."""

import math
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from neuralshade.base.message_text import kept_db
from neuralshade.base.work import part
from neuralshade.errors import ConfigError

STALE_SHARE = 0.2  # of all steps: a PSNR from before them is told with its step
STALE_SECONDS = 2.0  # of training: the same, however few steps those are
MOST_ROWS = 4096  # of a curve in memory and in checkpoints; assets keep far fewer
LOOK_SECONDS = 0.1  # between two looks at the clock
SHORTEST_SECONDS = 1e-3  # from which on a speed is told
HOPELESS_STEPS = 256  # with a loss that is no number, at HOPELESS_LOOKS or more: a fit ends
HOPELESS_LOOKS = 4
SNAPSHOT_RATIO = 2.0**0.5  # snapshots lie this factor of steps apart


@dataclass
class Progress:
    """Where a fit stands: handed to observers, kept in checkpoints and reports."""

    step: int = 0
    seconds: float = 0.0  # of wall time, measuring included, over all sessions of a fit
    loss: float = math.nan  # of the last batch
    psnr_db: float | None = None  # at its last measuring
    psnr_step: int = 0  # of that measuring
    about: int = 0  # 1: of the fit as it runs, of some pixels perhaps; 0: of the file
    plateau_step: int | None = None  # at which one was found
    share: float = 0.0  # done, in [0, 1]
    samples_per_second: float = 0.0
    curve: list[list[float | None]] = field(default_factory=list)  # step, seconds, loss, psnr_db
    breaks: list[int] = field(default_factory=list)  # steps behind which losses are of another kind

    @property
    def stale(self) -> bool:
        """Return whether a good part of all steps came after the PSNR, or a while passed."""
        if self.psnr_db is None or self.psnr_step == self.step:
            return False
        measured = (row[1] for row in reversed(self.curve) if row[3] is not None)
        since = self.seconds - (next(measured, None) or 0.0)
        return self.psnr_step < (1 - STALE_SHARE) * self.step or since > STALE_SECONDS

    @property
    def training(self) -> dict[str, Any]:
        """Return what an asset's header says of the training."""
        broken = {"breaks": self.breaks} if self.breaks else {}
        return {
            "steps": self.step,
            "seconds": round(self.seconds, 3),
            "curve": self.curve,
            **broken,
        }

    def speed(self, samples_per_step: int) -> float:
        """Return samples per second; 0 before any time was counted."""
        counted = self.seconds >= SHORTEST_SECONDS
        return self.step * samples_per_step / self.seconds if counted else 0.0

    def note(self, measured: bool) -> None:
        """Add where the fit stands to the curve: with its PSNR where it was ``measured``.

        Of a step the curve has one row: its last measuring, which of the last step is the file's.
        """
        psnr_db = None if self.psnr_db is None or not measured else kept_db(self.psnr_db)
        same = bool(self.curve) and self.curve[-1][0] == self.step
        if same and (measured or self.curve[-1][3] is None):
            self.curve.pop()
        elif same:
            return
        self.curve.append([self.step, round(self.seconds, 3), _short(self.loss), psnr_db])
        if len(self.curve) > MOST_ROWS:  # half of the losses alone go; of the last it is told
            self.curve[:-1] = [
                row for i, row in enumerate(self.curve[:-1]) if row[3] is not None or i % 2
            ]


class WarmUp:
    """How long the first step takes beyond later ones: kernels are compiled then, no clock's fault.

    That is known once the second call of the engine has ended; until then none of it is counted.
    The row of ``progress``'s curve behind the first call gets its seconds then. So it is for the
    first step of each part of a fit: ``renew``.
    """

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self.owed = 0.0  # seconds of the first call that may count after all
        self._calls = 0

    def told(self) -> AbstractContextManager[object]:
        """Return what tells of the first call inside its block, where a start is told of."""
        return part("running the first step") if self._calls == 0 else nullcontext()

    def uncounted(self, seconds: float, steps: int) -> float:
        """Return what to take off the clock after a call of ``steps`` that took ``seconds``."""
        self._calls += 1
        if self._calls == 1:
            self.owed = seconds
            return seconds
        return -self._counted(min(self.owed, seconds / steps))

    def renew(self) -> float:
        """Let the next call be a first one again; return what is still owed of the last."""
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
    """The loss has long been no number; going on would change nothing."""


class LossWatch:
    """Looks at losses, of which a few may be no number."""

    def __init__(self) -> None:
        self._since = 0  # the step of the first such look
        self._looks = 0

    def check(self, progress: Progress) -> None:
        """Look at the last loss. Raises: DivergedError where it was none for HOPELESS_STEPS."""
        if math.isfinite(progress.loss):
            self._looks = 0
            return
        self._looks += 1
        if self._looks == 1:  # the steps before may have been well
            self._since = progress.step
        for_long = progress.step - self._since >= HOPELESS_STEPS
        if for_long and self._looks >= HOPELESS_LOOKS:
            raise DivergedError("fit: got a loss that is no number from step "
                                f"{self._since:,} to {progress.step:,}, need a fit that "
                                "converges.")  # fmt: skip


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
    """Return a number of steps that takes about LOOK_SECONDS, judging by the last chunk."""
    return max(1, min(2 * chunk, round(chunk * LOOK_SECONDS / max(seconds, 1e-9))))
