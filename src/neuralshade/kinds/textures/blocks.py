"""BC1 texture blocks of latents, in the form of files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.asset.texture.bc1 import pack_bc1, unpack_bc1
from neuralshade.errors import AssetError
from neuralshade.model.block_grid import CHANNELS, BlockGrid

Bytes = npt.NDArray[np.uint8]


def pack_blocks(grid: BlockGrid) -> list[Bytes]:
    """Return the blocks of each texture, level by level and row by row: uint8 [blocks, 8]."""
    ends, steps = grid.codes()
    packed = []
    for texture in range(grid.textures):
        own = ends[:, CHANNELS * texture : CHANNELS * (texture + 1)]
        packed.append(pack_bc1(own[..., 0], own[..., 1], steps[..., texture]))
    return packed


def unpack_blocks(grid: BlockGrid, textures: Sequence[npt.NDArray[Any]]) -> None:
    """Load what ``pack_blocks`` returned.

    Raises: AssetError for blocks with three colors, which fits do not make.
    """
    ends, steps = [], []
    for index, blocks in enumerate(textures):
        found = unpack_bc1(blocks)
        if found is None:
            raise AssetError(f"latents: got a texture {index} of {grid.sizes[0][0]} x "
                             f"{grid.sizes[0][1]} with blocks of three colors, need those of four "
                             "that a fit makes. Fit it again.")  # fmt: skip
        first, last, step = found
        ends.append(np.stack([first, last], axis=-1))
        steps.append(step)
    grid.set_codes(np.concatenate(ends, axis=1), np.stack(steps, axis=-1))
