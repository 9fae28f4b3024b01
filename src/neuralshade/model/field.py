"""An encoding and a network: what is fitted, to a picture or to anything else."""

from collections.abc import Sequence

import torch

from neuralshade.errors import ShapeError
from neuralshade.model.dense_grid import DenseGrid
from neuralshade.model.encoding import Encoding
from neuralshade.model.hash_grid import HashGrid
from neuralshade.model.linear import Linear
from neuralshade.model.mlp import MLP


class Field(torch.nn.Module):
    """Map from a position of D numbers in [0, 1] to C channels; a picture asks at (u, v)."""

    def __init__(self, encoding: Encoding, network: MLP):
        super().__init__()
        self.encoding = encoding
        self.network = network

    @property
    def dimensions(self) -> int:
        """Return how many numbers a position has: D."""
        return self.encoding.dimensions

    def forward(self, at: torch.Tensor) -> torch.Tensor:
        """Return the channels at positions: float32 [N, D] in [0, 1] -> float32 [N, C]."""
        return self.network(self.encoding(at))

    def on_samples(self, at: torch.Tensor, compute: torch.dtype) -> torch.Tensor:
        """Return the channels at positions [N, D] as columns [C, N]."""
        return self.network.on_columns(self.encoding(at).t(), compute)

    def combine(
        self, along_u: torch.Tensor, along_v: torch.Tensor, compute: torch.dtype
    ) -> torch.Tensor:
        """Return the channels of a lattice prepared by ``encoding.along``: [C, R * C]."""
        encoded = self.encoding.combine(along_u, along_v, compute)
        return self.network.on_columns(encoded.flatten(1), compute)

    def check_positions(self, place: str, shape: Sequence[int]) -> None:
        """Raise ShapeError, saying ``place``, for another shape of positions than [N, D]."""
        if len(shape) != 2 or shape[1] != self.dimensions:
            each = "u and v" if self.dimensions == 2 else f"the {self.dimensions} numbers"
            raise ShapeError(f"{place}: got shape {list(shape)}, need [N, {self.dimensions}]. "
                             f"Put {each} of one position into one row.")  # fmt: skip

    def check_drawn(self, place: str) -> None:
        """Raise ShapeError, saying ``place``, where positions are not a picture's (u, v)."""
        if self.dimensions != 2:
            raise ShapeError(f"{place}: got a field over {self.dimensions} numbers, need one over "
                             "(u, v) for a picture. Evaluate it at positions.")  # fmt: skip

    def store_as(self, grid_bits: int, network_bits: int) -> None:
        """Round parameters in every forward as an asset of so many bits will hold them."""
        for module in self.modules():
            if isinstance(module, (DenseGrid, HashGrid)):
                module.bits = grid_bits
            elif isinstance(module, Linear):
                module.bits = network_bits
