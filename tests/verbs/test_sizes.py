"""verbs/render: sizes that keep the aspect, and pictures drawn smaller than they were fitted."""

import numpy as np
import pytest

import neuralshade
from neuralshade.errors import ConfigError
from neuralshade.source.color import linear_to_srgb, srgb_to_linear
from neuralshade.verbs.area_filter import MOST_SAMPLES, draw_area, samples_of
from neuralshade.verbs.sizes import drawn_size


@pytest.mark.parametrize("size, scale, drawn", [
    (None, None, (1536, 1024)), (None, 2, (3072, 2048)), (None, 0.5, (768, 512)),
    (1024, None, (1024, 683)), ((1024, None), None, (1024, 683)),
    ((None, 768), None, (1152, 768)), ((768, 512), None, (768, 512)),
    ((1535, 1023), None, (1535, 1023)), ((1, 1), None, (1, 1)), (None, 1e-9, (1, 1)),
    (np.int64(3), None, (3, 2)),
])  # fmt: skip
def test_sizes_keep_the_aspect(size, scale, drawn):
    assert drawn_size(size, scale, (1536, 1024), any_aspect=False) == drawn


@pytest.mark.parametrize("size, drawn", [(None, (2, 1)), (512, (512, 341)), ((3, None), (3, 2))])
def test_a_small_part_has_the_aspect_of_its_place(size, drawn):
    """It was that of whole pixels: 2 x 1 here."""
    assert drawn_size(size, None, (1.92, 1.28), any_aspect=False) == drawn


def test_the_longer_side_of_a_tall_picture():
    assert drawn_size(100, None, (50, 200), any_aspect=False) == (25, 100)


@pytest.mark.parametrize("size, scale, message", [
    ((512, 512), None, "size: got 512x512 for a picture of 1536x1024, need its aspect, such as "
     "512x341. Write 512x or x512 to keep it, or add --stretch."),
    (512, 2, "scale: got 2 beside size=512, need one of the two. Leave one out."),
    (None, 0, "scale: got 0, need a number above 0. 2 doubles both sides."),
    (None, float("nan"), "scale: got nan, need a number above 0. 2 doubles both sides."),
    (None, 100, "scale: got 100, which makes 153600x102400, need 1 to 65536 pixels a side. Take a "
     "smaller one."),
    (0, None, "size: got 0, need 1 to 65536 pixels a side. Write for example 1920x1080."),
    ((2, 70000), None, "size: got 2x70000, need 1 to 65536 pixels a side. Write for example "
     "1920x1080."),
    ((None, None), None, "size: got (None, None), need 2 numbers: width and height in whole "
     "pixels, or the longer side alone. Leave it out for the whole picture as it was fitted."),
])  # fmt: skip
def test_sizes_refused(size, scale, message):
    with pytest.raises(ConfigError) as caught:
        drawn_size(size, scale, (1536, 1024), any_aspect=False)
    assert str(caught.value) == message


def test_stretched_where_that_is_said():
    assert drawn_size((512, 512), None, (1536, 1024), any_aspect=True) == (512, 512)


def test_samples_cover_what_was_fitted():
    assert samples_of((100, 100), (100, 50)) == (1, 1)
    assert samples_of((50, 33), (100, 100)) == (2, 4)
    assert samples_of((1, 200), (4000, 100)) == (MOST_SAMPLES, 1)


def draw_of(picture):
    """Return what draws ``picture`` [H, W, C] by its nearest pixel."""

    def draw(width, height, crop):
        u0, v0, u1, v1 = crop
        u = u0 + (u1 - u0) * (np.arange(width) + 0.5) / width
        v = v0 + (v1 - v0) * (np.arange(height) + 0.5) / height
        rows = (v * picture.shape[0]).astype(int)
        return picture[rows][:, (u * picture.shape[1]).astype(int)]

    return draw


def blocks(values, height, width):
    return values.reshape(height, values.shape[0] // height, width, -1, values.shape[2])


@pytest.mark.parametrize("strip", [1, 2**22])
def test_linear_pixels_are_means(monkeypatch, strip):
    monkeypatch.setattr("neuralshade.verbs.area_filter.STRIP_SAMPLES", strip)
    picture = np.random.default_rng(0).random((12, 24, 4), np.float32)
    drawn = draw_area(draw_of(picture), (8, 6), (0, 0, 1, 1), (3, 2), srgb=False)
    np.testing.assert_allclose(drawn, blocks(picture, 6, 8).mean((1, 3)), rtol=1e-5)
    half = draw_area(draw_of(picture), (4, 6), (0.5, 0, 1, 1), (3, 2), srgb=False)
    np.testing.assert_allclose(half, drawn[:, 4:], rtol=1e-5)


def test_srgb_pixels_are_means_of_light():
    checks = np.indices((8, 8)).sum(0)[..., None].astype(np.float32) % 2
    drawn = draw_area(draw_of(checks), (2, 2), (0, 0, 1, 1), (4, 4), srgb=True)
    np.testing.assert_allclose(drawn, linear_to_srgb(np.float32(0.5)), atol=1e-5)


def test_alpha_weighs_colors():
    picture = np.zeros((2, 2, 4), np.float32)
    picture[0, 0] = 0.6, 0.2, 0.1, 1  # the others are transparent, and black
    drawn = draw_area(draw_of(picture), (1, 1), (0, 0, 1, 1), (2, 2), srgb=True)
    np.testing.assert_allclose(drawn[0, 0], (0.6, 0.2, 0.1, 0.25), atol=1e-5)


def test_an_asset_drawn_smaller_is_the_mean_of_what_it_draws(fitted):
    whole = neuralshade.render(fitted / "a.nsh")
    light = blocks(srgb_to_linear(whole), 6, 9).mean((1, 3))
    small = neuralshade.render(fitted / "a.nsh", size=9)
    np.testing.assert_allclose(small, linear_to_srgb(light), atol=1e-5)
    point = neuralshade.render(fitted / "a.nsh", size=9, filter="point")
    assert np.abs(point - small).max() > 1e-3
    with neuralshade.load(fitted / "a.nsh") as opened:
        np.testing.assert_array_equal(point, opened.draw(9, 6).clip(0, 1))
    larger = [neuralshade.render(fitted / "a.nsh", scale=2, filter=name)
              for name in ("area", "point")]  # fmt: skip
    assert larger[0].shape == (48, 72, 3) and np.array_equal(*larger)


def test_a_filter_that_nobody_knows(fitted, same_message):
    with pytest.raises(ConfigError) as caught:
        neuralshade.render(fitted / "a.nsh", filter="points")
    same_message(str(caught.value), "filter", "point?")
