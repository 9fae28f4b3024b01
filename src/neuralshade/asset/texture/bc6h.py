"""The BC6H encoder: 16 colors of light in 16 bytes, as two end points and 16 steps between them.

Of the 14 modes those with one region, 11 to 14: end points of 10 bits each, or of 11, 12 and 16
with the second as a difference of 9, 8 and 4 bits. What is interpolated are the bits of half
floats, which are nearly a logarithm: errors are relative ones.
Source: Microsoft, Direct3D 11.3 Functional Specification, section 19.5.14.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neuralshade.base.cores import on_cores

Floats = NDArray[np.float32]
Codes = NDArray[np.int64]

TEXELS = 16
WEIGHTS = np.array((0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64))  # of 64
REFITS = 3  # least squares for the chosen steps
CHUNK = 2_048  # blocks at once, so that a pass stays in the processor's cache
# Of a mode: its number, bits of an end point, bits of the second one's difference, 0: it is whole.
MODES = ((0x03, 10, 0), (0x07, 11, 9), (0x0B, 12, 8), (0x0F, 16, 4))
MODE_BITS, LOW_BITS = 5, 10
PEAK = 0xFFFF  # of end points when they are interpolated; 31 / 64 of it is the largest half


@dataclass
class _Ends:
    """End points as stored, first and second: int64 [N, 3] each; and which of them a mode has."""

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

    for _ in on_cores(compress, range(0, len(colors), CHUNK)):
        pass
    return blocks


def _compress(colors: NDArray[np.float16]) -> NDArray[np.uint8]:
    bits = np.ascontiguousarray(colors + np.float16(0)).view(np.uint16)  # -0 becomes 0
    wanted = bits.astype(np.float32) * np.float32(64 / 31)
    ends = _on_axis(wanted)
    best_error = np.full(len(wanted), np.inf, np.float32)
    blocks = np.zeros((len(wanted), 16), np.uint8)
    for mode in MODES:
        tried = ends
        for _ in range(1 + REFITS):
            stored = _stored(*tried, mode)
            steps, error = _steps(bits, stored, mode)
            better = stored.fits & (error < best_error)
            best_error[better] = error[better]
            rows = np.flatnonzero(better)
            blocks[rows] = _packed(stored.first[rows], stored.second[rows], steps[rows], mode)
            tried = _least_squares(wanted, steps, *tried)
    return blocks


def _on_axis(wanted: Floats) -> tuple[Floats, Floats]:
    """Return the ends of the colors along the axis on which they differ most: [N, 3] each."""
    middle = wanted.mean(axis=1, keepdims=True)
    apart = wanted - middle
    spread = np.einsum("nti,ntj->nij", apart, apart, dtype=np.float64)
    axis = np.linalg.eigh(spread)[1][:, :, -1].astype(np.float32)
    along = np.einsum("nti,ni->nt", apart, axis)
    low, high = along.min(axis=1)[:, None], along.max(axis=1)[:, None]
    return middle[:, 0] + low * axis, middle[:, 0] + high * axis


def _stored(first: Floats, second: Floats, mode: tuple[int, int, int]) -> _Ends:
    """Return end points as a mode stores them; where it cannot, ``fits`` says so."""
    _, bits, difference = mode
    one, two = (_quantized(end, bits) for end in (first, second))
    if not difference:
        return _Ends(one, two, np.ones(len(one), bool))
    # one less than there is, as the ends may have to change places
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
    """Return the nearest of the 16 colors for each texel [N, 16], and each block's error."""
    first, second = (_unquantized(end, mode[1])[:, None] for end in (ends.first, ends.second))
    share = WEIGHTS[None, :, None]
    between = (first * (64 - share) + second * share + 32) >> 6
    palette = ((between * 31) >> 6).astype(np.float32)  # as the bits of halves
    apart = palette[:, None] - bits[:, :, None].astype(np.float32)
    errors = np.square(apart).sum(axis=3)
    steps = errors.argmin(axis=2)
    least = np.take_along_axis(errors, steps[..., None], axis=2)[..., 0]
    return steps, least.sum(axis=1)


def _least_squares(
    wanted: Floats, steps: Codes, first: Floats, second: Floats
) -> tuple[Floats, Floats]:
    """Return the end points that suit the chosen steps best; the old ones where undefined."""
    b = (WEIGHTS[steps] / 64).astype(np.float32)
    a = 1 - b
    aa, ab, bb = (a * a).sum(axis=1), (a * b).sum(axis=1), (b * b).sum(axis=1)
    av, bv = (np.einsum("nt,ntc->nc", each, wanted) for each in (a, b))
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
    number, bits, difference = mode
    turned = steps[:, :1] >= TEXELS // 2  # its highest bit is not stored
    first, second = np.where(turned, second, first), np.where(turned, first, second)
    steps = np.where(turned, TEXELS - 1 - steps, steps)
    fields: list[tuple[Codes, int]] = [(np.full(len(steps), number), MODE_BITS)]
    fields += [(first[:, channel], LOW_BITS) for channel in range(3)]
    for channel in range(3):
        if not difference:
            fields.append((second[:, channel], LOW_BITS))
            continue
        fields.append((second[:, channel] - first[:, channel], difference))
        # the bits above the tenth stand in falling order
        fields += [(first[:, channel] >> bit, 1) for bit in range(bits - 1, LOW_BITS - 1, -1)]
    fields += [(steps[:, texel], 3 if texel == 0 else 4) for texel in range(TEXELS)]
    words, place = np.zeros((len(steps), 2), np.uint64), 0
    for value, count in fields:
        part = (value & ((1 << count) - 1)).astype(np.uint64)
        word, shift = divmod(place, 64)
        words[:, word] |= part << np.uint64(shift)
        if shift + count > 64:
            words[:, word + 1] |= part >> np.uint64(64 - shift)
        place += count
    assert place == 128, (mode, place)
    return words.astype("<u8").view(np.uint8).reshape(-1, 16)
