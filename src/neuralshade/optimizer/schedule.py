"""Learning-rate schedules."""

import math
from collections.abc import Callable
from typing import Protocol

SCHEDULES: dict[str, Callable[[float, float], float]] = {
    "constant": lambda progress, final: 1.0,
    "cosine": lambda progress, final: (
        final + (1.0 - final) * 0.5 * (1.0 + math.cos(math.pi * progress))
    ),
    "exponential": lambda progress, final: final**progress,
}


class Schedule(Protocol):
    """Settings of a recipe for the end of a fit and its learning rate."""

    @property
    def steps(self) -> int | None: ...
    @property
    def seconds(self) -> float | None: ...
    @property
    def schedule(self) -> str: ...
    @property
    def rate_final(self) -> float: ...
    @property
    def warmup(self) -> int: ...


def rate_factor(kind: str, progress: float, step: int, final: float, warmup: int) -> float:
    """Return the factor of the learning rate.

    ``progress`` in [0, 1] is the finished share of the fit, by steps or by time;
    ``final`` > 0 is the factor at its end; during the first ``warmup`` steps the factor
    grows linearly from 1 / warmup.
    Source of the cosine: Loshchilov and Hutter 2017, SGDR, eq. 5.
    """
    ramp = min(1.0, (step + 1) / warmup) if warmup > 0 else 1.0
    return ramp * SCHEDULES[kind](min(progress, 1.0), final)
