"""Mip correction: a small network that improves box-filtered texels of mip levels.

Torch alone: it runs once for a chain, before training, so there is no Slang half.
"""

from __future__ import annotations

import torch

from neuralshade.model.mlp import MLP
from neuralshade.model.widths import SCALARS

FAR = 0.005  # share of the training data that counts as far out, on either side


class MipCorrection(torch.nn.Module):
    """Map from filtered invariants of a footprint to corrections of its box-filtered texel.

    ``invariants`` do not change when the maps are rotated or mirrored; ``vectors`` rotate with
    them. The correction of the slopes is a sum of the vectors with factors that the network makes
    of the invariants, so it rotates with them too, and no direction has to be learned by itself.

    Invariants are normalized to zero mean and unit variance, and clamped to the range of the
    training data.
    """

    mean: torch.Tensor
    deviation: torch.Tensor
    low: torch.Tensor
    high: torch.Tensor

    def __init__(
        self,
        invariants: int,
        vectors: int,
        hidden_layers: int = 2,
        hidden_width: int = 32,
        *,
        rng: torch.Generator | None,
    ):
        super().__init__()
        self.vectors = vectors
        self.network = MLP(invariants, vectors + SCALARS, hidden_layers, hidden_width, rng=rng)
        last = self.network.members[-1]
        torch.nn.init.zeros_(last.weight)  # begins without a correction
        for name, value in {"mean": 0, "deviation": 1, "low": -1, "high": 1}.items():
            self.register_buffer(name, torch.full((invariants,), float(value)))

    def see(self, invariants: torch.Tensor) -> None:
        """Set mean, deviation and range from the training data: [T, invariants]."""
        self.mean.copy_(invariants.mean(0))
        # at least a little: constant invariants are divided by it
        self.deviation.copy_(invariants.std(0, correction=0).clamp(min=1e-2))
        ordered = ((invariants - self.mean) / self.deviation).sort(dim=0).values
        far = int(FAR * (len(ordered) - 1))
        self.low.copy_(ordered[far])
        self.high.copy_(ordered[len(ordered) - 1 - far])

    def forward(self, invariants: torch.Tensor, vectors: torch.Tensor) -> torch.Tensor:
        """Return the corrections [T, 2 + SCALARS]: of slopes, logarithms, metallic.

        Args:
            invariants: [T, invariants].
            vectors: [T, vectors, 2], in slopes.
        """
        x = (invariants - self.mean) / self.deviation
        y = self.network(torch.minimum(torch.maximum(x, self.low), self.high))
        slopes = (vectors * y[:, : self.vectors, None]).sum(1)
        return torch.cat([slopes, y[:, self.vectors :]], dim=1)
