"""measure/resample: another size, in bands, without a large temporary."""

import tracemalloc

import numpy as np
import pytest
from PIL import Image

from neuralshade.measure import resample as resample_module
from neuralshade.measure.resample import fit_within, resample

FILTERS = [Image.Resampling.BOX, Image.Resampling.BILINEAR]


@pytest.mark.parametrize("how", FILTERS)
@pytest.mark.parametrize("height, width", [(20, 31), (61, 83), (150, 100), (1, 1)])
def test_bands_do_not_show(how, height, width, photo, monkeypatch):
    monkeypatch.setattr(resample_module, "BAND_VALUES", 7 * 83)  # 61 rows = 8 * 7 + 5
    made = resample(photo, height, width, how)
    assert made.shape == (height, width, 3)
    for channel in range(3):
        plane = Image.fromarray(np.ascontiguousarray(photo[..., channel]))
        at_once = np.asarray(plane.resize((width, height), how))
        np.testing.assert_allclose(made[..., channel], at_once, atol=1e-6)  # float32 sums


def test_area_means_by_hand(noise):
    picture = noise.integers(0, 256, (12, 20, 2), np.uint8)
    means = picture.reshape(3, 4, 4, 5, 2).mean(axis=(1, 3)) / 255
    np.testing.assert_allclose(resample(picture, 3, 4, FILTERS[0]), means, atol=1e-6)


def test_large_pictures_need_little_memory():
    picture = np.full((6000, 4000, 1), 51, np.uint8)  # 24 MB; 96 MB in float32
    tracemalloc.start()
    made = resample(picture, 60, 40, FILTERS[1])
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    np.testing.assert_allclose(made, 0.2, atol=1e-6)
    assert most < 50e6


@pytest.mark.parametrize(
    "shape, side, small",
    [((61, 83), 83, (61, 83)), ((61, 83), 40, (29, 40)), ((900, 1), 30, (30, 1))],
)
def test_fit_within(shape, side, small):
    assert fit_within(*shape, side) == small
