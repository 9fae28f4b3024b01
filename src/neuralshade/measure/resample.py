"""Pictures of another size."""

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from neuralshade.measure.pair import Pixels, unit_float


def resample(
    picture: Pixels, height: int, width: int, how: Image.Resampling
) -> NDArray[np.float32]:
    """Return ``picture`` [H, W, C] at another size, each channel on its own, in float32.

    Texel centers lie at half-texel positions and the border is clamped, as in a GPU sampler.
    Going down, the filter widens to cover every texel (BOX: area mean; BILINEAR: triangle).
    """
    planes = []  # one at a time: a large picture need not be float32 as a whole
    for channel in range(picture.shape[2]):
        plane = np.ascontiguousarray(unit_float(picture[..., channel]))
        planes.append(np.asarray(Image.fromarray(plane).resize((width, height), how)))
    return np.stack(planes, axis=2)


def fit_within(height: int, width: int, side: int) -> tuple[int, int]:
    """Return (height, width) of the same aspect whose longer side is at most ``side``."""
    scale = min(1.0, side / max(height, width))
    return max(1, round(height * scale)), max(1, round(width * scale))
