"""Where a fit is told of while it runs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy.typing as npt
import torch

if TYPE_CHECKING:
    from neuralshade.fitting.loop import Loop
    from neuralshade.fitting.progress import Progress


class RunningFit(Protocol):
    """What a place that is told of a fit may ask of it."""

    preset: str | None

    @property
    def kind(self) -> Any: ...  # it has a name, and is rated or not
    @property
    def recipe(self) -> Any: ...
    @property
    def original(self) -> Any: ...  # what is fitted; it has a name
    @property
    def output(self) -> Path: ...
    @property
    def chosen(self) -> Any: ...  # engine and device_name
    @property
    def options(self) -> Any: ...
    @property
    def snapshots(self) -> Any: ...
    @property
    def loop(self) -> Loop: ...
    @property
    def warnings(self) -> Any: ...  # what it said is in ``said``


class Callback:
    """One place that is told of a fit: a folder, an animation, a viewer, a log.

    Methods are called in this order; those that a callback does not have do nothing. It is
    opened by ``begin``, or when it is made, and closed in any case.
    """

    def begin(self, job: RunningFit) -> None:
        """Called before the first step of a fit, resumed or not. Raises OutputError."""
        return None

    def tell(self, facts: Mapping[str, Any]) -> None:
        """Called when the state of a fit changes; ``facts`` are as fit_facts says, with a state."""
        return None

    def observe(self, progress: Progress) -> None:
        """Called about ten times a second with how far the fit is."""
        return None

    def take(self, step: int, drawn: npt.NDArray[Any]) -> None:
        """Take the snapshot of ``step``: float32 [h, w, C] in the picture's colour space."""
        return None

    def state(self) -> dict[str, torch.Tensor]:
        """Return what a checkpoint keeps of it, so that a resumed fit goes on with it."""
        return {}

    def load_state(self, state: dict[str, torch.Tensor]) -> None:
        """Go on from what ``state`` returned; entries of other callbacks may be among it."""
        return None

    def finish(self) -> None:
        """Write what is written at the end of a whole fit. Raises OutputError."""
        return None

    def result(self, reached: Mapping[str, Any]) -> None:
        """Called with what a whole fit reached, as plain JSON data."""
        return None

    def close(self) -> None:
        """Close what is open, whether the fit ended or not."""
        return None


@dataclass
class Beat:
    """Says when a log is due: every ``share`` of a fit's time, in [least, most] seconds."""

    least: float
    most: float
    share: float
    _next: float = field(default=-math.inf, init=False)

    def is_due(self, seconds: float) -> bool:
        """Return whether something is to be written after ``seconds`` of training."""
        if seconds < self._next:
            return False
        self._next = seconds + min(self.most, max(self.least, self.share * seconds))
        return True
