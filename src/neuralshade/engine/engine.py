"""What a fit asks of whatever runs its steps."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

import numpy.typing as npt
import torch

from neuralshade.engine.draw import Crop
from neuralshade.model.field import Field
from neuralshade.sampler.sample import PixelLattice
from neuralshade.source.target import Target


class Engine(Protocol):
    """Steps of one fit. ``field`` holds the numbers of the last ``averaged`` block."""

    field: Field
    target: Target

    @property
    def skipped(self) -> int: ...
    def advance(self, rate_factors: Sequence[float]) -> float: ...
    def averaged(self) -> AbstractContextManager[None]: ...
    def glance(self, lattice: PixelLattice) -> tuple[torch.Tensor, torch.Tensor]: ...
    def draw(self, width: int, height: int, crop: Crop) -> npt.NDArray[Any]: ...
    def state(self) -> dict[str, torch.Tensor]: ...
    def load_state(self, state: dict[str, torch.Tensor]) -> None: ...
    def close(self) -> None: ...
