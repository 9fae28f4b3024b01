"""kinds/image/budget: a file is no larger than asked for, and hardly smaller."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from neuralshade.asset.asset import Header, asset_size, save_asset
from neuralshade.asset.tensors import pack_field
from neuralshade.fitting.recipe import to_dict
from neuralshade.kinds.image.budget import (
    LARGEST_GRIDS,
    auto_batch,
    auto_encoding,
    grid_size,
    kept_points,
    overhead_bytes,
    resolve,
)
from neuralshade.kinds.image.field import build_field
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.model.registry import parse_encoding
from neuralshade.source.picture import Picture

# As long as the lines of a real fit: 24 are kept in an asset.
CURVE = [[123456 + i, 1234.567 + i, 0.0001234, 38.123] for i in range(60)]


def picture_of(width: int, height: int, channels: int = 3, name: str = "photograph.jpg") -> Picture:
    return Picture(np.zeros((height, width, channels), np.uint8), "srgb", name)


def file_bytes(recipe: ImageRecipe, picture: Picture, folder: Path) -> int:
    """Return the size of the asset that a fit of ``recipe`` would end with."""
    recipe = resolve(recipe, picture)
    field = build_field(recipe, picture.channels, torch.Generator().manual_seed(0))
    facts = {"name": picture.name, "width": picture.width, "height": picture.height,
             "channels": picture.channels, "color_space": "srgb", "dtype": "uint8",
             "digest": picture.digest}  # fmt: skip
    training = {"steps": 123456, "seconds": 1234.567, "curve": CURVE}
    header = Header(to_dict(recipe), training, {"psnr_db": 38.123}, facts)
    tensors = pack_field(field)
    points = kept_points(recipe, picture, partial(asset_size, "image", header, tensors))
    return save_asset(folder / "budget.nsh", "image", header, tensors, points)


@pytest.mark.slow
@given(
    width=st.integers(1, 600),
    height=st.integers(1, 600),
    channels=st.integers(1, 4),
    bpp=st.floats(0.3, 16),
    grid_bits=st.sampled_from([4, 8, 16, 32]),
    network_bits=st.sampled_from([8, 16, 32]),
    hidden_layers=st.integers(0, 3),
)
@settings(max_examples=60, deadline=None)
def test_a_file_stays_within_its_budget_where_the_smallest_model_does(
    tmp_path_factory, width, height, channels, bpp, grid_bits, network_bits, hidden_layers
):
    folder = tmp_path_factory.getbasetemp()
    picture = picture_of(width, height, channels)
    common = {
        "grid_bits": grid_bits, "network_bits": network_bits, "hidden_layers": hidden_layers,
    }  # fmt: skip
    budget = bpp * width * height / 8
    recipe = ImageRecipe(bpp=bpp, hidden_width=16, **common)
    assume(overhead_bytes(recipe, picture) < budget)
    assert file_bytes(recipe, picture, folder) <= budget


@pytest.mark.parametrize("bpp", [1.0, 4.0, 16.0])
@pytest.mark.parametrize("width, height", [(600, 400), (400, 600), (1000, 120)])
def test_a_file_uses_most_of_its_budget(width, height, bpp, tmp_path):
    """All but 4 %: grids have whole texels, and the size of the header is rounded up."""
    picture = picture_of(width, height)
    used = file_bytes(ImageRecipe(bpp=bpp), picture, tmp_path) * 8 / (width * height)
    assert 0.96 * bpp <= used <= bpp


@pytest.mark.parametrize("width, height, bpp", [(100, 100, 4), (256, 256, 1), (64, 64, 8)])
def test_a_small_file_uses_most_of_its_budget_too(width, height, bpp, tmp_path):
    """Its curve has what the grids leave, not the other way round."""
    picture = picture_of(width, height)
    used = file_bytes(ImageRecipe(bpp=bpp), picture, tmp_path) * 8 / (width * height)
    assert 0.95 * bpp <= used <= bpp


@pytest.mark.parametrize("bpp, expected", [(4, 24), (0.05, 6)])
def test_a_curve_is_thinned_where_bytes_are_few(bpp, expected):
    """24 points where they fit, 6 at least where nothing does."""
    kept = kept_points(
        ImageRecipe(bpp=bpp), picture_of(200, 200), lambda points: 4000 + 40 * points
    )
    assert kept == expected


def test_a_curve_keeps_what_fits():
    size = {24: 5200, 20: 5040, 16: 4990}
    assert kept_points(ImageRecipe(bpp=4), picture_of(100, 100), size.__getitem__) == 16


def test_a_long_name_of_the_picture_costs_no_budget(tmp_path):
    name = "\u00e9" * 120 + ".jpg"  # 255 bytes in UTF-8 is what file systems allow
    picture = picture_of(300, 200, name=name)
    assert file_bytes(ImageRecipe(bpp=4.0), picture, tmp_path) <= 4 * 300 * 200 / 8


def test_grids_keep_the_aspect_of_the_picture():
    parts = parse_encoding(auto_encoding(ImageRecipe(hidden_width=32), picture_of(600, 300)))
    assert [(kind, part["features"]) for kind, part in parts] == [
        ("dense_grid", 8),
        ("tile_grid", 2),
    ]
    for _, part in parts:  # of the grid with tiles, the picture's own size
        assert part["width"] / part["height"] == pytest.approx(2.0, rel=0.05)


@given(st.floats(0, 1e7), st.integers(1, 5000), st.integers(1, 5000))
@example(1.0, 1, 4)
@settings(max_examples=200, deadline=None)
def test_a_grid_has_at_most_so_many_texels(texels, width, height):
    cols, rows = grid_size(texels, Picture(np.empty((height, width, 0)), "srgb", "sizes"))
    assert 1 <= cols <= width
    assert 1 <= rows <= height
    assert cols * rows <= max(1, texels)


def test_grids_end_where_they_could_no_longer_be_trained():
    picture = Picture(np.empty((60_000, 60_000, 0)), "srgb", "sizes")
    parts = parse_encoding(auto_encoding(ImageRecipe(bpp=64.0, hidden_width=32), picture))
    sizes = [part["width"] * part["height"] * part["features"] for _, part in parts]
    assert 0.95 * LARGEST_GRIDS <= sum(sizes) <= LARGEST_GRIDS


@pytest.mark.parametrize(
    "width, height, wanted",
    [(1, 1, 8192), (512, 512, 8192), (1024, 1024, 32_768), (20_000, 20_000, 2**18)],
)
def test_a_batch_is_a_32nd_of_the_picture_within_bounds(width, height, wanted):
    picture = Picture(np.empty((height, width, 0)), "srgb", "sizes")
    assert auto_batch(picture) == wanted


@pytest.mark.parametrize(
    "width, height, bpp, wanted", [(512, 512, 4.0, 64), (768, 512, 1.0, 32), (64, 64, 4.0, 16)]
)
def test_a_network_takes_a_small_share_of_its_budget(width, height, bpp, wanted):
    assert resolve(ImageRecipe(bpp=bpp), picture_of(width, height)).hidden_width == wanted
