"""source/file_tags, tagged_colors: pictures come in as sRGB, whatever their files say of colors."""

import io
import struct

import numpy as np
import OpenImageIO
import pytest
from fixtures.icc_profiles import (
    P3_COLORANTS,
    SRGB_COLORANTS,
    SRGB_PARAMETERS,
    fixed,
    gamma,
    grey_profile,
    matrix_profile,
    parameters,
    profile,
    table_profile,
    with_chunks,
)
from PIL import Image, ImageCms

from neuralshade.source.color import linear_to_srgb, srgb_to_linear
from neuralshade.source.image_file import load_as_fitted, load_picture
from neuralshade.source.png16 import write_png16
from neuralshade.source.primaries import CICP_PRIMARIES, D65, to_rec709

P3 = matrix_profile(P3_COLORANTS, gamma(2.2), name="P3")
SRGB = matrix_profile(SRGB_COLORANTS, parameters(3, *SRGB_PARAMETERS), name="sRGB IEC61966-2.1")
GAMA_LINEAR = (b"gAMA", struct.pack(">I", 100_000))
GAMA_SRGB = (b"gAMA", struct.pack(">I", 45_455))
CHRM_SRGB = (b"cHRM", struct.pack(">8i", 31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000))
CHRM_P3 = (b"cHRM", struct.pack(">8i", 31270, 32900, 68000, 32000, 26500, 69000, 15000, 6000))
CICP_P3 = (b"cICP", bytes([12, 13, 0, 1]))
SRGB_CHUNK = (b"sRGB", b"\0")


@pytest.fixture
def colors(rng):
    return rng.integers(0, 256, (9, 11, 3), dtype=np.uint8)


def png(path, pixels, *chunks, **how):
    Image.fromarray(pixels).save(path, **how)
    return with_chunks(path, *chunks)


def p3_to_srgb(pixels, curve):
    """Return sRGB, [0, 255] and not rounded, of P3 pixels by a matrix of its own making."""
    light = curve(pixels / 255) @ to_rec709(CICP_PRIMARIES[12][1], D65).T
    return linear_to_srgb(np.clip(light, 0, 1)) * 255


def test_linear_gama(tmp_path, colors, caplog):
    path = png(tmp_path / "a.png", colors, GAMA_LINEAR)
    found = load_picture(path)
    np.testing.assert_array_equal(found.pixels, np.rint(linear_to_srgb(colors / 255) * 255))
    assert (found.color_space, found.tag) == ("srgb", None)
    assert caplog.messages == [f"{path}: its colors (gAMA 1) were converted to sRGB."]


@pytest.mark.parametrize("chunks", [
    [], [GAMA_SRGB], [CHRM_SRGB], [GAMA_SRGB, CHRM_SRGB], [SRGB_CHUNK, GAMA_LINEAR],
    [SRGB_CHUNK, CHRM_P3], [(b"cICP", bytes([1, 13, 0, 1])), GAMA_LINEAR],
    [(b"gAMA", bytes(3))], [(b"gAMA", struct.pack(">I", 45_000))],
])  # fmt: skip
def test_srgb_stays_as_it_is(tmp_path, colors, chunks, caplog):
    path = png(tmp_path / "a.png", colors, *chunks)
    np.testing.assert_array_equal(load_picture(path).pixels, colors)
    assert caplog.messages == []


@pytest.mark.parametrize("suffix", ["png", "tif", "webp", "avif", "jpg"])
def test_an_srgb_profile_changes_no_level(tmp_path, colors, suffix, caplog):
    how = {"webp": {"lossless": True}, "jpg": {"quality": 95}, "avif": {"quality": 90}}.get(
        suffix, {}
    )
    plain = tmp_path / f"plain.{suffix}"
    Image.fromarray(colors).save(plain, **how)
    for number, made in enumerate([SRGB, ImageCms.ImageCmsProfile(
            ImageCms.createProfile("sRGB")).tobytes()]):  # fmt: skip
        path = tmp_path / f"{number}.{suffix}"
        Image.fromarray(colors).save(path, icc_profile=made, **how)
        np.testing.assert_array_equal(load_picture(path).pixels, load_picture(plain).pixels)
    assert caplog.messages == []


@pytest.mark.parametrize("suffix", ["png", "tif", "webp", "jpg", "avif"])
def test_a_profile_is_applied(tmp_path, suffix, caplog):
    ramp = np.arange(0, 256, 4, dtype=np.uint8)
    colors = np.stack([np.tile(ramp, (64, 1)), np.tile(ramp[:, None], (1, 64)),
                       np.full((64, 64), 90, np.uint8)], axis=2)  # fmt: skip
    how = {"webp": {"lossless": True}}.get(suffix, {})
    path = tmp_path / f"a.{suffix}"
    Image.fromarray(colors).save(path, icc_profile=P3, **how)
    found = load_picture(path).pixels
    stored = load_picture(path, colors=False).pixels
    # 2.2 is 563/256 in the profile, and its colorants have four digits: within a level
    assert np.abs(found - p3_to_srgb(stored, lambda v: v ** (563 / 256))).max() < 1
    assert caplog.messages[0].startswith(f"{path}: its colors (P3) were converted to sRGB. ")
    assert "of the pixels lay outside sRGB and were clipped" in caplog.messages[0]


@pytest.mark.parametrize("chunks", [[CICP_P3, GAMA_LINEAR], [CHRM_P3], [GAMA_SRGB, CHRM_P3]])
def test_primaries_of_png(tmp_path, colors, chunks):
    found = load_picture(png(tmp_path / "a.png", colors, *chunks)).pixels
    assert np.abs(found - p3_to_srgb(colors, srgb_to_linear)).max() < 0.6


def test_the_profile_goes_before_gamma(tmp_path, colors):
    path = png(tmp_path / "a.png", colors, GAMA_LINEAR, icc_profile=SRGB)
    np.testing.assert_array_equal(load_picture(path).pixels, colors)


@pytest.mark.parametrize("mode, channels", [("L", 1), ("LA", 2), ("RGBA", 4)])
def test_alpha_and_grey(tmp_path, rng, mode, channels):
    pixels = rng.integers(0, 256, (5, 6, channels), dtype=np.uint8)
    path = png(tmp_path / "a.png", pixels[..., 0] if mode == "L" else pixels, GAMA_LINEAR)
    expected = np.rint(linear_to_srgb(pixels / 255) * 255)
    if channels in (2, 4):
        expected[..., -1] = pixels[..., -1]
    np.testing.assert_array_equal(load_picture(path).pixels, expected)


def test_16_bits_stay_16(tmp_path):
    ramp = np.arange(0, 65536, 97, dtype=np.uint16).reshape(1, -1, 1)
    write_png16(tmp_path / "a.png", ramp)
    found = load_picture(with_chunks(tmp_path / "a.png", GAMA_LINEAR)).pixels
    assert found.dtype == np.uint16
    expected = linear_to_srgb(ramp / 65535) * 65535
    assert np.abs(found - expected).max() < 0.6  # of a level of 65535


def test_a_grey_profile_of_colors(tmp_path, colors):
    """A profile of grey in a picture of color is of three equal curves."""
    path = tmp_path / "a.tif"
    Image.fromarray(colors).save(path, icc_profile=grey_profile(gamma(1.0)))
    expected = np.rint(linear_to_srgb(colors / 255) * 255)
    np.testing.assert_array_equal(load_picture(path).pixels, expected)


def lab_of_inks(inks):
    light = 1 - np.clip(inks[:, :3].mean(1) + inks[:, 3], 0, 1)
    return np.stack([255 * light, 128 + 60 * (inks[:, 1] - inks[:, 0]),
                     128 + 60 * (inks[:, 2] - inks[:, 1])], axis=1)  # fmt: skip


@pytest.mark.parametrize("suffix", ["jpg", "tif"])
def test_inks_are_converted_by_their_profile(tmp_path, suffix, caplog):
    image = Image.new("CMYK", (16, 16), (200, 30, 60, 20))
    made = table_profile(b"CMYK", lab_of_inks)
    path = tmp_path / f"a.{suffix}"
    image.save(path, icc_profile=made, **({"quality": 100} if suffix == "jpg" else {}))
    transform = ImageCms.buildTransform(
        io.BytesIO(made), ImageCms.createProfile("sRGB"),
        "CMYK", "RGB", ImageCms.Intent.RELATIVE_COLORIMETRIC,
        ImageCms.Flags.BLACKPOINTCOMPENSATION,
    )  # fmt: skip
    expected = np.asarray(ImageCms.applyTransform(image, transform)).astype(int)
    assert np.abs(load_picture(path).pixels - expected).max() <= 3
    assert caplog.messages == [f"{path}: its colors (table) were converted to sRGB."]


def test_a_profile_of_tables(tmp_path, colors, caplog):
    made = table_profile(b"RGB ", lambda n: np.stack(
        [255 * n.mean(1), 128 + 60 * (n[:, 0] - n[:, 1]), 128 + 60 * (n[:, 1] - n[:, 2])], axis=1
    ))  # fmt: skip
    path = tmp_path / "a.png"
    Image.fromarray(colors).save(path, icc_profile=made)
    assert (load_picture(path).pixels != colors).any()
    assert caplog.messages == [f"{path}: its colors (table) were converted to sRGB."]
    caplog.clear()
    spec = OpenImageIO.ImageSpec(11, 9, 3, "uint16")
    content = np.frombuffer(made, np.uint8)
    spec.attribute("ICCProfile", OpenImageIO.TypeDesc(f"uint8[{len(content)}]"), content)
    writer = OpenImageIO.ImageOutput.create(str(path))
    wide = colors.astype(np.uint16) * 257
    assert writer.open(str(path), spec) and writer.write_image(wide) and writer.close()
    np.testing.assert_array_equal(load_picture(path).pixels, wide)
    assert caplog.messages == [
        f"{path}: its colors (table) are of a kind that is not converted, and taken as sRGB. "
        "Convert the picture to sRGB first."
    ]


@pytest.mark.parametrize("chunks, name", [
    ([(b"cICP", bytes([1, 9, 0, 1]))], "BT.709 transfer 9 of CICP"),
    ([(b"cICP", bytes([77, 13, 0, 1]))], "primaries 77 sRGB of CICP"),
    ([(b"cICP", bytes([9, 16, 0, 0]))], "BT.2020 PQ, narrow range"),
    ([(b"gAMA", struct.pack(">I", 0))], "gAMA 0"),
])  # fmt: skip
def test_what_is_not_converted_is_named(tmp_path, colors, chunks, name, caplog):
    path = png(tmp_path / "a.png", colors, *chunks)
    np.testing.assert_array_equal(load_picture(path).pixels, colors)
    assert caplog.messages == [
        f"{path}: its colors ({name}) are of a kind that is not converted, and taken as sRGB. "
        "Convert the picture to sRGB first."
    ]


def test_numbers_are_not_converted(tmp_path, colors, caplog):
    path = png(tmp_path / "a.png", colors, GAMA_LINEAR)
    found = load_picture(path, colors=False)
    np.testing.assert_array_equal(found.pixels, colors)
    assert found.tag.name == "gAMA 1" and caplog.messages == []


def test_what_was_fitted_as_it_is_stored_is_still_known(tmp_path, colors, caplog):
    path = png(tmp_path / "a.png", colors, GAMA_LINEAR)
    stored, converted = load_picture(path, colors=False), load_picture(path)
    caplog.clear()
    assert load_as_fitted(path, stored.digest).digest == stored.digest
    assert caplog.messages == [
        f"{path}: its colors (gAMA 1) are taken as they are stored, as they were fitted."
    ]
    for digest in (converted.digest, None, "0" * 64):
        assert load_as_fitted(path, digest).digest == converted.digest


def test_a_profile_in_jpeg_2000(tmp_path, colors):
    """Pillow writes no profile into JPEG 2000: the box of colors is put in by hand."""
    path = tmp_path / "a.jp2"
    Image.fromarray(colors).save(path)
    content = path.read_bytes()
    at = content.index(b"colr") - 4
    (size,) = struct.unpack_from(">I", content, at)
    box = b"colr\2\0\0" + P3
    box = struct.pack(">I", len(box) + 4) + box
    head = content.index(b"jp2h") - 4
    (whole,) = struct.unpack_from(">I", content, head)
    grown = struct.pack(">I", whole + len(box) - size)
    path.write_bytes(content[:head] + grown + content[head + 4 : at] + box + content[at + size :])
    found = load_picture(path).pixels
    assert np.abs(found - p3_to_srgb(colors, lambda v: v ** (563 / 256))).max() < 1.1


def test_a_broken_profile_in_a_jpeg(tmp_path, colors, caplog):
    path = tmp_path / "a.jpg"
    Image.fromarray(colors).save(path, icc_profile=profile({b"rXYZ": fixed(1)}))
    load_picture(path)
    assert len(caplog.messages) == 1 and "not converted" in caplog.messages[0]


def test_an_image_in_memory(tmp_path, colors):
    path = png(tmp_path / "a.png", colors, icc_profile=P3)
    with Image.open(path) as image:
        np.testing.assert_array_equal(load_picture(image).pixels, load_picture(path).pixels)
    path = png(tmp_path / "b.png", colors, icc_profile=SRGB)
    with Image.open(path) as image:
        np.testing.assert_array_equal(load_picture(image).pixels, colors)
