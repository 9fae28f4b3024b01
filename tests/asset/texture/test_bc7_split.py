"""asset/texture/bc7_split: blocks come back, and Pillow decompresses to the same texels."""

import numpy as np
import pytest

from neuralshade.asset.texture.bc7_lines import pack_lines
from neuralshade.asset.texture.bc7_modes import are_stored_modes, texels_of_blocks
from neuralshade.asset.texture.bc7_split import SplitBlocks, are_split, unpack_split
from neuralshade.asset.texture.block_decompression import decompress_tiles


def blocks_of(count, seed):
    rng = np.random.default_rng(seed)
    ends, form = (
        rng.integers(0, (32, 32, 32, 64), (count, 2, 4)),
        rng.integers(0, (4, 2), (count, 2)),
    )
    fine = form[:, 1:]
    most = np.concatenate([3 + 4 * fine, 7 - 4 * fine], axis=1)[..., None]
    steps = rng.integers(0, 8, (count, 2, 16)) & most
    return SplitBlocks(*(each.astype(np.uint8) for each in (ends, steps, form[:, 0], form[:, 1])))


@pytest.mark.parametrize("count", [1, 500])
def test_texels_are_those_of_another_decompressor(count):
    split = blocks_of(count, count)
    blocks = split.packed()
    assert blocks.shape == (count, 16) and blocks.dtype == np.uint8
    texels = split.texels()
    assert np.array_equal(decompress_tiles(blocks).reshape(-1, 16, 4), texels)
    found = unpack_split(blocks)
    assert np.array_equal(found.texels(), texels) and np.array_equal(found.packed(), blocks)
    assert np.array_equal(found.apart, split.apart) and np.array_equal(found.fine, split.fine)


def test_modes_are_mixed_and_others_are_told_apart():
    rng = np.random.default_rng(1)
    ends = rng.integers(0, 128, (2, 9, 4), np.uint8) * 2 + 1
    lines = pack_lines(*ends, rng.integers(0, 16, (9, 16)).astype(np.uint8))
    mixed = np.stack([lines, blocks_of(9, 2).packed()], axis=1).reshape(18, 16)
    assert are_stored_modes(mixed) and are_split(mixed).tolist() == [False, True] * 9
    assert np.array_equal(decompress_tiles(mixed).reshape(-1, 16, 4), texels_of_blocks(mixed))
    assert texels_of_blocks(mixed[:0]).shape == (0, 16, 4)
    mixed[3, 0] = 1 << 5
    assert not are_stored_modes(mixed)
