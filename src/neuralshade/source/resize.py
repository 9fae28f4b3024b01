"""Maps of a tile brought to a larger size."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]


def resized(values: Floats, height: int, width: int) -> Floats:
    """Return float32 [h, w] or [h, w, C] as [height, width(, C)]: bilinear, wrapping around.

    Texel centers lie at (i + 0.5) / size, as in every texture unit, so a renderer that filters
    the small map sees the same. One texel fills any size.
    """
    for axis, size in enumerate((height, width)):
        values = _resized_along(values, axis, size)
    return np.ascontiguousarray(values)


def same_shape(size: tuple[int, int], other: tuple[int, int]) -> bool:
    """Return whether two (height, width) have one aspect ratio, but for half a coarse texel.

    One texel has every shape.
    """
    (h, w), (H, W) = sorted((size, other))
    return (h, w) == (1, 1) or 2 * abs(W * h - w * H) <= max(H, W)


def _resized_along(values: Floats, axis: int, size: int) -> Floats:
    old = values.shape[axis]
    if old == size:
        return values
    place = (np.arange(size) + 0.5) * (old / size) - 0.5
    first = np.floor(place).astype(np.int64)
    share = (place - first).astype(np.float32)
    share = share.reshape([-1 if at == axis else 1 for at in range(values.ndim)])
    low = values.take(first % old, axis)
    high = values.take((first + 1) % old, axis)
    high -= low
    high *= share
    high += low  # this order leaves equal values exactly equal
    return high
