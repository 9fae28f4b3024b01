"""Maps at half their size: a box filter with exact shares of area."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]


def halved(values: npt.NDArray[np.floating]) -> Floats:
    """Return ``values`` [H, W, ...] at half the size, each texel the mean of what it covers.

    Sizes become max(1, size // 2). Of an odd size, a texel covers a little more than two of
    those above, and neighbors share the ones between them by area; so the mean of the whole
    stays as it was. Equal values stay exactly equal. Computed in float32.
    """
    for axis in range(2):
        values = halved_along(values, axis)
    return values.astype(np.float32, copy=False)


def halved_along(values: npt.NDArray[np.floating], axis: int) -> Floats:
    """Return ``values`` at half the size along one axis; see ``halved``."""
    values = np.moveaxis(values, axis, 0).astype(np.float32, copy=False)
    if len(values) > 1:
        values = _thirds(values) if len(values) % 2 else _pairs(values)
    return np.ascontiguousarray(np.moveaxis(values, 0, axis))


def _pairs(values: Floats) -> Floats:
    mean = values[0::2] + values[1::2]
    mean *= np.float32(0.5)
    return mean


def _thirds(values: Floats) -> Floats:
    """Return the means along the first axis, of odd size n = 2 m + 1.

    Texel i covers n / m of those above from i n / m on: m - i parts of texel 2 i, m of 2 i + 1
    and i + 1 of 2 i + 2, each part 1 / n of the whole.
    """
    half = len(values) // 2
    place = np.arange(half).reshape(-1, *[1] * (values.ndim - 1))
    before = ((half - place) / len(values)).astype(np.float32)
    after = ((place + 1) / len(values)).astype(np.float32)
    middle = values[1::2]
    # By differences from the middle one: where all three are equal, their mean is exactly that.
    mean = (values[0:-1:2] - middle) * before
    mean += (values[2::2] - middle) * after
    mean += middle
    return mean
