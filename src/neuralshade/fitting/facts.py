"""What pages and programs are told of a fit, as plain JSON data (docs/events.md)."""

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
CURVE_RATIO = 1.02  # of steps between two losses that are told, besides all rows with a PSNR
FEW_STEPS, VERY_FEW_STEPS = 0.25, 0.1  # of those that are usual: below, a fit is told
FEW_ON_CPU = 0.03  # the same of a CPU in the usual time: two cores come to 0.06 with large sets
NO_STATE: Mapping[str, Any] = {"warnings": [], "cut_short": False}  # of no fit, see state_facts
MOST_SHOWN = 16  # numbers of an array that are told; of larger ones the shape


@dataclass(frozen=True)
class Reached(ShortRepr):
    """What the result of every kind's fit says besides its own; filled in once all is written."""

    # in a GPU's memory, as shaders read the asset; None where that is not told
    memory_bytes: int | None = field(default=None, kw_only=True)
    warnings: tuple[str, ...] = field(default=(), kw_only=True)  # as the log has them


class Warnings:
    """What a fit warns of: said in the log, and kept for its result."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, *lines: str | None) -> None:
        """Warn of each line that is not None."""
        for line in lines:
            if line is not None:
                self.said.append(line)
                log.warning("%s", line)

    def say_steps(self, p: Progress, recipe: Any, *, on_cpu: bool) -> None:
        """Warn of few steps, see ``few_steps``; log how many a clock left of the recipe's."""
        self.say(few_steps(p, recipe, on_cpu=on_cpu))
        left = steps_left(p, recipe)
        if left is not None:
            log.info("%s", left)


def few_steps(
    p: Progress, recipe: Any, usual: int | None = None, *, on_cpu: bool = False
) -> str | None:
    """Return what to say of a fit whose given end came after a small share of its usual steps.

    ``usual``: those, where they are not ``usual_steps`` of ``recipe``. A CPU, where the usual time
    was given, runs few of them: ``steps_left`` tells.
    """
    usual = usual or usual_steps(recipe)
    assert usual, recipe
    share = p.step / usual
    clock = type(recipe).seconds  # None of a kind that ends by its steps
    as_usual = on_cpu and clock is not None and is_by_clock(p, recipe) and recipe.seconds >= clock
    if p.share < 1.0 or share >= (FEW_ON_CPU if as_usual else FEW_STEPS):
        return None
    far = "far " if share < VERY_FEW_STEPS else ""
    return (f"fit: ended at its {ended(p, recipe)}, {100 * share:.2g} % of the {usual:,} that are "
            f"usual: {far}below what it comes to.{more_of_it(p, recipe)}")  # fmt: skip


def usual_steps(recipe: Any) -> int | None:
    """Return how many steps a fit usually has, by the class of its recipe; None: not told."""
    kind = type(recipe)
    found: int | None = getattr(kind, "usual_steps", None) or getattr(kind, "steps", None)
    return found


def steps_left(p: Progress, recipe: Any) -> str | None:
    """Return what to say of a fit whose clock came before its steps; None of any other."""
    if not recipe.steps or p.share < 1.0 or not is_by_clock(p, recipe) or p.step >= recipe.steps:
        return None
    whole = p.seconds * recipe.steps / p.step
    more = math.ceil(whole / 10) * 10
    return (f"fit: ran {p.step:,} of {plural(recipe.steps, 'step')} in its {recipe.seconds:g} s. "
            f"All of them take about {more:,} s here: --seconds {more}.")  # fmt: skip


def ended(p: Progress, recipe: Any) -> str:
    """Return the given end that a fit came to, and its steps."""
    steps = plural(p.step, "step")
    return f"{recipe.seconds:g} s after {steps}" if is_by_clock(p, recipe) else steps


def is_by_clock(p: Progress, recipe: Any) -> bool:
    """Return whether it was the clock that ended a fit."""
    return recipe.seconds is not None and p.seconds >= recipe.seconds


def more_of_it(p: Progress, recipe: Any) -> str:
    """Return what to give more of, by what ended a fit; nothing where more steps gain little."""
    if p.share < 1.0 or p.plateau_step is not None:
        return ""
    if is_by_clock(p, recipe):
        return " Give it more --seconds, or a machine with less to do."
    return " Give it more --steps."


def fit_facts(job: RunningFit, number: int, preset: str | None) -> dict[str, Any]:
    """Return what stays the same while a fit runs; ``number`` tells it from others."""
    recipe = job.recipe
    return {
        "id": number, "verb": job.kind.name, "picture": job.original.name, "preset": preset,
        "seed": recipe.seed, "output": str(job.output),
        "transform": getattr(recipe, "transform", None),
        "seconds": recipe.seconds, "steps": recipe.steps, "rated": job.kind.rated,
    }  # fmt: skip


def state_facts(job: RunningFit) -> dict[str, Any]:
    """Return what was warned of so far, and whether somebody ended the fit before its end."""
    control = job.loop.control
    cut_short = control is not None and control.ended
    return {"warnings": list(job.warnings.said), "cut_short": cut_short}


def progress_facts(p: Progress) -> dict[str, Any]:
    """Return how far a fit is."""
    left = p.seconds * (1 - p.share) / p.share if p.share > 0 else None
    return {
        "step": p.step, "seconds": p.seconds, "loss": p.loss, "psnr_db": p.psnr_db,
        "psnr_step": p.psnr_step, "psnr_about": bool(p.about), "psnr_stale": p.stale,
        "share": p.share, "samples_per_second": p.samples_per_second, "left_seconds": left,
        "loss_breaks": list(p.breaks),
    }  # fmt: skip


@dataclass
class CurvePoints:
    """Which points of a fit's curve were told: all with a PSNR, and some losses between them."""

    last: list[float | None] | None = None  # of those that it keeps, that was looked at
    noted: int = 0  # step of the last point

    def fresh(self, p: Progress, ended: bool = False) -> list[list[float | None]]:
        """Return the points that were not told yet: step, seconds, loss, psnr_db.

        That of the step where the fit stands is told once it has gone on or ``ended``: another
        measuring of that step, of the file perhaps, takes its place until then. Where it ended
        the last loss is told, whatever lies before it.
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
        """Return the rows behind the last that was looked at; earlier ones may be gone."""
        rows = p.curve if ended or not p.curve or p.curve[-1][0] != p.step else p.curve[:-1]
        first = len(rows)
        least = (self.last or [0])[0] or 0
        while first and rows[first - 1] is not self.last and (rows[first - 1][0] or 0) >= least:
            first -= 1
        self.last = rows[-1] if rows else None
        return rows[first:]


def reached_text(result: Any) -> str:
    """Return in a line what a fit reached."""
    psnr_db = getattr(result, "psnr_db", None)
    said = f"loss {result.loss:.4g}" if psnr_db is None else f"{psnr_db:.2f} dB"
    return f"{result.asset}: {said} after {plural(result.steps, 'step')}"


def ending_facts(error: BaseException) -> dict[str, str]:
    """Return the state and the reason of a fit that ``error`` ended."""
    from neuralshade.fitting.loop import Restart  # an asset is told of without it

    if isinstance(error, Restart):
        shows = error.settings.get("action") == "show"
        wanted = "to show an asset" if shows else "for another fit"
        return {"state": "stopped", "text": f"given up {wanted}"}
    if isinstance(error, KeyboardInterrupt):  # FitInterrupted is one
        return {"state": "stopped", "text": str(error) or "interrupted."}
    if isinstance(error, NeuralShadeError):
        return {"state": "failed", "text": str(error)}
    return {"state": "failed", "text": f"{type(error).__name__}: {error}"}


def result_facts(result: Any) -> dict[str, Any]:
    """Return the fields of what a fit reached; of large arrays their shapes only."""
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
