"""source/color: the sRGB curve at known points, its inverse, and beyond [0, 1]."""

import numpy as np
import pytest

from neuralshade.source.color import linear_to_srgb, srgb_to_linear

# Worked out in decimal arithmetic from the standard's two branches.
KNOWN = [
    (0.0, 0.0),
    (0.02, 0.0015479876),
    (0.04045, 0.0031308050),
    (0.2, 0.0331047666),
    (0.5, 0.2140411405),
    (0.8, 0.6038273389),
    (1.0, 1.0),
]


@pytest.mark.parametrize("encoded, linear", KNOWN)
def test_known_points(encoded, linear):
    assert srgb_to_linear(encoded) == pytest.approx(linear, rel=1e-5)
    assert linear_to_srgb(linear) == pytest.approx(encoded, rel=1e-5)


def test_there_and_back_keeps_all_16_bit_codes():
    codes = np.arange(65536, dtype=np.uint16)
    back = linear_to_srgb(srgb_to_linear(codes / 65535.0))
    assert np.array_equal(np.rint(back * 65535), codes)


def test_beyond_the_unit_interval():
    x = np.array([-0.5, 4.0], np.float32)
    expected = [-0.5 / 12.92, ((4.0 + 0.055) / 1.055) ** 2.4]
    with np.errstate(all="raise"):
        linear = srgb_to_linear(x)
        encoded = linear_to_srgb(linear)
    np.testing.assert_allclose(linear, expected, rtol=1e-5)  # float32 power
    np.testing.assert_allclose(encoded, x, rtol=1e-5)


@pytest.mark.parametrize("curve", [srgb_to_linear, linear_to_srgb])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_float32_of_the_same_shape_and_input_unchanged(curve, dtype, rng):
    x = rng.random((3, 1, 2)).astype(dtype)
    before = x.copy()
    y = curve(x)
    assert (y.dtype, y.shape) == (np.float32, x.shape)
    assert np.array_equal(x, before)
