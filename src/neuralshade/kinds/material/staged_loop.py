"""Staged loop of a material's fit: map and decoder, then mip levels, then the sampler."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from neuralshade.fitting.loop import Loop


class StagedEngine(Protocol):
    """An engine that trains in stages; ``setup_count`` counts every kernel setup."""

    @property
    def stages_begun(self) -> int: ...
    @property
    def setup_count(self) -> int: ...
    def advance(self, rate_factors: Sequence[float]) -> float: ...


@dataclass
class StagedLoop(Loop):
    """A training loop whose schedule of step sizes runs once in each stage of an engine.

    Stage i is due at the share ``starts[i]`` of the fit. By a clock each stage has its full time,
    even if it started late: one call of many steps may use up the time of two stages.
    """

    engine: StagedEngine
    starts: Sequence[float] = (0.0,)  # increasing

    def __post_init__(self) -> None:
        self.starts = sorted(set(self.starts))  # stages without time are dropped

    def _made_ready(self) -> int:
        return self.engine.setup_count

    def _due(self) -> float:
        begun, p, seconds = self.engine.stages_begun, self.progress, self.recipe.seconds
        share = super()._due()
        if seconds and self.engine.stages_begun > begun:
            self._late = max(self._late, p.seconds - seconds * self.starts[begun])
        return share

    def _used_share(self, step: int, seconds: float) -> float:
        share = super()._used_share(step, seconds)
        if self.recipe.steps and step >= self.recipe.steps:
            return share
        return min([share, *(math.nextafter(due, 1.0) for due in self._later()[:1])])

    def _rate_share(self, step: int, seconds: float) -> float:
        share = super()._used_share(step, seconds)
        begin, end = self.starts[self.engine.stages_begun - 1], min(self._later(), default=1.0)
        return min(1.0, max(0.0, share - begin) / max(end - begin, 1e-9))

    def _later(self) -> Sequence[float]:
        """Return when the remaining stages are due."""
        return self.starts[self.engine.stages_begun :]
