"""Field: an encoding and a network, fitted to a picture or to anything else."""

from collections.abc import Callable, Sequence
from functools import cached_property

import torch

from neuralshade.errors import ShapeError
from neuralshade.model.encoding import Encoding
from neuralshade.model.grid import Grid
from neuralshade.model.linear import Linear
from neuralshade.model.mlp import MLP

# Prepared numbers that a lattice's sample may cost; above that, samples are evaluated one by one.
# On a CPU both took as long at about 300 of them, for grids as long as 8 rows of pixels are.
LATTICE_NUMBERS = 256


class Field(torch.nn.Module):
    """Map from a position of D numbers in [0, 1] to C channels; for a picture at (u, v)."""

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

    @cached_property
    def prepared_numbers(self) -> tuple[int, int]:
        """Return how many numbers ``encoding.along`` prepares for one u, and for one v."""
        here = torch.zeros(1, device=next(self.parameters()).device)
        return self.encoding.along(0, here).shape[1], self.encoding.along(1, here).shape[1]

    def takes_lattice(self, rows: int, cols: int) -> bool:
        """Return whether ``combine`` is the cheaper evaluation of a lattice of that size.

        It is, but for long grids in few rows or columns: there nearly all weights are 0.
        """
        of_u, of_v = self.prepared_numbers
        return cols * of_u + rows * of_v <= LATTICE_NUMBERS * rows * cols

    def at_columns(
        self, u: torch.Tensor, rows: int, compute: torch.dtype
    ) -> Callable[[torch.Tensor], torch.Tensor]:
        """Return a function for the channels of columns ``u`` [C] times rows ``v`` [R]: [C, R * C].

        For several calls with about ``rows`` rows each.
        """
        if not self.takes_lattice(rows, len(u)):
            return lambda v: self.on_samples(crossings(u, v), compute)
        along_u = self.encoding.along(0, u)
        return lambda v: self.combine(along_u, self.encoding.along(1, v), compute)

    def check_positions(self, place: str, shape: Sequence[int]) -> None:
        """Raise ShapeError, naming ``place``, for another shape of positions than [N, D]."""
        if len(shape) != 2 or shape[1] != self.dimensions:
            each = "u and v" if self.dimensions == 2 else f"the {self.dimensions} numbers"
            raise ShapeError(f"{place}: got shape {list(shape)}, need [N, {self.dimensions}]. "
                             f"Put {each} of one position into one row.")  # fmt: skip

    def check_drawn(self, place: str) -> None:
        """Raise ShapeError, naming ``place``, where positions are not a picture's (u, v)."""
        if self.dimensions != 2:
            raise ShapeError(f"{place}: got a field over {self.dimensions} numbers, need one over "
                             "(u, v) for a picture. Evaluate it at positions.")  # fmt: skip

    def store_as(self, grid_bits: int, network_bits: int) -> None:
        """Round parameters in every forward as an asset with so many bits stores them."""
        for module in self.modules():
            if isinstance(module, Grid):
                module.bits = grid_bits
            elif isinstance(module, Linear):
                module.bits = network_bits


def crossings(u: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Return the positions of columns ``u`` [C] in rows ``v`` [R], row by row: [R * C, 2]."""
    return torch.stack(torch.meshgrid(u, v, indexing="xy"), dim=-1).reshape(-1, 2)
