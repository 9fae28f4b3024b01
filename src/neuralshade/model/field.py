"""An encoding and a network: what is fitted to a picture."""

import torch

from neuralshade.model.dense_grid import DenseGrid
from neuralshade.model.encoding import Encoding
from neuralshade.model.hash_grid import HashGrid
from neuralshade.model.linear import Linear
from neuralshade.model.mlp import MLP


class Field(torch.nn.Module):
    """Map from a position in the unit square to the channels of a picture."""

    def __init__(self, encoding: Encoding, network: MLP):
        super().__init__()
        self.encoding = encoding
        self.network = network

    def forward(self, uv: torch.Tensor) -> torch.Tensor:
        """Return the channels at ``uv``: float32 [N, 2] in [0, 1] -> float32 [N, C]."""
        return self.network(self.encoding(uv))

    def on_samples(self, uv: torch.Tensor, compute: torch.dtype) -> torch.Tensor:
        """Return the channels at ``uv`` [N, 2] as columns [C, N]."""
        return self.network.on_columns(self.encoding(uv).t(), compute)

    def combine(
        self, along_u: torch.Tensor, along_v: torch.Tensor, compute: torch.dtype
    ) -> torch.Tensor:
        """Return the channels of a lattice prepared by ``encoding.along``: [C, R * C]."""
        encoded = self.encoding.combine(along_u, along_v, compute)
        return self.network.on_columns(encoded.flatten(1), compute)

    def store_as(self, grid_bits: int, network_bits: int) -> None:
        """Round parameters in every forward as an asset of so many bits will hold them."""
        for module in self.modules():
            if isinstance(module, (DenseGrid, HashGrid)):
                module.bits = grid_bits
            elif isinstance(module, Linear):
                module.bits = network_bits
