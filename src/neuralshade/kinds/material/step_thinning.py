"""Step thinning: one step of PyTorch for several of the loop, where kernels would be faster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import torch

from neuralshade.fitting.resuming import check_state

State = dict[str, torch.Tensor]
NAMES = ("counted", "loss")  # of this module's numbers in a state


class Steps(Protocol):
    """Training steps in PyTorch."""

    @property
    def skipped(self) -> int: ...
    def advance(self, rate_factors: Sequence[float]) -> float: ...
    def state(self) -> State: ...
    def load_state(self, state: State) -> None: ...


class StepThinning:
    """Runs a step of ``inner`` for every ``every`` steps of the loop.

    This keeps the time of a fit with a number of steps, where a step takes 10 to 30 times as long
    as that of fused kernels.
    """

    def __init__(self, inner: Steps, every: int):
        self.inner, self.every = inner, every
        self._counted, self._loss = 0, 0.0

    @property
    def skipped(self) -> int:
        """Return the number of executed steps with a gradient that was not finite."""
        return self.inner.skipped

    def advance(self, rate_factors: Sequence[float]) -> float:
        """Count one step per factor of the step sizes; return the last executed step's loss."""
        picked = [factor for number, factor in enumerate(rate_factors, self._counted)
                  if number % self.every == 0]  # fmt: skip
        self._counted += len(rate_factors)
        if picked:
            self._loss = self.inner.advance(picked)
        return self._loss

    def state(self) -> State:
        """Return the state for a restart, by name."""
        return {**self.inner.state(), "counted": torch.tensor(self._counted),
                "loss": torch.tensor(self._loss, dtype=torch.float64)}  # fmt: skip

    def load_state(self, state: State) -> None:
        """Restore what ``state`` returned."""
        self.inner.load_state({name: v for name, v in state.items() if name not in NAMES})
        self._counted, self._loss = int(state["counted"]), float(state["loss"])


def join_states(inner: State, later: Steps | None, prefix: str) -> State:
    """Return a state joined with that of a later stage, once begun, under a prefix."""
    own = {} if later is None else later.state()
    return {**inner, **{f"{prefix}{name}": value for name, value in own.items()}}


def split_state(state: State, prefix: str) -> tuple[State, State]:
    """Return the parts without and with the prefix, the latter without it."""
    before = {name: value for name, value in state.items() if not name.startswith(prefix)}
    own = {name.removeprefix(prefix): value for name, value in state.items() if name not in before}
    return before, own


def restore_state(steps: Steps, own: State) -> None:
    """Resume a new stage from a state. Raises: ValueError for a state that does not match."""
    check_state(own, steps.state(), ())
    steps.load_state(own)
