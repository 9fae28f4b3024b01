"""source/openimageio_file, parts: pages, planes, extra samples and tiles of TIFF files."""

import io
import struct

import numpy as np
import pytest
import tifffile
from PIL import Image

from neuralshade.errors import PictureError
from neuralshade.source.image_file import load_picture


@pytest.fixture
def rgba(rng):
    return rng.integers(0, 256, (20, 30, 4), dtype=np.uint8)


def write(path, pixels, **how):
    how = {"photometric": "rgb", **how}
    tifffile.imwrite(path, pixels, **how)
    return path


def test_an_undescribed_fourth_sample_is_alpha(tmp_path, rgba, caplog):
    path = write(tmp_path / "a.tif", rgba, extrasamples=[0])
    np.testing.assert_array_equal(load_picture(path).pixels, rgba)
    assert caplog.messages == [f"{path}: took its sample 4, which no tag describes, for alpha"]


def test_the_first_of_two_undescribed_samples_is_alpha(tmp_path, rgba, caplog):
    five = np.dstack([rgba, rgba[..., 0]])
    path = write(tmp_path / "a.tif", five, extrasamples=[0, 0])
    np.testing.assert_array_equal(load_picture(path).pixels, rgba)
    assert caplog.messages[1:] == [f"{path}: took channels R, G, B, channel3; left out channel4"]


@pytest.mark.parametrize("extra", [[2, 0], [0, 2]])
def test_a_described_alpha_goes_first(tmp_path, rgba, extra):
    five = np.dstack([rgba, rgba[..., 0]])
    path = write(tmp_path / "a.tif", five, extrasamples=extra)
    picks = [0, 1, 2, 3 + extra.index(2)]
    np.testing.assert_array_equal(load_picture(path).pixels, five[..., picks])


def test_grey_with_an_undescribed_sample(tmp_path, rgba, caplog):
    path = write(tmp_path / "a.tif", rgba[..., :2], extrasamples=[0], photometric="minisblack",
                 planarconfig="contig")  # fmt: skip
    np.testing.assert_array_equal(load_picture(path).pixels, rgba[..., :2])
    assert len(caplog.messages) == 1


def test_smaller_pages_are_passed_over(tmp_path, rgba, caplog):
    rgb = rgba[..., :3]
    with tifffile.TiffWriter(tmp_path / "a.tif") as file:
        file.write(rgb[::2, ::2], subfiletype=1, photometric="rgb")
        file.write(rgba[::4, ::4, 0], subfiletype=1)
        file.write(rgb, photometric="rgb")
    np.testing.assert_array_equal(load_picture(tmp_path / "a.tif").pixels, rgb)
    assert caplog.messages == [f"{tmp_path / 'a.tif'}: got 3 pages; took page 3 (30 x 20); "
                               "the others are smaller copies or masks"]  # fmt: skip


def test_a_pyramid_says_nothing(tmp_path, rgba, caplog):
    with tifffile.TiffWriter(tmp_path / "a.tif") as file:
        file.write(rgba[..., :3], photometric="rgb")
        file.write(rgba[::2, ::2, :3], subfiletype=1, photometric="rgb")
    np.testing.assert_array_equal(load_picture(tmp_path / "a.tif").pixels, rgba[..., :3])
    assert caplog.messages == []


def test_of_whole_pages_the_first_is_taken(tmp_path, rgba, caplog):
    with tifffile.TiffWriter(tmp_path / "a.tif") as file:
        for size in (20, 12):
            file.write(rgba[:size, :, :3], photometric="rgb", metadata=None)
    np.testing.assert_array_equal(load_picture(tmp_path / "a.tif").pixels, rgba[..., :3])
    assert caplog.messages == [f"{tmp_path / 'a.tif'}: got 2 pages; took page 1 (30 x 20); "
                               "left out page 2 (30 x 12)"]  # fmt: skip


def planar_lzw(pixels, rows):
    """Return a TIFF in planes, compressed by LZW in strips of ``rows``."""
    height, width, channels = pixels.shape
    strips = []
    for channel in range(channels):
        for top in range(0, height, rows):
            strip = io.BytesIO()
            part = np.ascontiguousarray(pixels[top : top + rows, :, channel])
            Image.fromarray(part).save(strip, "TIFF", compression="tiff_lzw", tiffinfo={278: rows})
            tags = Image.open(io.BytesIO(strip.getvalue())).tag_v2
            strips.append(strip.getvalue()[tags[273][0] :][: tags[279][0]])
    count = len(strips)
    entries = [(256, 4, [width]), (257, 4, [height]), (258, 3, [8] * channels), (259, 3, [5]),
               (262, 3, [2]), (273, 4, [0] * count), (277, 3, [channels]), (278, 4, [rows]),
               (279, 4, [len(strip) for strip in strips]), (284, 3, [2])]  # fmt: skip

    def packed(kind, values):
        return struct.pack(f"<{len(values)}{'HI'[kind == 4]}", *values)

    beyond = 8 + 2 + 12 * len(entries) + 4
    at = beyond + sum(len(c) for _, k, v in entries if len(c := packed(k, v)) > 4)
    places = [at + sum(map(len, strips[:index])) for index in range(count)]
    table, more = b"", b""
    for tag, kind, values in entries:
        content = packed(kind, places if tag == 273 else values)
        table += struct.pack("<HHI", tag, kind, len(values))
        table += (
            struct.pack("<I", beyond + len(more)) if len(content) > 4 else content.ljust(4, b"\0")
        )
        more += content if len(content) > 4 else b""
    head = b"II*\0" + struct.pack("<IH", 8, len(entries))
    return head + table + bytes(4) + more + b"".join(strips)


@pytest.mark.parametrize("rows", [29, 64, 300])
def test_compressed_planes_of_many_rows(tmp_path, rng, rows, assert_loads):
    pixels = rng.integers(0, 8, (300, 40, 3), dtype=np.uint8) * 30
    (tmp_path / "a.tif").write_bytes(planar_lzw(pixels, rows))
    assert_loads(tmp_path / "a.tif", pixels, "srgb")


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float16", "float32"])
@pytest.mark.parametrize("how", [
    {}, {"compression": "zlib"}, {"compression": "zlib", "predictor": True},
    {"tile": (32, 32)}, {"tile": (32, 32), "compression": "zlib"}, {"bigtiff": True},
    {"planarconfig": "separate"}, {"planarconfig": "separate", "compression": "zlib"},
    {"planarconfig": "separate", "tile": (32, 32), "compression": "zlib"}, {"byteorder": ">"},
])  # fmt: skip
def test_ways_to_store_pixels(tmp_path, rng, how, dtype):
    pixels = (rng.random((300, 33, 3)) * (250 if dtype[0] == "u" else 1)).astype(dtype)
    stored = np.moveaxis(pixels, 2, 0) if "planarconfig" in how else pixels
    try:
        path = write(tmp_path / "a.tif", stored, **how)
    except (ImportError, KeyError, ValueError):
        pytest.skip("tifffile needs another package for it")
    np.testing.assert_array_equal(load_picture(path).pixels, pixels)


@pytest.mark.parametrize("kept", [0.5, 0.97])
def test_cut_off_planes(tmp_path, rng, kept):
    content = planar_lzw(rng.integers(0, 256, (300, 40, 3), dtype=np.uint8), 29)
    (tmp_path / "a.tif").write_bytes(content[: int(len(content) * kept)])
    with pytest.raises(PictureError, match="got a damaged or cut-off TIFF file"):
        load_picture(tmp_path / "a.tif")


def test_integers_of_32_bits_are_read_as_16(tmp_path, rng, caplog):
    pixels = rng.integers(0, 2**32, (7, 9, 3), dtype=np.uint32)
    path = write(tmp_path / "a.tif", pixels)
    found = load_picture(path)
    assert found.pixels.dtype == np.uint16 and found.color_space == "srgb"
    assert np.abs(found.pixels - pixels / 65537).max() <= 1
    said = f"{path}: got 32-bit integers, of which the upper 16 bits are read"
    assert caplog.messages == [said]


@pytest.mark.parametrize("dtype, message", [
    ("uint32", "got 32-bit integers that are all below 65536, need some up to 4294967295, which "
               "is white. Save it with 16 bits."),
    ("int16", "got int16 samples, need unsigned integers of 8 or 16 bits, half or float. Convert "
              "it first."),
    ("int32", "got int samples, need unsigned integers of 8 or 16 bits, half or float. Convert "
              "it first."),
])  # fmt: skip
def test_integers_without_a_white_are_refused(tmp_path, dtype, message):
    """Heights in meters and numbers of objects are stored so."""
    path = write(tmp_path / "a.tif", np.full((4, 4), 900, dtype))
    with pytest.raises(PictureError) as caught:
        load_picture(path)
    assert str(caught.value) == f"{path}: {message}"
