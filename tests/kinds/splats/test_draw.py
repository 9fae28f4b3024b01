"""kinds/splats/draw: a cloud is one function, whichever part of it is drawn and by whom."""

import numpy as np
import pytest
import torch

from neuralshade.kinds.splats.draw import TILE_PX, Cloud, draw_cloud, draw_cloud_blocks
from neuralshade.kinds.splats.engine import SplatEngine, SplatTraining
from neuralshade.kinds.splats.kernels import RANGE, SplatForm
from neuralshade.model.gaussian import COLOR, COMPOSITINGS, SIZE, Compositing, color_at

WIDTH, HEIGHT = 37, 21  # of the fitted picture
BACKGROUND = torch.tensor([0.3, 0.6, 0.1])


@pytest.fixture(params=COMPOSITINGS)
def cloud(request):
    """Give 60 Gaussians; some lie outside, one is a needle, one a point, one covers all."""
    together, rng = Compositing(request.param), np.random.default_rng(4)
    values = rng.normal(0.3, 0.3, (COLOR + 3 + together.opacity, 60))
    values[:2] = (1.2 * rng.random((2, 60)) - 0.1) * [[WIDTH], [HEIGHT]]
    values[SIZE] += 0.6
    values[2:5, 0] = np.log(0.3), np.log(8), 7.0
    values[2:5, 1] = np.log(0.25), np.log(0.25), 0.0
    values[2:5, 2] = np.log(90), np.log(90), 0.0
    return Cloud(torch.tensor(values, dtype=torch.float32), BACKGROUND, together, WIDTH, HEIGHT)


def everything_at(cloud, width, height, crop=(0.0, 0.0, 1.0, 1.0)):
    """Return the picture by visiting every Gaussian at every place, in float64."""
    u0, v0, u1, v1 = crop
    row, col = np.mgrid[:height, :width]
    u = u0 + (col + 0.5) / width * (u1 - u0)
    v = v0 + (row + 0.5) / height * (v1 - v0)
    places = np.stack([u * cloud.width, v * cloud.height], axis=-1).reshape(-1, 2)
    drawn = color_at(cloud.values.double(), torch.tensor(places), cloud.background.double(),
                     cloud.compositing)  # fmt: skip
    return drawn.reshape(height, width, -1).numpy()


SIZES = [(WIDTH, HEIGHT), (1, 1), (TILE_PX + 1, TILE_PX), (70, 3), (2, 70)]
CROPS = [(0.0, 0.0, 1.0, 1.0), (0.25, 0.5, 0.75, 1.0), (0.9, 0.0, 0.95, 0.01)]


@pytest.mark.parametrize("width, height", SIZES)
@pytest.mark.parametrize("crop", CROPS)
def test_no_gaussian_is_left_out_wherever_it_is_looked_at(cloud, width, height, crop):
    drawn = draw_cloud(cloud, width, height, crop)
    assert drawn.shape == (height, width, 3) and drawn.dtype == np.float32
    np.testing.assert_allclose(drawn, everything_at(cloud, width, height, crop), rtol=0, atol=2e-5)


@pytest.mark.parametrize("width, height", SIZES)
def test_blocks_cover_the_picture_once(cloud, width, height):
    covered = np.zeros((height, width), int)
    for rows, cols, block in draw_cloud_blocks(cloud, width, height):
        covered[rows, cols] += 1
        assert block.shape == (*covered[rows, cols].shape, 3)
    assert (covered == 1).all()


def test_a_crop_is_a_part_of_the_larger_picture(cloud):
    larger = draw_cloud(cloud, 4 * WIDTH, 4 * HEIGHT)
    part = draw_cloud(cloud, 2 * WIDTH, 2 * HEIGHT, (0.25, 0.5, 0.75, 1.0))
    wanted = larger[2 * HEIGHT :, WIDTH : 3 * WIDTH]
    np.testing.assert_allclose(part, wanted, rtol=0, atol=1e-4)


def test_other_resolutions_show_the_same_function(cloud):
    """At three times the resolution each third pixel has the same centre."""
    larger = draw_cloud(cloud, 3 * WIDTH, 3 * HEIGHT)[1::3, 1::3]
    np.testing.assert_allclose(larger, draw_cloud(cloud, WIDTH, HEIGHT), rtol=0, atol=1e-4)


def test_without_gaussians_there_is_the_background(cloud):
    empty = Cloud(cloud.values[:, :0], BACKGROUND, cloud.compositing, WIDTH, HEIGHT)
    drawn = draw_cloud(empty, 40, 5)
    np.testing.assert_array_equal(drawn, BACKGROUND.expand(5, 40, 3))


def test_nothing_is_clamped():
    """HDR pictures have colors beyond 1, and sums may fall below 0."""
    values = torch.zeros(COLOR + 1, 2)
    values[:2], values[SIZE], values[COLOR] = 5.0, 1.0, torch.tensor([40.0, -90.0])
    drawn = draw_cloud(Cloud(values, torch.zeros(1), Compositing("sum"), 10, 10), 10, 10)
    assert drawn.min() < -30
    values[COLOR] *= -1
    drawn = draw_cloud(Cloud(values, torch.zeros(1), Compositing("sum"), 10, 10), 10, 10)
    assert drawn.max() > 30


@pytest.mark.slow
def test_the_engine_draws_the_same(gpu, cloud):
    form = SplatForm(3, cloud.compositing.kind)
    assert form.together == cloud.compositing
    count = cloud.values.shape[1]
    engine = SplatEngine(gpu, form, SplatTraining(), np.zeros((HEIGHT, WIDTH, 3), np.uint8),
                         cloud.values.numpy(), count, BACKGROUND.numpy())  # fmt: skip
    engine.set_ranges(np.array([(-1e6, 1e6, 0, 0)] * form.attributes, RANGE))
    np.testing.assert_allclose(engine.draw(), draw_cloud(cloud, WIDTH, HEIGHT), rtol=0, atol=1e-4)


def test_stored_colors_are_drawn_as_channels():
    """Where one normalized Gaussian covers everything, the picture is its color."""
    values = torch.zeros(COLOR + 3, 1)
    values[:2], values[SIZE], values[COLOR:, 0] = 15.0, 8.0, torch.tensor([0.5, 0.2, -0.1])
    drawn = draw_cloud(Cloud(values, BACKGROUND, Compositing("normalized"), 30, 30), 7, 5)
    wanted = np.broadcast_to([0.8, 0.4, 0.4], drawn.shape)  # luma +- orange -+ green
    np.testing.assert_allclose(drawn, wanted, rtol=0, atol=2e-4)
