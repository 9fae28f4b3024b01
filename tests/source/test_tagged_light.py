"""source/transfer_curve, file_tags: pictures beyond sRGB become its linear light."""

import numpy as np
import OpenImageIO
import pytest
from fixtures.icc_profiles import (
    P3_COLORANTS,
    SRGB_COLORANTS,
    SRGB_PARAMETERS,
    gamma,
    matrix_profile,
    parameters,
    with_chunks,
)
from PIL import Image

from neuralshade.errors import PictureError
from neuralshade.source.image_file import load_picture
from neuralshade.source.primaries import D65, REC709, to_rec709
from neuralshade.source.transfer_curve import hlg_curve, pq_curve

P3 = matrix_profile(P3_COLORANTS, gamma(2.2), name="P3")
SRGB = matrix_profile(SRGB_COLORANTS, parameters(3, *SRGB_PARAMETERS), name="sRGB IEC61966-2.1")
LINEAR = matrix_profile(SRGB_COLORANTS, gamma(1.0), name="linear")
CICP_PQ = (b"cICP", bytes([9, 16, 0, 1]))
CICP_HLG = (b"cICP", bytes([9, 18, 0, 1]))


@pytest.fixture
def colors(rng):
    return rng.integers(0, 256, (9, 11, 3), dtype=np.uint8)


def png(path, pixels, *chunks, **how):
    Image.fromarray(pixels).save(path, **how)
    return with_chunks(path, *chunks)


def test_cicp_goes_before_the_profile(tmp_path, colors):
    path = png(tmp_path / "a.png", colors, CICP_PQ, icc_profile=SRGB)
    assert load_picture(path).color_space == "linear"


def test_pq_becomes_light(tmp_path, write_samples, caplog):
    stored = np.rint(65535 * np.array([0.0, 0.5806888, 0.7518271, 1.0]))[None, :, None]
    path = write_samples(tmp_path / "a.png", stored.repeat(3, 2).astype(np.uint16), "uint16")
    found = load_picture(with_chunks(path, CICP_PQ))
    assert (found.color_space, found.pixels.dtype) == ("linear", np.float32)
    # ST 2084: codes of 0, 203, 1,000 and 10,000 cd/m2; the first is 1
    np.testing.assert_allclose(found.pixels[0, :, 0] * 203, [0, 203, 1000, 10_000], rtol=1e-3)
    assert caplog.messages == [f"{path}: its colors (BT.2020 PQ) were converted to linear light."]


def test_hlg_becomes_light(tmp_path):
    grey = np.array([[0, 191, 255]], np.uint8)[..., None].repeat(3, 2)
    found = load_picture(png(tmp_path / "a.png", grey, CICP_HLG))
    # BT.2408, table 1: 75 % is 203 cd/m2, 100 % is 1,000, on the nominal display
    np.testing.assert_allclose(found.pixels[0, :, 1] * 203, [0, 203, 1000], rtol=0.02)


def test_curves_of_hdr_end_where_they_should():
    np.testing.assert_allclose(hlg_curve(np.array([0.0, 0.5, 1.0])), [0, 1 / 12, 1], atol=1e-6)
    np.testing.assert_allclose(pq_curve(np.array([0.0, 1.0])) * 203, [0, 10_000])


def test_alpha_is_associated_where_colors_become_light(tmp_path):
    pixels = np.array([[[255, 255, 255, 51]]], np.uint8)
    found = load_picture(png(tmp_path / "a.png", pixels, CICP_PQ)).pixels
    np.testing.assert_allclose(found[0, 0], [10_000 / 203 / 5] * 3 + [0.2], rtol=1e-5)


def test_exr_chromaticities(tmp_path, rng, write_samples, caplog):
    pixels = rng.random((4, 5, 4)).astype(np.float32)
    ap1 = (0.713, 0.293, 0.165, 0.830, 0.128, 0.044, 0.32168, 0.33767)
    path = tmp_path / "a.exr"
    spec = OpenImageIO.ImageSpec(5, 4, 4, "float")
    spec.attribute("chromaticities", OpenImageIO.TypeDesc("float[8]"), ap1)
    writer = OpenImageIO.ImageOutput.create(str(path))
    assert writer.open(str(path), spec) and writer.write_image(pixels) and writer.close()
    found = load_picture(path).pixels
    expected = np.maximum(pixels[..., :3] @ to_rec709(ap1[:6], ap1[6:]).T, 0)
    np.testing.assert_allclose(found[..., :3], expected, atol=1e-5)
    np.testing.assert_array_equal(found[..., 3], pixels[..., 3])
    assert caplog.messages[0].startswith(
        f"{path}: its colors (its chromaticities) were converted to linear light."
    )
    np.testing.assert_array_equal(load_picture(path, colors=False).pixels, pixels)


def test_exr_chromaticities_of_srgb_change_nothing(tmp_path, rng, caplog):
    pixels = rng.random((4, 5, 3)).astype(np.float32)
    path = tmp_path / "a.exr"
    spec = OpenImageIO.ImageSpec(5, 4, 3, "float")
    spec.attribute("chromaticities", OpenImageIO.TypeDesc("float[8]"), (*REC709, *D65))
    writer = OpenImageIO.ImageOutput.create(str(path))
    assert writer.open(str(path), spec) and writer.write_image(pixels) and writer.close()
    np.testing.assert_array_equal(load_picture(path).pixels, pixels)
    assert caplog.messages == []


def test_floats_with_a_profile_of_srgb_become_light(tmp_path, rng):
    pixels = rng.random((4, 5, 3)).astype(np.float32)
    path = tmp_path / "a.tif"
    for made, expected in [(LINEAR, pixels), (P3, None),
                           (matrix_profile(SRGB_COLORANTS, gamma(2.0)), pixels**2)]:  # fmt: skip
        spec = OpenImageIO.ImageSpec(5, 4, 3, "float")
        content = np.frombuffer(made, np.uint8)
        spec.attribute("ICCProfile", OpenImageIO.TypeDesc(f"uint8[{len(content)}]"), content)
        writer = OpenImageIO.ImageOutput.create(str(path))
        assert writer.open(str(path), spec) and writer.write_image(pixels) and writer.close()
        found = load_picture(path)
        assert found.color_space == "linear"
        if expected is not None:
            np.testing.assert_allclose(found.pixels, expected, atol=2e-3)


def test_light_counts_against_the_memory_limit(tmp_path, colors):
    path = png(tmp_path / "a.png", colors, CICP_PQ)
    load_picture(path, memory_limit=colors.nbytes * 4)
    with pytest.raises(PictureError, match="need at most"):
        load_picture(path, memory_limit=colors.nbytes * 4 - 1)
