"""The position itself, unchanged. Device half: identity.slang."""

import torch

from neuralshade.model.encoding import AxisEncoding
from neuralshade.model.parameters import SlangType


class Identity(AxisEncoding):
    """Encoding ``y = x``: the coordinates as they are."""

    def __init__(self, dimensions: int = 2):
        super().__init__(1, dimensions)

    def axis_features(self, x: torch.Tensor) -> torch.Tensor:
        return x[..., None]

    def slang(self, name: str) -> SlangType:
        return self.slang_type("identity", "Identity")
