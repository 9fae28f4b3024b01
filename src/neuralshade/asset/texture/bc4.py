"""BC4 encoder: 16 numbers in 8 bytes, as two end points and 16 steps between them.

The order of a block's end points gives its kind. Falling: eight values at even steps from
the first to the last. Rising or equal: six such values, and 0 and 1 beside them.
Source: Microsoft, Direct3D 11.3 Functional Specification, section 19.5.12.
"""

import itertools

import numpy as np
from numpy.typing import NDArray

from neuralshade.asset.texture.block_fit import BlockFit, Floats
from neuralshade.base.cores import map_on_cores

PEAK = 255  # what end points are stored in units of
EVEN_STEPS, SIX_STEPS = 7, 5  # between the end points of the two kinds
ZERO_CODE, ONE_CODE = 6, 7  # of the kind with six values
# Tries per end point, each a quarter of a step further in, and refits of the best of these: more
# of either gains 0.02 dB at most on photographs.
STARTS, REFITS = 3, 2
CHUNK = 4_096  # blocks at once, so that a pass stays in the processor's cache


def compress_bc4(values: Floats) -> NDArray[np.uint8]:
    """Return uint8 [N, 8], one block for each 16 numbers.

    The squared error is near its least: of end points at the extremes and a little further in,
    the best are refitted by least squares to the steps chosen, then moved by one where that helps.

    Args:
        values: float32 [N, 16], row by row, [0, 1].
    """
    blocks = np.empty((len(values), 8), np.uint8)

    def compress(start: int) -> None:
        part = slice(start, start + CHUNK)
        blocks[part] = _compress(values[part] * np.float32(PEAK))

    for _ in map_on_cores(compress, range(0, len(values), CHUNK)):
        pass
    return blocks


def _compress(values: Floats) -> NDArray[np.uint8]:
    best = _fit(values, values.max(axis=1), values.min(axis=1), EVEN_STEPS)
    codes = _even_codes(best)
    # the other kind pays only where some numbers are 0 or 1 and some are not
    extreme = (values < 0.5) | (values > PEAK - 0.5)
    rows = np.flatnonzero(extreme.any(axis=1))
    if len(rows):
        inner = np.where(extreme[rows], np.nan, values[rows])
        some = ~extreme[rows].all(axis=1)
        low, high = np.zeros((2, len(rows)), np.float32)
        low[some], high[some] = np.nanmin(inner[some], axis=1), np.nanmax(inner[some], axis=1)
        other = _fit(values[rows], low, high, SIX_STEPS)
        better = other.error < best.error[rows]
        six = _six_codes(values[rows], other)
        codes[rows[better]] = six[better]
        best.first[rows[better]] = other.first[better]
        best.last[rows[better]] = other.last[better]
    return _packed(best.first, best.last, codes)


def _fit(values: Floats, first: Floats, last: Floats, steps: int) -> BlockFit:
    """Return a good fit whose end points fall (``EVEN_STEPS``) or do not (``SIX_STEPS``)."""
    outward = (np.ceil, np.floor) if steps == EVEN_STEPS else (np.floor, np.ceil)
    best = _chosen(values, outward[0](first), outward[1](last), steps)
    inset = (last - first) / np.float32(4 * steps)
    for in_first, in_last in itertools.product(range(STARTS), repeat=2):
        if in_first or in_last:
            begin, end = np.rint(first + in_first * inset), np.rint(last - in_last * inset)
            best.take(_chosen(values, begin, end, steps))
    for _ in range(REFITS):
        best.take(_chosen(values, *_least_squares(values, best, steps), steps))
    begin, end = best.first.copy(), best.last.copy()
    for move in itertools.product((-1, 0, 1), repeat=2):
        best.take(_chosen(values, begin + move[0], end + move[1], steps))
    return best


def _chosen(values: Floats, first: Floats, last: Floats, steps: int) -> BlockFit:
    """Return the nearest steps between two end points; infinite error where these are not allowed.

    For six values, a number nearer to 0 or 1 counts as that.
    """
    first, last = np.clip(first, 0, PEAK), np.clip(last, 0, PEAK)
    span = (last - first)[:, None]
    scale = np.float32(steps) / np.where(span == 0, 1, span)
    step = np.clip(np.rint((values - first[:, None]) * scale), 0, steps)
    each = (first[:, None] + span * (step / np.float32(steps)) - values) ** 2
    if steps == SIX_STEPS:
        each = np.minimum(each, np.minimum(values**2, (PEAK - values) ** 2))
    error = each.sum(axis=1)
    # equal end points mean the kind with six values, whose step 0 is the same value as here
    wrong = (first < last) if steps == EVEN_STEPS else (first > last)
    return BlockFit(first, last, step, np.where(wrong, np.float32(np.inf), error))


def _least_squares(values: Floats, fit: BlockFit, steps: int) -> tuple[Floats, Floats]:
    """Return the whole end points that suit the chosen steps best; the old ones where undefined."""
    b = fit.step / np.float32(steps)
    a = 1 - b
    if steps == SIX_STEPS:  # what counts as 0 or 1 pulls at no end point
        used = _six_codes(values, fit) < ZERO_CODE
        a, b = a * used, b * used
    aa, ab, bb = (a * a).sum(axis=1), (a * b).sum(axis=1), (b * b).sum(axis=1)
    av, bv = (a * values).sum(axis=1), (b * values).sum(axis=1)
    determinant = aa * bb - ab * ab
    solved = determinant > 1e-3  # not below what float32 leaves of a difference that is 0
    divisor = np.where(solved, determinant, 1)
    first = np.where(solved, (av * bb - bv * ab) / divisor, fit.first)
    last = np.where(solved, (bv * aa - av * ab) / divisor, fit.last)
    return np.rint(first), np.rint(last)


def _even_codes(fit: BlockFit) -> NDArray[np.uint64]:
    return _step_codes(fit.step, EVEN_STEPS)


def _six_codes(values: Floats, fit: BlockFit) -> NDArray[np.uint64]:
    codes = _step_codes(fit.step, SIX_STEPS)
    shift = (fit.last - fit.first)[:, None] * (fit.step / np.float32(SIX_STEPS))
    each = (fit.first[:, None] + shift - values) ** 2
    codes[values**2 < each] = ZERO_CODE
    codes[(PEAK - values) ** 2 < each] = ONE_CODE
    return codes


def _step_codes(step: Floats, steps: int) -> NDArray[np.uint64]:
    """Return the 3-bit codes of steps: 0 and 1 are the end points, the others follow."""
    order = np.array([0, *range(2, steps + 1), 1], np.uint64)
    return order[step.astype(np.intp)]


def _packed(first: Floats, last: Floats, codes: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Return 8 bytes a block: both end points, then 16 codes of 3 bits, the first one lowest."""
    shifts = np.uint64(16) + np.uint64(3) * np.arange(16, dtype=np.uint64)
    words = (codes << shifts).sum(axis=1, dtype=np.uint64)
    words |= first.astype(np.uint64) | (last.astype(np.uint64) << np.uint64(8))
    return words.astype("<u8")[:, None].view(np.uint8)
