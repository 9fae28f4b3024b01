"""model/axis_stencil: pixels see texels as a bilinear look-up does, and texels the same pixels."""

from itertools import pairwise

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from neuralshade.engine.code_bands import around
from neuralshade.model.axis_stencil import Axis, TileAxis

SIDES = st.integers(1, 23)


def seen_by(pixel, texels, pixels, wraps, smooth=False):
    """Return the weight of every texel at a pixel's centre, in float64."""
    place, weights = (pixel + 0.5) / pixels * texels - 0.5, np.zeros(texels)
    if not wraps:
        place = min(max(place, 0), texels - 1)
    for texel in (int(np.floor(place)), int(np.floor(place)) + 1):
        at = texel % texels if wraps else min(texel, texels - 1)
        weight = max(0.0, 1 - abs(place - texel))
        weights[at] += 3 * weight**2 - 2 * weight**3 if smooth else weight
    return weights


@given(SIDES, SIDES, st.booleans(), st.booleans(), st.data())
def test_spread_is_the_look_up_and_gather_its_adjoint(texels, pixels, wraps, smooth, data):
    axis = Axis(texels, pixels, wraps, smooth)
    weights = np.stack([seen_by(p, texels, pixels, wraps, smooth) for p in range(pixels)])
    rows = torch.tensor(data.draw(st.lists(st.integers(0, pixels - 1), min_size=1, max_size=9)))
    spread = axis.lerp_stencil(rows).spread(torch.eye(texels)).t()
    np.testing.assert_allclose(spread, weights[rows.numpy()], atol=1e-5)
    first, count = data.draw(st.integers(0, pixels - 1)), data.draw(st.integers(1, pixels))
    x, around_it = torch.randn(2, count), (first + np.arange(count)) % pixels
    some = torch.arange(data.draw(st.integers(0, texels - 1)), texels)
    stencil = axis.gather_stencil(some, first, count)
    for power in (1, 2):
        found = stencil.gather(x, squared=power == 2)
        wanted = x.double().numpy() @ (weights[around_it][:, some.numpy()] ** power)
        np.testing.assert_allclose(found, wanted.reshape(found.shape), atol=1e-4)


@given(SIDES, SIDES, st.booleans(), st.data())
def test_no_pixel_sees_two_of_a_color(texels, pixels, wraps, data):
    axis = Axis(texels, pixels, wraps)
    seen = np.stack([seen_by(p, texels, pixels, wraps) for p in range(pixels)]) > 1e-5
    own = slice(data.draw(st.integers(0, texels)), texels)
    colors = axis.colors(own)
    assert sorted(torch.cat(colors).tolist() if colors else []) == list(range(own.start, texels))
    for group in colors:
        assert seen[:, group.numpy()].sum(1).max() <= 1


@given(SIDES, SIDES, st.booleans(), st.data())
def test_pixels_that_see_one_of_some(texels, pixels, wraps, data):
    axis = Axis(texels, pixels, wraps)
    own = slice(*sorted(data.draw(st.tuples(*[st.integers(0, texels)] * 2))))
    spread = axis.lerp_stencil(slice(None)).spread(torch.eye(texels))  # [texels, pixels]
    assert torch.equal(axis.reading_pixels(own), (spread[own] > 0).any(0))


@given(st.integers(2, 40), st.integers(2, 40), st.integers(1, 4), st.data())
def test_stacked_tiles_mix_as_one_does_alone(texels, pixels, count, data):
    place = np.linspace(0, texels - 1, pixels)
    weights = np.stack([np.interp(place, np.arange(texels), row) for row in np.eye(texels)], 1)
    weights = np.kron(np.eye(count), weights)  # [pixels, texels] of all
    axis = TileAxis(texels, pixels).stacked(count)
    spread = axis.lerp_stencil(slice(None)).spread(torch.eye(axis.texels)).t()
    np.testing.assert_allclose(spread, weights, atol=1e-5)
    some = torch.arange(data.draw(st.integers(0, axis.texels - 1)), axis.texels)
    gathered = axis.gather_stencil(some, 0, axis.pixels).gather(torch.eye(axis.pixels))
    np.testing.assert_allclose(gathered, weights[:, some.numpy()], atol=1e-5)
    for group in axis.colors(slice(0, axis.texels)):
        assert (weights[:, group.numpy()] > 1e-5).sum(1).max() <= 1


def test_a_tile_has_no_share_that_is_a_rounding_error():
    """A texel a pixel, or every third: many listed pixels of share 0 would cost as much."""
    assert TileAxis(32, 32).shares.tolist() == [[1.0]] * 32
    assert TileAxis(11, 31).shares.shape == (11, 5)


def test_a_long_axis_takes_memory_for_its_length_alone():
    """One of 65,536 texels took 13 GB for as many pixels."""
    axis = Axis(2**16, 2**16)
    assert axis.shares.shape == axis.index.shape == (2**16, 1)
    assert (axis.index[:, 0] == torch.arange(2**16)).all() and (axis.shares == 1).all()


@given(st.lists(st.booleans(), min_size=1, max_size=30))
def test_the_fewest_rows_around_all_that_are_seen(seen):
    rows, count = around(torch.tensor(seen)).tolist(), len(seen)
    assert {i for i, each in enumerate(seen) if each} <= set(rows) and len(set(rows)) == len(rows)
    assert all((b - a) % count == 1 % count for a, b in pairwise(rows))
    shortest = min((n for n in range(1, count + 1) for start in range(count)
                    if all(not each or (i - start) % count < n for i, each in enumerate(seen))),
                   default=0)  # fmt: skip
    assert len(rows) == (shortest if any(seen) else 0)
