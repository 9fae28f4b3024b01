"""Fit of texels to BC7 blocks of modes 4 and 6, in PyTorch, with weights.

Mode 6 has a line of four numbers in 16 steps; mode 4 a line of three, and beside it any one of the
four on its own, in 8 and 4 steps. Others gained a tenth of the error more, where these halve it.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.asset.texture.bc7_lines import CHANNELS, WEIGHTS, pack_lines
from neuralshade.asset.texture.bc7_split import COARSE, FINE_WEIGHTS, TEXELS, SplitBlocks
from neuralshade.engine.threads import side_by_side
from neuralshade.kinds.material.line_fit import (
    PEAK,
    WHOLE,
    LineFit,
    LineForm,
    with_shared_bit,
)
from neuralshade.kinds.material.recipe import BLOCK_SIDE

UNUSED = np.array([3, 3, 3, 2], np.uint8)  # bits of codes of end points of mode 4
AT_ONCE = 2**11  # blocks that a core fits at once

Rows = npt.NDArray[np.uint8]


def block_rows(texels: torch.Tensor, weights: torch.Tensor) -> Rows:
    """Return the blocks of a square level, row by row: uint8 [blocks, textures, 16].

    Args:
        texels: float32 [side, side, F], codes from 0 to 255, not rounded; F a multiple of 4.
        weights: float32 [F], of errors. A block beyond the edge repeats the texels there.
    """
    tiles = blocks_of(texels)
    found = []
    for first in range(0, texels.shape[2], CHANNELS):
        own = slice(first, first + CHANNELS)
        parts = side_by_side(partial(_packed, weights=weights[own]), tiles[..., own].split(AT_ONCE))
        found.append(np.concatenate(list(parts)))
    return np.stack(found, axis=1)


def blocks_of(level: torch.Tensor) -> torch.Tensor:
    """Return [side, side, F] in blocks: [blocks, 16, F]."""
    side, _, features = level.shape
    index = torch.arange(-(-side // BLOCK_SIDE) * BLOCK_SIDE).clamp(max=side - 1)
    whole, across = level[index][:, index], len(index) // BLOCK_SIDE
    cut = whole.view(across, BLOCK_SIDE, across, BLOCK_SIDE, features).transpose(1, 2)
    return cut.reshape(across * across, TEXELS, features)


def least_errors(texels: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """Return sums of squares [N] of what blocks lose of texels [N, 16, 4], up to small moves."""
    return torch.minimum(LineFit(texels, weights, LINES).error, _split(texels, weights)[1])


def _packed(texels: torch.Tensor, weights: torch.Tensor) -> Rows:
    """Return the better block of both modes for each of texels [N, 16, 4]: uint8 [N, 16]."""
    line = LineFit(texels, weights, LINES)
    line.move()
    numbers = (each.to(torch.uint8).numpy() for each in (line.first, line.last, line.steps))
    split, error = _split(texels, weights)
    better = (error < line.error)[:, None].numpy()
    return np.where(better, split.packed(), pack_lines(*numbers))


def _split(texels: torch.Tensor, weights: torch.Tensor) -> tuple[SplitBlocks, torch.Tensor]:
    """Return the best blocks of mode 4, and their errors [N]."""
    count = len(texels)
    least = torch.full((count,), torch.inf)
    ends, steps = torch.zeros(count, 2, CHANNELS), torch.zeros(count, 2, TEXELS)
    form = torch.zeros(count, 2)
    for apart in range(CHANNELS):
        order = list(range(CHANNELS))
        order[apart], order[-1] = order[-1], order[apart]
        moved, own = texels[..., order], weights[order]
        for fine in (0, 1):
            line = LineFit(moved[..., :-1], own[:-1], TRIPLES[fine])
            single = LineFit(moved[..., -1:], own[-1:], SINGLES[fine])
            error = line.error + single.error
            better = error < least
            found = [torch.cat([a, b], 1) for a, b in
                     ((line.first, single.first), (line.last, single.last))]  # fmt: skip
            ends[better] = torch.stack(found, dim=1)[better]
            steps[better] = torch.stack([line.steps, single.steps], dim=1)[better]
            form[better] = torch.tensor([float(apart), float(fine)])
            least = torch.minimum(error, least)
    bits: Rows = ends.to(torch.uint8).numpy() >> UNUSED
    packs = [each.to(torch.uint8).numpy() for each in (steps, form[:, 0], form[:, 1])]
    return SplitBlocks(bits, *packs), least


def _rounded(
    ends: torch.Tensor, weights: torch.Tensor, odd: int | None, *, bits: int
) -> torch.Tensor:
    """Return end points in codes whose upper ``bits`` come again below them."""
    most = 2**bits - 1
    upper = (ends.clamp(0, PEAK) * (most / PEAK)).round()
    return upper * 2 ** (8 - bits) + (upper / 2 ** (2 * bits - 8)).floor()


def _form(weights: npt.NDArray[np.int32], bits: int) -> LineForm:
    return LineForm(torch.from_numpy(weights).float() / WHOLE, partial(_rounded, bits=bits))


LINES = LineForm(torch.from_numpy(WEIGHTS).float() / WHOLE, with_shared_bit)
TRIPLES = _form(COARSE, 5), _form(FINE_WEIGHTS, 5)  # lines of three, by ``fine``
SINGLES = _form(FINE_WEIGHTS, 6), _form(COARSE, 6)
