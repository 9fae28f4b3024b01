"""source/texel_file: textures for GPUs, DDS and KTX2, are pictures too."""

import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from neuralshade.asset.texture.dds import write_dds
from neuralshade.asset.texture.ktx2 import write_ktx2
from neuralshade.asset.texture.texture_format import FORMATS
from neuralshade.errors import PictureError
from neuralshade.source.image_file import load_picture

WRITERS = {"dds": write_dds, "ktx2": write_ktx2}
PLAIN = [name for name, one in FORMATS.items() if not one.compressed_bytes]
# levels off
BLOCKS = {"bc1": 24, "bc1_srgb": 24, "bc4": 8, "bc5": 8, "bc7": 16, "bc7_srgb": 16}


def smooth(channels, height=12, width=20):
    y, x = np.mgrid[:height, :width] / 24
    return np.stack([x, y, (x + y) / 2, 0.25 + x / 2], axis=2)[..., :channels]


def levels(values, dtype):
    """Return a picture and the next level of its chain, of [0, 1]."""
    return [
        part.astype(dtype) if dtype.startswith("f") else
        np.rint(part * np.iinfo(dtype).max).astype(dtype)
        for part in (values, values[::2, ::2])
    ]  # fmt: skip


@pytest.mark.parametrize("container", WRITERS)
@pytest.mark.parametrize("name", PLAIN)
def test_plain_texels(tmp_path, container, name):
    chosen = FORMATS[name]
    chain = levels(smooth(chosen.channels), chosen.dtype)
    path = tmp_path / f"a.{container}"
    WRITERS[container](path, chain, name)
    found = load_picture(path)
    assert found.pixels.dtype == chosen.dtype
    assert found.color_space == ("linear" if chosen.dtype.startswith("f") else "srgb")
    expected = chain[0]
    if chosen.channels == 2:
        expected = np.concatenate([expected, np.zeros_like(expected[..., :1])], axis=2)
    elif chosen.channels == 4 and found.hdr:  # alpha is unassociated in these files
        expected = expected * np.concatenate(
            [expected[..., 3:].repeat(3, 2), np.ones_like(expected[..., 3:])], axis=2
        )
    np.testing.assert_allclose(found.pixels, expected, rtol=2e-3 if found.hdr else 0)


@pytest.mark.parametrize("container", WRITERS)
@pytest.mark.parametrize("name", BLOCKS)
def test_blocks(tmp_path, container, name):
    chosen = FORMATS[name]
    chain = levels(smooth(chosen.channels), chosen.dtype)
    path = tmp_path / f"a.{container}"
    WRITERS[container](path, chain, name)
    found = load_picture(path).as_float()
    shared = min(chosen.channels, found.shape[2])
    assert np.abs(found[..., :shared] - smooth(shared)).max() * 255 <= BLOCKS[name]
    assert found.shape[2] == {1: 1, 2: 3, 3: 3, 4: 4}[chosen.channels]


@pytest.mark.parametrize("mode", ["L", "LA", "RGB", "RGBA"])
def test_older_dds(tmp_path, rng, mode):
    pixels = rng.integers(0, 256, (6, 8, len(mode)), dtype=np.uint8)
    Image.fromarray(pixels[..., 0] if mode == "L" else pixels).save(tmp_path / "a.dds")
    np.testing.assert_array_equal(load_picture(tmp_path / "a.dds").pixels, pixels)


@pytest.mark.parametrize("letters", ["DXT1", "DXT3", "DXT5"])
def test_blocks_of_older_dds(tmp_path, letters):
    pixels = np.rint(smooth(4) * 255).astype(np.uint8)
    pixels[..., 3] = 255
    Image.fromarray(pixels).save(tmp_path / "a.dds", pixel_format=letters)
    found = load_picture(tmp_path / "a.dds").pixels
    assert found.shape == (12, 20, 3)  # an alpha of 1 everywhere is none
    assert np.abs(found - pixels[..., :3].astype(int)).max() <= 40


def older_dds(flags, bits, data, letters=0, masks=(0, 0, 0, 0), caps2=0):
    return b"".join((
        b"DDS ", struct.pack("<7I44x", 124, 0x1007, 4, 6, 0, 0, 1),
        struct.pack("<8I", 32, flags, letters, bits, *masks),
        struct.pack("<5I", 0x1000, caps2, 0, 0, 0), data,
    ))  # fmt: skip


@pytest.mark.parametrize("flags, bits, letters, dtype, channels", [
    (0x20000, 8, 0, "u1", 1), (0x20000, 16, 0, "<u2", 1), (0x20001, 16, 0, "u1", 2),
    (2, 8, 0, "u1", 1), (4, 0, 36, "<u2", 4), (4, 0, 111, "<f2", 1), (4, 0, 114, "<f4", 1),
])  # fmt: skip
def test_greys_and_numbered_kinds_of_older_dds(
    tmp_path, rng, flags, bits, letters, dtype, channels
):
    data = rng.integers(0, 50, (4, 6, channels)).astype(dtype)
    (tmp_path / "a.dds").write_bytes(older_dds(flags, bits, data.tobytes(), letters))
    np.testing.assert_array_equal(load_picture(tmp_path / "a.dds").pixels, data)


def test_a_cube_is_refused(tmp_path):
    (tmp_path / "a.dds").write_bytes(older_dds(0x20000, 8, bytes(24 * 6), caps2=0xFE00))
    with pytest.raises(PictureError, match="got a cube, need one picture"):
        load_picture(tmp_path / "a.dds")


def ktx2(vulkan, size, data, packing=0, depth=0, layers=0, faces=1):
    head = struct.pack("<9I", vulkan, 1, size[1], size[0], depth, layers, faces, 1, packing)
    index = struct.pack("<4I2Q", 0, 0, 0, 0, 0, 0) + struct.pack("<3Q", 104, len(data), len(data))
    return b"\xabKTX 20\xbb\r\n\x1a\n" + head + index + data


@pytest.mark.parametrize("vulkan, picks", [(44, (2, 1, 0, 3)), (50, (2, 1, 0, 3)),
                                           (37, (0, 1, 2, 3))])  # fmt: skip
def test_blue_may_be_first(tmp_path, rng, vulkan, picks):
    data = rng.integers(0, 255, (4, 6, 4), dtype=np.uint8)
    (tmp_path / "a.ktx2").write_bytes(ktx2(vulkan, (4, 6), data.tobytes()))
    np.testing.assert_array_equal(load_picture(tmp_path / "a.ktx2").pixels, data[..., picks])


def test_zlib(tmp_path, rng):
    data = rng.integers(0, 256, (40, 60, 3), dtype=np.uint8)
    (tmp_path / "a.ktx2").write_bytes(ktx2(23, (40, 60), zlib.compress(data.tobytes()), 3))
    np.testing.assert_array_equal(load_picture(tmp_path / "a.ktx2").pixels, data)


@pytest.mark.parametrize("content, said", [
    (ktx2(0, (4, 4), bytes(16), 1), "supercompressed by BasisLZ"),
    (ktx2(37, (4, 4), bytes(64), 2), "supercompressed by Zstandard"),
    (ktx2(0, (4, 4), bytes(16)), "Basis Universal"),
    (ktx2(157, (4, 4), bytes(16)), "VkFormat 157"),
    (ktx2(37, (4, 4), bytes(64), faces=6), "a cube"),
    (ktx2(37, (4, 4), bytes(64), depth=2), "a volume"),
    (ktx2(37, (4, 4), bytes(60)), "a damaged or cut-off KTX2 file"),
    (ktx2(145, (4, 4), bytes(10)), "a damaged or cut-off KTX2 file"),
    (ktx2(37, (4, 4), b"no zlib", 3), "a damaged or cut-off KTX2 file"),
    (ktx2(37, (4, 0), b""), "a picture without pixels"),
    (ktx2(37, (4, 70_000), b""), "pixels, need"),
    (ktx2(37, (60_000, 60_000), b""), "need at most 4096.0 MiB"),
])  # fmt: skip
def test_what_is_not_read(tmp_path, content, said):
    (tmp_path / "a.ktx2").write_bytes(content)
    with pytest.raises(PictureError) as caught:
        load_picture(tmp_path / "a.ktx2")
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_a_dds_of_a_kind_that_is_not_read_is_named(tmp_path):
    content = older_dds(4, 0, bytes(64), struct.unpack("<I", b"DX10")[0])
    content = content[:128] + struct.pack("<5I", 67, 3, 0, 1, 0) + content[128:]  # RGB9E5
    (tmp_path / "a.dds").write_bytes(content)
    with pytest.raises(PictureError, match="a DDS file of a kind that is not read"):
        load_picture(tmp_path / "a.dds")
