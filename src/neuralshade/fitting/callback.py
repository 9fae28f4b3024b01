"""Callback protocol of a running fit, and the interval of its periodic ones."""

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
    """A running fit, as callbacks see it."""

    preset: str | None
    observer: Any  # ignore of fitting/loop.py where none was passed

    @property
    def kind(self) -> Any: ...  # has a name and ``rated``
    @property
    def recipe(self) -> Any: ...
    @property
    def original(self) -> Any: ...  # the source; has a name
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
    def warnings(self) -> Any: ...  # logged ones are in ``lines``


class Callback:
    """One receiver of a fit's events: a folder, an animation, a viewer, a log.

    Methods are called in this order; the defaults do nothing. A callback opens its resources in
    ``begin`` or in its constructor, and closes them in ``close`` in any case.
    """

    def begin(self, job: RunningFit) -> None:
        """Called before the first step of a fit, resumed or not. Raises OutputError."""
        return None

    def update(self, facts: Mapping[str, Any]) -> None:
        """Called when the state of a fit changes; ``facts``: those of fit_facts, and the state."""
        return None

    def observe(self, progress: Progress) -> None:
        """Called about ten times a second with the progress."""
        return None

    def take(self, step: int, drawn: npt.NDArray[Any]) -> None:
        """Take the snapshot of ``step``: float32 [h, w, C] in the picture's colour space."""
        return None

    def state(self) -> dict[str, torch.Tensor]:
        """Return the tensors that a checkpoint stores for this callback."""
        return {}

    def load_state(self, state: dict[str, torch.Tensor]) -> None:
        """Restore from ``state``; it may have entries of other callbacks."""
        return None

    def finish(self) -> None:
        """Write final files after a complete fit. Raises OutputError."""
        return None

    def result(self, reached: Mapping[str, Any]) -> None:
        """Called with the result of a complete fit, as plain JSON data."""
        return None

    def close(self) -> None:
        """Close resources, whether the fit ended or failed."""
        return None


@dataclass
class Tick:
    """Interval of a log: every ``share`` of a fit's time, within [least, most] seconds."""

    least: float
    most: float
    share: float
    _next: float = field(default=-math.inf, init=False)

    def is_due(self, seconds: float) -> bool:
        """Return whether to log after ``seconds`` of training."""
        if seconds < self._next:
            return False
        self._next = seconds + min(self.most, max(self.least, self.share * seconds))
        return True
