"""kinds/splats/kernels with SSIM in the loss: the gradient of a step is that of both terms."""

import numpy as np
import pytest
import torch

from neuralshade.kinds.splats.engine import SplatEngine, SplatTraining
from neuralshade.kinds.splats.kernels import RANGE, SplatForm
from neuralshade.loss.ssim import ssim
from neuralshade.model.gaussian import color_at

HEIGHT, WIDTH, SSIM = 21, 37, 3.0
BACKGROUND = np.float32([0.3, 0.6, 0.1])


@pytest.fixture
def cloud():
    rng = np.random.default_rng(3)
    values = np.zeros((8, 25), np.float32)
    values[:2] = rng.random((2, 25)) * [[WIDTH], [HEIGHT]]
    values[2:4] = rng.normal(1.2, 0.4, (2, 25))
    values[4:] = rng.normal(0.3, 0.2, (4, 25))
    return values


def stepped(gpu, form, pixels, cloud):
    """Return the gradient that one step left in Adam's mean: float32 [A, N]."""
    training = SplatTraining(betas=(0.0, 0.0), epsilon=1.0)
    engine = SplatEngine(gpu, form, training, pixels, cloud, cloud.shape[1], BACKGROUND)
    ranges = np.zeros(form.attributes, RANGE)
    ranges["low"], ranges["high"] = -1e9, 1e9
    engine.set_ranges(ranges)
    engine.advance([1.0])
    return engine.state()["moments"][0].numpy()


@pytest.mark.slow
def test_both_terms_are_trained(gpu, cloud):
    pixels = np.random.default_rng(0).integers(256, size=(HEIGHT, WIDTH, 3), dtype=np.uint8)
    form = SplatForm(3, "sum", ssim=SSIM)
    got = stepped(gpu, form, pixels, cloud)
    values = torch.tensor(cloud, dtype=torch.float64, requires_grad=True)
    row, col = np.mgrid[:HEIGHT, :WIDTH]
    places = torch.tensor(np.stack([col + 0.5, row + 0.5], -1).reshape(-1, 2))
    drawn = color_at(values, places, torch.tensor(BACKGROUND, dtype=torch.float64), form.together)
    wanted = torch.tensor(pixels.reshape(-1, 3) / 255)
    maps = [picture.t().reshape(3, HEIGHT, WIDTH) for picture in (drawn, wanted)]
    loss = (drawn - wanted).square().sum() + SSIM * drawn.numel() * (1 - ssim(*maps))
    loss.backward()
    for attribute, gradient in enumerate(values.grad.numpy()):
        error = np.linalg.norm(got[attribute] - gradient) / np.linalg.norm(gradient)
        assert error < 1e-3, attribute
    alone = stepped(gpu, SplatForm(3, "sum"), pixels, cloud)
    assert np.linalg.norm(got - alone) > 0.05 * np.linalg.norm(alone)
