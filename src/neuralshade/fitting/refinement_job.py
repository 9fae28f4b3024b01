"""Job of fits with code refinement after the last step, and the result of it."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TypeVar

import torch

from neuralshade.fitting.job import Job
from neuralshade.fitting.time_plan import Deadline, deadline_of

log = logging.getLogger("neuralshade")
R = TypeVar("R")

NOT_REFINED = "code refinement did not finish, so quality is lower: {error}"


@dataclass(frozen=True)
class CodeRefinement:
    """Result of code refinement."""

    moved: int  # moves of codes; a code moved by several passes counts for each
    seconds: float
    gain_db: float  # of a texture set: of the mean over the maps' PSNR at mip 0
    ended: bool  # False where an interruption came first
    failed: str | None = None  # reason of an early end
    timed_out: bool = False  # its share of the seconds came first

    def __str__(self) -> str:
        stopped = "its share of --seconds" if self.timed_out else ""
        stopped = stopped if self.ended else "Ctrl-C"
        stopped = "an error" if self.failed else stopped
        text = f"refined after training: {self.gain_db:+.2f} dB in {self.seconds:.1f} s"
        return f"{text}, ended by {stopped}" if stopped else text


@dataclass(frozen=True)
class LastState:
    """An engine's state after the last training step, which checkpoints keep from then on."""

    values: dict[str, torch.Tensor]

    def state(self) -> dict[str, torch.Tensor]:
        return self.values


class RefinementJob(Job[R]):
    """Fit with code refinement: a search that ends early leaves a checkpoint.

    The checkpoint has the state before the search, so that a resumed fit repeats the search and
    writes the bits of one that was not interrupted (on the CPU).
    """

    def deadline(self) -> Deadline:
        """Return until when codes are searched, called after training."""
        return deadline_of(self.recipe, self.loop.clock, self.loop.progress.seconds)

    def keep_last_state(self) -> None:
        """Copy the engine's state before a search, which may change it or lose its GPU."""
        copied = {name: value.clone() for name, value in self.engine.state().items()}
        self.last_state = LastState(copied)

    def refinement_ended_early(self) -> None:
        """Save a checkpoint for the rest of the search, and log what remains."""
        report = self.options.report
        page = "" if report is None else " and the report; Ctrl-C again leaves the report out"
        log.warning("code refinement ended early; writing the asset%s", page)
        step = self.loop.progress.step
        before, self.saved_step = self.saved_step, None
        self._autosave(step)
        self.is_complete = self.saved_step is None
        self.saved_step = before if self.is_complete else step

    def _written(self) -> None:
        super()._written()
        if not self.is_complete:
            log.warning("%s has the codes that were found so far; %s",
                        self.output, self._kept(self.loop.progress.step))  # fmt: skip
