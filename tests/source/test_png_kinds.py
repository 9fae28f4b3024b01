"""source/image_file: PNG of every depth, interlaced, with a clear color; JPEG of other models."""

import struct
import zlib

import numpy as np
import pytest
from fixtures.icc_profiles import chunk
from PIL import Image

from neuralshade.source.image_file import load_picture

ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
         (0, 1, 1, 2))  # fmt: skip
GREY, RGB, PALETTE, GREY_ALPHA, RGBA = 0, 2, 3, 4, 6


def write_png(path, pixels, color_type, depth, chunks=b"", interlaced=False):
    """Write integers [H, W, C] as a PNG, its rows without filters."""
    height, width, _ = pixels.shape
    raw = b""
    for left, top, right, down in ADAM7 if interlaced else ((0, 0, 1, 1),):
        part = pixels[top::down, left::right]
        for row in part if part.size else ():
            if depth == 16:
                packed = row.astype(">u2").tobytes()
            else:
                bits = np.unpackbits(row.astype(np.uint8)[..., None], axis=-1)[..., -depth:]
                packed = np.packbits(bits.reshape(-1)).tobytes()
            raw += b"\0" + packed
    head = struct.pack(">2I5B", width, height, depth, color_type, 0, 0, interlaced)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunks
                     + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))  # fmt: skip
    return path


@pytest.mark.parametrize("interlaced", [False, True])
@pytest.mark.parametrize("color_type, channels, depth", [
    (GREY, 1, 1), (GREY, 1, 2), (GREY, 1, 4), (GREY, 1, 8), (GREY, 1, 16), (RGB, 3, 8),
    (RGB, 3, 16), (GREY_ALPHA, 2, 8), (GREY_ALPHA, 2, 16), (RGBA, 4, 8), (RGBA, 4, 16),
])  # fmt: skip
def test_every_depth(tmp_path, rng, interlaced, color_type, channels, depth):
    pixels = rng.integers(0, 2**depth, (13, 21, channels))
    path = write_png(tmp_path / "a.png", pixels, color_type, depth, interlaced=interlaced)
    np.testing.assert_allclose(load_picture(path).as_float(), pixels / (2**depth - 1), atol=1e-6)


@pytest.mark.parametrize("depth", [1, 2, 4, 8])
def test_palettes(tmp_path, rng, depth):
    palette = rng.integers(0, 256, (2**depth, 3), dtype=np.uint8)
    indices = rng.integers(0, 2**depth, (13, 21, 1))
    chunks = chunk(b"PLTE", palette.tobytes())
    path = write_png(tmp_path / "a.png", indices, PALETTE, depth, chunks, interlaced=True)
    np.testing.assert_array_equal(load_picture(path).pixels, palette[indices[..., 0]])


@pytest.mark.parametrize("color_type, depth", [(GREY, 1), (GREY, 8), (GREY, 16), (RGB, 8),
                                               (RGB, 16)])  # fmt: skip
def test_a_clear_color(tmp_path, rng, color_type, depth):
    channels = 3 if color_type == RGB else 1
    pixels = rng.integers(0, 2**depth, (13, 21, channels))
    key = pixels[5, 6]
    clear = chunk(b"tRNS", struct.pack(f">{channels}H", *map(int, key)))
    path = write_png(tmp_path / "a.png", pixels, color_type, depth, clear)
    alpha = (pixels != key).any(-1, keepdims=True)
    expected = np.concatenate([pixels / (2**depth - 1), alpha], axis=2)
    np.testing.assert_allclose(load_picture(path).as_float(), expected, atol=1e-6)


def test_significant_bits_change_nothing(tmp_path, rng):
    pixels = rng.integers(0, 256, (13, 21, 3))
    path = write_png(tmp_path / "a.png", pixels, RGB, 8, chunk(b"sBIT", bytes([5, 6, 5])))
    np.testing.assert_array_equal(load_picture(path).pixels, pixels)


def smooth():
    y, x = np.mgrid[:37, :45]
    return np.stack([90 + 2 * x, 60 + 3 * y, 120 + x], axis=2).astype(np.uint8)


@pytest.mark.parametrize("how", [{"progressive": True}, {"subsampling": "4:2:0"}, {}])
def test_jpeg(tmp_path, how):
    Image.fromarray(smooth()).save(tmp_path / "a.jpg", quality=97, **how)
    assert np.abs(load_picture(tmp_path / "a.jpg").pixels - smooth().astype(int)).max() <= 6


def test_inks_of_jpeg(tmp_path):
    image = Image.fromarray(smooth()).convert("CMYK")
    image.save(tmp_path / "a.jpg", quality=97)
    expected = np.asarray(image.convert("RGB")).astype(int)
    assert np.abs(load_picture(tmp_path / "a.jpg").pixels - expected).max() <= 6


@pytest.mark.parametrize("orientation, turns", [(6, -1), (3, 2), (8, 1)])
def test_exif_of_png_and_jpeg(tmp_path, orientation, turns):
    exif = Image.Exif()
    exif[0x112] = orientation
    for suffix in ("png", "jpg"):
        path = tmp_path / f"a.{suffix}"
        Image.fromarray(smooth()).save(
            path, exif=exif, **({"quality": 97} if suffix == "jpg" else {})
        )
        expected = np.rot90(smooth(), turns).astype(int)
        assert np.abs(load_picture(path).pixels - expected).max() <= (6 if suffix == "jpg" else 0)
