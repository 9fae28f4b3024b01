"""source/header_tags: TIFF, BMP and TGA files say how their colors are meant without a profile."""

import contextlib
import struct

import numpy as np
import pytest
from fixtures.icc_profiles import P3_COLORANTS, SRGB_COLORANTS, gamma, matrix_profile
from PIL import Image
from PIL.TiffImagePlugin import ImageFileDirectory_v2

from neuralshade.errors import PictureError
from neuralshade.source.color import linear_to_srgb, srgb_to_linear
from neuralshade.source.image_file import load_picture
from neuralshade.source.primaries import CICP_PRIMARIES, D65, REC709, to_rec709

P3 = CICP_PRIMARIES[12][1]
P3_MATRIX = to_rec709(P3, D65)
WHITE, ENDS, TRANSFER = 318, 319, 301
KEPT = " are of a kind that is not converted, and taken as sRGB. Convert the picture to sRGB first."


@pytest.fixture
def colors(rng):
    return rng.integers(0, 256, (9, 11, 3), dtype=np.uint8)


def encoded(light):
    """Return [0, 255], not rounded."""
    return linear_to_srgb(np.clip(light, 0, 1)) * 255


def tiff(path, pixels, fields, **how):
    directory = ImageFileDirectory_v2()
    for field, values in fields.items():
        directory[field] = values
        directory.tagtype[field] = 3 if field == TRANSFER else 5
    Image.fromarray(pixels).save(path, tiffinfo=directory, **how)
    return path


def table(exponent, bits=8):
    return tuple(np.rint(np.linspace(0, 1, 1 << bits) ** exponent * 65535).astype(int).tolist())


@pytest.mark.parametrize("big", [False, True])
def test_primaries_of_tiff(tmp_path, colors, caplog, big):
    path = tiff(tmp_path / "a.tif", colors, {WHITE: D65, ENDS: P3}, big_tiff=big)
    found = load_picture(path).pixels
    assert np.abs(found - encoded(srgb_to_linear(colors / 255) @ P3_MATRIX.T)).max() < 0.6
    assert caplog.messages[0].startswith(f"{path}: its colors (PrimaryChromaticities) were conv")


def test_the_transfer_function_of_tiff(tmp_path, colors):
    one = tiff(tmp_path / "a.tif", colors, {TRANSFER: table(1.4)})
    three = tiff(tmp_path / "b.tif", colors, {TRANSFER: table(1.4) + table(1) + table(3)})
    light = colors / 255
    assert np.abs(load_picture(one).pixels - encoded(light**1.4)).max() < 0.6
    assert np.abs(load_picture(three).pixels - encoded(light ** [1.4, 1, 3])).max() < 0.6


def test_grey_has_a_transfer_function_and_no_primaries(tmp_path, colors):
    fields = {TRANSFER: table(1.0), WHITE: D65, ENDS: P3}
    found = load_picture(tiff(tmp_path / "a.tif", colors[..., 0], fields)).pixels[..., 0]
    assert np.abs(found - encoded(colors[..., 0] / 255)).max() < 0.6


@pytest.mark.parametrize("fields", [
    {WHITE: D65, ENDS: REC709}, {WHITE: D65}, {TRANSFER: tuple(
        np.rint(srgb_to_linear(np.linspace(0, 1, 256)) * 65535).astype(int).tolist())},
])  # fmt: skip
def test_a_tiff_of_srgb_stays_as_it_is(tmp_path, colors, caplog, fields):
    np.testing.assert_array_equal(
        load_picture(tiff(tmp_path / "a.tif", colors, fields)).pixels, colors
    )
    assert caplog.messages == []


def test_a_profile_of_a_tiff_goes_before(tmp_path, colors):
    profile = matrix_profile(SRGB_COLORANTS, gamma(1.0))
    path = tiff(tmp_path / "a.tif", colors, {WHITE: D65, ENDS: P3}, icc_profile=profile)
    found = load_picture(path).pixels
    assert np.abs(found - encoded(colors / 255)).max() < 1


def test_numbers_of_a_tiff_without_sense_are_said(tmp_path, colors, caplog):
    for fields, name in (({WHITE: D65, ENDS: (0.3,) * 6}, "PrimaryChromaticities"),
                         ({ENDS: P3}, "PrimaryChromaticities"),
                         ({TRANSFER: (0, 9)}, "TransferFunction")):  # fmt: skip
        caplog.clear()
        path = tiff(tmp_path / "a.tif", colors, fields)
        np.testing.assert_array_equal(load_picture(path).pixels, colors)
        assert caplog.messages == [f"{path}: its colors ({name}){KEPT}"]


def test_each_page_of_a_tiff_has_its_own(tmp_path, colors):
    """The first one is a thumbnail here."""
    other = tiff(tmp_path / "other.tif", colors, {WHITE: D65, ENDS: P3})
    thumbnail = ImageFileDirectory_v2()
    thumbnail[254] = 1
    page = ImageFileDirectory_v2()
    page[WHITE], page[ENDS] = D65, P3
    page.tagtype[WHITE] = page.tagtype[ENDS] = 5
    big = Image.fromarray(colors)
    big.encoderinfo = {"tiffinfo": page}
    Image.fromarray(colors[:2, :3]).save(tmp_path / "a.tif", save_all=True, append_images=[big],
                                         tiffinfo=thumbnail)  # fmt: skip
    np.testing.assert_array_equal(
        load_picture(tmp_path / "a.tif").pixels, load_picture(other).pixels
    )


def test_numbers_such_as_normals_are_left_alone(tmp_path, colors):
    path = tiff(tmp_path / "a.tif", colors, {WHITE: D65, ENDS: P3})
    np.testing.assert_array_equal(load_picture(path, colors=False).pixels, colors)


def bmp(path, pixels, space, ends=(0,) * 9, gammas=(0, 0, 0), profile=b""):
    """Write 24 bits with a header of version 5: end points of 2.30 bits, gammas of 16.16."""
    height, width = pixels.shape[:2]
    row_bytes = -(-3 * width // 4) * 4
    rows = np.zeros((height, row_bytes), np.uint8)
    rows[:, : 3 * width] = pixels[::-1, :, ::-1].reshape(height, -1)
    header = struct.pack("<IiiHHIIiiII", 124, width, height, 1, 24, 0, rows.size, 0, 0, 0, 0)
    header += bytes(16) + struct.pack("<I", space)
    header += struct.pack("<9i", *(round(end * 2**30) for end in ends))
    header += struct.pack("<3I", *(round(one * 65536) for one in gammas))
    header += struct.pack("<4I", 4, 124 + rows.size, len(profile), 0)
    start = struct.pack("<2sIHHI", b"BM", 138 + rows.size + len(profile), 0, 0, 138)
    path.write_bytes(start + header + rows.tobytes() + profile)
    return path


def with_z(primaries):
    """Return x, y and z of each."""
    return tuple(np.ravel([(x, y, 1 - x - y) for x, y in np.reshape(primaries, (3, 2))]).tolist())


SRGB_XYZ = (0.4124, 0.2126, 0.0193, 0.3576, 0.7152, 0.1192, 0.1805, 0.0722, 0.9505)
S_RGB, WINDOWS, EMBEDDED, LINKED = 0x73524742, 0x57696E20, 0x4D424544, 0x4C494E4B


def test_a_calibrated_bmp(tmp_path, colors, caplog):
    path = bmp(tmp_path / "a.bmp", colors, 0, with_z(P3), (1.4, 1.4, 1.4))
    found = load_picture(path).pixels
    assert np.abs(found - encoded((colors / 255) ** 1.4 @ P3_MATRIX.T)).max() < 0.6
    said = f"{path}: its colors (a header of gamma 1.4 and end points) were converted to sRGB."
    assert caplog.messages[0].startswith(said)
    linear = bmp(tmp_path / "b.bmp", colors, 0, gammas=(1, 1, 1))
    assert np.abs(load_picture(linear).pixels - encoded(colors / 255)).max() < 0.6


@pytest.mark.parametrize("how", [
    {"space": 0}, {"space": S_RGB, "gammas": (1, 1, 1)}, {"space": WINDOWS, "ends": with_z(P3)},
    {"space": 0, "ends": with_z(REC709), "gammas": (2.2,) * 3}, {"space": 0, "ends": SRGB_XYZ},
])  # fmt: skip
def test_a_bmp_of_srgb_stays_as_it_is(tmp_path, colors, caplog, how):
    np.testing.assert_array_equal(
        load_picture(bmp(tmp_path / "a.bmp", colors, **how)).pixels, colors
    )
    assert caplog.messages == []


def test_a_profile_within_a_bmp(tmp_path, colors):
    profile = matrix_profile(P3_COLORANTS, gamma(1.8), name="P3")
    found = load_picture(bmp(tmp_path / "a.bmp", colors, EMBEDDED, profile=profile)).pixels
    path = tmp_path / "a.png"
    Image.fromarray(colors).save(path, icc_profile=profile)
    np.testing.assert_array_equal(found, load_picture(path).pixels)


@pytest.mark.parametrize("how, name", [
    ({"space": LINKED}, "an ICC profile in a file of its own"),
    ({"space": EMBEDDED, "profile": b"none"}, "no ICC profile"),
    ({"space": 0, "gammas": (0.45,) * 3}, "a header of gamma 0.45"),
    ({"space": 0, "gammas": (2.2, 0, 2.2)}, "a header of gamma 2.2, 0"),
    ({"space": 0, "ends": (0.3,) * 3 + (-0.1,) * 6}, "a header of end points"),
])  # fmt: skip
def test_what_a_bmp_says_that_is_not_converted(tmp_path, colors, caplog, how, name):
    path = bmp(tmp_path / "a.bmp", colors, **how)
    np.testing.assert_array_equal(load_picture(path).pixels, colors)
    assert caplog.messages == [f"{path}: its colors ({name}){KEPT}"]


def targa(path, pixels, above, below, table=0):
    """Write 24 bits with an extension area, as TGA 2.0 has it."""
    height, width = pixels.shape[:2]
    head = struct.pack("<BBBHHBHHHHBB", 0, 0, 2, 0, 0, 0, 0, 0, width, height, 24, 0x20)
    data = np.ascontiguousarray(pixels[..., ::-1]).tobytes()
    area = struct.pack("<H", 495) + bytes(476) + struct.pack("<HHI", above, below, table) + bytes(9)
    footer = struct.pack("<2I", len(head) + len(data), 0) + b"TRUEVISION-XFILE.\0"
    assert len(area) == 495
    path.write_bytes(head + data + area + footer)
    return path


@pytest.mark.parametrize("above, below, exponent", [(1, 1, 1), (18, 10, 1.8)])
def test_the_gamma_of_a_targa(tmp_path, colors, caplog, above, below, exponent):
    path = targa(tmp_path / "a.tga", colors, above, below)
    found = load_picture(path).pixels
    assert np.abs(found - encoded((colors / 255) ** exponent)).max() < 0.6
    assert caplog.messages == [f"{path}: its colors (gamma {exponent:g}) were converted to sRGB."]


@pytest.mark.parametrize("above, below", [(0, 0), (22, 10), (1, 0), (0, 1)])
def test_a_targa_of_srgb_stays_as_it_is(tmp_path, colors, caplog, above, below):
    np.testing.assert_array_equal(
        load_picture(targa(tmp_path / "a.tga", colors, above, below)).pixels, colors
    )
    assert caplog.messages == []


def test_what_a_targa_says_that_is_not_converted(tmp_path, colors, caplog):
    for numbers, name in (((45, 100), "gamma 0.45"), ((0, 0, 600), "a table of color correction")):
        caplog.clear()
        path = targa(tmp_path / "a.tga", colors, *numbers)
        np.testing.assert_array_equal(load_picture(path).pixels, colors)
        assert caplog.messages == [f"{path}: its colors ({name}){KEPT}"]


@pytest.mark.parametrize("place", range(0, 420, 7))
def test_any_byte_of_a_tiff_may_be_another(tmp_path, colors, place):
    """What refuses it then is the reader of pixels, by its own error."""
    whole = tiff(tmp_path / "a.tif", colors, {WHITE: D65, ENDS: P3}, big_tiff=True).read_bytes()
    for value in (0, 0x7F, 0xFF):
        (tmp_path / "b.tif").write_bytes(whole[:place] + bytes([value]) + whole[place + 1 :])
        with contextlib.suppress(PictureError):
            load_picture(tmp_path / "b.tif")


def radiance(path, *lines):
    """Write two pixels that are the same: 1, 0.5 and 0.25."""
    header = b"\n".join((b"#?RADIANCE", *lines, b"", b"-Y 1 +X 2", b""))
    path.write_bytes(header + bytes((128, 64, 32, 129)) * 2)
    return path


RGBE = b"FORMAT=32-bit_rle_rgbe"
OF_P3 = b"PRIMARIES= 0.68 0.32 0.265 0.69 0.15 0.06 0.3127 0.329"


def test_primaries_of_radiance(tmp_path, caplog):
    path = radiance(tmp_path / "a.hdr", RGBE, OF_P3)
    found = load_picture(path)
    np.testing.assert_allclose(found.pixels[0, 0], P3_MATRIX @ [1, 0.5, 0.25], atol=1e-6)
    assert found.color_space == "linear"
    assert caplog.messages == [
        f"{path}: its colors (its primaries) were converted to linear light."
    ]


@pytest.mark.parametrize("line", [
    b"EXPOSURE=1", b"PRIMARIES= 0.64 0.33 0.3 0.6 0.15 0.06 0.3127 0.329", b"# PRIMARIES=1 2",
])  # fmt: skip
def test_radiance_of_srgb_stays_as_it_is(tmp_path, caplog, line):
    found = load_picture(radiance(tmp_path / "a.hdr", line, RGBE)).pixels
    np.testing.assert_array_equal(found[0, 1], [1, 0.5, 0.25])
    assert caplog.messages == []


def test_primaries_of_radiance_without_sense_are_said(tmp_path, caplog):
    for number, line in enumerate((b"PRIMARIES= 1 2", b"PRIMARIES= a b", b"PRIMARIES=")):
        path = radiance(tmp_path / f"{number}.hdr", RGBE, line)
        np.testing.assert_array_equal(load_picture(path).pixels[0, 0], [1, 0.5, 0.25])
        assert caplog.messages[-1].startswith(f"{path}: its colors (PRIMARIES) are of a kind that")


def test_radiance_in_xyz_is_named(tmp_path, same_message):
    path = radiance(tmp_path / "a.hdr", b"FORMAT=32-bit_rle_xyze")
    with pytest.raises(PictureError) as caught:
        load_picture(path)
    same_message(str(caught.value), path, "Save")
