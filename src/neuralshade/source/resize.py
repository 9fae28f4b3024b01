"""Maps of a tile brought to one size, the largest of theirs."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from neuralshade.errors import PictureError

Floats = npt.NDArray[np.float32]


def common_size(
    place: str, sizes: Mapping[str, tuple[int, int]], notes: list[str]
) -> tuple[int, int]:
    """Return the (height, width) of the largest map: at it, nothing that was stored is lost.

    Args:
        place: what a message calls the set.
        sizes: (height, width) by map.
        notes: gets a sentence for each map that is smaller.

    Raises: PictureError where two maps have different aspect ratios.
    """
    largest = max(sizes, key=lambda name: sizes[name][0] * sizes[name][1])
    height, width = sizes[largest]
    for name, size in sizes.items():
        if size == (height, width):
            continue
        if not same_shape(size, (height, width)):
            raise PictureError(
                f"{place}: got {name} of {size[1]} x {size[0]} beside {largest} of "
                f"{width} x {height}, need one aspect ratio. Scale or crop one of them."
            )
        notes.append(
            f"{name}: {size[1]} x {size[0]} brought to {width} x {height}, the size of "
            f"{largest} (bilinear, wrapping around)."
        )
    return height, width


def resized(values: Floats, height: int, width: int) -> Floats:
    """Return float32 [h, w] or [h, w, C] as [height, width(, C)]: bilinear, wrapping around.

    Texel centers lie at (i + 0.5) / size, as in every texture unit, so a renderer that filters
    the small map sees the same. One texel fills any size.
    """
    for axis, size in enumerate((height, width)):
        values = _resized_along(values, axis, size)
    return np.ascontiguousarray(values)


def same_shape(size: tuple[float, float], other: tuple[float, float]) -> bool:
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
