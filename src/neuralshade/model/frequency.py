"""Sine and cosine octaves of each coordinate."""

import math

import torch

from neuralshade.model.encoding import AxisEncoding


class Frequency(AxisEncoding):
    """Encoding ``sin(2^k pi x), cos(2^k pi x)`` for k = 0 ... octaves - 1, per coordinate.

    Order per coordinate: sin, cos of the lowest octave first. 4 * octaves numbers.
    Source: Mildenhall et al. 2020, NeRF, eq. 4.
    """

    def __init__(self, octaves: int = 6):
        super().__init__(per_axis=2 * octaves)
        self.octaves = octaves

    def axis_features(self, x: torch.Tensor) -> torch.Tensor:
        octave = torch.arange(self.octaves, device=x.device)
        angle = x[..., None] * (math.pi * 2.0**octave).to(x.dtype)
        return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(-2)
