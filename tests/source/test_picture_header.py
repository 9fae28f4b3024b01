"""source/picture_header: sizes by headers, and what is broken told without decoding."""

import numpy as np
import pytest
from PIL import Image

import neuralshade
from neuralshade.errors import PictureError
from neuralshade.source.file_kind import file_kind
from neuralshade.source.image_file import load_picture
from neuralshade.source.picture_header import header_size


@pytest.mark.parametrize("suffix", ["png", "jpg", "webp", "gif", "tif", "bmp", "ppm", "tga"])
def test_sizes_are_those_of_the_pixels(tmp_path, suffix):
    path = tmp_path / f"a.{suffix}"
    Image.fromarray(np.full((5, 9, 3), 200, np.uint8)).save(path)
    assert header_size(path) == (9, 5)


def test_floats_and_names_that_are_no_text(tmp_path):
    for name in ("a.exr", "b\udcff.exr"):
        neuralshade.save_picture(tmp_path / name, np.full((3, 7, 3), 2.0, np.float32), "linear")
        assert header_size(tmp_path / name) == (7, 3)


def test_a_png_that_is_cut_anywhere_is_refused_as_its_pixels_would_be(tmp_path, capfd):
    path = tmp_path / "a.png"
    noise = np.random.default_rng(1).integers(0, 256, (64, 64, 3), np.uint8)
    Image.fromarray(noise).save(path)
    whole = path.read_bytes()
    for length in (0, 7, 12, 20, 30, 40, len(whole) // 2, len(whole) - 13):
        path.write_bytes(whole[:length])
        with pytest.raises(PictureError) as by_header:
            header_size(path)
        with pytest.raises(PictureError) as by_pixels:
            load_picture(path)
        assert str(by_header.value) == str(by_pixels.value)
    assert capfd.readouterr().err == ""  # libpng prints there


def test_pixels_are_not_read(tmp_path):
    path = tmp_path / "a.png"
    Image.new("RGB", (64, 64), "teal").save(path)
    damaged = bytearray(path.read_bytes())
    damaged[-20] ^= 255  # within the pixels: their checksum is wrong
    path.write_bytes(damaged)
    assert header_size(path) == (64, 64) and file_kind(path, whole=False) == "png"
    with pytest.raises(PictureError, match="damaged"):
        load_picture(path)


@pytest.mark.parametrize("suffix", ["jpg", "tif", "exr", "webp", "hdr", "tga"])
def test_other_files_that_are_cut_in_their_header_are_refused(tmp_path, suffix):
    path = tmp_path / f"a.{suffix}"
    floats = np.full((16, 16, 3), 0.5, np.float32)
    neuralshade.save_picture(tmp_path / "a.exr", floats, "linear")
    if suffix not in ("exr", "hdr"):
        Image.fromarray(np.uint8(255 * floats)).save(path)
    elif suffix == "hdr":
        path.write_bytes(b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 16 +X 16\n")
        path.write_bytes(path.read_bytes()[:-8])
    path.write_bytes(path.read_bytes()[:30])
    with pytest.raises(PictureError, match=str(path)):
        header_size(path)
