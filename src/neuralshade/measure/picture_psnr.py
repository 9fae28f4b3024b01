"""PSNR of a picture in dB, and its peak."""

import math

from neuralshade.source.picture import Picture


def white_of(picture: Picture) -> float:
    """Return the peak of PSNR: 1, or the largest value of an HDR picture."""
    return (float(picture.pixels.max()) or 1.0) if picture.hdr else 1.0


def decibels(mean_square: float, white: float) -> float:
    """Return dB; 200 for a perfect fit, since infinity is no JSON number; NaN for no fit."""
    if not math.isfinite(mean_square):
        return math.nan
    return 10.0 * math.log10(white**2 / mean_square) if mean_square > 0 else 200.0
