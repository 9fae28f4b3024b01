"""PyTorch engine on CUDA that records a step once and replays it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from neuralshade.engine.recorded_step import RecordedStep
from neuralshade.engine.torch_engine import TorchEngine
from neuralshade.optimizer.adam import Adam


@dataclass
class RecordedEngine(TorchEngine):
    """``TorchEngine`` on CUDA, whose ``task`` reads the batch that ``load_batch`` stores.

    ``load_batch`` runs on the host. The task, and the location of parameters, stay the same until
    ``forget``. The optimizers are ``Adam``; there is no average.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        adams = [adam for adam in self.optimizers if isinstance(adam, Adam)]
        if len(adams) != len(self.optimizers) or self.average is not None:
            raise TypeError("a recorded step has Adam alone")
        self._recorded = RecordedStep(self._unscaled, adams, self.parameters[0].device)

    def advance(self, rate_factors: Sequence[float]) -> float:
        """Run one step per factor of the step size; return the last step's mean loss."""
        for factor in rate_factors:
            self.load_batch()
            self._recorded.run(factor)
        self.skipped += self._recorded.skips()
        return float(self._recorded.loss)

    def forget(self) -> None:
        """Record the next step anew: what a step does has changed."""
        self._recorded.forget()

    def _unscaled(self) -> torch.Tensor:
        """Leave one batch's gradients; return its mean loss."""
        loss = self._gradients()
        self._unscale()
        return loss
