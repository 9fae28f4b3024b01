"""Powers of each coordinate. Device half: powers.slang."""

import torch

from neuralshade.model.encoding import AxisEncoding
from neuralshade.model.parameters import SlangType


class Powers(AxisEncoding):
    """Encoding ``x, x^2, ... x^degree``, per coordinate."""

    limits = {"degree": (1, 8)}  # noqa: RUF012 - as its users would write it

    def __init__(self, degree: int = 3, dimensions: int = 2):
        super().__init__(degree, dimensions)
        self.degree = degree

    def axis_features(self, x: torch.Tensor) -> torch.Tensor:
        return x[..., None] ** torch.arange(1, self.degree + 1, device=x.device)

    def slang(self, name: str) -> SlangType:
        return self.slang_type(__name__, "Powers", self.degree)
