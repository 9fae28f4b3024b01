"""Queue of training steps submitted to the GPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from neuralshade.engine.kernels.step.step_state import RATES, STATE, StepState
from neuralshade.gpu.gpu import Buffer, Commands, Gpu, Ring, Steps, write_once

Factors = Sequence[float]
BEGINNING = StepState(0, 0, 0, 0, 1.0)


class StepQueue:
    """Records and submits steps without waiting for the GPU; reads the state after them.

    ``states`` is the buffer of both states (step_state.slang), which now hold ``state``. ``rates``
    is the ring of RATES learning-rate factors, None where kernels get them differently.
    ``most`` steps are recorded per submission, while the GPU still runs those before.
    """

    def __init__(
        self,
        gpu: Gpu,
        states: Buffer,
        rates: Ring | None,
        most: int,
        state: StepState = BEGINNING,
    ):
        self.gpu, self.rates, self.most = gpu, rates, most
        self.state, self.next_step = state, state.step
        self._states, self._reader = states, gpu.reader(states, STATE.itemsize)
        self._in_flight = 0

    def advance(self, factors: Factors, send: Callable[[Factors], None]) -> StepState:
        """Call ``send`` with at most ``most`` factors at a time; return the state after them."""
        for first in range(0, len(factors), self.most):
            send(factors[first : first + self.most])
        return self.read()

    def read(self) -> StepState:
        """Wait for all submitted steps; return the state after them."""
        self.state = StepState.of(self._reader.read())
        self._in_flight = 0
        return self.state

    def send(self, steps: Steps, factors: Factors) -> None:
        """Submit ``steps`` once for each factor of the learning rate."""
        count = len(factors)
        commands = self.begin(count)
        assert self.rates is not None, "these steps get their factors another way"
        self.rates.write(commands, self.next_step, factors)
        commands.run(steps, count)
        self.end(commands, count)

    def begin(self, count: int) -> Commands:
        """Return commands for the next ``count`` steps; ``end`` submits them.

        Waits where the factors of steps that may still run would be overwritten.
        """
        self._in_flight += count
        if self.rates is not None and self._in_flight > RATES // 2:
            self.gpu.wait()
            self._in_flight = count
        return self.gpu.commands()

    def end(self, commands: Commands, count: int) -> None:
        """Submit the recorded commands for ``count`` steps."""
        commands.submit()
        self.next_step += count

    def saved(self) -> torch.Tensor:
        """Return the state's bytes, which ``StepState.of`` reads back: uint8 [28]."""
        return torch.from_numpy(self._reader.read().copy())

    def restart(self, state: StepState) -> None:
        """Continue with ``state`` on the device."""
        self.state, self.next_step = state, state.step
        write_once(self.gpu, self._states, state.pair())
