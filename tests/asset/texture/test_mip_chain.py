"""asset/texture/mip_chain: what is refused, and what numbers become in each format."""

import numpy as np
import pytest

from neuralshade.asset.texture.mip_chain import band_rows, check_chain, encoded, stored_texels
from neuralshade.asset.texture.texture_format import FORMATS
from neuralshade.errors import ConfigError, PictureError, ShapeError


def level(height, width, channels=4, dtype=np.uint8):
    return np.zeros((height, width, channels), dtype)


@pytest.mark.parametrize(
    "levels, format, error, message",
    [
        (
            [level(1, 1)],
            "rgba_8",
            ConfigError,
            "format: got 'rgba_8', need one of r8, rg8, rgba8, rgba8_srgb, r16, rg16, rgba16, "
            "r16f, rg16f, rgba16f, r32f, rg32f, rgba32f, bc1, bc1_srgb, bc4, bc5, bc6h, "
            "bc7, bc7_srgb. Did you mean rgba8?",
        ),
        (
            [],
            "r8",
            ShapeError,
            "levels: got none, need at least the largest. Pass a list of arrays.",
        ),
        (
            [np.zeros((4, 4), np.uint8)],
            "r8",
            ShapeError,
            "levels[0]: got shape [4, 4], need [H, W, C] with H, W >= 1 and C in 1..4. "
            "Pass grey as [H, W, 1].",
        ),
        (
            [level(1, 1, dtype=np.int32)],
            "rgba8",
            ShapeError,
            "levels[0]: got dtype int32, need one of uint8, uint16, float16, float32. "
            "Convert it with astype.",
        ),
        (
            [level(2, 2, 3), level(1, 1, 4)],
            "rgba8",
            ShapeError,
            "levels[1]: got 4 channels of uint8, need 3 of uint8 as in levels[0]. "
            "Make all levels alike.",
        ),
        (
            [level(2, 2), level(1, 1, 4, np.uint16)],
            "rgba8",
            ShapeError,
            "levels[1]: got 4 channels of uint16, need 4 of uint8 as in levels[0]. "
            "Make all levels alike.",
        ),
        (
            [level(2, 2, 3)],
            "bc5",
            ShapeError,
            "levels[0]: got 3 channels, need 2 for bc5. Choose one of rgba8, rgba8_srgb, rgba16, "
            "rgba16f, rgba32f, bc1, bc1_srgb, bc6h, bc7, bc7_srgb, or pass other channels.",
        ),
        (
            [level(2, 2, 1)],
            "rgba8",
            ShapeError,
            "levels[0]: got 1 channels, need 4 for rgba8. Choose one of r8, r16, r16f, r32f, bc4, "
            "or pass other channels.",
        ),
        (
            [level(5, 8), level(3, 4)],
            "rgba8",
            ShapeError,
            "levels[1]: got 4 x 3 pixels, need 4 x 2. "
            "Halve each side per level, rounded down, down to 1.",
        ),
        (
            [level(2, 1), level(1, 1), level(1, 1)],
            "rgba8",
            ShapeError,
            "levels: got 3, need at most 2 for 1 x 2 pixels. End with 1 x 1.",
        ),
        (
            [level(1, 32_769)],
            "rgba8",
            ShapeError,
            "levels[0]: got 32769 x 1 pixels, need at most 32768 a side. "
            "Begin with a smaller level.",
        ),
        (
            [np.full((1, 2, 1), np.nan, np.float32)],
            "r32f",
            PictureError,
            "levels[0]: got NaN or infinity in 2 values, first at row 0, column 0, channel 0, "
            "need finite values only. Replace them first.",
        ),
        (
            [np.full((1, 1, 2), -70_000, np.float32)],
            "rg16f",
            PictureError,
            "levels[0]: got a value of size 70000, need at most 65504 for rg16f. Choose rg32f.",
        ),
    ],
)
def test_refused(levels, format, error, message):
    with pytest.raises(error) as caught:
        check_chain(levels, format)
    assert str(caught.value) == message


def test_a_value_that_rounds_beyond_float16_is_refused():
    check_chain([np.full((1, 1, 1), 65_504, np.float32)], "r16f")
    with pytest.raises(PictureError):
        check_chain([np.full((1, 1, 1), 65_520, np.float32)], "r16f")  # to infinity


@pytest.mark.parametrize("sizes", [[(1, 1)], [(7, 5), (3, 2), (1, 1)], [(9, 2), (4, 1)]])
def test_any_first_size_and_any_end(sizes):
    chosen = check_chain([level(height, width, 3) for width, height in sizes], "bc7_srgb")
    assert chosen is FORMATS["bc7_srgb"]


def one(value, dtype):
    return np.full((1, 1, 1), value, dtype)


@pytest.mark.parametrize(
    "given, format, stored",
    [
        (one(200, np.uint8), "r8", 200),
        (one(200, np.uint8), "r16", 200 * 257),
        (one(200, np.uint8), "r16f", np.float16(200 / 255)),
        (one(200, np.uint8), "r32f", np.float32(200 / 255)),
        (one(200 * 257 + 100, np.uint16), "r8", 200),
        (one(65_535, np.uint16), "r32f", 1),
        (one(0.5, np.float16), "r8", 128),
        (one(0.25, np.float32), "r16", 16_384),
        (one(-3, np.float32), "r8", 0),
        (one(7, np.float16), "r16", 65_535),
        (one(-3.5, np.float32), "r16f", -3.5),
        (one(7, np.float32), "r32f", 7),
        (one(7, np.float32), "bc4", 1),
        (one(51, np.uint8), "bc4", np.float32(0.2)),
    ],
)
def test_numbers_are_converted(given, format, stored):
    texels = stored_texels(given, FORMATS[format])
    assert texels.dtype == FORMATS[format].dtype
    assert texels.item() == stored


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_every_whole_number_survives_its_own_format_and_the_wider_one(dtype):
    every = np.arange(np.iinfo(dtype).max + 1, dtype=dtype).reshape(-1, 256, 1)
    wide = stored_texels(every, FORMATS["r16"])
    name = "r8" if dtype is np.uint8 else "r16"
    np.testing.assert_array_equal(stored_texels(every, FORMATS[name]), every)
    np.testing.assert_array_equal(stored_texels(wide, FORMATS[name]), every)
    floats = stored_texels(every, FORMATS["r32f"])
    np.testing.assert_array_equal(stored_texels(floats, FORMATS[name]), every)


@pytest.mark.parametrize("format, one", [("rgba8", 255), ("rgba16", 65_535), ("rgba16f", 1)])
def test_three_channels_become_opaque(format, one):
    texels = stored_texels(level(2, 3, 3), FORMATS[format])
    assert texels.shape == (2, 3, 4)
    assert (texels[..., 3] == one).all() and (texels[..., :3] == 0).all()


@pytest.mark.parametrize("format", ["r16", "bc4"])
def test_bands_are_the_level_in_pieces(format):
    rng = np.random.default_rng(0)
    width = 30_000
    rows = band_rows(width)
    assert rows == 32 and band_rows(1 << 15) == 32 and band_rows(1) == 1 << 20
    tall = rng.integers(0, 65_536, (2 * rows + 7, width, 1)).astype(np.uint16)
    bands = list(encoded(tall, FORMATS[format]))
    assert len(bands) == 3
    pieces = [b"".join(encoded(part, FORMATS[format])) for part in np.split(tall, [rows])]
    assert b"".join(bands) == b"".join(pieces)
    assert len(b"".join(bands)) == FORMATS[format].level_bytes(tall)
