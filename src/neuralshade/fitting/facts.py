"""What pages and programs are told of a fit, as plain JSON data (docs/events.md)."""

from __future__ import annotations

import dataclasses
import logging
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


def fit_facts(job: RunningFit, number: int, preset: str | None) -> dict[str, Any]:
    """Return what stays the same while a fit runs; ``number`` tells it from others."""
    recipe = job.recipe
    return {
        "id": number, "verb": job.kind.name, "picture": job.original.name, "preset": preset,
        "seed": recipe.seed, "output": str(job.output),
        "transform": getattr(recipe, "transform", None),
        "seconds": recipe.seconds, "steps": recipe.steps, "rated": job.kind.rated,
    }  # fmt: skip


def progress_facts(p: Progress) -> dict[str, Any]:
    """Return how far a fit is."""
    left = p.seconds * (1 - p.share) / p.share if p.share > 0 else None
    return {
        "step": p.step, "seconds": p.seconds, "loss": p.loss, "psnr_db": p.psnr_db,
        "psnr_step": p.psnr_step, "psnr_about": bool(p.about), "psnr_stale": p.stale,
        "share": p.share, "samples_per_second": p.samples_per_second, "left_seconds": left,
    }  # fmt: skip


@dataclass
class CurvePoints:
    """Which points of a fit's curve were told: all with a PSNR, and some losses between them."""

    last: list[float | None] | None = None  # of those that it keeps, that was looked at
    noted: int = 0  # step of the last point

    def fresh(self, p: Progress) -> list[list[float | None]]:
        """Return the points that were not told yet: step, seconds, loss, psnr_db."""
        points = []
        for row in self._unseen(p):
            step = int(row[0] or 0)
            if row[3] is not None or step > CURVE_RATIO * self.noted:
                points.append(row)
                self.noted = step
        return points

    def skip(self, p: Progress) -> None:
        """Tell none of those that there are."""
        self.last = p.curve[-1] if p.curve else None

    def _unseen(self, p: Progress) -> list[list[float | None]]:
        """Return the rows behind the last that was looked at; earlier ones may be gone."""
        first = len(p.curve)
        least = (self.last or [0])[0] or 0
        while (
            first and p.curve[first - 1] is not self.last and (p.curve[first - 1][0] or 0) >= least
        ):
            first -= 1
        unseen = p.curve[first:]
        self.skip(p)
        return unseen


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
