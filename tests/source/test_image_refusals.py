"""source/image_file: what cannot be fitted is refused in one line, before it costs anything."""

import os
import struct
import zlib

import numpy as np
import OpenImageIO
import pytest
from PIL import Image

from neuralshade.errors import PictureError
from neuralshade.source.image_file import load_picture

FORMATS = (
    "PNG, JPEG, WebP, GIF, TIFF, BMP, PPM/PGM, OpenEXR, Radiance HDR, TGA, PSD, JPEG 2000, "
    "JPEG XL, AVIF, DDS, KTX2"
)


def refusal(path, **options):
    with pytest.raises(PictureError) as caught:
        load_picture(path, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def write(path, pixels, sample, names=None):
    spec = OpenImageIO.ImageSpec(pixels.shape[1], pixels.shape[0], pixels.shape[2], sample)
    if names is not None:
        spec.channelnames = names
    writer = OpenImageIO.ImageOutput.create(str(path))
    assert writer.open(str(path), spec) and writer.write_image(pixels) and writer.close()
    return path


def whole(path, rng):
    """Write 40 x 60 random pixels in the format of the suffix."""
    pixels = rng.integers(0, 256, (40, 60, 3), dtype=np.uint8)
    if path.suffix in (".exr", ".hdr"):
        return write(path, pixels.astype(np.float32), "float")
    Image.fromarray(pixels).save(path)
    return path


def test_no_such_file(tmp_path):
    path = tmp_path / "absent.png"
    assert refusal(path) == f"{path}: got no such file, need a picture. Check the path."


def test_folder(tmp_path):
    assert refusal(tmp_path) == (
        f"{tmp_path}: got a folder, need a picture. Name one file inside it."
    )


def test_file_below_a_file(tmp_path, same_message):
    (tmp_path / "file").write_bytes(b"")
    path = tmp_path / "file/a.png"
    same_message(refusal(path), path, "Check")


def test_empty_file(tmp_path, same_message):
    path = tmp_path / "a.png"
    path.touch()
    same_message(refusal(path), path, "Copy")


@pytest.mark.parametrize("name, content", [
    ("text.png", b"hello, I am not a picture"),
    ("text.jpg", b"P 5"),
    ("a.tga", b"hello, I am not a picture"),
    ("start.png", b"\x89PNG"),
    ("a.webp", b"RIFF\x24\x00\x00\x00WAVEfmt "),
])  # fmt: skip
def test_other_kind_of_file(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    assert refusal(path) == (
        f"{path}: got no picture of a known format, need one of {FORMATS}. Convert it first."
    )


@pytest.mark.parametrize("got, start", [
    ("no picture of a known format", b"\0\0\1\0\1\0"),  # an icon
    ("a HEIF file", b"\0\0\0\x18ftypheic\0\0\0\0mif1heic"),
    ("a KTX 1 file", b"\xabKTX 11\xbb\r\n\x1a\n"),
    ("a Basis Universal file", b"sB\x13\0"),
    ("a GIMP file", b"gimp xcf v011\0"),
    ("a PDF file", b"%PDF-1.7"),
    ("a SVG file", b"<svg xmlns='http://www.w3.org/2000/svg'/>"),
])  # fmt: skip
def test_formats_that_are_not_taken(tmp_path, got, start):
    path = tmp_path / "a.png"
    path.write_bytes(start.ljust(40, b" "))
    assert refusal(path) == f"{path}: got {got}, need one of {FORMATS}. Convert it first."


@pytest.mark.parametrize("suffix", [".dng", ".nef", ""])
def test_raw_files_are_not_taken_for_their_thumbnail(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    Image.new("RGB", (4, 4)).save(path, "TIFF")
    assert refusal(path) == (
        f"{path}: got a TIFF file with suffix '{suffix}', need .tif or .tiff. "
        "Develop a camera's raw file first; rename a plain TIFF."
    )


@pytest.mark.parametrize("kept", [0.3, 0.7, 0.99])
@pytest.mark.parametrize("suffix, kind", [
    (".jpg", "JPEG"), (".png", "PNG"), (".webp", "WebP"), (".tiff", "TIFF"), (".bmp", "BMP"),
    (".ppm", "PPM/PGM"), (".exr", "OpenEXR"), (".hdr", "Radiance HDR"), (".tga", "TGA"),
    (".jp2", "JPEG 2000"), (".avif", "AVIF"), (".dds", "DDS"),
])  # fmt: skip
def test_cut_off_file(tmp_path, rng, suffix, kind, kept, capfd):
    path = whole(tmp_path / f"a{suffix}", rng)
    load_picture(path)
    os.truncate(path, int(path.stat().st_size * kept))
    assert refusal(path) == (
        f"{path}: got a damaged or cut-off {kind} file, need a whole one. "
        "Copy or download it again."
    )
    assert capfd.readouterr() == ("", "")  # the decoding libraries print nothing of their own


@pytest.mark.parametrize("suffix, kind", [(".jpg", "JPEG"), (".png", "PNG")])
def test_two_bytes_short(tmp_path, rng, suffix, kind):
    path = whole(tmp_path / f"a{suffix}", rng)
    os.truncate(path, path.stat().st_size - 2)
    assert refusal(path) == (
        f"{path}: got a damaged or cut-off {kind} file, need a whole one. "
        "Copy or download it again."
    )


def test_progressive_jpeg_cut_off(tmp_path, rng, same_message):
    path = tmp_path / "a.jpg"
    pixels = rng.integers(0, 256, (40, 60, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(path, progressive=True)
    os.truncate(path, path.stat().st_size // 2)
    same_message(refusal(path), path, "Copy")


def test_one_wrong_bit_in_a_png(tmp_path, rng, capfd, same_message):
    path = whole(tmp_path / "a.png", rng)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 4
    path.write_bytes(content)
    same_message(refusal(path), path, "Copy")
    assert capfd.readouterr() == ("", "")


def test_the_reader_s_own_reason_is_kept_as_the_cause(tmp_path, rng):
    path = whole(tmp_path / "a.bmp", rng)
    os.truncate(path, 1000)
    with pytest.raises(PictureError) as caught:
        load_picture(path)
    assert isinstance(caught.value.__cause__, OSError) and str(caught.value.__cause__)


def chunk(kind, content):
    checksum = struct.pack(">I", zlib.crc32(kind + content))
    return struct.pack(">I", len(content)) + kind + content + checksum


def png_header(width, height):
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header


@pytest.mark.parametrize("name, content", [
    ("a.ppm", b"P6\n0 3\n255\n"),
    ("a.hdr", b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 0 +X 3\n"),
    ("a.png", png_header(3, 0) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")),
])  # fmt: skip
def test_no_pixels(tmp_path, name, content, capfd, same_message):
    path = tmp_path / name
    path.write_bytes(content)
    same_message(refusal(path), path, "Export")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("names, shown", [
    (("Z", "id"), "Z, id"),
    (("R", "B"), "R, B"),
    (("a.V", "b.V"), "a.V, b.V"),
    (tuple(f"id{i}.Z" for i in range(9)), ", ".join(f"id{i}.Z" for i in range(8)) + ", ..."),
])  # fmt: skip
def test_openexr_without_color(tmp_path, names, shown):
    path = write(tmp_path / "a.exr", np.zeros((2, 2, len(names)), np.float32), "float", names)
    stored = OpenImageIO.ImageInput.open(str(path)).spec().channelnames
    assert set(stored) == set(names)
    shown = shown if stored == names else ", ".join(stored)
    assert refusal(path) == (
        f"{path}: got channels {shown}, need R, G, B or Y, each with or without A. "
        "Rename the channels, or export the color."
    )


def test_openexr_in_luminance_and_chroma(tmp_path, same_message):
    path = write(tmp_path / "a.exr", np.zeros((2, 2, 3), np.float32), "float", ("Y", "RY", "BY"))
    same_message(refusal(path), path, "Export")


def test_openexr_with_color_in_two_layers(tmp_path, same_message):
    names = ("b.R", "b.G", "b.B", "a.Y")
    path = write(tmp_path / "a.exr", np.zeros((2, 2, 4), np.float32), "float", names)
    same_message(refusal(path), path, "Export")


@pytest.mark.parametrize("suffix, sample", [(".exr", "half"), (".exr", "float"), (".tif", "float")])
def test_not_finite(tmp_path, suffix, sample, same_message):
    pixels = np.zeros((3, 4, 3), np.float32)
    pixels[1, 2, 1] = np.nan
    path = write(tmp_path / f"a{suffix}", pixels, sample)
    same_message(refusal(path), path, "Replace")
    pixels[2, 0, 0], pixels[0, 3, 2] = np.inf, -np.inf
    write(path, pixels, sample)
    same_message(refusal(path), path, "Replace")


def test_samples_of_32_bit_integers(tmp_path, same_message):
    path = tmp_path / "a.tif"
    Image.fromarray(np.zeros((2, 2), np.int32)).save(path)
    same_message(refusal(path), path, "Convert")


def test_color_model_that_is_not_converted(tmp_path):
    path = tmp_path / "a.tif"
    Image.new("LAB", (2, 2)).save(path)
    assert refusal(path) == (f"{path}: got CIELAB color, need flat RGB or grey. Convert it first.")


@pytest.mark.parametrize("suffix", [".jpg", ".png", ".webp", ".tiff", ".bmp", ".ppm"])
def test_more_than_the_memory_limit(tmp_path, rng, suffix, same_message):
    path = whole(tmp_path / f"a{suffix}", rng)
    need = 40 * 60 * 3
    load_picture(path, memory_limit=need)
    same_message(refusal(path, memory_limit=need - 1), path, "memory_limit")


def test_memory_limit_counts_stored_samples(tmp_path, rng):
    path = whole(tmp_path / "a.exr", rng)
    load_picture(path, memory_limit=40 * 60 * 3 * 4)
    with pytest.raises(PictureError):
        load_picture(path, memory_limit=40 * 60 * 3 * 4 - 1)


def test_large_picture_is_refused_before_decoding(tmp_path, same_message):
    # Noise claimed to be 60000 x 60000 pixels: once decoded, it would be refused as cut off.
    path = tmp_path / "a.ppm"
    path.write_bytes(b"P6\n60000 60000\n255\n" + bytes(12_000_000))
    same_message(refusal(path), path, "memory_limit")


@pytest.mark.parametrize("name, content", [
    ("a.ppm", b"P6\n70000 70000\n255\n"),
    ("b.png", png_header(1_000_001, 1) + chunk(b"IEND", b"")),
])  # fmt: skip
def test_beyond_the_reader_s_own_limit(tmp_path, name, content, capfd, same_message):
    path = tmp_path / name
    path.write_bytes(content)
    same_message(refusal(path), path, "Scale")
    assert capfd.readouterr() == ("", "")
