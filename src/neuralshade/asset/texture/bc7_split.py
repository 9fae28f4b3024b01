"""BC7 blocks of mode 4: a line of three channels, and the fourth channel on its own.

Source: Khronos Data Format Specification 1.3, section 20 (BPTC).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neuralshade.asset.texture.bc7_lines import CHANNELS, HALF, Bytes

MODE, MODE_BITS = 1 << 4, 5
ROTATION, FINE, ENDS, COARSE_STEPS, FINE_STEPS = 5, 7, 8, 50, 81  # first bits
END_BITS = (5, 5, 5, 6)
COARSE_BITS, FINE_BITS = 2, 3  # of a step
COARSE = np.array([0, 21, 43, 64], np.int32)  # weights of steps
FINE_WEIGHTS = np.array([0, 9, 18, 27, 37, 46, 55, 64], np.int32)
TEXELS, BITS = 16, 128  # of a block
AT_ONCE = 2**16  # blocks whose bits are taken apart at once


@dataclass(frozen=True)
class SplitBlocks:
    """Blocks of mode 4. The channel ``apart`` has changed places with the last one."""

    ends: Bytes  # [N, 2, 4], of 5 bits, the last channel's of 6
    steps: Bytes  # [N, 2, 16], of the line and of the channel apart, row by row
    apart: Bytes  # [N], 0 to 3
    fine: Bytes  # [N], 1: the line has 8 steps, the channel apart 4; 0: the other way

    def texels(self) -> Bytes:
        """Return uint8 [N, 16, 4], as GPUs have them."""
        coarse, close, fine = COARSE[self.steps & 3], FINE_WEIGHTS[self.steps], self.fine[:, None]
        line = np.where(fine, close[:, 0], coarse[:, 0])
        own = np.where(fine, coarse[:, 1], close[:, 1])
        shares = np.stack([line, line, line, own], axis=2)
        begin, end = np.moveaxis(end_codes(self.ends).astype(np.int32), 1, 0)[:, :, None]
        mixed = (64 - shares) * begin + shares * end
        return _swapped(((mixed + HALF) >> 6).astype(np.uint8), self.apart)

    def packed(self) -> Bytes:
        """Return uint8 [N, 16], a block each."""
        ends, steps = self._anchored()
        fine = self.fine[:, None] == 1
        coarse_steps, fine_steps = (np.where(fine, steps[:, a], steps[:, b])
                                    for a, b in ((1, 0), (0, 1)))  # fmt: skip
        rotation = (self.apart[:, None] + np.uint8(1)) & np.uint8(3)
        parts = [np.full_like(rotation, MODE), rotation, self.fine[:, None]]
        counts = [MODE_BITS, FINE - ROTATION, ENDS - FINE]
        bits = [_bits(part, count) for part, count in zip(parts, counts, strict=True)]
        bits += [_bits(ends[:, :, each], count) for each, count in enumerate(END_BITS)]
        # the highest bit of a first step, a 0, is not stored
        for own, count in ((coarse_steps, COARSE_BITS), (fine_steps, FINE_BITS)):
            bits.append(np.delete(_bits(own, count), count - 1, axis=1))
        return np.packbits(np.concatenate(bits, axis=1), axis=1, bitorder="little")

    def _anchored(self) -> tuple[Bytes, Bytes]:
        """Return ends and steps with first steps in the lower half."""
        most = np.stack([np.where(self.fine == 1, 7, 3), np.where(self.fine == 1, 3, 7)], axis=1)
        swapped = 2 * self.steps[..., 0] > most  # [N, 2]
        steps = np.where(swapped[..., None], most[..., None] - self.steps, self.steps)
        of_channel = swapped[:, [0, 0, 0, 1]][:, None]
        ends = np.where(of_channel, self.ends[:, ::-1], self.ends)
        return ends, steps.astype(np.uint8)


def are_split(blocks: Bytes) -> NDArray[np.bool_]:
    """Return which of blocks, uint8 [..., 16], have mode 4: bool [...]."""
    return (blocks[..., 0] & (2**MODE_BITS - 1)) == MODE


def unpack_split(blocks: Bytes) -> SplitBlocks:
    """Return what blocks, uint8 [N, 16] of mode 4, hold, up to the order of ends."""
    bits = np.unpackbits(blocks, axis=1, bitorder="little")
    ends, at = [], ENDS
    for count in END_BITS:
        ends.append(_numbers(bits[:, at : at + 2 * count], count))
        at += 2 * count
    fine = bits[:, FINE]
    coarse_steps = _numbers(np.insert(bits[:, COARSE_STEPS:FINE_STEPS], 1, 0, axis=1), COARSE_BITS)
    fine_steps = _numbers(np.insert(bits[:, FINE_STEPS:BITS], 2, 0, axis=1), FINE_BITS)
    both = np.stack([coarse_steps, fine_steps], axis=1)
    steps = np.where(fine[:, None, None] == 1, both[:, ::-1], both)
    apart = (_numbers(bits[:, ROTATION:FINE], 2)[:, 0] + np.uint8(3)) & np.uint8(3)
    return SplitBlocks(np.stack(ends, axis=2), steps, apart, fine)


def end_codes(ends: Bytes) -> Bytes:
    """Return ends [N, 2, 4] of 5 and 6 bits as codes from 0 to 255."""
    short = np.where(np.arange(CHANNELS) == CHANNELS - 1, 2, 3)
    return (ends << short | ends >> (8 - 2 * short)).astype(np.uint8)


def _swapped(texels: Bytes, apart: Bytes) -> Bytes:
    """Return texels [N, 16, 4] whose channel ``apart`` and last one have changed places."""
    order = np.tile(np.arange(CHANNELS), (len(apart), 1))
    np.put_along_axis(order, apart[:, None].astype(np.intp), CHANNELS - 1, axis=1)
    order[:, -1] = apart
    return np.take_along_axis(texels, order[:, None], axis=2)


def _bits(numbers: Bytes, count: int) -> Bytes:
    """Return the bits of numbers [N, K], the lowest first: [N, K * count]."""
    bits = numbers[..., None].astype(np.uint8) >> np.arange(count, dtype=np.uint8) & np.uint8(1)
    return bits.reshape(len(numbers), -1)


def _numbers(bits: Bytes, count: int) -> Bytes:
    """Return the numbers [N, K] of bits [N, K * count]."""
    whole = bits.reshape(len(bits), bits.shape[1] // count, count)
    shifted = whole << np.arange(count, dtype=np.uint8)
    return shifted.sum(axis=2, dtype=np.uint8)
