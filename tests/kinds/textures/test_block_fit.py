"""kinds/textures/fit with latents that are BC1 textures: whole fits, of any size."""

import numpy as np
import pytest
from fixtures.texture_sets import small_set

import neuralshade
from neuralshade.errors import ConfigError
from neuralshade.kinds.textures.block_layout import block_grids
from neuralshade.kinds.textures.block_shape import blocks_rate, parse_blocks
from neuralshade.kinds.textures.corner_psnr import corner_psnr


def test_training_makes_maps_better(fitted, maps):
    """Far beyond the same textures with a decoder that has hardly begun."""
    few = fitted(maps, "few.nsh", latents="bc1", grids="1:1,2:1", steps=2)
    many = fitted(maps, latents="bc1", grids="1:1,2:1", steps=80, seed=1)
    assert many.psnr_db > few.psnr_db + 4
    opened = neuralshade.load(many.asset)
    table = opened.header.quality
    assert table["psnr_db"] == pytest.approx(many.psnr_db, abs=1e-3)
    assert opened.recipe.latents == "bc1" and np.isfinite(opened.map("albedo", 2)).all()


SIZES = [((13, 9), {"mips": 1, "wrap": "clamp"}), ((1, 2), {}), ((3, 40), {"grids": "2:1,16:2"})]


@pytest.mark.parametrize("size, settings", SIZES)
def test_sets_of_any_size(fitted, size, settings):
    """Textures are of whole blocks, whatever the maps are."""
    result = fitted(small_set(*size), latents="bc1", **settings)
    opened = neuralshade.load(result.asset)
    sizes = [grid.sizes[0] for grid in block_grids(opened.field.encoding)]
    assert all(width % 4 == 0 == height % 4 for width, height in sizes)
    last = len(opened.sizes) - 1
    assert opened.map("albedo", last).shape[:2] == opened.sizes[-1][::-1]


def test_files_of_so_many_bytes(fitted, maps):
    rates = []
    for byte_count in (8_000, 9_000):
        result = fitted(maps, latents="bc1", steps=2, byte_count=byte_count)
        assert byte_count - 2_500 < result.asset_bytes <= byte_count  # most headers are longer
        rates.append(blocks_rate(parse_blocks(neuralshade.load(result.asset).recipe.grids)))
    assert rates[0] < rates[1]
    with pytest.raises(ConfigError, match=r"need about .* with latents=bc1"):
        fitted(maps, latents="bc1", byte_count=500)


@pytest.mark.slow
def test_between_texels_it_is_trained_too(fitted, maps):
    """Without jitter the mean of four texels, smoother than each, is 2 dB better, not 5."""
    result = fitted(maps, latents="bc1", grids="1:2", steps=250, batch=512)
    corners = corner_psnr(neuralshade.load(result.asset), maps)
    assert np.mean(list(corners.values())) > result.psnr_db + 4
