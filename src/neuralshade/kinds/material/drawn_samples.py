"""Samples of a material's fit, drawn and answered by its teacher on the device.

Device half: drawn_samples.cs.slang, behind the text that a teacher brings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.engine.kernels.step.step_state import StepState
from neuralshade.gpu.gpu import Buffer, Dispatch, Gpu, Kernel, raw_bytes, run_once
from neuralshade.kinds.material.samples import MaterialSampler, Samples
from neuralshade.kinds.material.teachers.teacher import TeacherKernels

Floats = npt.NDArray[np.float32]

GROUP = 64  # threads, as in drawn_samples.cs.slang
WORDS, OF_SHARES = 12, 4  # of a sample; and of one of a teacher that is varied
AHEAD = 2**20  # samples that are brought to the host at once
NORMALS = """
static const bool KEEPS_VALUES = {keeps};
static const uint NORMALS = {count};

float3 normal_of(float values[PARAMETERS], uint which)
{{
{cases}    return float3(0.0f, 0.0f, 1.0f);
}}
"""
CASE = """    if (which == {which}u)
        return normalize(float3(values[{x}], values[{y}], values[{z}]));
"""
KERNEL = '#include "neuralshade/kinds/material/drawn_samples.cs.slang"\n'


@dataclass(frozen=True)
class DrawnSamples:
    """What draws a batch: points and directions as ``sampler`` has them, from counters alone.

    ``batch``: samples of a step. ``seed``: 32 bits; a step's samples depend on it and on the step's
    number.
    """

    gpu: Gpu
    teacher: TeacherKernels
    sampler: MaterialSampler
    batch: int
    seed: int

    @property
    def words(self) -> int:
        """Return how many numbers a sample has."""
        return WORDS + (OF_SHARES if self.teacher.teacher.varied else 0)

    def kernel(self, count: int, bound: dict[str, Any], *, keeps_values: bool) -> Dispatch:
        """Return what draws ``count`` samples into the buffers that are ``bound``.

        Raises: KernelError.
        """
        variables = {
            **bound, "batch": self.batch, "count": count, "rare": self.sampler.rare,
            "rare_count": len(self.sampler.rare_points), "seed": self.seed,
        }  # fmt: skip
        text = _normals_text(self.sampler.normal_firsts, keeps_values) + KERNEL
        kernel: Kernel = self.teacher.compiled(text, "draw_samples", variables)
        return kernel, -(-count // GROUP)

    def buffers(self, count: int) -> dict[str, Any]:
        """Return buffers for ``count`` samples, by the kernel's names."""
        points = self.sampler.rare_points.numpy()
        return {"rare_points": self.gpu.buffer(points),
                "samples": self.gpu.buffer(size=4 * self.words * count)}  # fmt: skip


class DrawnBatches:
    """The same samples as tensors, with the graph's values, for an encoder that PyTorch trains.

    Steps are drawn some ahead; ``step`` is the next. What CUDA drew stays where it is, and so
    does the batch that is ``held``, whichever it is.
    """

    def __init__(self, drawn: DrawnSamples, device: torch.device):
        self.drawn, self.device, self.step = drawn, device, 0
        sampler = drawn.sampler
        self.batch = drawn.batch
        self._steps = max(1, AHEAD // self.batch)
        self._first = -self._steps  # of those that are at hand
        gpu, count = drawn.gpu, self._steps * self.batch
        width = self._width = max(1, len(drawn.teacher.teacher.parameters))
        self._values: Buffer = gpu.buffer(size=4 * width * count)
        self._states = gpu.buffer(StepState(0, 0, 0, 0, 1.0).pair())
        bound = {**drawn.buffers(count), "sample_values": self._values, "states": self._states}
        self._samples: Buffer = bound["samples"]
        self._dispatch = drawn.kernel(count, bound, keeps_values=True)
        self._mean, self._spread = (t.to(device) for t in (sampler.mean, sampler.spread))
        self._held = [torch.empty(self.batch, size, device=device) for size in (drawn.words, width)]

    def draw(self, rng: torch.Generator) -> Samples:
        """Return the next step's batch; ``rng`` is not asked.

        Raises: ConfigError where the teacher's answer is not finite, saying where.
        """
        self.bring()
        return self.held()

    def bring(self) -> None:
        """Hold the next step's batch.

        Raises: ConfigError where the teacher's answer is not finite, saying where.
        """
        if not self._first <= self.step < self._first + self._steps:
            self._fill()
        at = (self.step - self._first) * self.batch
        self._held[0].copy_(self._rows[at : at + self.batch])
        self._held[1].copy_(self._of_graph[at : at + self.batch])
        self.step += 1

    def held(self) -> Samples:
        """Return the batch that is held."""
        rows, of_graph = self._held
        columns = rows.t().contiguous()
        values = (of_graph - self._mean) / self._spread
        shares = columns[WORDS : WORDS + len(self.drawn.teacher.teacher.varied)]
        place = torch.cat([columns[:2], shares]).t()
        return Samples(place, values.t().contiguous(), columns[2:5], columns[5:8],
                       columns[11] > 0, columns[8:11])  # fmt: skip

    def _fill(self) -> None:
        """Draw samples of the next steps, and look at what the teacher said."""
        self._first = self.step
        gpu = self.drawn.gpu
        if self.device.type == "cuda":
            torch.cuda.synchronize()  # it may still read those before, in another stream
        commands = gpu.commands()
        commands.upload(self._states, 0, raw_bytes(StepState(self.step, 0, 0, 0, 1.0).pair()))
        commands.submit()
        run_once(gpu, [self._dispatch])
        gpu.wait()
        self._rows = self._floats(self._samples, self.drawn.words)
        self._of_graph = self._floats(self._values, self._width)
        if not self._rows[:, 8:11].isfinite().all():
            rows = self._rows.cpu().numpy()
            parts = (rows[:, :2], rows[:, 2:5], rows[:, 5:8])
            self.drawn.teacher.check_finite("eval", rows[:, 8:11], *parts)

    def _floats(self, buffer: Buffer, width: int) -> torch.Tensor:
        """Return a buffer's numbers, so many a sample: float32 [samples, width]."""
        if self.device.type == "cuda" and hasattr(buffer, "__cuda_array_interface__"):
            flat = torch.as_tensor(buffer, device=self.device)
        else:
            flat = torch.from_numpy(buffer.read()).to(self.device)
        count = 4 * width * self._steps * self.batch
        return flat[:count].view(torch.float32).view(-1, width)


@dataclass(frozen=True)
class HeldBatch:
    """Gives the batch that ``batches`` holds, for steps that are recorded."""

    batches: DrawnBatches

    def draw(self, rng: torch.Generator) -> Samples:
        """Return it; ``rng`` is not asked."""
        return self.batches.held()


def _normals_text(firsts: Sequence[int], keeps_values: bool) -> str:
    """Return which of the graph's values are normals, each from number ``first`` on."""
    cases = "".join(CASE.format(which=which, x=first, y=first + 1, z=first + 2)
                    for which, first in enumerate(firsts))  # fmt: skip
    return NORMALS.format(keeps=str(keeps_values).lower(), count=max(1, len(firsts)), cases=cases)
