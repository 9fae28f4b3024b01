"""Triangle-wave octaves of each coordinate, without a sine. Device half: triangle_wave.slang."""

import torch

from neuralshade.model.encoding import AxisEncoding
from neuralshade.model.parameters import SlangHalf


class TriangleWave(AxisEncoding):
    """Encoding ``|(2^k x mod 2) - 1|`` for k = 0 ... octaves - 1, per coordinate.

    Each wave has period 2 / 2^k, like the sine of the same octave, and range [0, 1].
    octaves numbers per coordinate.
    Source: Mueller et al. 2021, Real-time Neural Radiance Caching, section 5.1
    (triangle waves in place of sines), scaled to [0, 1].
    """

    def __init__(self, octaves: int = 6, dimensions: int = 2):
        super().__init__(octaves, dimensions)
        self.octaves = octaves

    def axis_features(self, x: torch.Tensor) -> torch.Tensor:
        octave = torch.arange(self.octaves, device=x.device)
        phase = x[..., None] * (2.0**octave).to(x.dtype)
        return (torch.remainder(phase, 2.0) - 1.0).abs()

    def slang(self, name: str) -> SlangHalf:
        return self.slang_half("triangle_wave", "TriangleWave", self.octaves)
