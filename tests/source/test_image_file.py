"""source/image_file: every format, dtype, alpha and orientation comes in as it was stored."""

import struct
from pathlib import Path

import numpy as np
import OpenImageIO
import pytest
from PIL import Image, ImageOps

from neuralshade.source.image_file import load_picture

DATA = Path(__file__).parents[3] / "shared/data"


def write(path, pixels, sample, names=None, **attributes):
    """Write any samples and channels; attribute names use __ for the colon."""
    height, width, channels = pixels.shape
    spec = OpenImageIO.ImageSpec(width, height, channels, sample)
    if names is not None:
        spec.channelnames = names
    for name, value in attributes.items():
        if name in ("x", "y", "full_height", "tile_width", "tile_height"):
            setattr(spec, name, value)
        else:
            spec.attribute(name.replace("__", ":"), value)
    writer = OpenImageIO.ImageOutput.create(str(path))
    assert writer.open(str(path), spec), writer.geterror()
    assert writer.write_image(np.ascontiguousarray(pixels)), writer.geterror()
    assert writer.close()
    return path


def random_integers(rng, channels, dtype=np.uint8, height=5, width=7):
    peak = np.iinfo(dtype).max
    return rng.integers(0, peak, (height, width, channels), endpoint=True, dtype=dtype)


def assert_loads(path, pixels, color_space):
    picture = load_picture(path)
    assert (picture.name, picture.color_space) == (Path(path).name, color_space)
    assert picture.pixels.dtype == pixels.dtype and picture.pixels.flags.c_contiguous
    np.testing.assert_array_equal(picture.pixels, pixels)


@pytest.mark.parametrize("suffix, mode", [
    (".png", "L"), (".png", "LA"), (".png", "RGB"), (".png", "RGBA"),
    (".tiff", "L"), (".tiff", "LA"), (".tiff", "RGB"), (".tiff", "RGBA"),
    (".bmp", "L"), (".bmp", "RGB"), (".bmp", "RGBA"),
    (".webp", "RGB"), (".webp", "RGBA"), (".ppm", "RGB"), (".pgm", "L"),
])  # fmt: skip
def test_8_bit_lossless(tmp_path, rng, suffix, mode):
    pixels = random_integers(rng, len(mode))
    path = tmp_path / f"a{suffix}"
    options = {"lossless": True, "exact": True} if suffix == ".webp" else {}
    Image.fromarray(pixels[..., 0] if mode == "L" else pixels).save(path, **options)
    assert_loads(path, pixels, "srgb")


@pytest.mark.parametrize("suffix, channels", [
    (".png", 1), (".png", 2), (".png", 3), (".png", 4), (".tiff", 1), (".tiff", 3), (".tiff", 4),
    (".ppm", 3), (".pgm", 1),
])  # fmt: skip
def test_16_bit_lossless(tmp_path, rng, suffix, channels):
    pixels = random_integers(rng, channels, np.uint16)
    path = write(tmp_path / f"a{suffix}", pixels, "uint16", oiio__UnassociatedAlpha=1)
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


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("sample, dtype", [("half", np.float16), ("float", np.float32)])
@pytest.mark.parametrize("tile", [0, 64])
def test_openexr(tmp_path, rng, channels, sample, dtype, tile):
    pixels = (rng.normal(size=(300, 5, channels)) * 100).astype(dtype)
    names = ("Y", "A") if channels == 2 else None
    path = write(tmp_path / "a.exr", pixels, sample, names, tile_width=tile, tile_height=tile)
    assert_loads(path, pixels, "linear")
    assert load_picture(path).hdr


@pytest.mark.parametrize("channels", [1, 3])
def test_float_tiff(tmp_path, rng, channels):
    pixels = rng.normal(size=(5, 7, channels)).astype(np.float32)
    assert_loads(write(tmp_path / "a.tif", pixels, "float"), pixels, "linear")


def test_double_tiff_is_rounded_to_float(tmp_path, rng):
    pixels = rng.normal(size=(5, 7, 3))
    path = write(tmp_path / "a.tif", pixels, "double")
    assert_loads(path, pixels.astype(np.float32), "linear")


def tiff_of(photometric, sample_format, bits, data, width, height):
    """Return a one-strip grey TIFF, for samples that no writer at hand makes."""
    entries = [(256, width), (257, height), (258, bits), (259, 1), (262, photometric)]
    entries += [(273, 200), (277, 1), (278, height), (279, len(data)), (339, sample_format)]
    table = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in entries)
    header = b"II*\0" + struct.pack("<IH", 8, len(entries)) + table + b"\0\0\0\0"
    return header.ljust(200, b"\0") + data


def test_half_tiff(tmp_path):
    pixels = np.arange(6, dtype="<f2").reshape(2, 3, 1)
    (tmp_path / "a.tif").write_bytes(tiff_of(1, 3, 16, pixels.tobytes(), 3, 2))
    assert_loads(tmp_path / "a.tif", pixels, "linear")


def test_white_is_zero_tiff(tmp_path):
    (tmp_path / "a.tif").write_bytes(tiff_of(0, 1, 8, bytes([0, 10, 255]), 3, 1))
    assert_loads(tmp_path / "a.tif", np.array([[[255], [245], [0]]], np.uint8), "srgb")


def test_radiance_hdr_within_its_precision(tmp_path, rng):
    pixels = np.exp(rng.normal(size=(5, 7, 3)) * 4).astype(np.float32)
    picture = load_picture(write(tmp_path / "a.hdr", pixels, "float"))
    assert (picture.color_space, picture.pixels.dtype, picture.hdr) == ("linear", np.float32, True)
    # RGBE: 8 bits of mantissa for the largest channel, shared exponent.
    step = pixels.max(axis=2, keepdims=True) / 128
    assert (np.abs(picture.pixels - pixels) <= step).all()


def test_radiance_hdr_stored_bottom_up(tmp_path):
    pixels = np.arange(1, 13, dtype=np.float32).reshape(4, 3, 1).repeat(3, axis=2)
    path = write(tmp_path / "a.hdr", pixels, "float")
    flipped = path.read_bytes().replace(b"-Y 4 +X 3", b"+Y 4 +X 3")
    path.write_bytes(flipped)
    assert_loads(path, pixels[::-1], "linear")


@pytest.mark.parametrize("maximum, stored, dtype, loaded", [
    (100, bytes([0, 50, 100]), np.uint8, [0, 127, 255]),
    (1023, struct.pack(">3H", 0, 512, 1023), np.uint16, [0, 32799, 65535]),
])  # fmt: skip
def test_pgm_maximum_becomes_one(tmp_path, maximum, stored, dtype, loaded):
    (tmp_path / "a.pgm").write_bytes(b"P5\n3 1\n%d\n" % maximum + stored)
    assert_loads(tmp_path / "a.pgm", np.array(loaded, dtype).reshape(1, 3, 1), "srgb")


def test_ascii_ppm(tmp_path):
    (tmp_path / "a.ppm").write_text("P3\n2 1\n255\n255 0 0 1 2 3\n")
    assert_loads(tmp_path / "a.ppm", np.array([[[255, 0, 0], [1, 2, 3]]], np.uint8), "srgb")


@pytest.mark.parametrize("suffix", [".png", ".tiff", ".bmp"])
def test_1_bit_becomes_black_and_white(tmp_path, rng, suffix):
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


def test_palette_with_a_clear_entry_becomes_rgba(tmp_path):
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
def test_color_under_clear_alpha_is_kept(tmp_path, suffix):
    pixels = np.array([[[200, 100, 50, 0], [200, 100, 50, 1], [9, 8, 7, 255]]], np.uint8)
    options = {"lossless": True, "exact": True} if suffix == ".webp" else {}
    Image.fromarray(pixels).save(tmp_path / f"a{suffix}", **options)
    assert_loads(tmp_path / f"a{suffix}", pixels, "srgb")


def test_bmp_with_unused_alpha_has_none(tmp_path):
    pixels = np.array([[[200, 100, 50, 0], [1, 2, 3, 0]]], np.uint8)
    Image.fromarray(pixels).save(tmp_path / "a.bmp")
    assert_loads(tmp_path / "a.bmp", pixels[..., :3], "srgb")


@pytest.mark.parametrize("sample, peak", [("uint8", 255), ("uint16", 65535)])
def test_associated_integer_alpha_is_divided_out(tmp_path, sample, peak):
    dtype, half = np.dtype(sample), peak // 2
    stored = np.array([[[half // 2, half, 0, half], [7, 0, 3, 0], [9, peak, 1, peak]]], dtype)
    path = write(tmp_path / "a.tif", stored, sample)
    quarter = round(half // 2 * peak / half)
    expected = np.array([[[quarter, peak, 0, half], [7, 0, 3, 0], [9, peak, 1, peak]]], dtype)
    assert_loads(path, expected, "srgb")


def test_unassociated_float_alpha_is_multiplied_in(tmp_path):
    stored = np.array([[[4.0, 2.0, 1.0, 0.25], [3.0, 3.0, 3.0, 0.0]]], np.float32)
    path = write(tmp_path / "a.tif", stored, "float", oiio__UnassociatedAlpha=1)
    expected = np.array([[[1.0, 0.5, 0.25, 0.25], [0, 0, 0, 0]]], np.float32)
    assert_loads(path, expected, "linear")


@pytest.mark.parametrize("names, picks", [
    (("R", "G", "B", "A"), (0, 1, 2, 3)),
    (("A", "B", "G", "R"), (3, 2, 1, 0)),
    (("Z", "B", "A", "G", "R"), (4, 3, 1, 2)),
    (("r", "g", "b"), (0, 1, 2)),
    (("R", "G", "B", "A", "Y"), (0, 1, 2, 3)),
    (("Y",), (0,)),
    (("A", "Y"), (1, 0)),
    (("Z", "Y"), (1,)),
    (("beauty.R", "beauty.G", "beauty.B"), (0, 1, 2)),
    (("depth.Z", "beauty.A", "beauty.R", "beauty.G", "beauty.B"), (2, 3, 4, 1)),
    (("R", "G", "B", "light.R", "light.G", "light.B"), (0, 1, 2)),
])  # fmt: skip
def test_openexr_channels_by_name(tmp_path, rng, names, picks):
    pixels = rng.normal(size=(3, 2, len(names))).astype(np.float32)
    assert_loads(write(tmp_path / "a.exr", pixels, "float", names), pixels[..., picks], "linear")


def test_openexr_data_window_away_from_the_origin(tmp_path, rng):
    pixels = rng.random((300, 4, 3), dtype=np.float32)
    path = write(tmp_path / "a.exr", pixels, "float", x=-3, y=50, full_height=900)
    assert_loads(path, pixels, "linear")


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
def test_slim_pictures(tmp_path, rng, height, width, suffix):
    pixels = random_integers(rng, 3, height=height, width=width)
    options = {"lossless": True} if suffix == ".webp" else {}
    Image.fromarray(pixels).save(tmp_path / f"a{suffix}", **options)
    if suffix == ".jpg":
        assert load_picture(tmp_path / "a.jpg").pixels.shape == pixels.shape
    else:
        assert_loads(tmp_path / f"a{suffix}", pixels, "srgb")


def test_format_is_told_from_the_content(tmp_path, rng):
    pixels = random_integers(rng, 3)
    Image.fromarray(pixels).save(tmp_path / "a.jpg", "PNG")
    assert_loads(tmp_path / "a.jpg", pixels, "srgb")


def test_odd_file_names(tmp_path, rng):
    pixels = random_integers(rng, 3)
    path = tmp_path / "a?b=1 #\u00e9 %04d.png"
    Image.fromarray(pixels).save(path)
    assert_loads(str(path), pixels, "srgb")


def test_photograph_equals_pillow():
    path = DATA / "kodak/kodim23.png"
    if not path.exists():
        pytest.skip("needs the Kodak pictures in ../shared/data")
    with Image.open(path) as image:
        assert_loads(path, np.asarray(image.convert("RGB")), "srgb")
