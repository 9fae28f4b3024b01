"""Transform of a picture before a fit, as in the RTXNS sample."""

import dataclasses

import numpy as np

from neuralshade.source.picture import Picture

TRANSFORMS = ("identity", "zoom", "flip")


def transform_picture(picture: Picture, kind: str) -> Picture:
    """Return the picture whose value at (u, v) is that of ``picture`` at the transformed position.

    'identity' changes nothing. 'flip' swaps u and v. 'zoom' reads at uv * 0.5 + 0.25: the central
    half of each side, in whole pixels (at least one).
    Source: NVIDIA RTXNS, sample "Simple Training".
    """
    if kind == "identity":
        return picture
    if kind == "flip":
        pixels = np.ascontiguousarray(np.swapaxes(picture.pixels, 0, 1))
    else:
        pixels = np.ascontiguousarray(picture.pixels[_half(picture.height), _half(picture.width)])
    return dataclasses.replace(picture, pixels=pixels)


def _half(size: int) -> slice:
    """Return the pixels whose centres lie in the central half of ``size``; at least one."""
    first = round(size / 4)
    return slice(first, max(first + 1, round(size * 3 / 4)))
