"""The lobes' read-out, trained beside what the kernels of a network train.

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
SHARE, TOGETHER = 4, 32  # one of 4 samples has a gradient of it, so many in a row: task.slang
NAMES = ("weight", "bias")  # of the read-out, in the order of its numbers
TEXT = """#define FIXED {fixed}
#include "neuralshade/kinds/material/read_out.cs.slang"
"""
# how a task's kernels sum its gradients, by whether bits are to be equal on every run
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
    """The numbers of a read-out on a device, what Adam keeps of them, and their gradients' sums.

    ``given`` holds what ``encoding`` is given, the read-out last: what kernels read. It is stepped
    as networks are in ``training``, by Adam with its own second beta. One of ``share`` samples of a
    step has a gradient of it.
    """

    def __init__(
        self, gpu: Gpu, encoding: MaterialEncoding | EncodedLobes, training: Training,
        share: int = SHARE,
    ):  # fmt: skip
        self.share = share
        (values,) = encoding.given("").values()
        self.gpu, self.training = gpu, training
        self.shapes = {name: getattr(encoding.lobes.read, name).shape for name in NAMES}
        self.count = sum(shape.numel() for shape in self.shapes.values())
        self._values: Floats = values
        self.given: Buffer = gpu.buffer(values)
        self.sums: Buffer = gpu.buffer(size=(8 if training.exact else 4) * self.count)
        self.moments: Buffer = gpu.buffer(size=8 * self.count)

    @staticmethod
    def text(*, exact: bool) -> KernelText:
        """Return what steps it, behind each step of the kernels."""
        return KernelText(TEXT.format(fixed=int(exact)), "update_read_out")

    def after(self, bound: Mapping[str, Any]) -> list[Dispatch]:
        """Return what steps it, given the buffers of a step by name. Raises: KernelError."""
        t = self.training
        by = adam_settings(t.rate, (t.betas[0], READ_BETA2), t.epsilon)
        settings = {"by": by, "count": self.count, "first": len(self._values) - self.count,
                    "numbers": t.batch * OUTPUTS / self.share}  # fmt: skip
        kernel = bound_kernel(self.gpu, self.text(exact=t.exact), {
            "read_out": settings, "given": self.given, "read_moments": self.moments,
            "read_sums": self.sums, "states": bound["states"], "broken": bound["broken"],
        })  # fmt: skip
        return [(kernel, -(-self.count // GROUP))]

    def numbers(self) -> dict[str, torch.Tensor]:
        """Return the read-out as it is now, by NAMES."""
        return self._named(self.given.read().view(np.float32)[len(self._values) - self.count :])

    def state(self) -> dict[str, torch.Tensor]:
        """Return what Adam keeps of it, by name; its steps are those of the network."""
        moments = self.moments.read().view(np.float32).reshape(2, -1)[:, : self.count]
        found: dict[str, torch.Tensor] = {}
        for sort, rows in zip(MOMENTS, moments, strict=True):
            found |= {f"{name}.{sort}": value for name, value in self._named(rows).items()}
        return found

    def write(self, numbers: Mapping[str, torch.Tensor]) -> None:
        """Set the read-out, as ``numbers`` returned it once."""
        flat = torch.cat([numbers[name].detach().float().cpu().reshape(-1) for name in NAMES])
        write_once(self.gpu, self.given, flat.numpy(), 4 * (len(self._values) - self.count))

    def load_state(self, state: Mapping[str, torch.Tensor]) -> None:
        """Take over what ``state`` returned once."""
        rows = [state[f"{name}.{sort}"].float().cpu().reshape(-1) for sort in MOMENTS
                for name in NAMES]  # fmt: skip
        write_once(self.gpu, self.moments, torch.cat(rows).numpy())

    def _named(self, numbers: Floats) -> dict[str, torch.Tensor]:
        sizes = [shape.numel() for shape in self.shapes.values()]
        parts = torch.from_numpy(numbers.copy()).split(sizes)
        return {name: part.view(self.shapes[name]) for name, part in zip(NAMES, parts, strict=True)}
