"""BC6H codec: 16 HDR colors in 16 bytes, as two end points and 16 steps between them.

Of the 14 modes those with one region, 11 to 14: end points of 10 bits each, or of 11, 12 and 16
with the second as a difference of 9, 8 and 4 bits. What is interpolated are the bits of half
floats, which are nearly a logarithm: errors are relative ones.
Source: Microsoft, Direct3D 11.3 Functional Specification, section 19.5.14.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neuralshade.base.cores import map_on_cores

Floats = NDArray[np.float32]
Codes = NDArray[np.signedinteger[Any]]

TEXELS = 16
WEIGHTS = np.array(  # of 64
    (0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64), np.int32
)
FINE = 1024  # distinct places on the line between end points
NEAREST = np.abs(np.arange(FINE + 1)[:, None] * 64 / FINE - WEIGHTS).argmin(axis=1)  # their steps
REFITS = 3  # least squares for the chosen steps
CHUNK = 2_048  # blocks at once, so that a pass stays in the processor's cache
# Of a mode: its number, bits of an end point, bits of the second one's difference, 0: it is whole.
MODES = ((0x03, 10, 0), (0x07, 11, 9), (0x0B, 12, 8), (0x0F, 16, 4))
MODE_BITS, LOW_BITS = 5, 10
PEAK = 0xFFFF  # of end points when they are interpolated; 31 / 64 of it is the largest half


@dataclass
class _Ends:
    """Stored end points, first and second: int64 [N, 3] each; ``fits`` if the mode holds them."""

    first: Codes
    second: Codes
    fits: NDArray[np.bool_]


def compress_bc6h(colors: NDArray[np.float16]) -> NDArray[np.uint8]:
    """Return uint8 [N, 16], one block for each 16 colors, of the format without a sign.

    Args:
        colors: float16 [N, 16, 3], row by row, finite, 0 or more.
    """
    blocks = np.empty((len(colors), 16), np.uint8)

    def compress(start: int) -> None:
        part = slice(start, start + CHUNK)
        blocks[part] = _compress(colors[part])

    for _ in map_on_cores(compress, range(0, len(colors), CHUNK)):
        pass
    return blocks


def _compress(colors: NDArray[np.float16]) -> NDArray[np.uint8]:
    bits = np.ascontiguousarray(colors + np.float16(0)).view(np.uint16)  # -0 becomes 0
    target = bits.astype(np.float32) * np.float32(64 / 31)
    ends = _on_axis(target)
    best_error = np.full(len(target), np.inf, np.float32)
    blocks = np.zeros((len(target), 16), np.uint8)
    for mode in MODES:
        tried = ends
        for _ in range(1 + REFITS):
            stored = _stored(*tried, mode)
            steps, error = _steps(bits, stored, mode)
            better = stored.fits & (error < best_error)
            best_error[better] = error[better]
            rows = np.flatnonzero(better)
            blocks[rows] = _packed(stored.first[rows], stored.second[rows], steps[rows], mode)
            tried = _least_squares(target, steps, *tried)
    return blocks


def _on_axis(target: Floats) -> tuple[Floats, Floats]:
    """Return the ends of the colors along the axis on which they differ most: [N, 3] each."""
    middle = target.mean(axis=1, keepdims=True)
    apart = target - middle
    spread = np.einsum("nti,ntj->nij", apart, apart, dtype=np.float64)
    axis = np.linalg.eigh(spread)[1][:, :, -1].astype(np.float32)
    along = np.einsum("nti,ni->nt", apart, axis)
    low, high = along.min(axis=1)[:, None], along.max(axis=1)[:, None]
    return middle[:, 0] + low * axis, middle[:, 0] + high * axis


def _stored(first: Floats, second: Floats, mode: tuple[int, int, int]) -> _Ends:
    """Return end points as a mode stores them; ``fits`` is False where it cannot."""
    _, bits, difference = mode
    one, two = (_quantized(end, bits) for end in (first, second))
    if not difference:
        return _Ends(one, two, np.ones(len(one), bool))
    # one less than there is, as the ends may be swapped
    most = (1 << difference - 1) - 1
    return _Ends(one, two, (np.abs(two - one) <= most).all(axis=1))


def _quantized(end: Floats, bits: int) -> Codes:
    whole = np.clip(end, 0, PEAK).astype(np.float64)
    if bits == 16:
        return np.rint(whole).astype(np.int64)
    return np.clip(np.floor(whole * (1 << bits) / (PEAK + 1)), 0, (1 << bits) - 1).astype(np.int64)


def _unquantized(code: Codes, bits: int) -> Codes:
    if bits == 16:
        return code
    middle = ((code << 16) + 0x8000) >> bits
    return np.where(code == 0, 0, np.where(code == (1 << bits) - 1, PEAK, middle))


def _steps(
    bits: NDArray[np.uint16], ends: _Ends, mode: tuple[int, int, int]
) -> tuple[Codes, Floats]:
    """Return the nearest of the 16 colors for each texel [N, 16], and each block's error.

    The nearest by their places on the line between the ends, which rounding leaves by a bit.
    """
    first, second = (_unquantized(end, mode[1])[:, None] for end in (ends.first, ends.second))
    target = bits.astype(np.float32)
    start, axis = _shown(first).astype(np.float32), (_shown(second) - _shown(first))
    axis = axis.astype(np.float32)
    length = np.square(axis).sum(axis=2, keepdims=True)
    along = np.matmul(target - start, axis.swapaxes(1, 2)) * (FINE / np.maximum(length, 1))
    steps = NEAREST[np.rint(along[..., 0].clip(0, FINE)).astype(np.intp)]
    apart = _shown(_between(first, second, steps)).astype(np.float32) - target
    return steps, np.square(apart).sum(axis=(1, 2))


def _between(first: Codes, second: Codes, steps: Codes) -> Codes:
    """Return the color of each step [N, 16, 3] between end points [N, 1, 3]."""
    first, second = first.astype(np.int32), second.astype(np.int32)
    share = WEIGHTS[steps][..., None]
    return (first * (64 - share) + second * share + 32) >> 6


def _shown(between: Codes) -> Codes:
    """Return the bits of the half floats that interpolated numbers become."""
    return (between * 31) >> 6


def _least_squares(
    target: Floats, steps: Codes, first: Floats, second: Floats
) -> tuple[Floats, Floats]:
    """Return the end points that suit the chosen steps best; the old ones where undefined."""
    b = (WEIGHTS[steps] / 64).astype(np.float32)
    a = 1 - b
    aa, ab, bb = (a * a).sum(axis=1), (a * b).sum(axis=1), (b * b).sum(axis=1)
    av, bv = (np.matmul(each[:, None], target)[:, 0] for each in (a, b))
    determinant = aa * bb - ab * ab
    solved = (determinant > 1e-3)[:, None]
    divisor = np.where(solved[:, 0], determinant, 1)[:, None]
    found_first = (av * bb[:, None] - bv * ab[:, None]) / divisor
    found_second = (bv * aa[:, None] - av * ab[:, None]) / divisor
    return np.where(solved, found_first, first), np.where(solved, found_second, second)


def _packed(
    first: Codes, second: Codes, steps: Codes, mode: tuple[int, int, int]
) -> NDArray[np.uint8]:
    """Return 16 bytes a block: the mode, end points, and steps of 4 bits, the first one of 3."""
    turned = steps[:, :1] >= TEXELS // 2  # its highest bit is not stored
    first, second = np.where(turned, second, first), np.where(turned, first, second)
    steps = np.where(turned, TEXELS - 1 - steps, steps)
    numbers = {
        "mode": np.full((len(steps), 1), mode[0]), "first": first,
        "second": second - first if mode[2] else second, "steps": steps,
    }  # fmt: skip
    words, place = np.zeros((len(steps), 2), np.uint64), 0
    for name, index, lowest, count in _fields(mode):
        part = (numbers[name][:, index] >> lowest & ((1 << count) - 1)).astype(np.uint64)
        word, shift = divmod(place, 64)
        words[:, word] |= part << np.uint64(shift)
        if shift + count > 64:
            words[:, word + 1] |= part >> np.uint64(64 - shift)
        place += count
    assert place == 128, (mode, place)
    return words.astype("<u8").view(np.uint8).reshape(-1, 16)


def _fields(mode: tuple[int, int, int]) -> Iterator[tuple[str, int, int, int]]:
    """Yield what a block's bits are, in order: of which number, from which of its bits, how many.

    ``second`` is its difference from ``first`` where the mode has one.
    """
    _, bits, difference = mode
    yield "mode", 0, 0, MODE_BITS
    yield from (("first", channel, 0, LOW_BITS) for channel in range(3))
    for channel in range(3):
        yield "second", channel, 0, difference or LOW_BITS
        # the bits above the tenth stand in falling order
        yield from (("first", channel, bit, 1) for bit in range(bits - 1, LOW_BITS - 1, -1))
    yield from (("steps", texel, 0, 3 if texel == 0 else 4) for texel in range(TEXELS))


def decompress_bc6h(blocks: NDArray[np.uint8]) -> Floats:
    """Return float32 [N, 16, 3], what blocks of ``compress_bc6h``, uint8 [N, 16], show.

    Those of other encoders may have modes that are not read here.
    """
    shown = np.empty((len(blocks), TEXELS, 3), np.float32)
    numbers = blocks[:, 0] & ((1 << MODE_BITS) - 1)
    assert np.isin(numbers, [mode[0] for mode in MODES]).all(), "a block with two regions"
    for mode in MODES:
        rows = np.flatnonzero(numbers == mode[0])
        for start in range(0, len(rows), CHUNK):
            some = rows[start : start + CHUNK]
            shown[some] = _decompress(blocks[some], mode)
    return shown


def _decompress(blocks: NDArray[np.uint8], mode: tuple[int, int, int]) -> Floats:
    words = np.ascontiguousarray(blocks).view("<u8")
    found = {
        name: np.zeros((len(words), most), np.int64)
        for name, most in (("mode", 1), ("first", 3), ("second", 3), ("steps", TEXELS))
    }
    place = 0  # fmt: skip
    for name, index, lowest, count in _fields(mode):
        word, shift = divmod(place, 64)
        part = words[:, word] >> np.uint64(shift)
        if shift + count > 64:
            part = part | words[:, word + 1] << np.uint64(64 - shift)
        found[name][:, index] |= (part & np.uint64((1 << count) - 1)).astype(np.int64) << lowest
        place += count
    first, second = found["first"], found["second"]
    if mode[2]:  # a difference with a sign, in two's complement
        second = first + (second ^ 1 << mode[2] - 1) - (1 << mode[2] - 1)
        second &= (1 << mode[1]) - 1
    first, second = (_unquantized(end, mode[1])[:, None] for end in (first, second))
    bits = _shown(_between(first, second, found["steps"])).astype(np.uint16)
    return bits.view(np.float16).astype(np.float32)
