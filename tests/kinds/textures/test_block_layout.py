"""kinds/textures/block_*: which BC1 textures a rate and a size get, and how they start."""

import numpy as np
import pytest
import torch
from fixtures.texture_engines import texels_of
from fixtures.texture_sets import small_set
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralshade.asset.texture.bc1 import compress_bc1, pack_bc1, unpack_bc1
from neuralshade.errors import ConfigError
from neuralshade.kinds.textures.block_budget import block_file_bytes, blocks_for_bytes
from neuralshade.kinds.textures.block_layout import block_grids, set_lines
from neuralshade.kinds.textures.block_shape import (
    BlockShape,
    blocks_of,
    blocks_rate,
    candidates,
    level_bytes,
    level_sizes,
    parse_blocks,
)
from neuralshade.kinds.textures.build import started_field
from neuralshade.kinds.textures.field import build_field
from neuralshade.kinds.textures.recipe import TexturesRecipe
from neuralshade.model.block_grid import BlockGrid
from neuralshade.source.material_mips import mip_sizes

quick = settings(max_examples=25, deadline=None, derandomize=True)


def test_grids_name_textures(same_message):
    assert parse_blocks(" 1:2, 2:2") == (BlockShape(1, 2), BlockShape(2, 2))
    assert TexturesRecipe(latents="bc1", grids="1:2,2:2").grids == "1:2,2:2"
    with pytest.raises(ConfigError) as refused:
        TexturesRecipe(latents="bc1", grids="2:4:3")
    same_message(str(refused.value), "TexturesRecipe.grids", "Write")
    for other in ("3:1", "1:5", "1:0", "1"):
        with pytest.raises(ConfigError, match="SCALE:TEXTURES"):
            parse_blocks(other)
    for other in ("2:1,1:1", "1:1,1:1", "1:1,2:1,4:1,8:1"):
        with pytest.raises(ConfigError, match="3 sizes at most, each coarser"):
            parse_blocks(other)
    with pytest.raises(ConfigError, match="need SCALE:NUMBERS:BITS"):
        TexturesRecipe(grids="1:2,2:2")


@quick
@given(st.floats(0.3, 32))
def test_a_rate_is_used_but_not_passed(bpp):
    rate = blocks_rate(blocks_of(bpp))
    rates = sorted(map(blocks_rate, candidates()))
    assert rate == max([each for each in rates if each <= bpp * 1.005], default=rates[0])


@pytest.mark.parametrize("bpp, grids", [(10, "1:2,2:2"), (8, "1:1,2:4"), (5, "2:4,4:4")])
def test_known_rates_have_the_layouts_that_were_best(bpp, grids):
    assert blocks_of(float(bpp)) == parse_blocks(grids)


@quick
@given(st.integers(1, 300), st.integers(1, 300), st.sampled_from([1, 2, 4, 16]))
def test_levels_are_a_dds_chain_of_whole_blocks(width, height, scale):
    sizes = level_sizes((width, height), len(mip_sizes(width, height)), scale)
    across, down = sizes[0]
    assert across % 4 == 0 == down % 4 and 0 <= across * scale - width < 4 * scale
    assert 0 <= down * scale - height < 4 * scale
    assert sizes == mip_sizes(across, down)[: len(sizes)]
    blocks = sum(-(-w // 4) * -(-h // 4) for w, h in sizes)
    assert level_bytes(sizes) == 8 * blocks == 8 * BlockGrid(sizes, [0], 1).blocks


def test_a_mip_is_looked_up_where_hardware_finds_it():
    recipe = TexturesRecipe(latents="bc1", grids="1:1,4:1", hidden_width=16)
    fine, coarse = block_grids(build_field(recipe, (64, 32), 3, None).encoding)
    assert fine.serves == [0, 1, 2, 3, 4, 5, 6] and fine.sizes[6] == (1, 1)
    assert coarse.serves == [0, 0, 0, 1, 2, 3, 4] and coarse.sizes[0] == (16, 8)


def test_bytes_are_kept_and_nearly_used():
    recipe, sizes = TexturesRecipe(latents="bc1"), mip_sizes(256, 256)
    for wanted in (40_000, 70_000, 130_000):
        found = parse_blocks(blocks_for_bytes(wanted, sizes, 8, 5, recipe))
        took = block_file_bytes(found, sizes, 8, 5, recipe)
        assert wanted * 0.85 < took <= wanted
    with pytest.raises(ConfigError, match=r"bytes: got 9,000, need about .* latents=bc1"):
        blocks_for_bytes(9_000, sizes, 8, 5, recipe)


def test_blocks_start_as_lines_through_their_texels():
    """Texels on a line come back."""
    rng = torch.Generator().manual_seed(0)
    grid = BlockGrid([(64, 64)], [0], 2, rng=rng)
    ends = torch.rand(grid.blocks, 1, 2, 3, 2, generator=rng)
    line = torch.lerp(*ends.unbind(-1), torch.rand(grid.blocks, 16, 2, 1, generator=rng))
    with torch.no_grad():
        set_lines(grid, line)
        ends = grid.ends.view(grid.blocks, 1, 2, 3, 2)
        seen = torch.lerp(*ends.unbind(-1), grid.shares[..., None])
    assert float((seen - line).abs().max()) < 0.003  # the span is never 0
    assert grid.shares.min() == 0 and grid.shares.max() > 0.9


def test_latents_start_near_what_they_cover():
    """The start's textures tell more of the set than noise: a linear map finds mip 0 in them."""
    texels = texels_of(small_set(64, 64))
    recipe = TexturesRecipe(latents="bc1", grids="1:2,2:2", hidden_width=16)
    rng = torch.Generator().manual_seed(0)
    wanted = texels.level(0).reshape(-1, texels.channels).astype(np.float64)
    left = []
    for field in (started_field(recipe, texels, rng), build_field(recipe, (64, 64), 1, rng)):
        place = (torch.arange(64) + 0.5) / 64
        at = torch.cartesian_prod(place, place, torch.zeros(1))[:, [1, 0, 2]]
        with torch.no_grad():
            seen = field.encoding(at).double().numpy()
        seen = np.column_stack([seen, np.ones(len(seen))])
        fitted = seen @ np.linalg.lstsq(seen, wanted, rcond=None)[0]
        left.append(np.square(fitted - wanted).mean())
    assert left[0] < 0.3 * left[1]


@quick
@given(st.integers(0, 2**32 - 1))
def test_blocks_come_back_from_their_bytes(seed):
    rng = np.random.default_rng(seed)
    first, last = (rng.integers(0, (32, 64, 32), (40, 3)) for _ in range(2))
    last[::8] = first[::8]  # equal: one color
    blocks = pack_bc1(first, last, rng.integers(0, 4, (40, 16)))
    found = unpack_bc1(blocks)
    assert found is not None and np.array_equal(pack_bc1(*found), blocks)
    begin, end, step = found
    assert not step[::8].any() and np.array_equal(begin[::8], first[::8])
    swapped = ~(begin == first).all(1)
    assert np.array_equal(begin[swapped], last[swapped])
    assert np.array_equal(end[swapped], first[swapped])


def test_blocks_of_three_colors_are_told():
    blocks = compress_bc1(np.random.default_rng(0).random((4, 16, 3)).astype(np.float32))
    assert unpack_bc1(blocks) is not None
    blocks[2, :4] = blocks[2, [2, 3, 0, 1]]  # now the first end point is the lesser
    assert unpack_bc1(blocks) is None
