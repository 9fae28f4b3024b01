"""kinds/material/speed/evaluation: graph and decoder are evaluated at the points it says."""

import numpy as np
import pytest
import torch
from fixtures.small_material import paint_reference

from neuralshade.gpu.clock import Patience
from neuralshade.kinds.material.field import build_field, encoding_of
from neuralshade.kinds.material.judging.judge import field_shade
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.speed.evaluation import decoder_evaluation, graph_evaluation
from neuralshade.kinds.material.speed.screen import LOWEST_UP, Screen

SCREENS = [Screen(32, 16, 8), Screen(32, 16, 8, scattered=True),
           Screen(16, 8, 8, lights=3), Screen(16, 8, 8, scattered=True, lights=3)]  # fmt: skip
NAMES = ["plane", "scattered", "plane, three lights", "scattered, three lights"]


@pytest.mark.parametrize("screen", SCREENS, ids=NAMES)
def test_a_graph_is_evaluated_at_the_points_of_the_screen(gpu, painted, screen):
    evaluation = graph_evaluation(gpu, paint_reference(), screen)
    wanted = painted.eval(*screen.points()).reshape(screen.count, screen.lights, 3)
    assert screen.lights == 1 or wanted.std(1).max() > 0.01
    np.testing.assert_allclose(evaluation.values(), wanted.sum(1), rtol=1e-3, atol=1e-5)
    assert evaluation.microseconds(Patience(0.0, 1)) > 0


@pytest.mark.slow
@pytest.mark.parametrize("screen", SCREENS, ids=NAMES)
def test_a_decoder_is_evaluated_there_too(gpu, screen):
    rng = torch.Generator().manual_seed(1)
    field = build_field(MaterialRecipe(size=8, hidden_width=16), 8, rng)
    torch.nn.init.uniform_(encoding_of(field).grid.texels, 0, 1, generator=rng)
    encoding_of(field).grid.round()
    wanted = field_shade(field)(*screen.points()).reshape(screen.count, screen.lights, 3).sum(1)
    evaluation = decoder_evaluation(gpu, field, screen)
    assert wanted.std() > 0.01
    # float16 where it has units; so is the read-out on cooperative vectors, and maps are filtered
    near = {"rtol": 2e-2, "atol": 1e-3} if evaluation.path == "vector" else {
        "rtol": 5e-3, "atol": 1e-4}  # fmt: skip
    np.testing.assert_allclose(evaluation.values(), wanted, **near)


def test_pixels_come_tile_by_tile_and_all_of_them():
    pixels = Screen(32, 16).pixels()
    assert len({tuple(pixel) for pixel in pixels.tolist()}) == 32 * 16
    assert (np.ptp(pixels.reshape(-1, 64, 2), axis=1) == 7).all()


def test_points_lie_above_the_surface_and_scattered_ones_everywhere():
    for screen in (Screen(64, 64, lights=2), Screen(64, 64, scattered=True)):
        uv, wi, wo = screen.points()
        assert (uv >= 0).all() and (uv < 1).all()
        for directions in (wi, wo):
            np.testing.assert_allclose(np.linalg.norm(directions, axis=1), 1, atol=1e-5)
            assert directions[:, 2].min() >= LOWEST_UP - 1e-6
    # uniform numbers of a count of 4096: the mean within four standard errors
    numbers = np.concatenate([uv, (wi[:, 2:] - LOWEST_UP) / (1 - LOWEST_UP)], axis=1)
    assert np.abs(numbers.mean(0) - 0.5).max() < 4 * (1 / 12 / 4096) ** 0.5
    assert np.abs(np.corrcoef(numbers.T) - np.eye(3)).max() < 4 / 64
