"""Where the snapshots of a fit go while it runs."""

from abc import ABC, abstractmethod
from typing import Any

import numpy.typing as npt
import torch


class Outlet(ABC):
    """One place that wants every snapshot: a folder, an animation, a viewer."""

    @abstractmethod
    def take(self, step: int, drawn: npt.NDArray[Any]) -> None:
        """Take the snapshot of ``step``: float32 [h, w, C] in the picture's colour space."""

    def state(self) -> dict[str, torch.Tensor]:
        """Return what a checkpoint keeps of it, so that a resumed fit goes on with it."""
        return {}

    def load_state(self, state: dict[str, torch.Tensor]) -> None:
        """Go on from what ``state`` returned; entries of other outlets may be among it."""
        return None

    def finish(self) -> None:
        """Write what is written at the end of a whole fit. Raises OutputError."""
        return None

    def close(self) -> None:
        """Let go of what is held, whether the fit ended or not."""
        return None
