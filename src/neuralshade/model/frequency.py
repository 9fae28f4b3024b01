"""Sine and cosine octaves of each coordinate. Device half: frequency.slang."""

import math

import torch

from neuralshade.model.encoding import AxisEncoding
from neuralshade.model.parameters import SlangType


class Frequency(AxisEncoding):
    """Encoding ``sin(2^k pi x), cos(2^k pi x)`` for k = 0 ... octaves - 1, per coordinate.

    Order per coordinate: sin, cos of the lowest octave first. 2 * octaves numbers each.
    Source: Mildenhall et al. 2020, NeRF, eq. 4.
    """

    def __init__(self, octaves: int = 6, dimensions: int = 2):
        super().__init__(2 * octaves, dimensions)
        self.octaves = octaves

    def axis_features(self, x: torch.Tensor) -> torch.Tensor:
        octave = torch.arange(self.octaves, device=x.device)
        turns = x[..., None] * (0.5 * 2.0**octave).to(x.dtype)
        # whole turns taken off first, exactly: a float32 angle of many turns says little
        angle = (turns - turns.round()) * (2.0 * math.pi)
        return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(-2)

    def slang(self, name: str) -> SlangType:
        return self.slang_type("frequency", "Frequency", self.octaves)
