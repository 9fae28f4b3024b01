"""asset/texture/block_compression, bc1 and bc4: blocks read back by decoders of others."""

import itertools
import sys

import etcpak
import numpy as np
import pytest
import skimage.data
from fixtures.other_readers import DECODERS
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from neuralshade.asset.texture.bc1 import compress_bc1
from neuralshade.asset.texture.bc4 import compress_bc4
from neuralshade.asset.texture.bc7 import compress_bc7
from neuralshade.asset.texture.block_compression import block_tiles, compress_blocks
from neuralshade.asset.texture.block_decompression import decompress_tiles
from neuralshade.asset.texture.texture_format import FORMATS
from neuralshade.errors import DeviceError


def decoded(blocks, format, height, width):
    """Return uint8 [H, W, C]; its reader gives BGRA, and lists what is absent too."""
    raw = DECODERS[format](blocks, width, height)
    rgba = np.frombuffer(raw, np.uint8).reshape(height, width, 4)[..., [2, 1, 0, 3]]
    return rgba[..., : FORMATS[format].channels]


def through(texels, format):
    blocks = compress_blocks(texels, FORMATS[format])
    return decoded(blocks, format, *texels.shape[:2])


def psnr_db(texels, back):
    wanted = texels * 255.0 if texels.dtype == np.float32 else texels.astype(float)
    return 10 * np.log10(255**2 / np.mean((wanted - back) ** 2))


@pytest.fixture(scope="module")
def photograph():
    return skimage.data.astronaut()


@pytest.fixture(scope="module")
def normals(photograph):
    """Give the x and y of a normal map, 0.5 being none: slopes of the photograph's green."""
    height = photograph[..., 1].astype(np.float32) / 64
    rows, columns = np.gradient(height)
    lengths = np.sqrt(rows**2 + columns**2 + 1)
    return np.stack([-columns / lengths, rows / lengths], axis=2) / 2 + np.float32(0.5)


def test_quality_of_bc1_is_far_above_end_points_at_the_extremes(photograph):
    ours = psnr_db(photograph, through(photograph, "bc1"))
    rgba = np.dstack([photograph, np.full_like(photograph[..., :1], 255)]).tobytes()
    simple = decoded(etcpak.compress_bc1(rgba, *photograph.shape[1::-1]), "bc1", 512, 512)
    assert ours > 35.1  # 35.3 measured
    assert ours > psnr_db(photograph, simple) + 2.3  # 2.6 measured


def test_colors_of_bc1_that_rise_and_fall_together_and_not():
    """Along each diagonal of the cube; a box around them has but one."""
    ramp = np.arange(0, 256, 17, np.uint8).reshape(4, 4)
    for signs in itertools.product((False, True), repeat=3):
        tile = np.stack([255 - ramp if sign else ramp for sign in signs], axis=2)
        assert psnr_db(tile, through(tile, "bc1")) > 18.5  # four values for sixteen: 19 at best


def bc1_colors(blocks):
    """Return float [N, 4, 3]: the colors of opaque blocks [N, 8] by the specification."""
    ends = blocks[:, :4].copy().view("<u2")[..., None].astype(int)
    fives = ends >> np.array([11, 5, 0]) & np.array([31, 63, 31])
    eights = fives << np.array([3, 2, 3]) | fives >> np.array([2, 4, 2])
    first, last = eights[:, 0], eights[:, 1]
    return np.stack([first, last, (2 * first + last) / 3, (first + 2 * last) / 3], axis=1)


def test_bc1_chooses_the_nearest_of_its_colors(photograph):
    values = np.random.default_rng(1).integers(0, 256, (500, 16, 3)).astype(np.float32)
    values[:250] = photograph[:40, :100].reshape(10, 4, 25, 4, 3).swapaxes(1, 2).reshape(-1, 16, 3)
    blocks = compress_bc1(values / 255)
    codes = np.unpackbits(blocks[:, 4:], axis=1, bitorder="little").reshape(-1, 16, 2) @ [1, 2]
    each = ((values[:, :, None] - bc1_colors(blocks)[:, None]) ** 2).sum(axis=3)
    taken = np.take_along_axis(each, codes[..., None], axis=2)[..., 0]
    one = blocks[:, :2] == blocks[:, 2:4]  # of equal end points only the first is taken
    assert (codes[one.all(axis=1)] == 0).all()
    np.testing.assert_allclose(taken, each.min(axis=2), atol=0.1)


@settings(max_examples=30)
@given(hnp.arrays(np.uint8, (8, 8, 3), elements=st.sampled_from([0, 1, 128, 254, 255])))
def test_no_texel_of_bc1_is_transparent(texels):
    """Where it means three colors and none: readers of BC1 with alpha would show a hole."""
    blocks = compress_blocks(texels, FORMATS["bc1"])
    bgra = np.frombuffer(DECODERS["bc1"](blocks, 8, 8), np.uint8).reshape(8, 8, 4)
    assert (bgra[..., 3] == 255).all()


@pytest.mark.parametrize("color", [(0, 0, 0), (255, 255, 255), (255, 0, 255), (123, 45, 67)])
def test_one_color_of_bc1_is_kept(color):
    """Within half a step of 5 and 6 bits, and of the color between two."""
    tile = np.full((4, 4, 3), color, np.uint8)
    assert (np.abs(through(tile, "bc1").astype(int) - tile).max((0, 1)) <= (4, 2, 4)).all()


def test_quality_of_bc7(photograph):
    opaque = np.dstack([photograph, np.full_like(photograph[..., :1], 255)])
    back = through(opaque, "bc7")
    assert psnr_db(photograph, back[..., :3]) > 43.6  # 43.74 measured
    assert (back[..., 3] == 255).all()


def test_an_alpha_that_is_kept_costs_little_of_smooth_colors(photograph):
    """Two blocks of three would have one of 254; to have them all in mode 1 costs 1.6 dB."""
    sums = np.cumsum(np.cumsum(photograph.astype(float), axis=0), axis=1)
    smooth = (sums[16:, 16:] - sums[:-16, 16:] - sums[16:, :-16] + sums[:-16, :-16]) / 256
    tiles = block_tiles(
        np.dstack([np.rint(smooth), np.full(smooth.shape[:2], 255)]).astype(np.uint8)
    )
    kept, free = (decompress_tiles(compress_bc7(tiles, exact_alpha=e)) for e in (True, False))
    assert (kept[..., 3] == 255).all() and (free[..., 3] != 255).any()
    best, ours = (psnr_db(tiles[..., :3], back[..., :3]) for back in (free, kept))
    assert ours > best - 0.6  # 0.52 measured


def test_quality_of_bc7_with_alpha(photograph):
    rgba = np.dstack([photograph, photograph[::-1, :, 1]])
    assert psnr_db(rgba, through(rgba, "bc7")) > 38.9  # 39.1 measured


def test_quality_of_bc4_is_far_above_end_points_at_the_extremes(photograph):
    grey = photograph[..., 1:2]
    ours = psnr_db(grey, through(grey / np.float32(255), "bc4"))
    rgba = np.repeat(grey, 4, axis=2).tobytes()
    simple = decoded(etcpak.compress_bc4(rgba, *grey.shape[1::-1]), "bc4", *grey.shape[:2])
    assert ours > 43.4  # 43.6 measured
    assert ours > psnr_db(grey, simple) + 3.5  # 4.1 measured


def test_quality_of_bc5(normals):
    assert psnr_db(normals, through(normals, "bc5")) > 44.4  # 44.6 measured


def palettes(first, last):
    """Return float [..., 8]: what a BC4 block's eight codes mean, in 0 ... 255."""
    low, high = first[..., None].astype(float), last[..., None].astype(float)
    eight = low + (high - low) * np.array([0, 7, 1, 2, 3, 4, 5, 6]) / 7
    six = low + (high - low) * np.array([0, 5, 1, 2, 3, 4, 0, 0]) / 5
    six[..., 6], six[..., 7] = 0, 255
    return np.where(low > high, eight, six)


def bc4_values(blocks):
    """Return float [N, 16] that blocks [N, 8] mean by the specification, not rounded."""
    bits = np.unpackbits(blocks[:, 2:], axis=1, bitorder="little").reshape(-1, 16, 3)
    codes = bits @ np.array([1, 2, 4])
    return np.take_along_axis(palettes(blocks[:, 0], blocks[:, 1]), codes, axis=1)


def test_bc4_is_near_the_best_of_all_end_points(photograph):
    rng = np.random.default_rng(0)
    corners = rng.integers(0, 508, (24, 2))
    tiles = [photograph[y : y + 4, x : x + 4, 0].reshape(16) for y, x in corners]
    tiles += [rng.integers(0, 256, 16) for _ in range(3)]  # noise
    tiles += [rng.choice([0, 255, 100, 110, 120], 16) for _ in range(3)]  # a mask's edge
    shades = np.array(tiles)
    values = shades.astype(np.float32) / 255
    ours = ((bc4_values(compress_bc4(values)) - values * 255.0) ** 2).sum(axis=1)
    every = palettes(*np.divmod(np.arange(65_536), 256))
    errors = np.stack([((every - shade) ** 2).min(1) for shade in range(256)])
    best = [errors[tile].sum(0).min() for tile in shades]
    assert (ours >= np.array(best) - 1e-3).all()  # else the reference is wrong
    assert ours.sum() < 1.06 * np.sum(best)  # 1.04 measured
    assert (ours < 1.5 * np.array(best) + 12).all()


@pytest.mark.parametrize("value", [0, 1, 127, 254, 255])
def test_one_number_is_kept(value):
    tile = np.full((4, 4, 1), value / 255, np.float32)
    assert (through(tile, "bc4") == value).all()


@given(hnp.arrays(np.uint8, (16,), elements=st.sampled_from([0, 255, 60, 200])))
def test_two_numbers_beside_black_and_white_are_kept(values):
    blocks = compress_bc4(values[None].astype(np.float32) / 255)
    np.testing.assert_allclose(bc4_values(blocks), values[None], atol=1e-4)


@given(hnp.arrays(np.uint8, (4, 4, 2)))
def test_decoders_agree_with_the_specification(texels):
    tile = texels / np.float32(255)
    blocks = compress_blocks(tile, FORMATS["bc5"])
    means = bc4_values(np.frombuffer(blocks, np.uint8).reshape(2, 8)).T.reshape(4, 4, 2)
    assert np.abs(decoded(blocks, "bc5", 4, 4) - means).max() <= 1  # theirs round, or cut off
    # The worst case: extremes kept, and the rest within half of a seventh, and of rounding.
    assert np.abs(means - texels).max() <= 255 / 7 + 1


@settings(max_examples=30)
@given(st.sampled_from(list(DECODERS)), st.integers(1, 13), st.integers(1, 13), st.integers(0, 99))
def test_blocks_at_the_edge_repeat_its_texels(format, height, width, seed):
    chosen = FORMATS[format]
    rng = np.random.default_rng(seed)
    texels = rng.random((height, width, chosen.channels), np.float32)
    if chosen.dtype == "uint8":
        texels = (texels * 255).astype(np.uint8)
    blocks = compress_blocks(texels, chosen)
    assert (
        len(blocks)
        == chosen.level_bytes(texels)
        == (-(-height // 4) * -(-width // 4) * chosen.block_bytes)
    )
    rows = np.minimum(np.arange(-(-height // 4) * 4), height - 1)
    columns = np.minimum(np.arange(-(-width // 4) * 4), width - 1)
    assert blocks == compress_blocks(texels[rows][:, columns], chosen)
    np.testing.assert_array_equal(
        decoded(blocks, format, height, width),
        decoded(blocks, format, len(rows), len(columns))[:height, :width],
    )


@pytest.mark.parametrize("side", [1, 2])
def test_a_level_smaller_than_a_block_keeps_its_colors(side):
    texels = np.zeros((side, side, 4), np.uint8)
    texels[...] = (200, 100, 50, 255)
    texels[0, 0] = (100, 200, 50, 255)
    assert np.abs(through(texels, "bc7").astype(int) - texels).max() <= 2


def test_bc7_without_its_package(monkeypatch, same_message):
    monkeypatch.setitem(sys.modules, "etcpak", None)
    with pytest.raises(DeviceError) as caught:
        compress_blocks(np.zeros((4, 4, 4), np.uint8), FORMATS["bc7"])
    same_message(str(caught.value), "bc7", "Run")
    assert len(compress_blocks(np.zeros((4, 4, 1), np.float32), FORMATS["bc4"])) == 8
