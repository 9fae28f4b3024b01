"""Resampling of pictures to another size."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from neuralshade.measure.pair import Pixels, unit_float

BAND_VALUES = 1 << 22  # numbers of a large picture held as float32 at a time


def resample(
    picture: Pixels, height: int, width: int, how: Image.Resampling, *, alpha_weighted: bool = False
) -> NDArray[np.float32]:
    """Return ``picture`` [H, W, C] at another size, each channel on its own, in float32.

    Texel centers lie at half-texel positions and the border is clamped, as in a GPU sampler.
    For reductions, the filter widens to cover every texel (BOX: area mean; BILINEAR: triangle).
    Where ``alpha_weighted``, colors are weighted by alpha, the last channel; uniformly where all
    of it is 0.
    """
    plain = _resampled(picture, height, width, how)
    if not alpha_weighted:
        return plain
    values = unit_float(picture)
    seen = _resampled(values[..., :-1] * values[..., -1:], height, width, how)
    alpha = plain[..., -1:]
    plain[..., :-1] = np.where(alpha > 0, seen / np.where(alpha > 0, alpha, 1), plain[..., :-1])
    return plain


def _resampled(
    picture: Pixels, height: int, width: int, how: Image.Resampling
) -> NDArray[np.float32]:
    rows = max(1, BAND_VALUES // picture.shape[1])
    planes = []
    for channel in range(picture.shape[2]):
        plane = picture[..., channel]
        # width first, band by band: the filters are separable, and rows are independent
        narrow = [
            _resized(plane[top : top + rows], None, width, how)
            for top in range(0, len(plane), rows)
        ]
        planes.append(_resized(np.concatenate(narrow), height, width, how))
    return np.stack(planes, axis=2)


def _resized(
    plane: Pixels, height: int | None, width: int, how: Image.Resampling
) -> NDArray[np.float32]:
    values = Image.fromarray(np.ascontiguousarray(unit_float(plane)))
    return np.asarray(values.resize((width, len(plane) if height is None else height), how))


def fit_within(height: int, width: int, side: int) -> tuple[int, int]:
    """Return (height, width) of the same aspect whose longer side is at most ``side``."""
    scale = min(1.0, side / max(height, width))
    return max(1, round(height * scale)), max(1, round(width * scale))


def largest_within(height: int, width: int, fits: Callable[[int, int], bool]) -> tuple[int, int]:
    """Return the largest (rows, cols) of the same aspect that ``fits`` admits; (0, 0) if none.

    Args:
        height, width: of the picture, which limit the result.
        fits: of rows and cols; monotonic: false above some size.
    """
    longer, shorter = max(height, width), min(height, width)
    long, short = 0, 0
    for candidate in range(1, longer + 1):
        across = max(1, round(candidate * shorter / longer))
        if not (fits(candidate, across) if height >= width else fits(across, candidate)):
            break
        long, short = candidate, across
    return (long, short) if height >= width else (short, long)
