"""The loop of a material's fit: map and decoder, then mip levels, then the sampler."""

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
    """A loop whose step sizes go through their schedule once in each of an engine's parts.

    Part i is due from ``starts[i]`` of the fit on. By a clock each has its whole time, however late
    it began: one call of many steps may take what was left for two of them.
    """

    engine: StagedEngine
    starts: Sequence[float] = (0.0,)  # growing

    def __post_init__(self) -> None:
        self.starts = sorted(set(self.starts))  # of parts that take no time, none is left

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
        """Return when parts are due that have not begun."""
        return self.starts[self.engine.stages_begun :]
