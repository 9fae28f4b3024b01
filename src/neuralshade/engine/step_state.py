"""What training carries from step to step on the device. Device half: step_state.slang."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

STATE = np.dtype(
    [
        ("step", "<u4"),
        ("applied", "<u4"),
        ("good", "<u4"),
        ("skipped", "<u4"),
        ("scale", "<f4"),
        ("loss", "<f4"),
    ]
)


@dataclass(frozen=True)
class StepState:
    """Counters and the loss scale; see the device half."""

    step: int
    applied: int
    good: int
    skipped: int
    scale: float
    loss: float = 0.0

    def pair(self) -> npt.NDArray[Any]:
        """Return the two states of the device, both as this one."""
        one = (self.step, self.applied, self.good, self.skipped, self.scale, self.loss)
        return np.array([one, one], STATE)

    @staticmethod
    def of(raw: npt.NDArray[Any]) -> "StepState":
        """Return the state that the next training step will read."""
        values = raw.view(np.uint8)[: STATE.itemsize].view(STATE)[0]
        return StepState(*(values[name].item() for name in STATE.names or ()))
