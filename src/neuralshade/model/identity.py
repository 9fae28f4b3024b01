"""The position itself, unchanged. Device half: identity.slang."""

import torch

from neuralshade.model.encoding import AxisEncoding
from neuralshade.model.parameters import SlangHalf


class Identity(AxisEncoding):
    """Encoding ``y = x``: two numbers, u and v."""

    def __init__(self) -> None:
        super().__init__(per_axis=1)

    def axis_features(self, x: torch.Tensor) -> torch.Tensor:
        return x[..., None]

    def slang(self, name: str) -> SlangHalf:
        return SlangHalf("Identity", frozenset({"neuralshade.model.identity"}))
