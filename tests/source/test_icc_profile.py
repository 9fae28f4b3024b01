"""source/icc_profile, primaries: profiles convert as littleCMS converts by them."""

import io
import struct

import numpy as np
import pytest
from fixtures.icc_profiles import (
    P3_COLORANTS,
    SRGB_COLORANTS,
    SRGB_PARAMETERS,
    gamma,
    grey_profile,
    matrix_profile,
    parameters,
    profile,
    table,
)
from PIL import Image, ImageCms

from neuralshade.source.file_tags import levels_from_srgb, profile_tag, unless_alike
from neuralshade.source.icc_profile import ProfileError, read_profile
from neuralshade.source.picture import Picture
from neuralshade.source.primaries import REC709, from_d50, to_rec709
from neuralshade.source.tagged_colors import apply_tag

SRGB_TABLE = np.rint(65535 * np.where(
    (x := np.linspace(0, 1, 1024)) <= 0.04045, x / 12.92, ((x + 0.055) / 1.055) ** 2.4
))  # fmt: skip
CURVES = {
    "gamma 2.2": gamma(2.2), "gamma 1.8": gamma(1.8), "linear": b"curv" + bytes(8),
    "table": table(SRGB_TABLE), "short table": table(np.arange(0, 17) ** 2 * 255),
    "kind 0": parameters(0, 2.4), "kind 1": parameters(1, 2.0, 0.9, 0.1),
    "kind 2": parameters(2, 2.0, 0.8, 0.1, 0.05), "kind 3": parameters(3, *SRGB_PARAMETERS),
    "kind 4": parameters(4, *SRGB_PARAMETERS, 0.0, 0.0),
}  # fmt: skip


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("colorants", [SRGB_COLORANTS, P3_COLORANTS])
def test_as_littlecms_converts(rng, curve, colorants):
    made = matrix_profile(colorants, CURVES[curve])
    pixels = rng.integers(0, 256, (40, 50, 3), dtype=np.uint8)
    transform = ImageCms.buildTransform(
        io.BytesIO(made), ImageCms.createProfile("sRGB"), "RGB", "RGB",
        ImageCms.Intent.RELATIVE_COLORIMETRIC,
    )  # fmt: skip
    expected = np.asarray(ImageCms.applyTransform(Image.fromarray(pixels), transform)).astype(int)
    converted = apply_tag(Picture(pixels, "srgb", "a", tag=profile_tag(made)), "a").pixels
    # littleCMS rounds curves and matrix to fewer bits; steep curves show it in the darks
    apart = np.abs(converted.astype(int) - expected)
    assert apart.max() <= 2 and (apart > 1).mean() < 0.01


def test_each_channel_has_its_own_curve():
    made = matrix_profile(SRGB_COLORANTS, gamma(1.0), gamma(2.0), gamma(3.0))
    light = [float(one(np.array(0.5))) for one in read_profile(made).curves]
    np.testing.assert_allclose(light, [0.5, 0.25, 0.125], atol=1e-6)


def test_a_matrix_of_srgb_is_none():
    colorants = np.array(SRGB_COLORANTS).T
    np.testing.assert_allclose(from_d50(colorants), np.eye(3), atol=5e-4)
    np.testing.assert_allclose(to_rec709(REC709), np.eye(3), atol=1e-12)


def test_white_stays_white():
    for primaries, white in [
        ((0.7, 0.3, 0.2, 0.7, 0.1, 0.05), (0.3457, 0.3585)),
        ((0.735, 0.265, 0.115, 0.826, 0.157, 0.018), (0.31, 0.316)),
    ]:
        np.testing.assert_allclose(to_rec709(primaries, white) @ np.ones(3), 1, atol=2e-3)


def test_primaries_without_an_area():
    assert to_rec709((0.3, 0.3, 0.3, 0.3, 0.3, 0.3)) is None
    assert to_rec709((np.nan, 0.3, 0.3, 0.6, 0.1, 0.05)) is None
    assert to_rec709(REC709, (0.3, 0.0)) is None


@pytest.mark.parametrize("curve", ["table", "kind 3"])
def test_srgb_by_any_curve_is_nothing_to_convert(curve):
    found = profile_tag(matrix_profile(SRGB_COLORANTS, CURVES[curve]))
    assert levels_from_srgb(found) < 1 and unless_alike(found) is None


def test_a_coarse_profile_that_calls_itself_srgb_is_taken_at_its_word():
    coarse = table(SRGB_TABLE[:: 1023 // 11])
    assert profile_tag(matrix_profile(SRGB_COLORANTS, coarse, name="sRGB, short")) is None
    assert profile_tag(matrix_profile(SRGB_COLORANTS, gamma(1.0), name="sRGB, linear")) is not None


def test_grey():
    found = profile_tag(grey_profile(gamma(1.0)))
    pixels = np.array([[[0], [55], [255]]], np.uint8)
    converted = apply_tag(Picture(pixels, "srgb", "a", tag=found), "a").pixels
    np.testing.assert_array_equal(converted[0, :, 0], [0, 128, 255])


@pytest.mark.parametrize("content", [
    b"", b"not a profile", matrix_profile(SRGB_COLORANTS, gamma(2.2))[:150],
    profile({b"rXYZ": b"XYZ "}), profile({}),
    matrix_profile(SRGB_COLORANTS, b"curv\0\0\0\0" + struct.pack(">I", 2**31)),
    matrix_profile(SRGB_COLORANTS, parameters(9, 1.0)),
    matrix_profile(SRGB_COLORANTS, b"para\0\0\0\0\0\4\0\0"),
])  # fmt: skip
def test_damaged(content):
    with pytest.raises(ProfileError):
        read_profile(content)
    assert profile_tag(content).curves == ()


def test_any_byte_may_be_another():
    whole = matrix_profile(P3_COLORANTS, parameters(3, *SRGB_PARAMETERS))
    pixels = np.zeros((1, 2, 3), np.uint8)
    for place in range(len(whole)):
        altered = whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :]
        with np.errstate(all="ignore"):
            apply_tag(Picture(pixels, "srgb", "a", tag=profile_tag(altered)), "a")
