"""BC7 blocks of mode 6: 16 texels of four channels on a line between two end points.

One of the modes that latents are stored in; encoders of pictures choose among more.
Source: Khronos Data Format Specification 1.3, section 20 (BPTC).
"""

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]

MODE, MODE_BITS = 1 << 6, 7
STEPS = 15  # from one end point to the other
WEIGHTS = np.array([0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64], np.int32)
HALF = 32  # of what weights sum to
CHANNELS = 4
SHIFTS = np.uint64(MODE_BITS) + np.uint64(7) * np.arange(8, dtype=np.uint64)  # of upper bits


def pack_lines(first: Bytes, last: Bytes, steps: Bytes) -> Bytes:
    """Return uint8 [N, 16], a block for each line.

    Args:
        first, last: uint8 [N, 4], end points; their lowest bit is one for all channels.
        steps: uint8 [N, 16], 0 to STEPS, row by row.
    """
    swapped = steps[:, :1] * 2 > STEPS  # the highest bit of the first step is not stored
    first, last = np.where(swapped, last, first), np.where(swapped, first, last)
    steps = np.where(swapped, STEPS - steps, steps)
    upper = np.stack([first >> 1, last >> 1], axis=2).reshape(-1, 8).astype(np.uint64)
    low = (upper << SHIFTS).sum(axis=1, dtype=np.uint64) | np.uint64(MODE)
    low |= (first[:, 0].astype(np.uint64) & np.uint64(1)) << np.uint64(63)
    shifts = np.uint64(4) * np.arange(16, dtype=np.uint64)
    shifts[0] = 1
    high = (steps.astype(np.uint64) << shifts).sum(axis=1, dtype=np.uint64)
    high |= last[:, 0].astype(np.uint64) & np.uint64(1)
    return np.stack([low, high], axis=1).astype("<u8").view(np.uint8)


def are_lines(blocks: Bytes) -> NDArray[np.bool_]:
    """Return which of blocks, uint8 [..., 16], have mode 6: bool [...]."""
    return (blocks[..., 0] & (2**MODE_BITS - 1)) == MODE


def unpack_lines(blocks: Bytes) -> tuple[Bytes, Bytes, Bytes]:
    """Return what ``pack_lines`` took, up to the order of ends.

    Args:
        blocks: uint8 [N, 16], of mode 6.
    """
    words = np.ascontiguousarray(blocks).view("<u8")
    low, high = words[:, :1], words[:, 1:]
    upper = ((low >> SHIFTS) & np.uint64(127)).reshape(-1, CHANNELS, 2) << np.uint64(1)
    parity = np.stack([low >> np.uint64(63), high & np.uint64(1)], axis=2)
    ends = (upper | parity).astype(np.uint8)
    steps = (high >> (np.uint64(4) * np.arange(16, dtype=np.uint64))) & np.uint64(15)
    steps[:, 0] = (high[:, 0] >> np.uint64(1)) & np.uint64(7)
    return ends[..., 0], ends[..., 1], steps.astype(np.uint8)


def texels_of_lines(first: Bytes, last: Bytes, steps: Bytes) -> Bytes:
    """Return uint8 [N, 16, 4], the texels of what ``unpack_lines`` returned, as GPUs have them."""
    weights = WEIGHTS[steps][..., None]
    begin, end = first[:, None].astype(np.int32), last[:, None].astype(np.int32)
    mixed = (int(WEIGHTS[-1]) - weights) * begin + weights * end
    return ((mixed + HALF) >> 6).astype(np.uint8)
