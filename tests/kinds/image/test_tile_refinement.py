"""kinds/image/code_refinement with tile grids: all tiles of one side are searched at once."""

import math
from itertools import pairwise

import numpy as np
import pytest
import torch
from fixtures.searched_codes import assert_threads_agree
from hypothesis import given
from hypothesis import strategies as st

from neuralshade.asset.tensors import SCALE, pack_field, unpack_nibbles
from neuralshade.engine import code_refinement
from neuralshade.engine.code_bands import Group, Tiles, bands_of, between_tiles
from neuralshade.engine.code_windows import window_of
from neuralshade.engine.kernels.refinement.refinement import GpuRefinement
from neuralshade.engine.kernels.refinement.tables import GroupTables
from neuralshade.kinds.image.code_refinement import PicturePixels, levels_of, refine_codes
from neuralshade.kinds.image.field import build_field, stored_field
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.model.tile_grid import TileGrid, tile_counts
from neuralshade.source.picture import picture_from_array

HEIGHT, WIDTH, TEXELS = 41, 70, 1100  # neither a multiple of a tile; texels that no tile has
DENSE = "dense_grid:features=3,width=12,height=8"
TILES = f"tile_grid:features=2,width={WIDTH},height={HEIGHT},tile=16,texels={TEXELS}"
SIDES = torch.tensor([[2, 8, 5, 11, 3], [11, 5, 8, 5, 5], [3, 2, 11, 8, 17]], dtype=torch.uint8)
USED = int(SIDES.long().square().sum())
NAME = "encoding.parts.1.texels"


def case_of(bits=4, encoding=f"{DENSE} + {TILES}", height=HEIGHT, width=WIDTH, **settings):
    """Return a recipe, an untrained field's tensors and a picture that gets finer to the right."""
    recipe = ImageRecipe(encoding=encoding, hidden_width=8, loss="l2", grid_bits=bits, **settings)
    rng = torch.Generator().manual_seed(3)
    field = build_field(recipe, 3, rng)
    with torch.no_grad():
        for texels in field.encoding.parameters():
            texels.normal_(0, 0.5, generator=rng)
    for grid in field.modules():
        if isinstance(grid, TileGrid):
            down, across = grid.sides.shape
            grid.set_sides(SIDES.repeat(-(-down // 3), -(-across // 5))[:down, :across])
    v, u = np.meshgrid(np.arange(height) / HEIGHT, np.arange(width) / WIDTH, indexing="ij")
    waves = [0.5 + 0.2 * np.sin(9 * u + k * v) + 0.2 * np.cos(40 * v * u**2 + k) for k in range(3)]
    return recipe, pack_field(field), picture_from_array(np.stack(waves, 2).astype(np.float32))


def squared_error(recipe, tensors, picture):
    field = stored_field(recipe, tensors, 3, "asset")
    v, u = torch.meshgrid((torch.arange(HEIGHT) + 0.5) / HEIGHT,
                          (torch.arange(WIDTH) + 0.5) / WIDTH, indexing="ij")  # fmt: skip
    with torch.no_grad():
        drawn = field(torch.stack([u, v], 2).reshape(-1, 2)).clamp(0, 1).double().numpy()
    return float(np.square(drawn - picture.as_float().reshape(-1, 3)).sum())


def stored_codes(tensors):
    """Return the codes of the tile grid: int8 [features, texels]."""
    stored = tensors[NAME]
    return unpack_nibbles(stored, TEXELS) if stored.dtype == np.uint8 else stored


@pytest.mark.parametrize("band", [10**6, 500])
@pytest.mark.parametrize("bits", [4, 8])
def test_the_error_falls_and_only_codes_of_tiles_change(bits, band, monkeypatch):
    """All rows at once, or a row of tiles at a time."""
    monkeypatch.setattr(code_refinement, "BAND_PIXELS", band)
    recipe, tensors, picture = case_of(bits)
    errors = [squared_error(recipe, tensors, picture)]
    found = tensors
    for _ in range(3):
        before = stored_codes(found)
        found, _, told = refine_codes(recipe, found, picture, 1)
        errors.append(squared_error(recipe, found, picture))
        changed = (stored_codes(found) != before).any(0)
        assert changed[:USED].any() and not changed[USED:].any() and told.moved
    assert all(after < before for before, after in pairwise(errors))
    assert errors[-1] < 0.9 * errors[0]
    apart = {name for name in tensors if not np.array_equal(tensors[name], found[name])}
    assert apart == {NAME, "encoding.parts.0.texels.0"}
    assert {n: (v.dtype, v.shape) for n, v in found.items()} == {
        n: (v.dtype, v.shape) for n, v in tensors.items()
    }


def test_tiles_alone_are_searched_down_to_each_size():
    """Without a grid beside them: codes of tiles of every side move."""
    recipe, tensors, picture = case_of(8, TILES, activation="silu")
    found, _, _ = refine_codes(recipe, tensors, picture, 1)
    name = NAME.replace("1", "0")
    moved = (found[name] != tensors[name]).any(0)
    field = stored_field(recipe, tensors, 3, "asset")
    levels = levels_of(field, tensors, (HEIGHT, WIDTH))
    assert [level.codes.shape[2] for level in levels] == [2, 3, 5, 8, 11, 17]
    ends = np.cumsum([level.codes[0].numel() for level in levels])
    assert all(part.any() for part in np.split(moved, ends)[:-1])
    assert squared_error(recipe, found, picture) < squared_error(recipe, tensors, picture)


@pytest.mark.parametrize("bits", [4, 8])
def test_codes_are_those_of_the_field(bits):
    recipe, tensors, _ = case_of(bits)
    field = stored_field(recipe, tensors, 3, "asset")
    before = [parameter.detach().clone() for parameter in field.parameters()]
    levels = levels_of(field, tensors, (HEIGHT, WIDTH))
    with torch.no_grad():
        for level in levels:
            assert np.array_equal(level.packed(), tensors[level.name])
            level.apply(slice(None))
        assert all(map(torch.equal, before, field.parameters()))
        for level in levels[1:]:
            level.codes[:, -1, -1] = level.limits[0]
            level.apply(slice(0, level.codes.shape[1]))
    found = stored_field(recipe, tensors | {levels[1].name: levels[1].packed()}, 3, "asset")
    assert all(map(torch.equal, field.parameters(), found.parameters()))
    assert not torch.equal(field.encoding.members[1].texels, before[1])


def derivatives(grid):
    """Return those of a tile grid's first feature by its texels: [texels, height, width]."""
    v, u = torch.meshgrid((torch.arange(HEIGHT) + 0.5) / HEIGHT,
                          (torch.arange(WIDTH) + 0.5) / WIDTH, indexing="ij")  # fmt: skip
    at, found = torch.stack([u, v], 2).reshape(-1, 2), []
    with torch.no_grad():
        for texel in range(USED):
            grid.texels.zero_()
            grid.texels[0, texel] = 1
            found.append(grid(at)[:, 0].view(HEIGHT, WIDTH))
    return torch.stack(found)


def tile_levels():
    recipe, tensors, _ = case_of()
    field = stored_field(recipe, tensors, 3, "asset")
    levels = levels_of(field, tensors, (HEIGHT, WIDTH))[1:]
    return field.encoding.members[1], levels


def test_windows_show_each_pixel_to_the_texels_that_it_reads():
    """Brute force: what moving one texel changes, from every row on, and what it is pulled by."""
    grid, levels = tile_levels()
    wanted, known, rows = derivatives(grid), 0, torch.arange(HEIGHT)
    random = torch.randn(1, HEIGHT, WIDTH)
    for level in levels:
        _, count, side = level.codes.shape
        window = window_of(level, slice(0, count), 0, rows)
        along, down = window.along.lerp_stencil(slice(None)), window.down.lerp_stencil(window.rows)
        ones = window.cut_slopes(torch.ones_like(random))
        one_each = torch.eye(count * side).view(-1, count, side)
        for texel, one in enumerate(one_each, known):
            pixels = torch.zeros(1, HEIGHT, WIDTH)
            window.paste(ones * along.spread(down.spread(one.t()).t()), pixels)
            torch.testing.assert_close(pixels[0], wanted[texel], atol=1e-5, rtol=0)
        gathers = [axis.gather_stencil(torch.arange(axis.texels), 0, axis.pixels)
                   for axis in (window.along, window.down)]  # fmt: skip
        seen = window.cut_slopes(random)[0]
        sums = gathers[1].gather(gathers[0].gather(seen).t()).t()
        theirs = (wanted[known : known + count * side] * random).sum((1, 2))
        torch.testing.assert_close(sums.flatten(), theirs, atol=1e-3, rtol=0)
        known += count * side
    assert known == USED


def test_kernel_tables_list_the_pixels_that_read_a_texel():
    """As TexelStencil reads them: a tile's first pixel, and entries of one tile's axes."""
    grid, levels = tile_levels()
    wanted, known = derivatives(grid), 0
    tables = GroupTables.of(Group(levels, [None]))
    assert len(tables.slots) == 2  # shared: a pixel reads one level
    for row in tables.levels:
        stencil = tables.stencils[row["first_stencil"]]
        for y, x in np.ndindex(int(row["rows"]), int(row["columns"])):
            block = tables.blocks[row["first_block"] + y // row["block_rows"]]
            first = stencil["along"] + x * stencil["along_most"]
            across = tables.entries[first : first + stencil["along_most"]]
            first = stencil["down"] + y % row["block_rows"] * stencil["down_most"]
            below = tables.entries[first : first + stencil["down_most"]]
            pixels = np.zeros((3 * 16, 5 * 16), np.float32)
            place = np.ix_(below["pixel"] + block["row"], across["pixel"] + block["column"])
            np.add.at(pixels, place, below["share"][:, None] * across["share"])
            shown = pixels[:HEIGHT, :WIDTH]
            np.testing.assert_allclose(shown, wanted[known], atol=1e-5)
            known += 1
    assert known == USED


@given(st.integers(1, 90), st.integers(1, 90), st.sampled_from([8, 16, 23]), st.integers(1, 2000))
def test_each_tile_has_one_band_that_reads_all_of_its_pixels(height, width, tile, pixels):
    texels = math.prod(tile_counts(width, height, tile)) * int(SIDES.max()) ** 2
    encoding = f"tile_grid:features=1,width={width},height={height},tile={tile},texels={texels}"
    recipe, tensors, picture = case_of(4, encoding, height, width)
    field = stored_field(recipe, tensors, 3, "asset")
    levels = levels_of(field, tensors, (height, width))
    bands = bands_of(levels, [PicturePixels(field, picture)], pixels)
    most = max(pixels / width, 1) + tile
    for band in bands:
        for level, own in zip(levels, band.own, strict=True):
            tops = level.tiles.origins_of(own)[:, 1].tolist()
            read = {row for top in tops for row in range(top, min(top + tile, height))}
            assert read <= set(band.rows[0].tolist())
        assert len(band.rows[0]) <= most + tile
    for index, level in enumerate(levels):
        owned = [band.own[index] for band in bands]
        assert all(own.start % level.tiles.side == 0 for own in owned)
        assert [i for own in owned for i in range(own.start, own.stop)] == list(
            range(level.codes.shape[1])
        )


def test_bands_end_between_tiles():
    assert between_tiles([0, 0.25, 0.5, 0.75, 1], 64, 16) == [0, 0.25, 0.5, 0.75, 1]
    assert between_tiles([0, 0.3, 0.45, 1], 100, 32) == [0, 0.32, 1]  # each tile in one
    assert between_tiles([0, 0.5, 1], 20, 32) == [0, 1]
    tiles = Tiles(4, 32, torch.tensor([[0, 0], [32, 0], [0, 96]]), (100, 64))
    assert tiles.own_rows(0, 0.96) == slice(0, 8) and tiles.own_rows(0.96, 1) == slice(8, 12)
    assert tiles.pixel_rows(slice(8, 12)).nonzero().flatten().tolist() == [96, 97, 98, 99]
    assert not tiles.pixel_rows(slice(8, 8)).any()


def test_threads_find_the_same(monkeypatch):
    """Of bands without common pixels some are searched at a time."""
    monkeypatch.setattr(code_refinement, "BAND_PIXELS", 40 * 32)
    tiles = "tile_grid:features=2,width=40,height=200,tile=16,texels=4000"
    recipe, tensors, picture = case_of(4, f"{DENSE[:-1]}40 + {tiles}", 200, 40)
    field = stored_field(recipe, tensors, 3, "asset")
    levels, pixels = levels_of(field, tensors, (200, 40)), PicturePixels(field, picture)
    bands = [code_refinement._BandSearch(field.network, levels, [pixels], band)
             for band in bands_of(levels, [pixels], 40 * 32)]  # fmt: skip
    assert len(bands) > 4 and len(code_refinement._disjoint_groups(bands)) == 2
    assert_threads_agree(recipe, tensors, picture, passes=2)


def test_a_grid_of_another_size_is_left_alone():
    """Its tiles are no whole number of pixels: each would have an axis of its own."""
    recipe, tensors, _ = case_of()
    field = stored_field(recipe, tensors, 3, "asset")
    assert [level.name for level in levels_of(field, tensors, (HEIGHT + 1, WIDTH))] == [
        "encoding.parts.0.texels.0"
    ]


def test_the_gpu_finds_what_the_cpu_finds(gpu):
    recipe, tensors, picture = case_of(8)
    here, _, told = refine_codes(recipe, tensors, picture, 2)
    there, _, also = refine_codes(recipe, tensors, picture, 2, gpu)
    assert told.moved > 500 and also.moved == pytest.approx(told.moved, rel=0.05)
    assert also.gain_db == pytest.approx(told.gain_db, abs=0.02) and also.failed is None
    assert told.gain_db > 0.5
    apart = sum(int((here[name] != there[name]).sum()) for name in tensors)
    assert apart <= 0.05 * told.moved
    assert not (stored_codes(there) != stored_codes(tensors))[:, USED:].any()


def test_the_gpu_searches_rows_of_tiles_one_by_one(gpu, monkeypatch):
    recipe, tensors, picture = case_of()
    slots = 5
    monkeypatch.setattr(code_refinement, "BAND_PIXELS", 500)
    gains, moved = [], []
    for on_gpu in (False, True):
        field = stored_field(recipe, tensors, 3, "asset")
        levels = levels_of(field, tensors, (HEIGHT, WIDTH))
        pixels = PicturePixels(field, picture)
        with torch.no_grad():
            if on_gpu:
                search = GpuRefinement(gpu, field, [Group(levels, [pixels])], 4 * 3 * slots * 500)
                assert len(search.bands[0]) == 3 and len(search.tables[0].slots) == slots
                moved.append(search.refine(2))
            else:
                moved.append(code_refinement.descend_codes(field.network, levels, [pixels], 2))
        found = tensors | {level.name: level.packed() for level in levels}
        gains.append(squared_error(recipe, found, picture))
        assert all(np.array_equal(tensors[name], found[name]) for name in tensors if SCALE in name)
    assert moved[0] > 200 and moved[1] == pytest.approx(moved[0], rel=0.05)
    assert gains[1] == pytest.approx(gains[0], rel=1e-2)
    assert gains[0] < 0.9 * squared_error(recipe, tensors, picture)
