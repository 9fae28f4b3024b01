"""source/picture: values, digest and refusals of a picture in memory."""

import numpy as np
import pytest

from neuralshade.errors import ConfigError, PictureError, ShapeError
from neuralshade.source.picture import Picture, picture_from_array


@pytest.mark.parametrize("channels, alpha", [(1, False), (2, True), (3, False), (4, True)])
def test_properties(channels, alpha):
    picture = picture_from_array(np.zeros((5, 3, channels), np.uint8))
    assert (picture.height, picture.width, picture.channels) == (5, 3, channels)
    assert (picture.has_alpha, picture.hdr, picture.name) == (alpha, False, "array")


def test_two_dimensions_are_grey():
    assert picture_from_array(np.zeros((5, 3), np.uint16)).pixels.shape == (5, 3, 1)


@pytest.mark.parametrize(
    "dtype, color_space, hdr",
    [
        (np.uint8, "linear", False),
        (np.float32, "srgb", False),
        (np.float16, "linear", True),
        (np.float32, "linear", True),
    ],
)
def test_hdr_is_linear_float(dtype, color_space, hdr):
    assert picture_from_array(np.zeros((1, 1, 3), dtype), color_space).hdr is hdr


@pytest.mark.parametrize("dtype, peak", [(np.uint8, 255), (np.uint16, 65535)])
def test_integers_span_zero_to_one(dtype, peak, rng):
    values = rng.integers(0, peak, (130, 3, 2), endpoint=True, dtype=dtype)
    values[3, 0] = (0, peak)
    picture = picture_from_array(values)
    assert picture.as_float().dtype == np.float32
    np.testing.assert_array_equal(picture.as_float(), values.astype(np.float32) / np.float32(peak))
    np.testing.assert_array_equal(picture.as_float(slice(3, 5)), picture.as_float()[3:5])
    assert picture.as_float(slice(3, 4))[0, 0].tolist() == [0, 1]


def test_floats_are_as_they_are_and_not_shared():
    values = np.array([[[-2.0, 7.5, 0.25]]], np.float32)
    picture = picture_from_array(values, "linear")
    block = picture.as_float()
    block[...] = 0
    assert picture.pixels.tolist() == [[[-2.0, 7.5, 0.25]]]


def test_pixels_are_contiguous_and_not_copied_if_they_were():
    values = np.zeros((4, 6, 3), np.uint8)
    assert np.shares_memory(picture_from_array(values).pixels, values)
    turned = picture_from_array(values.transpose(1, 0, 2)).pixels
    assert turned.flags.c_contiguous and turned.shape == (6, 4, 3)


def test_foreign_byte_order_is_made_native():
    picture = picture_from_array(np.array([[[1, 256]]], ">u2"))
    assert picture.pixels.dtype.isnative and picture.pixels.tolist() == [[[1, 256]]]
    assert picture.digest == picture_from_array(np.array([[[1, 256]]], np.uint16)).digest


def test_digest_tells_values_shape_and_dtype_apart():
    base = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    changed = base.copy()
    changed[1, 1, 2] ^= 1
    arrays = [base, changed, base.reshape(1, 4, 3), base.reshape(2, 6, 1)]
    arrays += [base.view(np.uint8).reshape(1, 12, 1), np.zeros((1, 1, 2), np.uint8)]
    arrays += [np.zeros((1, 1, 1), np.uint16), np.zeros((1, 1, 1), np.float16)]
    digests = [picture_from_array(a).digest for a in arrays]
    assert len(set(digests)) == len(digests) and all(len(d) == 64 for d in digests)
    assert picture_from_array(base.copy()).digest == digests[0]


def refusal(error, values, *color_space):
    with pytest.raises(error) as caught:
        picture_from_array(values, *color_space)
    return str(caught.value)


@pytest.mark.parametrize("shape", [(3,), (0, 4, 3), (4, 0, 3), (4, 4, 0), (4, 4, 5), (1, 2, 2, 3)])
def test_shape_refused(shape):
    assert refusal(ShapeError, np.zeros(shape, np.uint8)) == (
        f"picture: got shape {list(shape)}, need [H, W, C] with H, W >= 1 and C in 1..4. "
        "Pass grey as [H, W, 1]."
    )


@pytest.mark.parametrize("dtype", ["float64", "int32", "bool", "complex64"])
def test_dtype_refused(dtype):
    assert refusal(ShapeError, np.zeros((2, 2, 3), dtype)) == (
        f"picture: got dtype {dtype}, need one of uint8, uint16, float16, float32. "
        "Pass values.astype(numpy.float32)."
    )


def test_color_space_refused(same_message):
    message = refusal(ConfigError, np.zeros((2, 2, 3), np.uint8), "sRGB")
    same_message(message, "color_space", "Photographs")


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_not_finite_refused_with_count_and_place(dtype, same_message):
    values = np.zeros((200, 3, 2), dtype)
    values[150, 2, 1] = np.inf
    same_message(refusal(PictureError, values, "linear"), "picture", "Replace")
    values[199, 0, 0], values[70, 1, 0] = np.nan, -np.inf
    same_message(refusal(PictureError, values, "linear"), "picture", "Replace")


@pytest.mark.parametrize("value, text", [(1.5, "0 to 1.5"), (-0.25, "-0.25 to 0")])
def test_srgb_floats_beyond_one_refused(value, text):
    values = np.zeros((2, 2, 1), np.float32)
    values[1, 1] = value
    assert refusal(PictureError, values) == (
        f"picture: got sRGB values from {text}, need [0, 1]. "
        'Clip them, or pass color_space="linear".'
    )


def test_frozen():
    picture = picture_from_array(np.zeros((1, 1), np.uint8))
    assert isinstance(picture, Picture)
    with pytest.raises(AttributeError):
        picture.name = "other"
