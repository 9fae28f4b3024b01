"""Encoder stage of a material's fit on a GPU: the interface, and its steps in PyTorch."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import torch

from neuralshade.engine.torch_engine import TorchEngine
from neuralshade.kinds.material.device_samples import DeviceBatches, DeviceSamples
from neuralshade.kinds.material.engine import (
    OF_ENCODER,
    EncodedField,
    MaterialTask,
    network_optimizers,
)
from neuralshade.kinds.material.log_loss import log_loss
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.step_thinning import State, StepThinning, split_state

DRAWN = "drawn"  # of a state: number of batches


class EncoderSteps(ABC):
    """Training steps of encoder, decoder and read-out of ``field``, on device-drawn samples.

    The feature map has a single, unused texel in this stage. All implementations use PyTorch's
    names in their state, so that any of them can resume it.
    """

    def __init__(self, field: EncodedField, recipe: MaterialRecipe):
        self.field = field
        self.optimizers = network_optimizers(field, recipe)
        self.decoder_soap, self.encoder_soap, self.adam = self.optimizers

    @property
    @abstractmethod
    def skipped(self) -> int:
        """Return how many steps had a gradient that was not finite."""

    @abstractmethod
    def advance(self, rate_factors: Sequence[float]) -> float:
        """Run one step per factor of the step sizes; return the last step's mean loss.

        Raises: ConfigError, with the place, if the reference's value is not finite.
        """

    @abstractmethod
    def fetch(self) -> None:
        """Download the trained numbers into ``field`` and the optimizers."""

    @abstractmethod
    def state(self) -> State:
        """Return the state for a restart, by name."""

    @abstractmethod
    def load_state(self, state: State) -> None:
        """Restore what ``state`` returned."""


class TorchEncoderSteps(EncoderSteps):
    """Encoder steps in PyTorch, on the device of ``field``."""

    def __init__(
        self,
        field: EncodedField,
        recipe: MaterialRecipe,
        drawn: DeviceSamples,
        rng: torch.Generator,
    ):
        super().__init__(field, recipe)
        self.batches = DeviceBatches(drawn, next(field.parameters()).device)
        task = MaterialTask(field, lambda rng, moved: self.batches.current())
        inner = TorchEngine(field, task, log_loss, self.optimizers, rng,
                            load_batch=self.batches.load_next)  # fmt: skip
        self.steps = StepThinning(inner, 1)

    @property
    def skipped(self) -> int:
        return self.steps.skipped

    def advance(self, rate_factors: Sequence[float]) -> float:
        return self.steps.advance(rate_factors)

    def fetch(self) -> None:
        """Do nothing: steps change these in place."""

    def state(self) -> State:
        return encoder_state(self.steps.state(), self.batches.step)

    def load_state(self, state: State) -> None:
        self.steps.load_state(split_state(state, OF_ENCODER)[1])
        self.batches.step = int(state[DRAWN])


def encoder_state(inner: State, drawn: int) -> State:
    """Return the state of steps with its names in a fit; ``drawn``: batches so far."""
    named = {f"{OF_ENCODER}{name}": value.cpu() for name, value in inner.items()}
    return {**named, DRAWN: torch.tensor(drawn)}
