"""Two 4-bit numbers in a byte."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

ZERO = 8  # what a level of 0 is stored as, so that -8 ... 7 become 0 ... 15


def pack_nibbles(levels: NDArray[Any]) -> NDArray[Any]:
    """Return int8 [..., n] in -8 ... 7 as uint8 [..., (n + 1) // 2], even index low.

    An odd last axis is filled up with a level of 0.
    """
    stored = (levels.astype(np.int16) + ZERO).astype(np.uint8)
    if stored.shape[-1] % 2:
        padding = [(0, 0)] * (stored.ndim - 1) + [(0, 1)]
        stored = np.pad(stored, padding, constant_values=ZERO)
    return stored[..., 0::2] | (stored[..., 1::2] << 4)


def unpack_nibbles(packed: NDArray[Any], count: int) -> NDArray[Any]:
    """Return int8 [..., count], what ``pack_nibbles`` was given."""
    both = np.stack([packed & 15, packed >> 4], axis=-1)
    levels = both.reshape(*packed.shape[:-1], -1)[..., :count]
    return levels.astype(np.int8) - np.int8(ZERO)
