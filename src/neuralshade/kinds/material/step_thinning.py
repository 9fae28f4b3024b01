"""One step of PyTorch for several that a loop counts, where kernels' steps are so much shorter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import torch

from neuralshade.fitting.resuming import check_state

State = dict[str, torch.Tensor]
NAMES = ("counted", "loss")  # of its own numbers in a state


class Steps(Protocol):
    """What runs steps in PyTorch."""

    @property
    def skipped(self) -> int: ...
    def advance(self, rate_factors: Sequence[float]) -> float: ...
    def state(self) -> State: ...
    def load_state(self, state: State) -> None: ...


class StepThinning:
    """Runs ``inner``'s next step for the first of every ``every`` steps that are asked for.

    So a fit whose length is told in steps does not spend its time where a step takes 10 to 30 times
    as long as the fused kernels' do.
    """

    def __init__(self, inner: Steps, every: int):
        self.inner, self.every = inner, every
        self._counted, self._loss = 0, 0.0

    @property
    def skipped(self) -> int:
        """Return how many of the steps that were run had a gradient that was not finite."""
        return self.inner.skipped

    def advance(self, rate_factors: Sequence[float]) -> float:
        """Count one step per factor of the step sizes; return the loss of the last that was run."""
        picked = [factor for number, factor in enumerate(rate_factors, self._counted)
                  if number % self.every == 0]  # fmt: skip
        self._counted += len(rate_factors)
        if picked:
            self._loss = self.inner.advance(picked)
        return self._loss

    def state(self) -> State:
        """Return everything that a restart needs, by name."""
        return {**self.inner.state(), "counted": torch.tensor(self._counted),
                "loss": torch.tensor(self._loss, dtype=torch.float64)}  # fmt: skip

    def load_state(self, state: State) -> None:
        """Take over what ``state`` returned once."""
        self.inner.load_state({name: v for name, v in state.items() if name not in NAMES})
        self._counted, self._loss = int(state["counted"]), float(state["loss"])


def join_states(inner: State, later: Steps | None, prefix: str) -> State:
    """Return a state with that of a later phase of the fit, once it has begun, behind a prefix."""
    own = {} if later is None else later.state()
    return {**inner, **{f"{prefix}{name}": value for name, value in own.items()}}


def split_state(state: State, prefix: str) -> tuple[State, State]:
    """Return what has no such prefix, and what has, without it: what ``join_states`` joined."""
    before = {name: value for name, value in state.items() if not name.startswith(prefix)}
    own = {name.removeprefix(prefix): value for name, value in state.items() if name not in before}
    return before, own


def restore_state(steps: Steps, own: State) -> None:
    """Let a phase that has just begun go on from a state. Raises: ValueError for what fits none."""
    check_state(own, steps.state(), ())
    steps.load_state(own)
