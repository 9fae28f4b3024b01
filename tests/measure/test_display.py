"""measure/display: the pictures of the report, before they are a page."""

import base64
import io

import numpy as np
import pytest
from PIL import Image

from neuralshade.errors import ShapeError
from neuralshade.measure.baselines import to_uint8
from neuralshade.measure.display import (
    error_picture,
    error_scale,
    exposure_stops,
    feature_pages,
    on_screen,
    shown,
)
from neuralshade.source.color import linear_to_srgb


@pytest.mark.parametrize("scale", [1, 4, 64])
def test_a_perfect_fit_is_pure_grey(scale, photo):
    error = error_picture(photo, photo.copy(), scale)
    assert error.dtype == np.float32
    assert np.all(to_uint8(error) == 128)


def test_errors_are_signed_and_scaled():
    target = np.full((2, 3, 1), 0.5, np.float32)
    result = target + np.float32([[-0.2], [0.01], [0.2]])
    expected = np.broadcast_to(np.float32([[0.0], [0.54], [1.0]]), (2, 3, 1))
    np.testing.assert_allclose(error_picture(target, result, 4), expected, atol=1e-6)


def test_errors_of_stored_bytes_do_not_wrap():
    target, result = np.full((1, 1, 1), 200, np.uint8), np.full((1, 1, 1), 100, np.uint8)
    assert error_picture(target, result, 1)[0, 0, 0] == pytest.approx(0.5 - 100 / 255, abs=1e-6)


def test_error_picture_refuses_other_shapes(photo, same_message):
    with pytest.raises(ShapeError) as caught:
        error_picture(photo, photo[:, :-1], 4)
    same_message(str(caught.value), "error_picture", "Render")


@pytest.mark.parametrize("size, scale", [(0.0, 64), (0.01, 32), (0.06, 8), (0.3, 1), (0.9, 1)])
def test_the_error_scale_fills_the_range(size, scale):
    target = np.zeros((30, 40, 3), np.float32)
    assert error_scale(target, target + np.float32(size)) == scale


def test_linear_pictures_are_exposed_and_encoded(photo):
    target = photo * 8
    stops = exposure_stops(target)
    bright = np.quantile(target.max(axis=2), 0.99)
    assert bright * 2**stops == pytest.approx(1.0, rel=1e-3)
    expected = linear_to_srgb(np.minimum(target * 2**stops, 1))
    np.testing.assert_allclose(on_screen(target, 1024, stops), expected, atol=1e-6)
    assert exposure_stops(np.zeros_like(photo)) == 0.0


def test_linear_alpha_is_divided_out():
    half = np.float32([[[0.25, 0.1, 0.0, 0.5]]])  # color multiplied by alpha
    expected = [*linear_to_srgb(np.float32([0.5, 0.2, 0.0])), 0.5]
    np.testing.assert_allclose(on_screen(half, 8, 0.0)[0, 0], expected, atol=1e-6)


@pytest.mark.parametrize(
    "shape, side, small",
    [((61, 83, 3), 40, (29, 40, 3)), ((200, 1, 1), 50, (50, 1, 1)), ((1, 200, 1), 50, (1, 50, 1))],
)
def test_large_pictures_are_reduced(shape, side, small, noise):
    picture = noise.random(shape).astype(np.float32)
    reduced = on_screen(picture, side, None)
    assert reduced.shape == small
    assert reduced.mean() == pytest.approx(picture.mean(), abs=0.02)
    assert np.array_equal(on_screen(picture, max(shape), None), picture)


def test_feature_pages_of_one_two_and_four_features(noise):
    grid = noise.normal(3, 2, (50, 40, 4)).astype(np.float32)
    low, high = np.percentile(grid, (1, 99), axis=(0, 1))
    stretched = ((grid - low) / (high - low)).clip(0, 1)

    ((caption, grey),) = feature_pages(grid[..., :1])
    np.testing.assert_allclose(grey, np.repeat(stretched[..., :1], 3, axis=2), atol=1e-5)
    assert caption == f"grey #0: {low[0]:.3g} .. {high[0]:.3g}"

    ((caption, two),) = feature_pages(grid[..., :2])
    np.testing.assert_allclose(two[..., :2], stretched[..., :2], atol=1e-5)
    assert np.all(two[..., 2] == 0.5)
    assert caption.split(", ")[1] == f"green #1: {low[1]:.3g} .. {high[1]:.3g}"

    three, rest = feature_pages(grid)
    np.testing.assert_allclose(three[1], stretched[..., :3], atol=1e-5)
    np.testing.assert_allclose(rest[1][..., 0], stretched[..., 3], atol=1e-5)
    assert rest[0].startswith("grey #3: ")


def test_a_constant_feature_is_mid_grey():
    ((caption, page),) = feature_pages(np.full((4, 5, 1), 7, np.float32))
    assert np.all(page == 0.5)
    assert caption == "grey #0: 7 .. 7"


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_shown_pictures_are_exact(channels, photo):
    picture = np.concatenate([photo, photo[..., :1]], axis=2)[..., 4 - channels :]
    made = shown("name", "text", picture)
    kind, data = made.uri.split(",")
    assert kind == "data:image/webp;base64"
    decoded = np.asarray(Image.open(io.BytesIO(base64.b64decode(data))).convert("RGBA"))
    colors = 1 if channels < 3 else 3
    expected = np.broadcast_to(to_uint8(picture[..., :colors]), (61, 83, 3))
    assert np.array_equal(decoded[..., :3], expected)
    opaque = np.full((61, 83), 255, np.uint8)
    alpha = to_uint8(picture[..., -1]) if channels in (2, 4) else opaque
    assert np.array_equal(decoded[..., 3], alpha)
    assert (made.width, made.height) == (83, 61)
