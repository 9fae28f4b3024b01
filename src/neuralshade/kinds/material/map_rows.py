"""Stored rows of a feature map: 8-bit codes of texels, or BC7 blocks, a texture per four numbers.

Codes are uint8 [texels, features], blocks uint8 [blocks, textures, 16]; both level after level, the
finest first, and row by row. A tensor named CODES or BLOCKS holds them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.asset.texture.bc7_lines import texels_of_lines, unpack_lines
from neuralshade.kinds.material.levels import boxed
from neuralshade.kinds.material.line_fit import SIDE, block_rows
from neuralshade.kinds.material.schema import block_counts, level_sides

CODES, BLOCKS = "features", "blocks"  # names of tensors

Rows = npt.NDArray[np.uint8]
Tensors = Mapping[str, npt.NDArray[Any]]


def is_blocks(rows: Rows) -> bool:
    """Return whether rows are blocks."""
    return rows.ndim == 3


def rows_of(tensors: Tensors) -> Rows:
    """Return the rows of a map's tensors."""
    return tensors[BLOCKS if BLOCKS in tensors else CODES]


def named(rows: Rows) -> dict[str, Rows]:
    """Return rows under the name of their tensor."""
    return {BLOCKS if is_blocks(rows) else CODES: rows}


def level_rows(rows: Rows, side: int) -> list[Rows]:
    """Return the rows of each stored level of a chain, as views."""
    counts = block_counts(side) if is_blocks(rows) else [each * each for each in level_sides(side)]
    firsts = np.cumsum([0, *counts])
    levels = int(np.searchsorted(firsts, len(rows)))
    return [rows[firsts[i] : firsts[i + 1]] for i in range(levels)]


def codes_of(rows: Rows, side: int) -> Rows:
    """Return rows as codes, decompressed to the bits that GPUs sample."""
    if not is_blocks(rows):
        return rows
    textures = np.moveaxis(rows, 1, 0)
    texels = np.concatenate([texels_of_lines(*unpack_lines(one)) for one in textures], axis=2)
    levels = zip(level_rows(texels, side), level_sides(side), strict=False)
    return np.concatenate([_untiled(tiles, each) for tiles, each in levels])


def _untiled(tiles: Rows, side: int) -> Rows:
    """Return the texels of a level's blocks [blocks, 16, features], row by row: [texels, F]."""
    across = -(-side // SIDE)
    lines = tiles.reshape(across, across, SIDE, SIDE, -1).swapaxes(1, 2)
    whole = lines.reshape(across * SIDE, across * SIDE, -1)
    return whole[:side, :side].reshape(side * side, -1)


def boxed_rows(finest: Rows, side: int, ends: npt.NDArray[np.float32]) -> list[Rows]:
    """Return the box filters of a finest level for all levels after it, as rows of its sort.

    ``ends``: float32 [2, features], the values of codes 0 and 255.
    """
    codes = boxed(codes_of(finest, side), side)
    return compressed(codes, side, ends) if is_blocks(finest) else codes


def compressed(codes: Sequence[Rows], side: int, ends: npt.NDArray[np.float32]) -> list[Rows]:
    """Return the blocks of all levels behind the finest, of their codes."""
    weights = torch.from_numpy(ends[1] - ends[0]).clamp_min(1e-6)
    weights = weights / weights.max()
    return [block_rows(torch.from_numpy(level).float().view(each, each, -1), weights)
            for level, each in zip(codes, level_sides(side)[1:], strict=True)]  # fmt: skip
