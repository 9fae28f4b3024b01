"""Triangle-wave octaves of each coordinate, without a sine. Device half: triangle_wave.slang."""

import torch

from neuralshade.model.encoding import AxisEncoding, position_type
from neuralshade.model.parameters import SlangType


class TriangleWave(AxisEncoding):
    """Encoding ``|(2^k x mod 2) - 1|`` for k = 0 ... octaves - 1, per coordinate.

    Each wave has period 2 / 2^k, like the sine of the same octave, and range [0, 1].
    ``shifted`` = 1 adds k / 2 to 2^k x, so that octaves do not turn at the same places.
    octaves numbers per coordinate.
    Source: Mueller et al. 2021, Real-time Neural Radiance Caching, section 5.1
    (triangle waves in place of sines), scaled to [0, 1]; the shift from tiny-cuda-nn,
    encodings/triangle_wave.h.
    """

    def __init__(self, octaves: int = 6, shifted: int = 0, dimensions: int = 2):
        super().__init__(octaves, dimensions)
        self.octaves, self.shifted = octaves, bool(shifted)

    def axis_features(self, x: torch.Tensor) -> torch.Tensor:
        octave = torch.arange(self.octaves, device=x.device)
        phase = x[..., None] * (2.0**octave).to(x.dtype)
        if self.shifted:
            phase = phase + 0.5 * octave.to(x.dtype)
        return (torch.remainder(phase, 2.0) - 1.0).abs()

    def slang(self, name: str) -> SlangType:
        half = self.slang_type("triangle_wave", "TriangleWave", self.octaves)
        if not self.shifted:
            return half
        position = position_type(self.dimensions)
        return SlangType(f"TriangleWave<{self.octaves}, {position}, true>", half.modules)
