"""kinds/splats/draw: Gaussians are seen where they lie, in their colors."""

import numpy as np
import pytest
import torch

from neuralshade.kinds.splats.draw import Cloud, ellipses_picture
from neuralshade.model.gaussian import COLOR, COMPOSITINGS, Compositing, stored_of

WIDTH, HEIGHT = 40, 30
GREY = 0.5  # where no Gaussian is
RED, BLUE = (0.9, 0.0, 0.0), (0.0, 0.0, 0.9)


def cloud_of(kind, *members, channels=3):
    """Return Gaussians of (x, y, size, channels...) each."""
    given = torch.tensor(members, dtype=torch.float32).reshape(-1, 3 + channels).t()
    opacity = torch.zeros(Compositing(kind).opacity, given.shape[1])
    values = torch.cat([given[:2], given[[2, 2]].log(), 0 * given[:1], stored_of(given[3:]),
                        opacity])  # fmt: skip
    assert len(values) == COLOR + channels + len(opacity)
    return Cloud(values, torch.zeros(channels), Compositing(kind), WIDTH, HEIGHT)


@pytest.mark.parametrize("kind", COMPOSITINGS)
def test_gaussians_are_seen_in_their_colors(kind):
    picture = ellipses_picture(cloud_of(kind, (10.5, 15.5, 4, *RED), (30.5, 15.5, 4, *BLUE)))
    assert picture.shape == (HEIGHT, WIDTH, 3) and picture.dtype == np.float32
    np.testing.assert_allclose(picture[15, 10], RED, atol=0.05)
    np.testing.assert_allclose(picture[15, 30], BLUE, atol=0.05)
    assert (picture[15, 20] == GREY).all() and (picture[[0, -1]] == GREY).all()


def test_small_ones_lie_in_front():
    members = (20.5, 15.5, 12, *RED), (20.5, 15.5, 2, *BLUE)
    for order in (members, members[::-1]):
        picture = ellipses_picture(cloud_of("normalized", *order))
        np.testing.assert_allclose(picture[15, 20], BLUE, atol=0.05)
        np.testing.assert_allclose(picture[15, 23], RED, atol=0.15)


@pytest.mark.parametrize("channels", [1, 2, 4])
def test_any_number_of_channels(channels):
    picture = ellipses_picture(
        cloud_of("sum", (20.5, 15.5, 5, *[0.9] * channels), channels=channels)
    )
    np.testing.assert_allclose(picture[15, 20], 0.9, atol=0.05)


def test_values_are_shares_whatever_colors_are():
    picture = ellipses_picture(cloud_of("sum", (20, 15, 5, 70, -3, 0), (9, 9, 5, -9, -9, 9)))
    assert picture.min() >= 0 and picture.max() <= 1


def test_large_pictures_are_shown_smaller():
    cloud = cloud_of("normalized", (1000, 10, 90, *RED))
    large = Cloud(cloud.values, cloud.background, cloud.compositing, 2000, 20)
    picture = ellipses_picture(large, 100)
    assert picture.shape == (1, 100, 3)
    np.testing.assert_allclose(picture[0, 50], RED, atol=0.05)


def test_without_gaussians_all_is_grey():
    assert (ellipses_picture(cloud_of("normalized")) == GREY).all()
