"""model/tile_grid: tiles with as many texels as they need, against NumPy and in Slang."""

import numpy as np
import pytest
import torch
from fixtures.image_assets import vary_sides
from fixtures.tile_reference import even_sides, tile_grid

from neuralshade.errors import ConfigError
from neuralshade.model.composite import Composite
from neuralshade.model.dense_grid import DenseGrid
from neuralshade.model.tile_grid import FEWEST, LARGEST_ENTRIES, MOST, TileGrid
from neuralshade.testing.encodings import check_encoding

SIZES = {"width": 70, "height": 41, "tile": 16, "texels": 700}  # 5 x 3 tiles, some cut off


@pytest.fixture(params=[1, 2, 5], ids="{} features".format)
def grid(request, rng):
    found = TileGrid(features=request.param, **SIZES, rng=rng)
    torch.nn.init.uniform_(found.texels, -1, 1, generator=rng)
    vary_sides(found)
    assert len(found.sides.unique()) > 3
    return found


def test_values_equal_numpy_s(grid, rng):
    uv = torch.cat([torch.rand(200, 2, generator=rng), torch.tensor([[0.0, 0], [1, 1], [0, 1]])])
    values = [grid.texels.detach().double().numpy()]
    sizes = {name: SIZES[name] for name in ("width", "height", "tile")}
    wanted = tile_grid(
        uv.double().numpy(), values, grid.features, **sizes, sides=grid.sides.numpy()
    )
    np.testing.assert_allclose(grid(uv).detach().numpy(), wanted, rtol=0, atol=1e-5)


def test_slang_agrees_whatever_the_sides(grid, gpu):
    check_encoding(grid, gpu=gpu)


def test_slang_agrees_beside_another_grid(rng, gpu):
    tiles = TileGrid(features=2, **SIZES, rng=rng)
    vary_sides(tiles)
    check_encoding(Composite([DenseGrid(features=3, width=4, height=3, rng=rng), tiles]), gpu=gpu)


def test_gradients_are_those_of_differences(rng):
    grid = TileGrid(features=2, **SIZES, rng=rng)
    vary_sides(grid)
    uv, d_out = torch.rand(64, 2, generator=rng), torch.randn(64, 3, generator=rng)
    (grid(uv) * d_out).sum().backward()
    at = grid.texels.grad.abs().sum(0).nonzero()[:20, 0]
    for entry in at.tolist():
        for feature in (0, 1):
            moved = torch.zeros_like(grid.texels)
            moved[feature, entry] = 1.0
            with torch.no_grad():
                before = (grid(uv) * d_out).sum()
                grid.texels += moved
                after = (grid(uv) * d_out).sum()
                grid.texels -= moved
            # linear in the texels: a step of 1 is exact but for rounding
            assert abs(float(after - before - grid.texels.grad[feature, entry])) < 1e-4


def test_tiles_of_one_side_follow_each_other(grid):
    sides, firsts = grid.sides.flatten().long(), grid.firsts().flatten()
    ends = firsts + sides**2
    order = firsts.argsort()
    assert torch.equal(ends[order][:-1], firsts[order][1:]) and int(firsts.min()) == 0
    assert torch.equal(sides[order], sides.sort().values)


def test_all_tiles_are_alike_at_first():
    grid = TileGrid(**SIZES)
    wanted = even_sides(SIZES["width"], SIZES["height"], SIZES["tile"], SIZES["texels"])
    assert np.array_equal(grid.sides.numpy(), wanted)


@pytest.mark.parametrize("sides", [
    torch.full((3, 4), 5, dtype=torch.uint8),
    torch.full((3, 5), 5, dtype=torch.int64),
    torch.full((3, 5), FEWEST - 1, dtype=torch.uint8),
    torch.full((3, 5), MOST + 1, dtype=torch.uint8),
    torch.full((3, 5), 7, dtype=torch.uint8),  # 735 texels
    torch.empty((0, 5), dtype=torch.uint8),
])  # fmt: skip
def test_sides_that_are_none_are_refused(sides, refusal, same_message):
    grid = TileGrid(**SIZES)
    before = grid.sides.clone()
    same_message(refusal(ConfigError, grid.set_sides, sides), "encoding tile_grid.sides")
    assert torch.equal(grid.sides, before)


@pytest.mark.parametrize("texels", [59, LARGEST_ENTRIES + 1])
def test_texels_that_no_tiles_have_are_refused(texels, refusal, same_message):
    same_message(refusal(ConfigError, TileGrid, **SIZES | {"texels": texels}),
                 "encoding tile_grid.texels", f"{texels}")  # fmt: skip


def test_what_is_drawn_is_what_is_read(rng):
    grid = TileGrid(**SIZES, rng=rng)
    vary_sides(grid)
    drawn = grid.drawn(20)
    assert drawn.shape == (3, 12, 20)
    uv = torch.tensor([[(7 + 0.5) / 20, (4 + 0.5) / 12]])
    torch.testing.assert_close(drawn[:, 4, 7], grid(uv)[0].detach())
