"""fitting/scene: what of a view is drawn, sample by sample."""

import numpy as np
import pytest

from neuralshade.fitting.scene import Scene, View


@pytest.fixture
def scene(picture):
    def build(width=32, height=24, continuous=True):
        return Scene("image", "a", width, height, 3, False, False, continuous, {}, None)

    return build


@pytest.mark.parametrize("region", [(0, 0, 1, 1), (0.25, 0.5, 0.75, 1), (0.3, 0.1, 0.31, 0.12)])
@pytest.mark.parametrize("continuous", [False, True])
@pytest.mark.parametrize("by", [1, 2, 5])
def test_samples_lie_on_centers_of_pixels(scene, region, continuous, by):
    view = View(1, 1, region, 8, 6)
    fitted = scene(continuous=continuous).fitted(view, by)
    if fitted is view:  # finer than pixels are
        assert continuous and by == 1
        return
    for low, high, count, size in ((0, 2, fitted.width, 32), (1, 3, fitted.height, 24)):
        first, last = fitted.region[low], fitted.region[high]
        at = (first + (np.arange(count) + 0.5) / count * (last - first)) * size
        np.testing.assert_allclose(at % 1, 0.5, atol=1e-6)
        assert at.min() > region[low] * size - 1 and at.max() < region[high] * size + 1


def test_more_than_its_pixels_only_where_there_is_more_to_see(scene):
    view = View(1, 1, (0, 0, 1, 1), 640, 480)
    assert scene().fitted(view, 1) is view
    coarse = scene(continuous=False).fitted(view, 1)
    assert (coarse.width, coarse.height) == (32, 24)
    assert scene(3000, 2000).fitted(View(1, 1, width=3000, height=1000), 1).width < 3000
    own = scene(1500, 1000).fitted(View(1, 1, width=1500, height=1000), 1)
    assert (own.width, own.height, own.region) == (1500, 1000, (0, 0, 1, 1))
