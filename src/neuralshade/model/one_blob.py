"""One soft bump per bin of each coordinate. Device half: one_blob.slang."""

import math

import torch

from neuralshade.model.encoding import AxisEncoding
from neuralshade.model.parameters import SlangHalf


class OneBlob(AxisEncoding):
    """Encoding by a Gaussian centred on x, integrated over each of ``bins`` equal bins.

    y_i = Phi((i + 1) / bins) - Phi(i / bins), Phi the normal distribution function with
    mean x and deviation 1 / bins; the bins of one coordinate sum to 1 away from the border.
    bins numbers per coordinate.
    Source: Mueller et al. 2019, Neural Importance Sampling, section 4.3.
    """

    def __init__(self, bins: int = 16, dimensions: int = 2):
        super().__init__(bins, dimensions)
        self.bins = bins

    def axis_features(self, x: torch.Tensor) -> torch.Tensor:
        edge = torch.arange(self.bins + 1, device=x.device, dtype=x.dtype) / self.bins
        below = torch.erf((edge - x[..., None]) * (self.bins / math.sqrt(2.0)))
        return 0.5 * (below[..., 1:] - below[..., :-1])

    def slang(self, name: str) -> SlangHalf:
        return self.slang_half("one_blob", "OneBlob", self.bins)
