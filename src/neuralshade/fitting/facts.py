"""Facts about a fit for pages and programs, as plain JSON data (docs/events.md)."""

from __future__ import annotations

import dataclasses
import logging
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from neuralshade.base.message_text import plural
from neuralshade.base.short_repr import ShortRepr
from neuralshade.errors import NeuralShadeError

if TYPE_CHECKING:
    from neuralshade.fitting.callback import RunningFit
    from neuralshade.fitting.progress import Progress

log = logging.getLogger("neuralshade")
CURVE_RATIO = 1.02  # step ratio of two reported losses, besides all rows with a PSNR
FEW_STEPS, VERY_FEW_STEPS = 0.25, 0.1  # share of the usual steps below which a fit is warned of
FEW_ON_CPU = 0.03  # the same on a CPU in the usual time: two cores reach 0.06 with large sets
NO_STATE: Mapping[str, Any] = {"warnings": [], "cut_short": False}  # without a fit, see state_facts
MOST_SHOWN = 16  # numbers of a reported array; larger ones are reported by shape


@dataclass(frozen=True)
class Reached(ShortRepr):
    """Fields that the result of every kind has besides its own; set once all is written."""

    # GPU memory of the asset as shaders read it; None where unknown
    memory_bytes: int | None = field(default=None, kw_only=True)
    warnings: tuple[str, ...] = field(default=(), kw_only=True)  # as logged


class Warnings:
    """Warnings of a fit: logged, and kept for its result."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, *texts: str | None) -> None:
        """Log a warning for each line that is not None."""
        for line in texts:
            if line is not None:
                self.lines.append(line)
                log.warning("%s", line)

    def add_steps(self, p: Progress, recipe: Any, *, on_cpu: bool) -> None:
        """Warn of few steps, see ``few_steps``; log how many the clock left out."""
        self.add(few_steps(p, recipe, on_cpu=on_cpu))
        left = steps_left(p, recipe)
        if left is not None:
            log.info("%s", left)


def few_steps(
    p: Progress, recipe: Any, usual: int | None = None, *, on_cpu: bool = False
) -> str | None:
    """Return the warning for a fit whose requested end came after few of its usual steps.

    ``usual``: their number, where it is not ``usual_steps`` of ``recipe``. A CPU runs few of
    them in the usual time; ``steps_left`` reports that.
    """
    usual = usual or usual_steps(recipe)
    assert usual, recipe
    share = p.step / usual
    clock = type(recipe).seconds  # None for a kind that ends by steps
    as_usual = on_cpu and clock is not None and is_by_clock(p, recipe) and recipe.seconds >= clock
    if p.share < 1.0 or share >= (FEW_ON_CPU if as_usual else FEW_STEPS):
        return None
    far = "far " if share < VERY_FEW_STEPS else ""
    return (f"fit: ended at its {ended(p, recipe)}, {100 * share:.2g} % of the {usual:,} that are "
            f"usual: {far}below what it comes to.{more_of_it(p, recipe)}")  # fmt: skip


def usual_steps(recipe: Any) -> int | None:
    """Return the usual number of steps of a recipe's class; None: unknown."""
    kind = type(recipe)
    found: int | None = getattr(kind, "usual_steps", None) or getattr(kind, "steps", None)
    return found


def steps_left(p: Progress, recipe: Any) -> str | None:
    """Return the message for a fit whose clock ended it before its steps; None otherwise."""
    if not recipe.steps or p.share < 1.0 or not is_by_clock(p, recipe) or p.step >= recipe.steps:
        return None
    whole = p.seconds * recipe.steps / p.step
    more = math.ceil(whole / 10) * 10
    return (f"fit: ran {p.step:,} of {plural(recipe.steps, 'step')} in its {recipe.seconds:g} s. "
            f"All of them take about {more:,} s here: --seconds {more}.")  # fmt: skip


def ended(p: Progress, recipe: Any) -> str:
    """Return the end that a fit reached, and its steps."""
    steps = plural(p.step, "step")
    if not is_by_clock(p, recipe):
        return steps
    longer = p.seconds > 1.1 * recipe.seconds  # for the least number of steps
    return f"{round(p.seconds) if longer else recipe.seconds:g} s after {steps}"


def is_by_clock(p: Progress, recipe: Any) -> bool:
    """Return whether it was the clock that ended a fit."""
    return recipe.seconds is not None and p.seconds + p.reserved >= recipe.seconds


def more_of_it(p: Progress, recipe: Any) -> str:
    """Return the advice to raise the limit that ended a fit; empty where that gains little."""
    if p.share < 1.0 or p.plateau_step is not None:
        return ""
    if is_by_clock(p, recipe):
        return " Give it more --seconds, or a machine with less to do."
    return " Give it more --steps."


def fit_facts(job: RunningFit, number: int, preset: str | None) -> dict[str, Any]:
    """Return the constant facts of a fit; ``number`` identifies it."""
    recipe = job.recipe
    return {
        "id": number, "verb": job.kind.name, "picture": job.original.name, "preset": preset,
        "seed": recipe.seed, "output": str(job.output),
        "transform": getattr(recipe, "transform", None),
        "seconds": recipe.seconds, "steps": recipe.steps, "rated": job.kind.rated,
    }  # fmt: skip


def state_facts(job: RunningFit) -> dict[str, Any]:
    """Return the warnings so far, and whether somebody stopped the fit early."""
    control = job.loop.control
    cut_short = control is not None and control.ended
    return {"warnings": list(job.warnings.lines), "cut_short": cut_short}


def progress_facts(p: Progress) -> dict[str, Any]:
    """Return the progress of a fit."""
    left = p.seconds * (1 - p.share) / p.share if p.share > 0 else None
    return {
        "step": p.step, "seconds": p.seconds, "loss": p.loss, "psnr_db": p.psnr_db,
        "psnr_step": p.psnr_step, "psnr_about": bool(p.about), "psnr_stale": p.stale,
        "share": p.share, "samples_per_second": p.samples_per_second, "left_seconds": left,
        "loss_breaks": list(p.breaks),
    }  # fmt: skip


@dataclass
class CurvePoints:
    """The reported points of a fit's curve: all with a PSNR, and some losses between them."""

    last: list[float | None] | None = None  # the last row that was examined
    noted: int = 0  # step of the last point

    def fresh(self, p: Progress, ended: bool = False) -> list[list[float | None]]:
        """Return the points that were not reported yet: step, seconds, loss, psnr_db.

        The present step's point is reported once the fit has moved on or ``ended``, since another
        measurement of the step, perhaps of the file, may replace it. At the end the last loss is
        always reported.
        """
        points = []
        for row in self._unseen(p, ended):
            step = int(row[0] or 0)
            is_last = ended and row is p.curve[-1] and step > self.noted
            if row[3] is not None or is_last or step > CURVE_RATIO * self.noted:
                points.append(row)
                self.noted = step
        return points

    def _unseen(self, p: Progress, ended: bool) -> list[list[float | None]]:
        """Return the rows after the last examined one; earlier ones may be gone."""
        rows = p.curve if ended or not p.curve or p.curve[-1][0] != p.step else p.curve[:-1]
        first = len(rows)
        least = (self.last or [0])[0] or 0
        while first and rows[first - 1] is not self.last and (rows[first - 1][0] or 0) >= least:
            first -= 1
        self.last = rows[-1] if rows else None
        return rows[first:]


def reached_text(result: Any) -> str:
    """Return a one-line summary of a fit's result."""
    psnr_db = getattr(result, "psnr_db", None)
    quality = f"loss {result.loss:.4g}" if psnr_db is None else f"{psnr_db:.2f} dB"
    return f"{result.asset}: {quality} after {plural(result.steps, 'step')}"


def ending_facts(error: BaseException) -> dict[str, str]:
    """Return state and reason of a fit that ``error`` ended."""
    from neuralshade.fitting.loop import Restart  # not needed for assets

    if isinstance(error, Restart):
        shows = error.settings.get("action") == "show"
        purpose = "to show an asset" if shows else "for another fit"
        return {"state": "stopped", "text": f"stopped {purpose}"}
    if isinstance(error, KeyboardInterrupt):  # FitInterrupted is one
        return {"state": "stopped", "text": str(error) or "interrupted."}
    if isinstance(error, NeuralShadeError):
        return {"state": "failed", "text": str(error)}
    return {"state": "failed", "text": f"{type(error).__name__}: {error}"}


def result_facts(result: Any) -> dict[str, Any]:
    """Return the fields of a result; of large arrays their shapes only."""
    fields = {field.name: getattr(result, field.name) for field in dataclasses.fields(result)}
    return {name: _plain(value) for name, value in fields.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist() if value.size <= MOST_SHOWN else {"shape": list(value.shape)}
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return result_facts(value)
    return value
