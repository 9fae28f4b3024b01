"""Checks and views of picture pairs, for comparisons of a result with its target."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from neuralshade.errors import ConfigError, PictureError, ShapeError
from neuralshade.source.picture import COLOR_SPACES

Pixels = NDArray[Any]  # [H, W, C]; floats, or uint8 / uint16 that span [0, 1]


def check_picture(place: str, name: str, picture: Pixels) -> None:
    """Raise ShapeError or PictureError unless ``picture`` is finite [H, W, C], C in 1..4."""
    dtype, shape = picture.dtype, list(picture.shape)
    shaped = picture.ndim == 3 and picture.size > 0 and picture.shape[2] <= 4
    if not shaped or not (dtype.kind == "f" or dtype in (np.uint8, np.uint16)):
        raise ShapeError(
            f"{place}: got {name} {dtype} {shape}, need floats, uint8 or uint16 [H, W, C] "
            "with C in 1..4. Add the missing axis with reshape, or convert with astype."
        )
    # min and max propagate NaN and infinity, without a temporary of the picture's size
    if not (np.isfinite(picture.min()) and np.isfinite(picture.max())):
        raise PictureError(
            f"{place}: got NaN or infinity in {name}, need finite values. Replace them first."
        )


def unit_float(pixels: Pixels) -> NDArray[np.float32]:
    """Return ``pixels`` as float32, integers scaled to [0, 1]; copied only if they must be."""
    if pixels.dtype.kind == "f":
        return pixels.astype(np.float32, copy=False)
    scaled: NDArray[np.float32] = np.divide(
        pixels, np.float32(np.iinfo(pixels.dtype).max), dtype=np.float32
    )
    return scaled


def check_pair(place: str, target: Pixels, result: Pixels) -> None:
    """Raise ShapeError or PictureError unless both are finite pictures of one shape."""
    check_picture(place, "target", target)
    check_picture(place, "result", result)
    if target.shape != result.shape:
        raise ShapeError(
            f"{place}: got result {list(result.shape)}, need {list(target.shape)}. "
            "Render it at the target's size."
        )


def check_color_space(place: str, color_space: str) -> None:
    """Raise ConfigError unless ``color_space`` is "srgb" or "linear"."""
    if color_space not in COLOR_SPACES:
        raise ConfigError(
            f"{place}.color_space: got {color_space!r}, need one of {list(COLOR_SPACES)}. "
            "HDR pictures are linear."
        )


def color_count(picture: Pixels) -> int:
    """Return how many channels are color: 2 and 4 channels end in alpha, which is not."""
    return 1 if picture.shape[2] < 3 else 3


def color_rgb(picture: Pixels) -> Pixels:
    """Return the color as three channels: alpha dropped, grey repeated."""
    color = picture[..., : color_count(picture)]
    return np.broadcast_to(color, (*picture.shape[:2], 3))


def peak_of(target: Pixels, color_space: str) -> float:
    """Return the value of white: 1, or for linear pictures the target's maximum.

    An all-black linear target has no such maximum; 1 is used for it too.
    """
    peak = unit_float(target.max(keepdims=True)).item() if color_space == "linear" else 1.0
    return peak if peak > 0 else 1.0
