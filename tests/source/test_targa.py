"""source/openimageio_file, file_kind: Targa files of every kind, from whichever corner."""

import contextlib
import struct

import numpy as np
import pytest
from PIL import Image

from neuralshade.errors import PictureError
from neuralshade.source.image_file import load_picture

WIDTH, HEIGHT = 5, 4
TOP, RIGHT = 0x20, 0x10  # where the first pixel stands; else bottom and left


def targa(kind, bits, data, descriptor=TOP, palette=b"", entries=0, entry_bits=0, identity=b""):
    head = struct.pack("<BBBHHBHHHHBB", len(identity), bool(palette), kind, 0, entries, entry_bits,
                       0, 0, WIDTH, HEIGHT, bits, descriptor)  # fmt: skip
    return head + identity + palette + data


def runs(data, size):
    """Return packets of a Targa: eight pixels as they are, or one that is repeated."""
    packed = b""
    for at in range(0, len(data), 8 * size):
        piece = data[at : at + 8 * size]
        if len(set(piece[i : i + size] for i in range(0, len(piece), size))) == 1:
            packed += bytes([0x80 | len(piece) // size - 1]) + piece[:size]
        else:
            packed += bytes([len(piece) // size - 1]) + piece
    return packed


def load(tmp_path, content):
    path = tmp_path / "a.tga"
    path.write_bytes(content)
    return load_picture(path)


@pytest.fixture
def bgra(rng):
    pixels = rng.integers(1, 256, (HEIGHT, WIDTH, 4), dtype=np.uint8)
    pixels[1:3] = pixels[1, 0]  # some runs
    return pixels


@pytest.mark.parametrize("run", [False, True])
@pytest.mark.parametrize("channels, picks", [(3, (2, 1, 0)), (4, (2, 1, 0, 3))])
def test_colors(tmp_path, bgra, run, channels, picks):
    data = np.ascontiguousarray(bgra[..., :channels]).tobytes()
    content = targa(10 if run else 2, 8 * channels, runs(data, channels) if run else data,
                    TOP | (8 if channels == 4 else 0), identity=b"made by hand")  # fmt: skip
    found = load(tmp_path, content)
    np.testing.assert_array_equal(found.pixels, bgra[..., picks])
    assert found.color_space == "srgb"


@pytest.mark.parametrize("run", [False, True])
@pytest.mark.parametrize("channels", [1, 2])
def test_grey(tmp_path, bgra, run, channels):
    data = np.ascontiguousarray(bgra[..., :channels]).tobytes()
    content = targa(11 if run else 3, 8 * channels, runs(data, channels) if run else data,
                    TOP | (8 if channels == 2 else 0))  # fmt: skip
    np.testing.assert_array_equal(load(tmp_path, content).pixels, bgra[..., :channels])


@pytest.mark.parametrize("bits", [15, 16])
def test_colors_of_five_bits(tmp_path, rng, bits):
    words = rng.integers(0, 32768, (HEIGHT, WIDTH), dtype=np.uint16)
    found = load(tmp_path, targa(2, bits, words.tobytes())).pixels
    expected = np.stack([words >> shift & 31 for shift in (10, 5, 0)], axis=2) / 31 * 255
    assert np.abs(found - expected).max() <= 1


@pytest.mark.parametrize("run", [False, True])
def test_palettes(tmp_path, rng, run):
    palette = rng.integers(0, 256, (20, 3), dtype=np.uint8)
    indices = rng.integers(0, 20, (HEIGHT, WIDTH), dtype=np.uint8)
    data = indices.tobytes()
    content = targa(9 if run else 1, 8, runs(data, 1) if run else data, TOP, palette.tobytes(),
                    20, 24)  # fmt: skip
    np.testing.assert_array_equal(load(tmp_path, content).pixels, palette[indices][..., ::-1])


@pytest.mark.parametrize("corner", [0, TOP, RIGHT, TOP | RIGHT])
def test_corners(tmp_path, bgra, corner):
    data = np.ascontiguousarray(bgra[..., :3]).tobytes()
    expected = bgra[..., 2::-1]
    expected = expected if corner & TOP else expected[::-1]
    expected = expected[:, ::-1] if corner & RIGHT else expected
    np.testing.assert_array_equal(load(tmp_path, targa(2, 24, data, corner)).pixels, expected)


def test_alpha_is_unassociated_even_where_no_bits_of_it_are_named(tmp_path, bgra):
    found = load(tmp_path, targa(2, 32, bgra.tobytes(), TOP)).pixels
    np.testing.assert_array_equal(found, bgra[..., [2, 1, 0, 3]])


def test_an_alpha_that_was_never_filled_in_is_none(tmp_path, bgra):
    bgra[..., 3] = 0
    found = load(tmp_path, targa(2, 32, bgra.tobytes(), TOP | 8)).pixels
    np.testing.assert_array_equal(found, bgra[..., 2::-1])


@pytest.mark.parametrize("mode", ["L", "LA", "RGB", "RGBA", "P"])
@pytest.mark.parametrize("compression", [None, "tga_rle"])
def test_as_pillow_writes_them(tmp_path, bgra, mode, compression):
    image = Image.fromarray(bgra[..., :3]).quantize(8) if mode == "P" else Image.fromarray(
        bgra[..., 0] if mode == "L" else bgra[..., : len(mode)])  # fmt: skip
    image.save(tmp_path / "a.TGA", compression=compression)
    expected = np.asarray(image.convert("RGB") if mode == "P" else image)
    found = load_picture(tmp_path / "a.TGA").pixels
    np.testing.assert_array_equal(found, expected.reshape(found.shape))


def test_a_targa_is_known_by_its_name_too(tmp_path, bgra):
    content = targa(2, 32, bgra.tobytes())
    (tmp_path / "a.png").write_bytes(content)
    with pytest.raises(PictureError, match="got no picture of a known format"):
        load_picture(tmp_path / "a.png")


def test_a_claim_of_many_pixels_is_refused_before_decoding(tmp_path):
    content = targa(10, 32, bytes(100))
    content = content[:12] + struct.pack("<2H", 65535, 65535) + content[16:]
    (tmp_path / "a.tga").write_bytes(content)
    with pytest.raises(PictureError):
        load_picture(tmp_path / "a.tga")


@pytest.mark.parametrize("place", range(18))
def test_any_byte_of_the_header_may_be_another(tmp_path, bgra, place):
    content = targa(10, 32, runs(bgra.tobytes(), 4), TOP | 8)
    for value in (0, 1, 0x7F, 0xFF):
        altered = content[:place] + bytes([value]) + content[place + 1 :]
        with contextlib.suppress(PictureError):
            load(tmp_path, altered)
