"""source/material_mips: levels of every size; means, light and directions are kept."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralshade.errors import ConfigError
from neuralshade.source.color import linear_to_srgb, srgb_to_linear
from neuralshade.source.material_map import MaterialMap
from neuralshade.source.material_mips import mip_levels, mip_sizes

SIDE = st.integers(1, 40)
LARGE = st.integers(1, 100_000)
ROWS = 64  # of a block


@settings(deadline=None)
@given(width=LARGE, height=LARGE)
def test_sizes_are_halves_rounded_down(width, height):
    sizes = mip_sizes(width, height)
    assert sizes[0] == (width, height) and sizes[-1] == (1, 1) and sizes.count((1, 1)) == 1
    for (w, h), (half_w, half_h) in itertools.pairwise(sizes):
        assert (half_w, half_h) == (max(1, w // 2), max(1, h // 2))
    assert mip_sizes(width, height, len(sizes)) == sizes
    assert mip_sizes(width, height, 1) == sizes[:1]


def drawn(height, width, channels, seed):
    rng = np.random.default_rng(seed)
    return rng.random((height, width, channels), dtype=np.float32)


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


@settings(deadline=None, max_examples=60)
@given(height=SIDE, width=SIDE, channels=st.integers(1, 3), seed=st.integers(0, 99))
@pytest.mark.parametrize("meaning", ["data", "linear"])
def test_means_are_kept(meaning, height, width, channels, seed):
    values = drawn(height, width, channels, seed) * 9 - (3 if meaning == "data" else 0)
    levels = mip_levels(MaterialMap("wet", values, meaning))
    assert levels[0] is values
    assert [level.shape[1::-1] for level in levels] == mip_sizes(width, height)
    for level in levels:
        assert level.dtype == np.float32 and level.shape[2] == channels
        assert level.flags.c_contiguous
        np.testing.assert_allclose(level.mean((0, 1)), values.mean((0, 1)), rtol=1e-4, atol=1e-5)


@settings(deadline=None, max_examples=60)
@given(height=SIDE, width=SIDE, seed=st.integers(0, 99))
def test_color_keeps_its_light(height, width, seed):
    values = drawn(height, width, 3, seed)
    light = srgb_to_linear(values).mean((0, 1))
    for level in mip_levels(MaterialMap("albedo", values, "srgb"))[1:]:
        assert level.min() >= 0 and level.max() <= 1
        np.testing.assert_allclose(srgb_to_linear(level).mean((0, 1)), light, rtol=1e-4)


@settings(deadline=None, max_examples=60)
@given(height=SIDE, width=SIDE, seed=st.integers(0, 99))
def test_normals_are_unit_means(height, width, seed):
    values = unit(drawn(height, width, 3, seed) * [2, 2, 1] - [1, 1, -0.05]).astype(np.float32)
    levels = mip_levels(MaterialMap("normal", values, "normal"))
    for level in levels:
        assert level.dtype == np.float32 and (level[..., 2] > 0).all()
        np.testing.assert_allclose(np.linalg.norm(level, axis=-1), 1, atol=1e-6)
    whole = unit(values.astype(np.float64).mean((0, 1)))
    np.testing.assert_allclose(levels[-1][0, 0], whole, atol=1e-4)


@pytest.mark.parametrize("meaning", ["data", "linear", "srgb"])
@pytest.mark.parametrize("size", [(8, 8), (7, 5), (1, 6), (33, 1)])
def test_constants_stay_constant(meaning, size):
    """To the last bit; but for the two curves of color."""
    values = np.full((*size, 3), 0.3, np.float32)
    for level in mip_levels(MaterialMap("wet", values, meaning))[1:]:
        assert (level == level[0, 0, 0]).all()
        assert abs(level[0, 0, 0] - values[0, 0, 0]) <= (2e-7 if meaning == "srgb" else 0)


def test_one_level_in_numbers():
    """Black and white become half the light, not half the code; odd sizes share by area."""
    pair = np.float32([[[0], [1]]])
    assert mip_levels(MaterialMap("a", pair, "srgb"))[1][0, 0, 0] == linear_to_srgb(0.5)
    assert mip_levels(MaterialMap("a", pair, "data"))[1][0, 0, 0] == 0.5
    five = np.float32([1, 2, 3, 4, 5]).reshape(5, 1, 1)
    level = mip_levels(MaterialMap("a", five, "data"), 2)[1]
    np.testing.assert_allclose(level.ravel(), [4.5 / 2.5, 10.5 / 2.5], rtol=1e-6)


def test_normals_that_cancel_point_up():
    values = np.float32([[[1, 0, 0], [-1, 0, 0]], [[0.6, 0, 0.8], [-0.6, 0, 0.8]]])
    first, second = (mip_levels(MaterialMap("n", part[None], "normal"))[1] for part in values)
    assert first.tolist() == [[[0, 0, 1]]]
    np.testing.assert_allclose(second, [[[0, 0, 1]]], atol=1e-7)


@pytest.mark.parametrize("height", [2 * ROWS, 2 * ROWS + 1, ROWS - 1])
def test_blocks_of_rows_leave_no_seam(height, monkeypatch):
    monkeypatch.setattr("neuralshade.base.cores.BAND_TEXELS", 3 * ROWS)
    values = drawn(height, 3, 1, 0)
    color = mip_levels(MaterialMap("a", values, "srgb"), 2)[1]
    light = mip_levels(MaterialMap("a", srgb_to_linear(values), "linear"), 2)[1]
    np.testing.assert_allclose(color, linear_to_srgb(light), atol=1e-6)


def refusal(call, *values):
    with pytest.raises(ConfigError) as caught:
        call(*values)
    return str(caught.value)


def test_counts_refused():
    text = "mips: got {} levels of 6 x 9, need 1 to 4. Leave it out for all of them."
    assert refusal(mip_sizes, 6, 9, 5) == text.format(5)
    assert refusal(mip_levels, MaterialMap("a", drawn(9, 6, 1, 0), "data"), 0) == text.format(0)
    assert refusal(mip_sizes, 0, 9) == (
        "mips: got maps of 0 x 9, need 1 x 1 or more. Check the maps."
    )
