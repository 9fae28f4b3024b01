"""sRGB transfer curve and its inverse, in NumPy."""

import numpy as np
import numpy.typing as npt


def srgb_to_linear(color_srgb: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """Return linear light from display-encoded values.

    Args:
        color_srgb: any real dtype, any shape, [0, 1]; values beyond follow the same curve
            (its linear part below 0).

    Returns:
        float32, same shape, linear; [0, 1] for inputs in [0, 1].

    Source: IEC 61966-2-1:1999, section 5.2.
    """
    x = np.asarray(color_srgb, dtype=np.float32)
    # Clamped: a fractional power of a negative base warns, even in the branch not taken.
    curve = (
        (np.maximum(x, np.float32(0.0)) + np.float32(0.055)) / np.float32(1.055)
    ) ** np.float32(2.4)
    linear: npt.NDArray[np.float32] = np.where(x <= 0.04045, x / np.float32(12.92), curve)
    return linear


def linear_to_srgb(color_linear: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """Return display-encoded values from linear light; the inverse of ``srgb_to_linear``.

    Has the same dtypes, shapes and ranges.

    Source: IEC 61966-2-1:1999, section 5.2.
    """
    x = np.asarray(color_linear, dtype=np.float32)
    root = np.maximum(x, np.float32(0.0)) ** np.float32(1 / 2.4)
    curve = np.float32(1.055) * root - np.float32(0.055)
    encoded: npt.NDArray[np.float32] = np.where(x <= 0.0031308, x * np.float32(12.92), curve)
    return encoded
