"""Trained planes over the unit square. Device half: planes.slang."""

from collections.abc import Sequence

import torch

from neuralshade.model.encoding import Encoding
from neuralshade.model.parameters import SlangType


class Planes(Encoding):
    """Encoding ``a u + b v + c`` by ``count`` trained triples; gradients reach these."""

    limits = {"count": (1, 64)}  # noqa: RUF012 - as its users would write it

    def __init__(self, count: int = 4, *, rng: torch.Generator | None = None):
        super().__init__()
        self.width = count
        self.planes = torch.nn.Parameter(torch.empty(count, 3).uniform_(-1, 1, generator=rng))

    def forward(self, at: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.linear(at, self.planes[:, :2], self.planes[:, 2])

    def slang(self, name: str) -> SlangType:
        return SlangType(f"Planes<{self.width}>", frozenset({__name__}))

    def number_count(self) -> int:
        return 3 * self.width + self.width % 2

    def views(self, flat: torch.Tensor) -> Sequence[torch.Tensor]:
        return [flat[: 3 * self.width].view(self.width, 3)]
