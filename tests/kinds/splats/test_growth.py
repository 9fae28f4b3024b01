"""kinds/splats/growth: Gaussians begin where the picture changes, and are added where it errs."""

import numpy as np
import pytest
import torch

from neuralshade.kinds.splats.draw import Cloud, draw_cloud
from neuralshade.kinds.splats.growth import added_cloud, drawn_centers, first_cloud
from neuralshade.model.gaussian import COLOR, COMPOSITINGS, SIZE, SMALLEST_PX, Compositing

WIDTH, HEIGHT = 48, 32


def waves(channels=3):
    """Return a smooth picture that changes in its right half alone: float32 [H, W, C]."""
    row, col = np.mgrid[:HEIGHT, :WIDTH]
    wave = np.sin(np.maximum(col - WIDTH / 2, 0) * 0.4) * np.cos(row / 9)
    shifts = np.linspace(0.3, 0.7, channels)
    return np.float32(wave[..., None] * 0.25 + shifts)


@pytest.fixture(params=COMPOSITINGS)
def together(request):
    return Compositing(request.param)


@pytest.mark.parametrize("count", [1, 2, 500])
def test_centers_follow_the_density(count):
    density = np.zeros((HEIGHT, WIDTH), np.float32)
    density[4, 7], density[20, 40] = 3.0, 1.0
    centers, index = drawn_centers(density, count, np.random.default_rng(0))
    assert centers.dtype == np.float32 and centers.shape == (2, count)
    np.testing.assert_array_equal(np.floor(centers), [index % WIDTH, index // WIDTH])
    upper = (index == 4 * WIDTH + 7).sum()
    assert upper + (index == 20 * WIDTH + 40).sum() == count
    assert abs(upper - 0.75 * count) <= 1  # stratified: not only on average


def test_many_gaussians_begin_where_the_picture_changes(together):
    wanted = waves()
    values = first_cloud(wanted, 400, together, np.random.default_rng(0), np.zeros(3, np.float32))
    assert values.shape == (COLOR + 3 + together.opacity, 400) and values.dtype == np.float32
    assert np.isfinite(values).all() and (values[SIZE] >= np.log(SMALLEST_PX)).all()
    right = values[0] > WIDTH / 2
    assert 0.65 * 400 < right.sum() < 400  # few elsewhere, yet not none
    assert values[2][right].mean() < values[2][~right].mean()  # which are larger


def test_the_first_picture_is_roughly_the_wanted_one(together):
    wanted = waves()
    background = np.float32([0.5, 0.5, 0.5])
    values = first_cloud(wanted, 400, together, np.random.default_rng(0), background)
    cloud = Cloud(torch.tensor(values), torch.tensor(background), together, WIDTH, HEIGHT)
    error = np.square(draw_cloud(cloud, WIDTH, HEIGHT) - wanted).mean()
    assert error < 0.5 * np.square(wanted - background).mean()


@pytest.mark.parametrize("shape", [(1, 1, 1), (1, 9, 3), (9, 1, 4), (5, 4, 2)])
def test_pictures_without_changes_are_covered_evenly(together, shape):
    wanted = np.full(shape, 0.25, np.float32)
    for count in (1, 7):
        background = np.zeros(shape[2], np.float32)
        values = first_cloud(wanted, count, together, np.random.default_rng(0), background)
        assert values.shape == (COLOR + shape[2] + together.opacity, count)
        assert np.isfinite(values).all()
        inside = (values[:2] >= 0) & (values[:2] <= [[shape[1]], [shape[0]]])
        assert inside.all()


def test_more_are_added_where_the_picture_is_wrong(together):
    wanted, drawn = waves(), waves()
    drawn[:8, :8] += 0.3
    added = added_cloud(wanted, drawn, 60, 4.0, together, np.random.default_rng(0))
    assert added.shape == (COLOR + 3 + together.opacity, 60)
    assert (added[:2] < 8.001).all() and np.ptp(added[SIZE]) == 0
    luma = added[COLOR].mean()
    if together.kind == "sum":
        assert luma == pytest.approx(-0.3, abs=1e-3)  # what is missing
    else:
        assert luma == pytest.approx(0.5, abs=0.1)  # what it should be


def test_a_perfect_picture_has_some_added_anywhere(together):
    added = added_cloud(waves(), waves(), 60, 4.0, together, np.random.default_rng(0))
    assert np.isfinite(added).all() and np.ptp(added[0]) > WIDTH / 2
