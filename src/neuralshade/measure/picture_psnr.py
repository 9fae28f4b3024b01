"""PSNR of a picture in dB, and its peak."""

import math

import numpy as np
import numpy.typing as npt

from neuralshade.source.picture import Picture


def white_of(picture: Picture) -> float:
    """Return the peak of PSNR: 1, or the largest value of an HDR picture."""
    return (float(picture.pixels.max()) or 1.0) if picture.hdr else 1.0


def weighted_squares(
    error: npt.NDArray[np.float64], target: npt.NDArray[np.float32], alpha_weighted: bool
) -> tuple[float, float]:
    """Return the weighted sum of squares of ``error`` [h, w, C], and the sum of weights.

    ``alpha_weighted``: color errors are weighted by the last channel of ``target``, alpha errors
    by 1; otherwise all by 1.
    """
    squares = np.square(error)
    if not alpha_weighted:
        return float(squares.sum()), float(error.size)
    alpha = target[..., -1].clip(0, 1).astype(np.float64)
    squares[..., :-1] *= alpha[..., None]
    return float(squares.sum()), float(alpha.sum() * (error.shape[2] - 1) + alpha.size)


def decibels(mean_square: float, white: float) -> float:
    """Return dB; 200 for a perfect fit, since JSON has no infinity; NaN for no fit."""
    if not math.isfinite(mean_square):
        return math.nan
    return 10.0 * math.log10(white**2 / mean_square) if mean_square > 0 else 200.0
