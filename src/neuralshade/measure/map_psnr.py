"""PSNR of a map of a texture set, in 8 bits: one measure for all storage formats."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

EQUAL_DB = 99.0  # of equal maps, so that means over maps are finite
AT_LEAST = f">= {EQUAL_DB:g}"  # text for it, as it is not a measurement

Bytes = NDArray[np.uint8]


def db_text(value: float | None, places: int = 2) -> str | None:
    """Return the text of a map's PSNR for tables; None where there is none."""
    if value is None:
        return None
    return AT_LEAST if value >= EQUAL_DB else f"{value:.{places}f}"


def mips_text(values: Iterable[float]) -> str:
    """Return the text of a map's PSNR by mip."""
    return " ".join(f"{db_text(value, 1):>5}" for value in values)


def map_psnr_db(
    target: Bytes, result: Bytes, weights: NDArray[np.floating[Any]] | None = None
) -> float:
    """Return the PSNR over all texels and channels; EQUAL_DB at most, for equal maps.

    Args:
        target: uint8 [H, W, C]: colors in sRGB, normals (n + 1) / 2 with three components.
        result: the same; of normals, z as ``with_z`` rebuilds it.
        weights: [H, W]: weights of texels' errors, such as opacity; uniform where None.

    Raises: ShapeError for other arrays, or two shapes.
    """
    from neuralshade.measure.quality import psnr_db  # loads metrics, which decoding does not need

    if weights is None or target.shape != result.shape:
        return min(EQUAL_DB, psnr_db(target, result))
    squares = np.square(target.astype(np.float64) - result).sum(axis=2) * weights
    counted, lost = float(weights.sum()) * target.shape[2], float(squares.sum())
    if lost == 0 or counted == 0:
        return EQUAL_DB
    return min(EQUAL_DB, 10 * float(np.log10(255.0**2 * counted / lost)))


def with_z(xy: NDArray[np.floating[Any]]) -> NDArray[np.float32]:
    """Return unit normals, float32 [..., 3], (n + 1) / 2, of their first two components.

    Args:
        xy: floats [..., 2 or more], (n + 1) / 2, clamped to [0, 1]; vectors longer than 1 get
            z = 0 and keep their length.
    """
    components = np.clip(xy[..., :2], 0, 1).astype(np.float32) * 2 - 1
    square = (components**2).sum(axis=-1, keepdims=True)
    z = np.sqrt(np.maximum(0, 1 - square))
    normals: NDArray[np.float32] = np.concatenate((components, z), axis=-1) / 2 + np.float32(0.5)
    return normals
