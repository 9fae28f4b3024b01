"""Trainer of the lobes' read-out beside the kernels of a network.

Device half: read_out.cs.slang; task.slang sums the gradients.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.engine.step_kernels import adam_settings
from neuralshade.engine.step_texts import Training
from neuralshade.engine.trainer_state import MOMENTS
from neuralshade.gpu.gpu import Buffer, Dispatch, Gpu, KernelText, bound_kernel, write_once
from neuralshade.kinds.material.encoded import EncodedLobes
from neuralshade.kinds.material.field import MaterialEncoding
from neuralshade.kinds.material.recipe import READ_BETA2

Floats = npt.NDArray[np.float32]

GROUP = 64  # threads, as in read_out.cs.slang
OUTPUTS = 3  # of a decoder
SHARE, TOGETHER = 4, 32  # one of 4 samples has a gradient of it, 32 in a row: task.slang
NAMES = ("weight", "bias")  # of the read-out, in the order of its numbers
TEXT = """#define FIXED {fixed}
#include "neuralshade/kinds/material/read_out.cs.slang"
"""
# how kernels sum its gradients, by whether results must be reproducible
SUMS = {
    False: """RWStructuredBuffer<Atomic<float>> read_sums;
typealias ReadGradients = WaveRows<FloatGradients>;
ReadGradients read_gradients()
{
    FloatGradients sums = { read_sums, 0u, 0u, 0u };
    return { sums };
}
""",
    True: """RWStructuredBuffer<Atomic<uint>> read_sums;
typealias ReadGradients = LaneRows<FixedGradients>;
ReadGradients read_gradients()
{
    FixedGradients sums = { read_sums };
    return { sums };
}
""",
}


class ReadOut:
    """The read-out's numbers on a device, Adam's moments, and the sums of gradients.

    ``buffer`` holds all numbers of ``encoding`` besides its parameters, the read-out last: kernels
    read it. It is stepped like networks in ``training``, by Adam with its own second beta. One of
    ``share`` samples of a step has a gradient of it.
    """

    def __init__(
        self, gpu: Gpu, encoding: MaterialEncoding | EncodedLobes, training: Training,
        share: int = SHARE,
    ):  # fmt: skip
        self.share = share
        (values,) = encoding.fixed_buffers("").values()
        self.gpu, self.training = gpu, training
        self.shapes = {name: getattr(encoding.lobes.read, name).shape for name in NAMES}
        self.count = sum(shape.numel() for shape in self.shapes.values())
        self._values: Floats = values
        self.buffer: Buffer = gpu.buffer(values)
        self.sums: Buffer = gpu.buffer(size=(8 if training.exact else 4) * self.count)
        self.moments: Buffer = gpu.buffer(size=8 * self.count)

    @staticmethod
    def text(*, exact: bool) -> KernelText:
        """Return the kernel that steps it after each step of the network's kernels."""
        return KernelText(TEXT.format(fixed=int(exact)), "update_read_out")

    def after(self, bound: Mapping[str, Any]) -> list[Dispatch]:
        """Return the dispatch of that kernel for a step's buffers. Raises: KernelError."""
        t = self.training
        by = adam_settings(t.rate, (t.betas[0], READ_BETA2), t.epsilon)
        settings = {"by": by, "count": self.count, "first": len(self._values) - self.count,
                    "numbers": t.batch * OUTPUTS / self.share}  # fmt: skip
        kernel = bound_kernel(self.gpu, self.text(exact=t.exact), {
            "read_out": settings, "encoding_numbers": self.buffer, "read_moments": self.moments,
            "read_sums": self.sums, "states": bound["states"], "broken": bound["broken"],
        })  # fmt: skip
        return [(kernel, -(-self.count // GROUP))]

    def numbers(self) -> dict[str, torch.Tensor]:
        """Return the current read-out, by NAMES."""
        return self._named(self.buffer.read().view(np.float32)[len(self._values) - self.count :])

    def state(self) -> dict[str, torch.Tensor]:
        """Return Adam's moments, by name; the step count is the network's."""
        moments = self.moments.read().view(np.float32).reshape(2, -1)[:, : self.count]
        found: dict[str, torch.Tensor] = {}
        for sort, rows in zip(MOMENTS, moments, strict=True):
            found |= {f"{name}.{sort}": value for name, value in self._named(rows).items()}
        return found

    def write(self, numbers: Mapping[str, torch.Tensor]) -> None:
        """Set the read-out to what ``numbers`` returned."""
        flat = torch.cat([numbers[name].detach().float().cpu().reshape(-1) for name in NAMES])
        write_once(self.gpu, self.buffer, flat.numpy(), 4 * (len(self._values) - self.count))

    def load_state(self, state: Mapping[str, torch.Tensor]) -> None:
        """Restore what ``state`` returned."""
        rows = [state[f"{name}.{sort}"].float().cpu().reshape(-1) for sort in MOMENTS
                for name in NAMES]  # fmt: skip
        write_once(self.gpu, self.moments, torch.cat(rows).numpy())

    def _named(self, numbers: Floats) -> dict[str, torch.Tensor]:
        sizes = [shape.numel() for shape in self.shapes.values()]
        parts = torch.from_numpy(numbers.copy()).split(sizes)
        return {name: part.view(self.shapes[name]) for name, part in zip(NAMES, parts, strict=True)}
