"""Texels of BC7 blocks of the modes that latents are stored in: 4 and 6."""

import numpy as np

from neuralshade.asset.texture.bc7_lines import Bytes, are_lines, texels_of_lines, unpack_lines
from neuralshade.asset.texture.bc7_split import AT_ONCE, are_split, unpack_split


def are_stored_modes(blocks: Bytes) -> bool:
    """Return whether all blocks, uint8 [..., 16], have mode 4 or 6."""
    return bool((are_lines(blocks) | are_split(blocks)).all())


def texels_of_blocks(blocks: Bytes) -> Bytes:
    """Return uint8 [N, 16, 4], the texels of blocks [N, 16] of modes 4 and 6, as GPUs have them."""
    found = np.empty((len(blocks), 16, 4), np.uint8)
    for start in range(0, len(blocks), AT_ONCE):
        part, own = blocks[start : start + AT_ONCE], found[start : start + AT_ONCE]
        lines = are_lines(part)
        own[lines] = texels_of_lines(*unpack_lines(part[lines]))
        own[~lines] = unpack_split(part[~lines]).texels()
    return found
