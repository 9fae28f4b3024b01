"""measure/texture_rivals and map_psnr: what blocks make of a set, whole or half as large."""

import numpy as np
import pytest
import skimage.data
import texture2ddecoder

from neuralshade.asset.texture.bc7 import SLOWEST_LEVEL, compress_bc7
from neuralshade.asset.texture.block_compression import block_tiles
from neuralshade.errors import ShapeError
from neuralshade.measure.baselines import to_uint8
from neuralshade.measure.map_psnr import EQUAL_DB, map_psnr_db, with_z
from neuralshade.measure.texture_rivals import ByteMaps, block_rivals, enlarged, half_size_rival
from neuralshade.source.color import linear_to_srgb, srgb_to_linear


def halved(level):
    rows, columns = (side // 2 * 2 for side in level.shape[:2])
    even = level[:rows, :columns].astype(np.float32)
    return np.rint((even[::2, ::2] + even[1::2, ::2] + even[::2, 1::2] + even[1::2, 1::2]) / 4)


def chain(level):
    """Return a map's levels down to one of a side below 2, near enough to what a fit makes."""
    levels = [level]
    while min(levels[-1].shape[:2]) >= 2:
        levels.append(halved(levels[-1]).astype(np.uint8))
    return levels


@pytest.fixture(scope="module")
def maps():
    """Give a set of 52 x 70 texels: no multiple of a block's side."""
    photo = skimage.data.astronaut()[40:92, 180:250]
    slopes = np.gradient(photo[..., 1].astype(np.float32) / 100)
    xy = np.stack(slopes, axis=2)
    normal = np.concatenate([xy, np.ones_like(xy[..., :1])], axis=2)
    normal /= np.linalg.norm(normal, axis=2, keepdims=True)
    levels = {"albedo": photo, "normal": to_uint8(normal / 2 + 0.5),
              "roughness": photo[..., :1], "flow": photo[..., 1:]}  # fmt: skip
    return ByteMaps({name: chain(level) for name, level in levels.items()},
                    frozenset({"normal"}), frozenset({"albedo"}))  # fmt: skip


def test_z_is_rebuilt():
    rng = np.random.default_rng(0)
    normal = rng.normal(0, 1, (50, 40, 3))
    normal[..., 2] = np.abs(normal[..., 2])
    normal /= np.linalg.norm(normal, axis=2, keepdims=True)
    stored = (normal / 2 + 0.5).astype(np.float32)
    np.testing.assert_allclose(with_z(stored[..., :2]), stored, atol=1e-3)  # steep at z = 0
    np.testing.assert_array_equal(with_z(stored), with_z(stored[..., :2]))
    np.testing.assert_allclose(with_z(np.float32([1, 1])), [1, 1, 0.5])  # longer than 1
    np.testing.assert_allclose(with_z(np.float32([1.5, 0.5])), [1, 0.5, 0.5])


def test_psnr_of_a_map():
    target = np.full((4, 4, 1), 100, np.uint8)
    assert map_psnr_db(target, target) == EQUAL_DB == 99
    off = target.copy()
    off[0, 0] = 116  # mean square of 16
    assert map_psnr_db(target, off) == pytest.approx(10 * np.log10(255**2 / 16))


def test_bytes_are_those_of_the_blocks(maps):
    whole, half = block_rivals(maps)
    per_block = {"albedo": 16, "normal": 16, "roughness": 8, "flow": 16}
    counts = [(-(-level.shape[0] // 4)) * (-(-level.shape[1] // 4))
              for level in maps.levels["albedo"]]  # fmt: skip
    assert whole.disk_bytes == whole.memory_bytes == sum(counts) * sum(per_block.values())
    assert half.disk_bytes == sum(counts[1:]) * sum(per_block.values())
    assert whole.random_access and half.random_access
    assert 0 < half.seconds < whole.seconds


def test_quality(maps):
    whole, half = block_rivals(maps)
    assert list(whole.psnr_db) == list(maps.levels)
    wanted = {"albedo": 41, "normal": 42, "roughness": 41, "flow": 41}
    for name, least in wanted.items():
        assert least < whole.psnr_db[name] < least + 6, whole.psnr_db
        assert half.psnr_db[name] < whole.psnr_db[name] - 5
        assert half.psnr_db[name] == map_psnr_db(maps.levels[name][0], half.maps[name])
    assert whole.mean_psnr_db == pytest.approx(np.mean([*whole.psnr_db.values()]))


def test_another_decoder_shows_the_same(maps):
    """Of colors at the encoder's best, whose alpha nobody reads."""
    shown = next(block_rivals(maps)).maps["albedo"]
    level = maps.levels["albedo"][0]
    tiles = block_tiles(np.dstack([level, np.full_like(level[..., :1], 255)]))
    blocks = compress_bc7(tiles, SLOWEST_LEVEL, exact_alpha=False).tobytes()
    bgra = np.frombuffer(texture2ddecoder.decode_bc7(blocks, 70, 52), np.uint8)
    np.testing.assert_array_equal(shown, bgra.reshape(52, 70, 4)[..., [2, 1, 0]])


def test_normals_are_unit_vectors(maps):
    for rival in block_rivals(maps):
        vectors = rival.maps["normal"].astype(np.float32) / 255 * 2 - 1
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=2), 1, atol=0.02)


def test_colors_are_enlarged_in_linear_light():
    """Half black, half white: what lies between is brighter than the mean of the codes."""
    stripes = np.zeros((8, 8, 3), np.uint8)
    stripes[:, 4:] = 255
    levels = [stripes, stripes[::2, ::2]]
    for colors, wanted in ((frozenset({"x"}), linear_to_srgb(0.25)), (frozenset(), 0.25)):
        _, half = block_rivals(ByteMaps({"x": levels}, colors=colors, wrap=False))
        assert half.maps["x"][4, 3, 1] == pytest.approx(255 * float(wanted), abs=2)


def test_enlarged_is_what_a_sampler_reads():
    rng = np.random.default_rng(3)
    values = rng.random((3, 5, 2), np.float32)
    ours = enlarged(values, (7, 10), True)
    for row, column in ((0, 0), (3, 4), (6, 9)):
        y, x = (row + 0.5) * 3 / 7 - 0.5, (column + 0.5) / 2 - 0.5
        wanted = 0
        for r in (0, 1):
            for c in (0, 1):
                at = int(np.floor(y)) + r, int(np.floor(x)) + c
                share = (1 - abs(y - at[0])) * (1 - abs(x - at[1]))
                wanted = wanted + share * values[at[0] % 3, at[1] % 5]
        np.testing.assert_allclose(ours[row, column], wanted, rtol=1e-5)
    clamped = enlarged(values, (6, 10), False)
    np.testing.assert_allclose(clamped[0, 0], values[0, 0], rtol=1e-6)
    np.testing.assert_array_equal(enlarged(values, (3, 5), True), values)
    assert enlarged(srgb_to_linear(values), (3, 5), True).dtype == np.float32


def test_one_level_has_no_half():
    flat = {"height": [np.full((5, 3, 1), 7, np.uint8)]}
    (whole,) = block_rivals(ByteMaps(flat))
    assert whole.psnr_db == {"height": EQUAL_DB}


@pytest.mark.parametrize("levels, message", [
    ({"a": [np.zeros((2, 2, 1), np.float32)]},
     "a: got float32 [2, 2, 1], need uint8 [H, W, C], C in 1..3. Round it to 8 bits."),
    ({"a": [np.zeros((2, 2, 4), np.uint8)]},
     "a: got uint8 [2, 2, 4], need uint8 [H, W, C], C in 1..3. Round it to 8 bits."),
    ({"n": [np.zeros((2, 2, 2), np.uint8)]},
     "n: got 2 channels, need 3 for normals. Rebuild z with with_z."),
    ({"a": [np.zeros((2, 2, 1), np.uint8)], "b": [np.zeros((2, 3, 1), np.uint8)]},
     "maps: got levels of several sizes, need the same ones of each map. Make all maps of one "
     "size."),
])  # fmt: skip
def test_refused(levels, message):
    with pytest.raises(ShapeError) as caught:
        ByteMaps(levels, frozenset({"n"}))
    assert str(caught.value) == message


def test_half_size_alone_equals_the_last_of_both(maps):
    _, half = block_rivals(maps)
    alone = half_size_rival(maps)
    assert (alone.name, alone.disk_bytes, alone.psnr_db) == (half.name, half.disk_bytes,
                                                             half.psnr_db)  # fmt: skip
