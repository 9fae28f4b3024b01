"""asset/texture/bc7_lines: lines come back, and Pillow decompresses to the same texels."""

import numpy as np
import pytest

from neuralshade.asset.texture.bc7_lines import are_lines, pack_lines, texels_of_lines, unpack_lines
from neuralshade.asset.texture.block_decompression import decompress_tiles


def lines_of(count, seed):
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, 128, (2, count, 4)) * 2 + rng.integers(0, 2, (2, count, 1))
    first, last = ends.astype(np.uint8)
    return first, last, rng.integers(0, 16, (count, 16)).astype(np.uint8)


@pytest.mark.parametrize("count", [1, 300])
def test_texels_are_those_of_another_decompressor(count):
    lines = lines_of(count, count)
    blocks = pack_lines(*lines)
    assert blocks.shape == (count, 16) and blocks.dtype == np.uint8
    texels = texels_of_lines(*lines)
    assert np.array_equal(decompress_tiles(blocks).reshape(-1, 16, 4), texels)
    found = unpack_lines(blocks)
    assert np.array_equal(texels_of_lines(*found), texels)
    assert np.array_equal(pack_lines(*found), blocks)


def test_blocks_of_other_modes_are_told_apart():
    blocks = pack_lines(*lines_of(5, 0))
    assert are_lines(blocks).all()
    blocks[3, 0] = 1 << 5
    assert are_lines(blocks).tolist() == [True, True, True, False, True]
