"""State of training on the device, from step to step. Device half: step_state.slang."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

FLAGS = 4  # of steps whose gradient is not finite: see flag_of in the device half
RATES = 4096  # factors of the learning rate that the device holds, one per step
STATE = np.dtype(
    [
        ("step", "<u4"),
        ("applied", "<u4"),
        ("good", "<u4"),
        ("skipped", "<u4"),
        ("scale", "<f4"),
        ("loss", "<f4"),
        ("rate", "<f4"),
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

    def pair(self, rate: float = 0.0) -> npt.NDArray[Any]:
        """Return both states of the device, equal to this one, with a learning-rate factor."""
        one = (self.step, self.applied, self.good, self.skipped, self.scale, self.loss, rate)
        return np.array([one, one], STATE)

    @staticmethod
    def of(raw: npt.NDArray[Any]) -> "StepState":
        """Return the state that the next training step reads."""
        values = raw.view(np.uint8)[: STATE.itemsize].view(STATE)[0]
        return StepState(*(values[field.name].item() for field in fields(StepState)))
