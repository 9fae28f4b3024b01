"""A picture in memory is fitted, compared and reported as its file is."""

import numpy as np
import pytest
import torch
from PIL import Image

import neuralshade
from neuralshade import FitOptions
from neuralshade.source.target import Target

PIXELS = np.random.default_rng(3).integers(0, 255, (9, 12, 3)).astype(np.uint8)
BRIEF = {"steps": 2, "encoding": "dense_grid:width=8,height=8", "hidden_width": 8}


MORE = [pytest.param(of, marks=pytest.mark.slow) for of in (torch.from_numpy, Image.fromarray)]


@pytest.mark.parametrize("of", [np.asarray, *MORE])
def test_pixels_are_fitted(tmp_path, of):
    given = of(PIXELS)
    result = neuralshade.fit_image(given, tmp_path / "a.nsh",
                                   options=FitOptions(engine="torch"), **BRIEF)  # fmt: skip
    neuralshade.report(result.asset, given, tmp_path / "a.html")
    assert (tmp_path / "a.html").stat().st_size > 500
    row = neuralshade.load(result.asset).target(given)
    assert row.digest == neuralshade.picture_from_array(PIXELS).digest


def test_pixels_that_are_only_lent_are_taken_without_a_warning(recwarn):
    lent = np.array(PIXELS[..., :1])
    lent.flags.writeable = False
    planes = Target(lent, torch.device("cpu")).planes
    assert torch.equal(planes, torch.from_numpy(np.moveaxis(PIXELS[..., :1], 2, 0).copy()))
    assert not recwarn.list
