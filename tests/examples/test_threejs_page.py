"""examples/export/threejs: the page draws its bricks."""

import pathlib

import pytest
from fixtures.engine_pages import shown_page
from fixtures.npm_packages import THREE

pytestmark = [pytest.mark.slow]
EXAMPLE = pathlib.Path(__file__).parents[2] / "examples/export/threejs"


def test_it_draws_bricks(gpu_browser):
    # As textures: in software a frame by pixels takes seconds
    pixels, complaints = shown_page(gpu_browser, EXAMPLE, THREE, "?bake")
    assert not complaints
    floor = pixels[120:150]
    assert (floor[..., 0] > floor[..., 2] + 30).mean() > 0.3  # red bricks
    assert floor.min(-1).max() > 60  # and gray mortar
