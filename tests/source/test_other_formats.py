"""source/image_file, pillow_file: JPEG XL, JPEG 2000, AVIF, PSD and PFM; every suffix is known."""

import re
import struct
from pathlib import Path

import numpy as np
import OpenImageIO
import pytest
from PIL import Image

import neuralshade.live
from neuralshade.errors import PictureError
from neuralshade.source.file_kind import PICTURE_SUFFIXES
from neuralshade.source.image_file import load_picture
from neuralshade.source.iso_boxes import bits_and_cicp
from neuralshade.source.material_set import load_material_set


def smooth(channels):
    y, x = np.mgrid[:40, :48] / 48
    return np.stack([x, y, (x + y) / 2, 0.25 + x / 2], axis=2)[..., :channels]


@pytest.mark.parametrize("sample, dtype", [("uint8", np.uint8), ("uint16", np.uint16)])
@pytest.mark.parametrize("channels", [1, 3, 4])
@pytest.mark.parametrize("suffix", ["jxl", "jp2"])
def test_lossless(tmp_path, suffix, channels, sample, dtype, write_samples, caplog):
    pixels = np.rint(smooth(channels) * np.iinfo(dtype).max).astype(dtype)
    how = {"Compression": "jpegxl:100"} if suffix == "jxl" else {}
    path = write_samples(tmp_path / f"a.{suffix}", pixels, sample, oiio__UnassociatedAlpha=1, **how)
    found = load_picture(path)
    assert (found.pixels.dtype, found.color_space) == (dtype, "srgb")
    off = np.iinfo(dtype).max * 0.1 if suffix == "jp2" else 0  # which the writer makes small
    assert np.abs(found.pixels.astype(int) - pixels).max() <= off
    assert caplog.messages == []


def test_light_of_jpeg_xl(tmp_path, write_samples):
    pixels = (smooth(3) * 4).astype(np.float32)
    path = write_samples(tmp_path / "a.jxl", pixels, "float", Compression="jpegxl:100")
    found = load_picture(path)
    assert (found.color_space, found.hdr) == ("linear", True)
    np.testing.assert_allclose(found.pixels, pixels, atol=1e-3)


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L"])
def test_avif(tmp_path, mode, caplog):
    pixels = np.rint(smooth(len(mode)) * 255).astype(np.uint8)
    Image.fromarray(pixels[..., 0] if mode == "L" else pixels).save(tmp_path / "a.avif", quality=95)
    found = load_picture(tmp_path / "a.avif").pixels
    expected = pixels.repeat(3, 2) if mode == "L" else pixels
    assert np.abs(found.astype(int) - expected).max() <= 8
    assert caplog.messages == []


def test_avif_of_ten_bits_says_what_is_lost(tmp_path, caplog, monkeypatch):
    path = tmp_path / "a.avif"
    Image.fromarray(np.zeros((8, 8, 3), np.uint8)).save(path)
    assert bits_and_cicp(path) == (8, (1, 13, 6, 1))
    monkeypatch.setattr("neuralshade.source.pillow_file.bits_and_cicp", lambda path: (10, None))
    load_picture(path)
    assert caplog.messages == [
        f"{path}: got 10 bits a sample, of which 8 are read. Save it as a PNG of 16 bits to keep "
        "them."
    ]


def test_avif_counts_against_the_memory_limit(tmp_path):
    Image.new("RGB", (40, 30)).save(tmp_path / "a.avif")
    with pytest.raises(PictureError, match="got 40 x 30 pixels of 3 uint8"):
        load_picture(tmp_path / "a.avif", memory_limit=40 * 30 * 3 - 1)


def test_orientation_of_avif(tmp_path):
    pixels = np.rint(smooth(3) * 255).astype(np.uint8)
    exif = Image.Exif()
    exif[0x112] = 6
    Image.fromarray(pixels).save(tmp_path / "a.avif", exif=exif, quality=95)
    found = load_picture(tmp_path / "a.avif").pixels
    assert np.abs(found - np.rot90(pixels, -1).astype(int)).max() <= 8


@pytest.mark.parametrize("channels", [3, 4])
@pytest.mark.parametrize("version, sides", [(1, "I"), (2, "I")])
def test_psd(tmp_path, rng, channels, version, sides):
    pixels = rng.integers(1, 256, (6, 5, channels), dtype=np.uint8)
    head = b"8BPS" + struct.pack(">H6xHIIHH", version, channels, 6, 5, 8, 3)
    empty = struct.pack(">II", 0, 0) + bytes(4 if version == 1 else 8)
    data = struct.pack(">H", 0) + np.moveaxis(pixels, 2, 0).tobytes()
    (tmp_path / "a.psd").write_bytes(head + empty + data)
    np.testing.assert_array_equal(load_picture(tmp_path / "a.psd").pixels[..., :3], pixels[..., :3])


@pytest.mark.parametrize("letter, channels", [(b"F", 3), (b"f", 1)])
def test_pfm(tmp_path, rng, letter, channels):
    pixels = rng.normal(size=(6, 5, channels)).astype("<f4")
    (tmp_path / "a.pfm").write_bytes(b"P%s\n5 6\n-1.0\n" % letter + pixels[::-1].tobytes())
    found = load_picture(tmp_path / "a.pfm")
    np.testing.assert_array_equal(found.pixels, pixels)
    assert found.color_space == "linear"


def test_maps_of_other_formats_make_a_set(tmp_path, write_samples):
    pixels = np.rint(smooth(3) * 255).astype(np.uint8)
    normal = np.full((40, 48, 3), (127, 128, 254), np.uint8)
    Image.fromarray(pixels).save(tmp_path / "rock_albedo.tga")
    Image.fromarray(normal).save(tmp_path / "rock_normal.png")
    Image.fromarray(pixels[..., 0]).save(tmp_path / "rock_roughness.jp2")
    Image.fromarray(pixels[..., 1]).save(tmp_path / "rock_height.dds")
    found = load_material_set(tmp_path)
    assert {"albedo", "normal", "roughness"} < {one.name for one in found.maps}
    np.testing.assert_allclose(found["albedo"].values, pixels / 255, atol=1e-6)


def test_the_page_offers_every_suffix():
    page = Path(neuralshade.live.__file__).parent / "page"
    offered = re.findall(r'accept="image/\*,([^"]+)"', (page / "index.html").read_text())
    assert len(offered) == 2
    by_browsers = {".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp", ".jpe"}  # that are image/*
    for one in offered:
        assert set(PICTURE_SUFFIXES) - by_browsers <= set(one.split(","))
    known = re.search(r'new RegExp\("\\\\\.\((.*?)\)\$"', (page / "files.js").read_text(), re.S)[1]
    named = set(re.sub(r'"\s*\+\s*"', "", known).split("|"))
    assert {suffix[1:] for suffix in PICTURE_SUFFIXES} <= named


def test_openimageio_knows_these_readers():
    """A build of it without one would refuse its files as damaged."""
    known = OpenImageIO.get_string_attribute("input_format_list").split(",")
    assert {"targa", "psd", "jpeg2000", "jpegxl", "dds", "openexr", "tiff"} <= set(known)
