"""What a kernel draws for several steps at once, given out as tensors, step by step."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeVar

import torch

from neuralshade.engine.kernels.step.step_state import StepState
from neuralshade.gpu.gpu import Buffer, Dispatch, Gpu, run_once, write_once

# What draws, and the buffers that it leaves float32 in, each with how many numbers a sample has.
Drawing = tuple[Dispatch, Sequence[tuple[Buffer, int]]]
Batch = TypeVar("Batch")


class SamplePrefetch(ABC, Generic[Batch]):
    """Batches of a kernel's samples, which a step's number says all of; ``step`` is the next.

    What CUDA drew stays where it is, and so does the batch that is ``held``, whichever it is.
    """

    def __init__(self, gpu: Gpu, device: torch.device, batch: int, ahead: int):
        """``ahead``: samples at once, about. ``_drawing`` is asked here, by who knows the rest."""
        self.gpu, self.device, self.batch, self.step = gpu, device, batch, 0
        self._steps = max(1, ahead // batch)
        self._first = -self._steps  # of those that are at hand
        self._rows: list[torch.Tensor] = []
        self.states = gpu.buffer(StepState(0, 0, 0, 0, 1.0).pair())
        self._dispatch, self._buffers = self._drawing(self._steps * batch)
        self._held = [torch.zeros(batch, size, device=device) for _, size in self._buffers]

    def draw(self) -> Batch:
        """Return the next step's batch.

        Raises: ConfigError where the reference's answer is not finite, saying where.
        """
        self.bring()
        return self.held()

    def bring(self) -> None:
        """Hold the next step's batch.

        Raises: ConfigError where the reference's answer is not finite, saying where.
        """
        if not self._first <= self.step < self._first + self._steps:
            self._fill()
        at = (self.step - self._first) * self.batch
        self.step += 1
        for held, rows in zip(self._held, self._rows, strict=True):
            held.copy_(rows[at : at + self.batch])

    @abstractmethod
    def held(self) -> Batch:
        """Return the batch that is held, of tensors made anew."""

    @abstractmethod
    def _drawing(self, count: int) -> Drawing:
        """Return what draws ``count`` samples, for the steps from that of ``states`` on."""

    @abstractmethod
    def _look(self, drawn: Sequence[torch.Tensor]) -> None:
        """Refuse samples that were just drawn, as each buffer has them. Raises: ConfigError."""

    def _fill(self) -> None:
        """Draw samples of the next steps."""
        gpu, self._first = self.gpu, self.step
        if self.device.type == "cuda":
            torch.cuda.synchronize()  # it may still read those before, in another stream
        write_once(gpu, self.states, StepState(self.step, 0, 0, 0, 1.0).pair())
        run_once(gpu, [self._dispatch])
        gpu.wait()
        count = self._steps * self.batch
        self._rows = [floats_on(self.device, buffer, count, n) for buffer, n in self._buffers]
        self._look(self._rows)


def floats_on(device: torch.device, buffer: Buffer, count: int, numbers: int) -> torch.Tensor:
    """Return what a buffer begins with on a torch device: float32 [count, numbers].

    Where CUDA reaches it, it is the buffer's own memory.
    """
    if device.type == "cuda" and hasattr(buffer, "__cuda_array_interface__"):
        flat = torch.as_tensor(buffer, device=device)
    else:
        flat = torch.from_numpy(buffer.read()).to(device)
    return flat[: 4 * count * numbers].view(torch.float32).view(count, numbers)
