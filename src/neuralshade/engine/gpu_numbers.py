"""What a fit keeps on the GPU: its trained numbers, and the buffers of a step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.engine.kernel_plan import Plan
from neuralshade.engine.kernels.step.gradients import COPIES, GRADIENTS, crowded_numbers
from neuralshade.engine.kernels.step.step_state import RATES, StepState
from neuralshade.engine.kernels.step.update import table_words
from neuralshade.gpu.gpu import Buffer, Gpu
from neuralshade.model.parameters import Table


class Numbers:
    """Trained numbers on the device, with what Adam keeps of them and their rounded copies."""

    def __init__(self, gpu: Gpu, values: npt.NDArray[Any], halves: bool, room: int = 0):
        size = values.nbytes
        self.count = values.size
        self.values = gpu.buffer(values)
        self.moments = gpu.buffer(size=2 * size)
        self.means = gpu.buffer(size=size)
        room = max(room, self.count)  # of rounded numbers
        self.stored = gpu.buffer(size=room * (2 if halves else 4))
        self.stored_mean = gpu.buffer(size=size // 2 if halves else size)

    def bound(self) -> dict[str, Any]:
        """Return the buffers by the names that the update kernels use."""
        return {"values": self.values, "moments": self.moments, "means": self.means,
                "stored": self.stored}  # fmt: skip

    def read(self, name: str, part: int = 0) -> npt.NDArray[np.float32]:
        """Return the numbers of buffer ``name``; ``part`` 1 is the second moments."""
        buffer: Buffer = getattr(self, name)
        raw = buffer.read().view(np.float32)
        return raw[part * self.count : (part + 1) * self.count]


class GridWork:
    """How a step's work on grids is cut into groups, and where their gradients are summed."""

    def __init__(self, tables: Sequence[Table], gradients: str):
        self.words, self.groups, self.entries = table_words(tables)
        self.rounds = any(table.bits < 16 for table in tables)
        self.most_features = max((table.features for table in tables), default=1)
        self.crowded = 0 if gradients == "fixed" else crowded_numbers(tables)
        self.kind = GRADIENTS[gradients]

    def buffers(self, gpu: Gpu, count: int, touched: bool) -> dict[str, Any]:
        """Return the buffers of grids with ``count`` numbers, by their names in the kernels.

        ``touched``: Adam counts the steps of each entry.
        """
        sums = self.kind.sum_bytes * count + 4 * COPIES * self.crowded
        return {
            "tables": gpu.buffer(self.words),
            "hits": gpu.buffer(size=4 * self.entries if touched else 0),
            "extents": gpu.buffer(size=8 * self.groups * self.most_features),
            "grid_sums": gpu.buffer(size=sums),
            "grid_halves": gpu.buffer(size=self.kind.half_bytes * count),
        }


def step_buffers(
    gpu: Gpu, plan: Plan, rows: npt.NDArray[Any], size: int, state: StepState
) -> dict[str, Any]:
    """Return the buffers of steps besides those of grids, by their names in the kernels.

    ``size``: numbers of the network, filled up.
    """
    return {
        "rows": gpu.buffer(rows),
        "partials": gpu.buffer(size=4 * plan.slots * size),
        "partial_losses": gpu.buffer(size=4 * plan.groups),
        "states": gpu.buffer(state.pair()),
        "broken": gpu.buffer(size=8),
        "rate_ring": gpu.ring(np.float32, RATES),
    }
