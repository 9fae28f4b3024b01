"""What a fit keeps on the GPU: its trained numbers, and the buffers of a step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from neuralshade.engine.gradients import COPIES, GRADIENTS, crowded_numbers
from neuralshade.engine.matrix import MatrixPlan
from neuralshade.engine.portable import PortablePlan
from neuralshade.engine.step_state import StepState
from neuralshade.engine.update import table_words
from neuralshade.gpu.kernel import device_buffer
from neuralshade.model.parameters import Table

if TYPE_CHECKING:
    import slangpy


class Numbers:
    """Trained numbers on the device, with what Adam keeps of them and their rounded copies."""

    def __init__(
        self, device: slangpy.Device, values: npt.NDArray[Any], halves: bool, room: int = 0
    ):
        size = values.nbytes
        self.count = values.size
        self.values = device_buffer(device, values)
        self.moments = device_buffer(device, size=2 * size)
        self.means = device_buffer(device, size=size)
        room = max(room, self.count)  # of rounded numbers
        self.stored = device_buffer(device, size=room * (2 if halves else 4))
        self.stored_mean = device_buffer(device, size=size // 2 if halves else size)

    def bound(self) -> dict[str, Any]:
        """Return the buffers by the names that the update kernels use."""
        return {"values": self.values, "moments": self.moments, "means": self.means,
                "stored": self.stored}  # fmt: skip

    def read(self, name: str, part: int = 0) -> npt.NDArray[np.float32]:
        """Return the numbers of buffer ``name``; ``part`` 1 is the second moments."""
        raw: npt.NDArray[np.float32] = getattr(self, name).to_numpy().view(np.float32)
        return raw[part * self.count : (part + 1) * self.count]


class GridWork:
    """How a step's work on grids is cut into groups, and where their gradients are summed."""

    def __init__(self, tables: Sequence[Table], gradients: str):
        self.words, self.groups, self.entries = table_words(tables)
        self.rounds = any(table.bits < 16 for table in tables)
        self.most_features = max((table.features for table in tables), default=1)
        self.crowded = 0 if gradients == "fixed" else crowded_numbers(tables)
        self.kind = GRADIENTS[gradients]

    def buffers(self, device: slangpy.Device, count: int, touched: bool) -> dict[str, Any]:
        """Return the buffers of grids with ``count`` numbers, by their names in the kernels.

        ``touched``: Adam counts the steps of each entry.
        """
        sums = self.kind.sum_bytes * count + 4 * COPIES * self.crowded
        return {
            "tables": device_buffer(device, self.words),
            "hits": device_buffer(device, size=4 * self.entries if touched else 0),
            "extents": device_buffer(device, size=8 * self.groups * self.most_features),
            "grid_sums": device_buffer(device, size=sums),
            "grid_halves": device_buffer(device, size=self.kind.half_bytes * count),
        }


def step_buffers(
    device: slangpy.Device,
    plan: MatrixPlan | PortablePlan,
    rows: npt.NDArray[Any],
    size: int,
    state: StepState,
    steps: int,
) -> dict[str, Any]:
    """Return the buffers of steps besides those of grids, by their names in the kernels.

    ``size``: numbers of the network, filled up; ``steps``: in a submission, at most.
    """
    return {
        "rows": device_buffer(device, rows),
        "partials": device_buffer(device, size=4 * plan.slots * size),
        "partial_losses": device_buffer(device, size=4 * plan.groups),
        "states": device_buffer(device, state.pair()),
        "broken": device_buffer(device, size=8),
        "first_step": device_buffer(device, size=8),
        "rates": device_buffer(device, size=4 * steps),
    }
