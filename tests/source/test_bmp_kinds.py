"""source/bmp_masks, pillow_file: BMP files of bit masks, palettes and runs; plain PBM."""

import struct

import numpy as np
import pytest

from neuralshade.errors import PictureError
from neuralshade.source.image_file import load_picture

WIDTH, HEIGHT = 5, 4


def bmp(bits, data, stored=0, more=b"", header=40, palette=b"", height=HEIGHT):
    """Return a BMP file; ``more`` stands behind the 40 bytes of the oldest header."""
    info = struct.pack("<IiiHHIIiiII", header, WIDTH, height, 1, bits, stored, len(data), 2835,
                       2835, len(palette) // 4 if len(palette) < 1024 else 0, 0) + more  # fmt: skip
    info = info.ljust(header, b"\0")
    begin = 14 + len(info) + len(palette)
    head = b"BM" + struct.pack("<IHHI", begin + len(data), 0, 0, begin)
    return head + info + palette + data


def rows(words):
    """Return rows of words bottom up, each filled to 4 bytes."""
    flat = np.ascontiguousarray(words).view(np.uint8).reshape(HEIGHT, -1)
    return np.pad(flat, ((0, 0), (0, -flat.shape[1] % 4)))[::-1].tobytes()


def written(path, content):
    path.write_bytes(content)
    return path


BYTES = (0xFF, 0xFF00, 0xFF0000, 0xFF000000)


@pytest.mark.parametrize("order", [
    (2, 1, 0, 3), (0, 1, 2, 3), (3, 2, 1, 0), (1, 2, 3, 0), (2, 1, 0), (0, 1, 2), (3, 2, 1),
])  # fmt: skip
@pytest.mark.parametrize("header", [40, 56, 108, 124])
@pytest.mark.parametrize("down", [False, True])
def test_channels_of_bytes(tmp_path, rng, order, header, down, assert_loads):
    if header == 40 and len(order) == 4:
        pytest.skip("the oldest header has no mask of alpha")
    pixels = rng.integers(1, 256, (HEIGHT, WIDTH, 4), dtype=np.uint8)
    masks = struct.pack(f"<{len(order)}I", *(BYTES[place] for place in order))
    data = pixels.tobytes() if down else rows(pixels)
    content = bmp(32, data, 3, masks, header, height=-HEIGHT if down else HEIGHT)
    assert_loads(written(tmp_path / "a.bmp", content), pixels[..., order], "srgb")


@pytest.mark.parametrize("masks", [
    (0xF800, 0x7E0, 0x1F), (0x7C00, 0x3E0, 0x1F), (0x7C00, 0x3E0, 0x1F, 0x8000),
    (0xF00, 0xF0, 0xF, 0xF000), (0x1F, 0x7E0, 0xF800),
])  # fmt: skip
def test_channels_of_a_few_bits(tmp_path, rng, masks, assert_loads):
    words = rng.integers(0, 65536, (HEIGHT, WIDTH), dtype=np.uint16)
    parts = [(words & mask) / mask for mask in masks]
    expected = np.rint(np.stack(parts, axis=2) * 255).astype(np.uint8)
    more = struct.pack(f"<{len(masks)}I", *masks)
    path = written(tmp_path / "a.bmp", bmp(16, rows(words), 3, more, 108))
    assert_loads(path, expected, "srgb")


def test_channels_of_ten_bits_become_16(tmp_path, rng, assert_loads):
    words = rng.integers(0, 2**32, (HEIGHT, WIDTH), dtype=np.uint32)
    masks = (0x3FF00000, 0xFFC00, 0x3FF)
    parts = [((words & mask) // (mask & -mask)) / 1023 for mask in masks]
    expected = np.rint(np.stack(parts, axis=2) * 65535).astype(np.uint16)
    path = written(tmp_path / "a.bmp", bmp(32, rows(words), 3, struct.pack("<3I", *masks)))
    assert_loads(path, expected, "srgb")


def test_16_bits_without_masks(tmp_path, rng):
    words = rng.integers(0, 32768, (HEIGHT, WIDTH), dtype=np.uint16)
    parts = [(words >> shift & 31) / 31 for shift in (10, 5, 0)]
    found = load_picture(written(tmp_path / "a.bmp", bmp(16, rows(words)))).pixels
    # bits are repeated, not scaled: a level apart
    assert np.abs(found - np.stack(parts, axis=2) * 255).max() <= 1


@pytest.mark.parametrize("bits", [1, 4, 8])
def test_palettes_of_any_length(tmp_path, rng, bits, assert_loads):
    count = {1: 2, 4: 7, 8: 20}[bits]
    palette = rng.integers(0, 256, (count, 4), dtype=np.uint8)
    indices = rng.integers(0, count, (HEIGHT, WIDTH), dtype=np.uint8)
    unpacked = np.unpackbits(indices[..., None], axis=-1)[..., -bits:].reshape(HEIGHT, -1)
    data = rows(np.packbits(unpacked, axis=-1))
    path = written(tmp_path / "a.bmp", bmp(bits, data, palette=palette.tobytes()))
    assert_loads(path, palette[indices][..., 2::-1], "srgb")


@pytest.mark.parametrize("bits, stored", [(8, 1), (4, 2)])
def test_runs(tmp_path, rng, bits, stored, assert_loads):
    palette = rng.integers(0, 256, (16, 4), dtype=np.uint8)
    data = b"".join(bytes([WIDTH, row * (17 if bits == 4 else 1), 0, 0]) for row in range(HEIGHT))
    path = written(tmp_path / "a.bmp", bmp(bits, data + b"\0\1", stored, palette=palette.tobytes()))
    expected = np.repeat(palette[HEIGHT - 1 :: -1, None, 2::-1], WIDTH, axis=1)
    assert_loads(path, expected, "srgb")


def test_32_bits_without_masks(tmp_path, rng, assert_loads):
    pixels = rng.integers(1, 256, (HEIGHT, WIDTH, 4), dtype=np.uint8)
    path = written(tmp_path / "a.bmp", bmp(32, rows(pixels)))
    assert_loads(path, pixels[..., [2, 1, 0, 3]], "srgb")
    pixels[..., 3] = 0  # never filled in
    written(path, bmp(32, rows(pixels)))
    assert_loads(path, pixels[..., [2, 1, 0]], "srgb")


@pytest.mark.parametrize("content, reason", [
    (bmp(2, bytes(16)), "Unsupported BMP pixel depth"),
    (bmp(0, b"\x89PNG\r\n\x1a\n", 5), "Unsupported BMP"),
])  # fmt: skip
def test_kinds_that_are_not_read_are_named(tmp_path, content, reason):
    path = written(tmp_path / "a.bmp", content)
    with pytest.raises(PictureError) as caught:
        load_picture(path)
    said = str(caught.value)
    assert said.startswith(f"{path}: got a BMP file of a kind that is not read ({reason}")
    assert said.endswith("need another. Save it as PNG, or floats as EXR.")


@pytest.mark.parametrize("content, error", [
    (bmp(32, bytes(20), 3, struct.pack("<3I", 1, 2, 4)), "damaged or cut-off BMP"),
    (bmp(32, bytes(80), 3, struct.pack("<3I", 0, 0, 0)), "damaged or cut-off BMP"),
    (bmp(32, bytes(80), 3, struct.pack("<3I", 5, 2, 8)), "damaged or cut-off BMP"),
    (bmp(32, bytes(80), 3, struct.pack("<3I", 1, 2, 4), height=0), "without pixels"),
    (bmp(32, bytes(80), 3, struct.pack("<3I", 1, 2, 4), height=2**31 - 1), "damaged or cut-off"),
])  # fmt: skip
def test_damaged_masks(tmp_path, content, error):
    path = written(tmp_path / "a.bmp", content)
    with pytest.raises(PictureError, match=error):
        load_picture(path)


def test_masks_count_against_the_memory_limit(tmp_path):
    content = bmp(32, bytes(80), 3, struct.pack("<3I", *BYTES[:3]), height=2**20)
    with pytest.raises(PictureError, match="need at most"):
        load_picture(written(tmp_path / "a.bmp", content), memory_limit=2**20)


@pytest.mark.parametrize("rows", ["01010\n10101\n", "0 1 0 1 0\n1 0 1 0 1\n", "0101010101\n"])
def test_plain_pbm(tmp_path, rows, assert_loads):
    path = written(tmp_path / "a.pbm", f"P1\n# a comment\n5 2\n{rows}".encode())
    expected = np.array([[255, 0, 255, 0, 255], [0, 255, 0, 255, 0]], np.uint8)
    assert_loads(path, expected[..., None], "srgb")
