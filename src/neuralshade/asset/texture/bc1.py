"""BC1 encoder: 16 colors in 8 bytes, as two end points of 5, 6 and 5 bits and 16 steps.

All blocks are of the kind with four colors on a line; the kind with three has a hole beside them.
Source: Microsoft, Direct3D 11.3 Functional Specification, section 19.5.9.
"""

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neuralshade.asset.texture.block_fit import AXIS_TURNS, BlockFit, Floats
from neuralshade.base.cores import map_on_cores

PEAK = 255  # what colors are in units of
STEPS = 3  # from one end point to the other
# Of an end point's red, green and blue: the largest, what one means, and how many mean one more.
LARGEST = np.array([31, 63, 31], np.float32)
UNIT, REPEAT = np.array([8, 4, 8], np.float32), np.array([4, 16, 4], np.float32)
SHIFTS = np.array([11, 5, 0], np.uint64)  # of the three in the 16 bits of an end point
CODES = np.array([0, 2, 3, 1], np.uint64)  # of the steps: both end points come first
REFITS = 2  # of end points; more gain 0.02 dB at most on photographs
CHUNK = 4_096  # blocks at once, so that a pass stays in the processor's cache


def compress_bc1(values: Floats) -> NDArray[np.uint8]:
    """Return uint8 [N, 8], one opaque block for each 16 colors.

    The squared error is near its least: end points at the extremes along the block's main axis
    are refitted by least squares to the steps chosen, then moved by one where that helps.

    Args:
        values: float32 [N, 16, 3], row by row, [0, 1].
    """
    blocks = np.empty((len(values), 8), np.uint8)

    def compress(start: int) -> None:
        part = slice(start, start + CHUNK)
        planes = np.ascontiguousarray(np.moveaxis(values[part], 2, 0))
        fit = _fit(planes * np.float32(PEAK))
        blocks[part] = pack_bc1(fit.first, fit.last, fit.step)

    for _ in map_on_cores(compress, range(0, len(values), CHUNK)):
        pass
    return blocks


def _fit(planes: Floats) -> BlockFit:
    """Return a good fit of red, green and blue [3, N, 16], [0, PEAK]."""
    best = _chosen(planes, *_extremes(planes))
    for _ in range(REFITS):
        best.take(_chosen(planes, *_least_squares(planes, best)))
    for channel, move in itertools.product(range(3), (-1, 1)):
        for end in ("first", "last"):
            ends = {"first": best.first.copy(), "last": best.last.copy()}
            ends[end][:, channel] += move
            best.take(_chosen(planes, **ends))
    return best


def _extremes(planes: Floats) -> tuple[Floats, Floats]:
    """Return the end points of the colors along the axis of their greatest variance."""
    mean = planes.mean(axis=2)
    apart = planes - mean[..., None]
    covariance = np.einsum("anp,bnp->nab", apart, apart)
    # begun at the channel that varies most, which no axis of greatest variance is at right
    # angles to but by chance
    most = covariance.diagonal(axis1=1, axis2=2).argmax(axis=1)
    axis = np.take_along_axis(covariance, most[:, None, None], axis=1)[:, 0]
    for _ in range(AXIS_TURNS):
        axis = axis / np.maximum(np.abs(axis).max(axis=1, keepdims=True), 1e-6)
        axis = np.einsum("nab,nb->na", covariance, axis)
    axis = axis / np.maximum(np.linalg.norm(axis, axis=1, keepdims=True), 1e-6)
    along = (apart * axis.T[..., None]).sum(axis=0)
    ends = (mean.T + axis * bound[:, None] for bound in (along.max(axis=1), along.min(axis=1)))
    first, last = (_whole(end) for end in ends)
    return first, last


def _chosen(planes: Floats, first: Floats, last: Floats) -> BlockFit:
    """Return the nearest steps between two end points, which are clipped to their range."""
    first, last = np.clip(first, 0, LARGEST), np.clip(last, 0, LARGEST)
    begin, end = _colors(first), _colors(last)
    span = (end - begin).T[..., None]
    square = (span**2).sum(axis=0)
    apart = planes - begin.T[..., None]
    along = (apart * span).sum(axis=0) / np.where(square == 0, 1, square)
    step = np.clip(np.rint(along * STEPS), 0, STEPS)
    error = ((apart - span * (step / np.float32(STEPS))) ** 2).sum(axis=(0, 2))
    return BlockFit(first, last, step, error)


def _least_squares(planes: Floats, fit: BlockFit) -> tuple[Floats, Floats]:
    """Return the end points that suit the chosen steps best; the old ones where undefined."""
    b = fit.step / np.float32(STEPS)
    a = 1 - b
    aa, ab, bb = (a * a).sum(axis=1), (a * b).sum(axis=1), (b * b).sum(axis=1)
    av, bv = (a * planes).sum(axis=2).T, (b * planes).sum(axis=2).T
    determinant = aa * bb - ab * ab
    solved = determinant > 1e-3  # not below what float32 leaves of a difference that is 0
    divisor = np.where(solved, determinant, 1)[:, None]
    first = (av * bb[:, None] - bv * ab[:, None]) / divisor
    last = (bv * aa[:, None] - av * ab[:, None]) / divisor
    known = solved[:, None]
    return np.where(known, _whole(first), fit.first), np.where(known, _whole(last), fit.last)


def _whole(colors: Floats) -> Floats:
    """Return the nearest end points to colors [N, 3]."""
    return np.rint(np.clip(colors / np.float32(PEAK), 0, 1) * LARGEST)


def _colors(ends: Floats) -> Floats:
    """Return the colors of end points: their upper bits are repeated below the lowest one."""
    return ends * UNIT + np.floor(ends / REPEAT)


def pack_bc1(first: NDArray[Any], last: NDArray[Any], step: NDArray[Any]) -> NDArray[np.uint8]:
    """Return uint8 [N, 8]: both end points, the greater first, then 16 codes of 2 bits.

    Args:
        first, last: [N, 3], whole numbers up to LARGEST.
        step: [N, 16], whole numbers up to STEPS, from ``first`` to ``last``.
    """
    first, last = ((end.astype(np.uint64) << SHIFTS).sum(axis=1) for end in (first, last))
    # equal ones mean the kind with three colors, whose step 0 is the same color as here
    step = np.where((first == last)[:, None], 0, step)
    rising = first < last
    step = np.where(rising[:, None], STEPS - step, step).astype(np.intp)
    shifts = np.uint64(32) + np.uint64(2) * np.arange(16, dtype=np.uint64)
    words = (CODES[step] << shifts).sum(axis=1, dtype=np.uint64)
    words |= np.maximum(first, last) | (np.minimum(first, last) << np.uint64(16))
    return words.astype("<u8")[:, None].view(np.uint8)


def unpack_bc1(
    blocks: NDArray[np.uint8],
) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]] | None:
    """Return the inverse of ``pack_bc1`` of uint8 [N, 8]: end points [N, 3] twice, steps [N, 16].

    Of all blocks the first end point is the greater, or they are equal and all steps are 0. None
    where blocks are of the kind with three colors.
    """
    words = np.ascontiguousarray(blocks).view("<u8")[:, 0].astype(np.uint64)
    codes = (words[:, None] >> np.arange(32, 64, 2, dtype=np.uint64)) & np.uint64(3)
    step = CODES.argsort()[codes.astype(np.intp)].astype(np.uint8)
    counts = [words & np.uint64(0xFFFF), words >> np.uint64(16) & np.uint64(0xFFFF)]
    equal = counts[0] == counts[1]
    if (counts[0] < counts[1]).any() or step[equal].any():
        return None
    ends = ((count[:, None] >> SHIFTS) & LARGEST.astype(np.uint64) for count in counts)
    first, last = (end.astype(np.uint8) for end in ends)
    return first, last, step
