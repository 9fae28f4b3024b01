"""One soft bump per bin of each coordinate. Device half: one_blob.slang."""

import math

import torch

from neuralshade.model.encoding import AxisEncoding, position_type
from neuralshade.model.parameters import SlangType


class OneBlob(AxisEncoding):
    """Encoding by a Gaussian centred on x, integrated over each of ``bins`` equal bins.

    y_i = Phi((i + 1) / bins) - Phi(i / bins), Phi the normal distribution function with
    mean x and deviation 1 / bins; the bins of one coordinate sum to 1 away from the border.
    ``wrapped`` = 1 takes the kernel of tiny-cuda-nn in place of the Gaussian: 15/16 (1 - t^2)^2 of
    the distance t in bins, which wraps around from 1 to 0. bins numbers per coordinate.
    Source: Mueller et al. 2019, Neural Importance Sampling, section 4.3; tiny-cuda-nn,
    quartic_cdf of common_device.h and encodings/oneblob.h.
    """

    def __init__(self, bins: int = 16, wrapped: int = 0, dimensions: int = 2):
        super().__init__(bins, dimensions)
        self.bins, self.wrapped = bins, bool(wrapped)

    def axis_features(self, x: torch.Tensor) -> torch.Tensor:
        if self.wrapped:
            bin_edge = torch.arange(self.bins + 1, device=x.device, dtype=x.dtype)
            place = bin_edge - x[..., None] * self.bins
            below = sum(quartic_below(place + turn * self.bins) for turn in (0, -1, 1))
            assert isinstance(below, torch.Tensor)
            return below[..., 1:] - below[..., :-1]
        edge = torch.arange(self.bins + 1, device=x.device, dtype=x.dtype) / self.bins
        below = torch.erf((edge - x[..., None]) * (self.bins / math.sqrt(2.0)))
        return 0.5 * (below[..., 1:] - below[..., :-1])

    def slang(self, name: str) -> SlangType:
        half = self.slang_type("one_blob", "OneBlob", self.bins)
        if not self.wrapped:
            return half
        position = position_type(self.dimensions)
        return SlangType(f"OneBlob<{self.bins}, {position}, true>", half.modules)


def quartic_below(t: torch.Tensor) -> torch.Tensor:
    """Return the integral of 15/16 (1 - t^2)^2 from -1 to ``t``; 0 and 1 beyond -1 and 1."""
    t = t.clamp(-1.0, 1.0)
    square = t * t
    return t * (0.9375 - square * (0.625 - square * 0.1875)) + 0.5
