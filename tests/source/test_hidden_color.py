"""source/hidden_color: color under alpha 0 is replaced by that of visible neighbors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from neuralshade.source.hidden_color import enlarged, filled, hidden_note, visible_picture
from neuralshade.source.picture import picture_from_array

GRASS = np.float32([60, 150, 40]) / 255
SIZES = st.tuples(st.integers(1, 40), st.integers(1, 40))
ALPHAS = SIZES.flatmap(
    lambda size: arrays(np.uint8, size, elements=st.sampled_from([0, 0, 7, 255]))
)


def cutout(alpha, color, hidden):
    """Return pixels of one visible color over hidden ones: uint8 [H, W, 4]."""
    shape = (*alpha.shape, 3)
    colors = np.where(alpha[..., None] > 0, np.broadcast_to(color, shape), hidden)
    return np.concatenate([colors, alpha[..., None]], axis=2).astype(np.uint8)


@given(ALPHAS)
def test_one_visible_color_fills_all(alpha):
    rng = np.random.default_rng(0)
    colors = np.where(alpha[..., None] > 0, GRASS, rng.random((*alpha.shape, 3))).astype(np.float32)
    found = filled(colors, np.float32(alpha) / 255)
    assert np.array_equal(found, np.broadcast_to(GRASS, found.shape) if alpha.any() else colors)


@given(ALPHAS, st.integers(0, 99))
def test_what_is_hidden_changes_nothing(alpha, seed):
    rng = np.random.default_rng(seed)
    color = rng.integers(0, 256, (*alpha.shape, 3))
    noise, black = (
        visible_picture(picture_from_array(cutout(alpha, color, hidden)))
        for hidden in (rng.integers(0, 256, color.shape), 0)
    )
    if alpha.any():
        assert np.array_equal(noise.pixels, black.pixels)
        hidden, seen = noise.pixels[alpha == 0][:, :3], color[alpha > 0]
        assert not len(hidden) or ((seen.min(0) <= hidden).all() and (hidden <= seen.max(0)).all())
    assert noise.alpha_weighted and black.alpha_weighted
    assert np.array_equal(noise.pixels[alpha > 0][:, :3], color[alpha > 0])
    assert np.array_equal(noise.pixels[..., 3], alpha)


def test_a_ramp_is_smooth_across_what_is_hidden():
    ramp = np.broadcast_to(np.linspace(0, 1, 64, dtype=np.float32)[None, :, None], (64, 64, 1))
    alpha = np.ones((64, 64), np.float32)
    alpha[:, 20:40] = 0
    found = filled(np.where(alpha[..., None] > 0, ramp, 5).astype(np.float32), alpha)
    assert abs(found - ramp).max() < 0.12
    assert abs(np.diff(found[..., 0], axis=1)).max() < 0.09


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32"])
def test_it_keeps_dtype_name_and_grey(dtype):
    peak = 1 if dtype == "float32" else np.iinfo(dtype).max
    pixels = np.zeros((3, 5, 2), dtype)
    pixels[1, 2] = peak
    found = visible_picture(picture_from_array(pixels))
    assert found.pixels.dtype == dtype and found.name == "array"
    assert (found.pixels[..., 0] == peak).all()
    assert not pixels[0].any()  # the picture that was passed is as it was


@pytest.mark.parametrize("shape, space", [((4, 4, 3), "srgb"), ((4, 4, 4), "linear")])
def test_color_that_is_opaque_or_associated_stays(shape, space):
    picture = picture_from_array(np.zeros(shape, np.float32), space)
    assert visible_picture(picture) is picture and hidden_note(picture) is None


def test_a_note_says_what_is_dropped(same_message):
    pixels = np.zeros((2, 2, 4), np.uint8)
    pixels[0, 0] = 255
    assert hidden_note(picture_from_array(pixels)) is None  # one color is nobody's work
    pixels[1, 1, 0] = 9
    same_message(hidden_note(picture_from_array(pixels)), "array", "keep_hidden_color")


@given(SIZES, SIZES)
def test_enlarged_keeps_one_value_and_the_range(size, other):
    values = np.random.default_rng(1).random((*size, 2)).astype(np.float32)
    values[..., 1] = GRASS[0]
    found = enlarged(values, *other)
    assert found.shape == (*other, 2) and (found[..., 1] == GRASS[0]).all()
    assert found[..., 0].min() >= values[..., 0].min() - 1e-6
    assert found[..., 0].max() <= values[..., 0].max() + 1e-6
