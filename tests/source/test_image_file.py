"""source/image_file: every format, dtype, alpha and orientation comes in as it was stored."""

import struct
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageOps

from neuralshade.source.image_file import load_picture

DATA = Path(__file__).parents[3] / "shared/data"


def random_integers(rng, channels, dtype=np.uint8, height=5, width=7):
    peak = np.iinfo(dtype).max
    return rng.integers(0, peak, (height, width, channels), endpoint=True, dtype=dtype)


@pytest.mark.parametrize("suffix, mode", [
    (".png", "L"), (".png", "LA"), (".png", "RGB"), (".png", "RGBA"),
    (".tiff", "L"), (".tiff", "LA"), (".tiff", "RGB"), (".tiff", "RGBA"),
    (".bmp", "L"), (".bmp", "RGB"), (".bmp", "RGBA"),
    (".webp", "RGB"), (".webp", "RGBA"), (".ppm", "RGB"), (".pgm", "L"),
])  # fmt: skip
def test_8_bit_lossless(tmp_path, rng, suffix, mode, assert_loads):
    pixels = random_integers(rng, len(mode))
    path = tmp_path / f"a{suffix}"
    options = {"lossless": True, "exact": True} if suffix == ".webp" else {}
    Image.fromarray(pixels[..., 0] if mode == "L" else pixels).save(path, **options)
    assert_loads(path, pixels, "srgb")


@pytest.mark.parametrize("suffix, channels", [
    (".png", 1), (".png", 2), (".png", 3), (".png", 4), (".tiff", 1), (".tiff", 3), (".tiff", 4),
    (".ppm", 3), (".pgm", 1),
])  # fmt: skip
def test_16_bit_lossless(tmp_path, rng, suffix, channels, write_samples, assert_loads):
    pixels = random_integers(rng, channels, np.uint16)
    path = write_samples(tmp_path / f"a{suffix}", pixels, "uint16", oiio__UnassociatedAlpha=1)
    assert_loads(path, pixels, "srgb")


@pytest.mark.parametrize("mode, tolerance", [("L", 1), ("RGB", 2)])
@pytest.mark.parametrize("progressive", [False, True])
def test_jpeg(tmp_path, mode, tolerance, progressive):
    ramp = np.broadcast_to(np.arange(0, 240, 5, dtype=np.uint8)[:, None, None], (48, 40, 3))
    pixels = ramp[..., : len(mode)] + np.arange(len(mode), dtype=np.uint8) * 5
    path = tmp_path / "a.jpg"
    image = Image.fromarray(pixels[..., 0] if mode == "L" else pixels)
    image.save(path, quality=100, subsampling=0, progressive=progressive)
    picture = load_picture(path)
    assert (picture.pixels.shape, picture.pixels.dtype) == (pixels.shape, np.uint8)
    # Quality 100 still rounds coefficients and color conversion.
    assert np.abs(picture.pixels.astype(int) - pixels).max() <= tolerance


def tiff_of(photometric, sample_format, bits, data, width, height):
    """Return a one-strip grey TIFF, for samples that no writer at hand makes."""
    entries = [(256, width), (257, height), (258, bits), (259, 1), (262, photometric)]
    entries += [(273, 200), (277, 1), (278, height), (279, len(data)), (339, sample_format)]
    table = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in entries)
    header = b"II*\0" + struct.pack("<IH", 8, len(entries)) + table + b"\0\0\0\0"
    return header.ljust(200, b"\0") + data


def test_half_tiff(tmp_path, assert_loads):
    pixels = np.arange(6, dtype="<f2").reshape(2, 3, 1)
    (tmp_path / "a.tif").write_bytes(tiff_of(1, 3, 16, pixels.tobytes(), 3, 2))
    assert_loads(tmp_path / "a.tif", pixels, "linear")


def test_white_is_zero_tiff(tmp_path, assert_loads):
    (tmp_path / "a.tif").write_bytes(tiff_of(0, 1, 8, bytes([0, 10, 255]), 3, 1))
    assert_loads(tmp_path / "a.tif", np.array([[[255], [245], [0]]], np.uint8), "srgb")


@pytest.mark.parametrize("maximum, stored, dtype, loaded", [
    (100, bytes([0, 50, 100]), np.uint8, [0, 127, 255]),
    (1023, struct.pack(">3H", 0, 512, 1023), np.uint16, [0, 32799, 65535]),
])  # fmt: skip
def test_pgm_maximum_becomes_one(tmp_path, maximum, stored, dtype, loaded, assert_loads):
    (tmp_path / "a.pgm").write_bytes(b"P5\n3 1\n%d\n" % maximum + stored)
    assert_loads(tmp_path / "a.pgm", np.array(loaded, dtype).reshape(1, 3, 1), "srgb")


def test_ascii_ppm(tmp_path, assert_loads):
    (tmp_path / "a.ppm").write_text("P3\n2 1\n255\n255 0 0 1 2 3\n")
    assert_loads(tmp_path / "a.ppm", np.array([[[255, 0, 0], [1, 2, 3]]], np.uint8), "srgb")


@pytest.mark.parametrize("suffix", [".png", ".tiff", ".bmp"])
def test_1_bit_becomes_black_and_white(tmp_path, rng, suffix, assert_loads):
    bits = rng.integers(0, 2, (5, 9)).astype(bool)
    Image.fromarray(bits).save(tmp_path / f"a{suffix}")
    channels = 3 if suffix == ".bmp" else 1  # BMP has no grey: 1 bit is a palette
    assert_loads(
        tmp_path / f"a{suffix}", np.uint8(255) * bits[..., None].repeat(channels, 2), "srgb"
    )


@pytest.mark.parametrize("suffix", [".png", ".tiff", ".bmp"])
def test_palette_becomes_rgb(tmp_path, rng, suffix):
    colors = random_integers(rng, 3, height=4, width=1)
    pixels = colors[rng.integers(0, 4, (5, 7)), 0]
    image = Image.fromarray(pixels).quantize(4)
    assert image.mode == "P"
    image.save(tmp_path / f"a{suffix}")
    # TIFF palettes hold 16 bits, whose conversion may be one step off.
    picture = load_picture(tmp_path / f"a{suffix}")
    expected = np.asarray(image.convert("RGB")).astype(int)
    assert np.abs(picture.pixels - expected).max() <= (1 if suffix == ".tiff" else 0)


def test_palette_with_a_clear_entry_becomes_rgba(tmp_path, assert_loads):
    image = Image.new("P", (2, 1))
    image.putpalette([10, 20, 30, 200, 100, 50])
    image.putdata([0, 1])
    image.save(tmp_path / "a.png", transparency=1)
    expected = np.array([[[10, 20, 30, 255], [200, 100, 50, 0]]], np.uint8)
    assert_loads(tmp_path / "a.png", expected, "srgb")


@pytest.mark.parametrize("suffix, mode", [
    (".jpg", "CMYK"), (".tiff", "CMYK"), (".jpg", "YCbCr"), (".tiff", "YCbCr"),
])  # fmt: skip
def test_other_color_models_become_rgb(tmp_path, suffix, mode):
    image = Image.new("RGB", (16, 16), (200, 100, 50)).convert(mode)
    image.save(tmp_path / f"a{suffix}", **({"quality": 100} if suffix == ".jpg" else {}))
    picture = load_picture(tmp_path / f"a{suffix}")
    assert picture.pixels.shape == (16, 16, 3)
    # Conversions between the models round to 8 bits.
    assert np.abs(picture.pixels - np.array([200, 100, 50])).max() <= 2


@pytest.mark.parametrize("suffix", [".png", ".tiff", ".webp", ".bmp"])
def test_color_under_clear_alpha_is_kept(tmp_path, suffix, assert_loads):
    pixels = np.array([[[200, 100, 50, 0], [200, 100, 50, 1], [9, 8, 7, 255]]], np.uint8)
    options = {"lossless": True, "exact": True} if suffix == ".webp" else {}
    Image.fromarray(pixels).save(tmp_path / f"a{suffix}", **options)
    assert_loads(tmp_path / f"a{suffix}", pixels, "srgb")


def test_bmp_with_unused_alpha_has_none(tmp_path, assert_loads):
    pixels = np.array([[[200, 100, 50, 0], [1, 2, 3, 0]]], np.uint8)
    Image.fromarray(pixels).save(tmp_path / "a.bmp")
    assert_loads(tmp_path / "a.bmp", pixels[..., :3], "srgb")


@pytest.mark.parametrize("sample, peak", [("uint8", 255), ("uint16", 65535)])
def test_associated_integer_alpha_is_divided_out(
    tmp_path, sample, peak, write_samples, assert_loads
):
    dtype, half = np.dtype(sample), peak // 2
    stored = np.array([[[half // 2, half, 0, half], [7, 0, 3, 0], [9, peak, 1, peak]]], dtype)
    path = write_samples(tmp_path / "a.tif", stored, sample)
    quarter = round(half // 2 * peak / half)
    expected = np.array([[[quarter, peak, 0, half], [7, 0, 3, 0], [9, peak, 1, peak]]], dtype)
    assert_loads(path, expected, "srgb")


@pytest.mark.parametrize("suffix", [".jpg", ".tiff", ".webp", ".png"])
@pytest.mark.parametrize("orientation", range(9))
def test_orientation(tmp_path, suffix, orientation):
    pixels = np.zeros((16, 32, 3), np.uint8)  # corners differ, and survive JPEG in whole blocks
    pixels[:8, :16], pixels[:8, 16:], pixels[8:, :16] = (255, 0, 0), (0, 255, 0), (0, 0, 255)
    exif = Image.Exif()
    exif[274] = orientation
    lossy = {".jpg": {"quality": 100, "subsampling": 0}, ".webp": {"lossless": True}}
    path = tmp_path / f"a{suffix}"
    Image.fromarray(pixels).save(path, exif=exif, **lossy.get(suffix, {}))
    with Image.open(path) as image:
        expected = np.asarray(ImageOps.exif_transpose(image).convert("RGB"))
    assert expected.shape == ((32, 16, 3) if orientation > 4 else (16, 32, 3))
    picture = load_picture(path)
    assert picture.pixels.shape == expected.shape and picture.pixels.flags.c_contiguous
    # Two JPEG decoders may round differently by one.
    assert np.abs(picture.pixels.astype(int) - expected).max() <= (suffix == ".jpg")


@pytest.mark.parametrize("height, width", [(1, 1), (1, 300), (300, 1), (257, 2)])
@pytest.mark.parametrize("suffix", [".png", ".tiff", ".bmp", ".ppm", ".jpg", ".webp"])
def test_slim_pictures(tmp_path, rng, height, width, suffix, assert_loads):
    pixels = random_integers(rng, 3, height=height, width=width)
    options = {"lossless": True} if suffix == ".webp" else {}
    Image.fromarray(pixels).save(tmp_path / f"a{suffix}", **options)
    if suffix == ".jpg":
        assert load_picture(tmp_path / "a.jpg").pixels.shape == pixels.shape
    else:
        assert_loads(tmp_path / f"a{suffix}", pixels, "srgb")


def test_format_is_told_from_the_content(tmp_path, rng, assert_loads):
    pixels = random_integers(rng, 3)
    Image.fromarray(pixels).save(tmp_path / "a.jpg", "PNG")
    assert_loads(tmp_path / "a.jpg", pixels, "srgb")


def test_odd_file_names(tmp_path, rng, assert_loads):
    pixels = random_integers(rng, 3)
    path = tmp_path / "a?b=1 #\u00e9 %04d.png"
    Image.fromarray(pixels).save(path)
    assert_loads(str(path), pixels, "srgb")


def test_photograph_equals_pillow(assert_loads):
    path = DATA / "kodak/kodim23.png"
    if not path.exists():
        pytest.skip("needs the Kodak pictures in ../shared/data")
    with Image.open(path) as image:
        assert_loads(path, np.asarray(image.convert("RGB")), "srgb")
