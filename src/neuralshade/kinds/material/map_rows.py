"""Stored rows of a feature map: 8-bit codes of texels, or BC7 blocks, a texture per four numbers.

Codes are uint8 [texels, features], blocks uint8 [blocks, textures, 16]; both level after level, the
finest first, and row by row. A tensor named CODES or BLOCKS holds them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.asset.texture.bc7_modes import texels_of_blocks
from neuralshade.kinds.material.recipe import BLOCK_SIDE
from neuralshade.kinds.material.schema import block_counts, level_sides

CODES, BLOCKS = "features", "blocks"  # names of tensors
PEAK = 255  # code of a number that is 1
OF_BLOCKS = "blocks."  # prefix in the state of a fit
NAMES = ("rows", "mix", "ends")

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


def with_rows(tensors: Tensors, levels: Sequence[Rows] | None) -> dict[str, npt.NDArray[Any]]:
    """Return tensors of a map's finest level with the rows of further levels, if any."""
    more = {} if levels is None else named(np.concatenate([rows_of(tensors), *levels]))
    return {**tensors, **more}


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
    texels = np.concatenate([texels_of_blocks(one) for one in textures], axis=2)
    levels = zip(level_rows(texels, side), level_sides(side), strict=False)
    return np.concatenate([_untiled(tiles, each) for tiles, each in levels])


def _untiled(tiles: Rows, side: int) -> Rows:
    """Return the texels of a level's blocks [blocks, 16, features], row by row: [texels, F]."""
    across = -(-side // BLOCK_SIDE)
    lines = tiles.reshape(across, across, BLOCK_SIDE, BLOCK_SIDE, -1).swapaxes(1, 2)
    whole = lines.reshape(across * BLOCK_SIDE, across * BLOCK_SIDE, -1)
    return whole[:side, :side].reshape(side * side, -1)


@dataclass(frozen=True)
class MapBlocks:
    """Compressed finest level of a map. Its codes mean numbers ``mix`` x of latents x."""

    rows: npt.NDArray[np.uint8]  # [blocks, textures, 16]
    mix: torch.Tensor  # float32 [features, features]
    ends: torch.Tensor  # float32 [2, features], the mixed numbers of codes 0 and 255

    def unmixed(self, weight: torch.Tensor) -> torch.Tensor:
        """Return weights [outputs, inputs], latents first, that read mixed numbers instead."""
        found, count = weight.clone(), len(self.mix)
        found[:, :count] = (
            weight[:, :count].double() @ torch.linalg.inv(self.mix.double())
        ).float()
        return found

    def latents(self, side: int) -> torch.Tensor:
        """Return the latents that it holds: float32 [texels, features]."""
        codes = torch.from_numpy(codes_of(self.rows, side)).double() / PEAK
        low, high = self.ends.double()
        return torch.linalg.solve(self.mix.double(), (low + (high - low) * codes).t()).t().float()

    def state(self) -> dict[str, torch.Tensor]:
        """Return the state for a restart, by name."""
        every = (torch.from_numpy(self.rows), self.mix, self.ends)
        return {f"{OF_BLOCKS}{name}": value for name, value in zip(NAMES, every, strict=True)}


def blocks_of_state(state: dict[str, torch.Tensor]) -> MapBlocks | None:
    """Return the blocks of a state; None if it has none."""
    if f"{OF_BLOCKS}{NAMES[0]}" not in state:
        return None
    rows, mix, ends = (state[f"{OF_BLOCKS}{name}"] for name in NAMES)
    return MapBlocks(rows.numpy(), mix, ends)
