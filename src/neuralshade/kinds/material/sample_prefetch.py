"""Prefetch of training samples: a kernel draws several steps at once, handed out as tensors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeVar

import torch

from neuralshade.engine.kernels.step.step_state import StepState
from neuralshade.gpu.gpu import Buffer, Dispatch, Gpu, run_once, write_once

# The dispatch, and its float32 output buffers, each with its numbers a sample.
Drawing = tuple[Dispatch, Sequence[tuple[Buffer, int]]]
Batch = TypeVar("Batch")


class SamplePrefetch(ABC, Generic[Batch]):
    """Batches drawn by a kernel from counters; ``step`` is the next step's number.

    On CUDA, drawn samples and the ``current`` batch keep their addresses.
    """

    def __init__(self, gpu: Gpu, device: torch.device, batch: int, ahead: int):
        """``ahead``: about how many samples at once. Calls ``_drawing``: set attributes first."""
        self.gpu, self.device, self.batch, self.step = gpu, device, batch, 0
        self._steps = max(1, ahead // batch)
        self._first = -self._steps  # of the steps in memory
        self._rows: list[torch.Tensor] = []
        self.states = gpu.buffer(StepState(0, 0, 0, 0, 1.0).pair())
        self._dispatch, self._buffers = self._drawing(self._steps * batch)
        self._current = [torch.zeros(batch, size, device=device) for _, size in self._buffers]

    def draw(self) -> Batch:
        """Return the next step's batch.

        Raises: ConfigError, with the place, if the reference's value is not finite.
        """
        self.load_next()
        return self.current()

    def load_next(self) -> None:
        """Make the next step's batch the current one.

        Raises: ConfigError, with the place, if the reference's value is not finite.
        """
        if not self._first <= self.step < self._first + self._steps:
            self._fill()
        at = (self.step - self._first) * self.batch
        self.step += 1
        for held, rows in zip(self._current, self._rows, strict=True):
            held.copy_(rows[at : at + self.batch])

    @abstractmethod
    def current(self) -> Batch:
        """Return the current batch, in new tensors."""

    @abstractmethod
    def _drawing(self, count: int) -> Drawing:
        """Return the dispatch that draws ``count`` samples, from the step in ``states`` on."""

    @abstractmethod
    def _check(self, drawn: Sequence[torch.Tensor]) -> None:
        """Refuse invalid samples, a tensor for each buffer. Raises: ConfigError."""

    def _fill(self) -> None:
        """Draw the samples of the next steps."""
        gpu, self._first = self.gpu, self.step
        if self.device.type == "cuda":
            torch.cuda.synchronize()  # another stream may still read the previous ones
        write_once(gpu, self.states, StepState(self.step, 0, 0, 0, 1.0).pair())
        run_once(gpu, [self._dispatch])
        gpu.wait()
        count = self._steps * self.batch
        self._rows = [floats_on(self.device, buffer, count, n) for buffer, n in self._buffers]
        self._check(self._rows)


def floats_on(device: torch.device, buffer: Buffer, count: int, numbers: int) -> torch.Tensor:
    """Return the start of a buffer on a torch device: float32 [count, numbers].

    With CUDA interoperability it is the buffer's own memory.
    """
    if device.type == "cuda" and hasattr(buffer, "__cuda_array_interface__"):
        flat = torch.as_tensor(buffer, device=device)
    else:
        flat = torch.from_numpy(buffer.read()).to(device)
    return flat[: 4 * count * numbers].view(torch.float32).view(count, numbers)
