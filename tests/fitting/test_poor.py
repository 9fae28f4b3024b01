"""fitting/picture_result: a result that a thumbnail beats is told, with what to give more of."""

from types import SimpleNamespace

import numpy as np
import pytest

from neuralshade import picture_from_array
from neuralshade.fitting.picture_result import poor
from neuralshade.fitting.progress import Progress
from neuralshade.kinds.image.recipe import ImageRecipe

FAR = "fit: got 8.7 dB, where a thumbnail of as many bytes has 3"


@pytest.fixture
def picture():
    """Give a smooth picture of 64 x 48, which 768 bytes of texels show with more than 30 dB."""
    row, col = np.mgrid[0:48, 0:64] / 64
    values = np.stack([0.5 + 0.4 * np.sin(9 * row + i) * np.cos(7 * col) for i in range(3)], axis=2)
    return picture_from_array(values.astype(np.float32), "srgb")


def job_of(seconds=0.0, share=1.0, plateau_step=None, **ends):
    progress = Progress(step=50, seconds=seconds, share=share, plateau_step=plateau_step)
    recipe = ImageRecipe(**{"seconds": None, "steps": None} | ends)
    return SimpleNamespace(loop=SimpleNamespace(progress=progress), recipe=recipe)


@pytest.mark.parametrize("psnr_db, byte_count, told", [
    (8.7, 768, True), (29.0, 768, True), (29.0, 90, False), (45.0, 768, False),
    (8.7, 5000, False),  # the asset is hardly smaller than the picture
])  # fmt: skip
def test_a_result_that_a_thumbnail_beats_is_told(picture, psnr_db, byte_count, told):
    said = poor(job_of(steps=50), psnr_db, byte_count, picture, 1.0)
    assert (said is not None) is told


@pytest.mark.parametrize("ended, advice", [
    ({"steps": 50}, " Give it more --steps."),
    ({"steps": 50, "seconds": 2.0}, " Give it more --seconds, or a machine with less to do."),
    ({"steps": 10**6, "plateau_step": 40}, ""),
    ({"steps": 10**6, "share": 0.5}, ""),  # by a page, or a target
])  # fmt: skip
def test_the_end_that_it_came_to_is_named(picture, ended, advice):
    job = job_of(**ended)
    if "seconds" in ended:
        job.recipe = ImageRecipe(seconds=2.0, steps=50)
    said = poor(job, 8.7, 768, picture, 1.0)
    assert said.startswith(FAR) and said.endswith(f": far below what a fit comes to.{advice}")
