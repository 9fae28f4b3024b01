"""fitting/picture_result: results that a thumbnail beats are told, and fits that were cut off."""

from types import SimpleNamespace

import numpy as np
import pytest

from neuralshade import picture_from_array
from neuralshade.fitting.picture_result import early, missed, poor
from neuralshade.fitting.plateau import FEWEST_STEPS, Plateau
from neuralshade.fitting.progress import Progress
from neuralshade.fitting.time_plan import LEAST_STEPS
from neuralshade.kinds.image.recipe import ImageRecipe

FAR = "fit: got 8.7 dB, where a thumbnail of as many bytes has 3"


@pytest.fixture
def picture():
    """Give a smooth picture of 64 x 48, which 768 bytes of texels show with more than 30 dB."""
    row, col = np.mgrid[0:48, 0:64] / 64
    values = np.stack([0.5 + 0.4 * np.sin(9 * row + i) * np.cos(7 * col) for i in range(3)], axis=2)
    return picture_from_array(values.astype(np.float32), "srgb")


def job_of(share=1.0, plateau_step=None, step=50, **ends):
    seconds = ends.get("seconds") or 0.0
    progress = Progress(step=step, seconds=seconds, share=share, plateau_step=plateau_step)
    recipe = ImageRecipe(**{"seconds": None, "steps": None} | ends)
    loop = SimpleNamespace(progress=progress, control=None)
    return SimpleNamespace(loop=loop, recipe=recipe)


@pytest.mark.parametrize("psnr_db, byte_count, told", [
    (8.7, 768, True), (29.0, 768, True), (29.0, 90, False), (45.0, 768, False),
    (8.7, 5000, False),  # the asset is hardly smaller than the picture
])  # fmt: skip
def test_a_result_that_a_thumbnail_beats_is_told(picture, psnr_db, byte_count, told):
    said = poor(job_of(steps=50), {"psnr_db": psnr_db}, byte_count, picture)
    assert (said is not None) is told


@pytest.mark.parametrize("psnr_db, byte_count, told", [
    (31.0, 1536, True), (8.7, 1536, True), (31.0, 10_000, False), (99.0, 1536, False),
])  # fmt: skip
def test_of_hdr_pictures_too(picture, psnr_db, byte_count, told):
    """A thumbnail of theirs has two bytes a number."""
    lit = picture_from_array(20 * picture.as_float(), "linear")
    quality = {"psnr_db": 99.0, "log_psnr_db": psnr_db, "light_kept": 1.0}
    said = poor(job_of(steps=50), quality, byte_count, lit)
    assert (said is not None) is told
    if told:
        assert said.startswith(
            f"fit: got {psnr_db} dB by logarithms, where a thumbnail of as many "
        )
        why = "far below what a fit comes to"
        if psnr_db > 30:
            why = "plain texels hold a picture as smooth as this one better"
        assert said.endswith(f": {why}. Give it more --steps.")


@pytest.mark.parametrize("kept, told", [(0.02, True), (1.6, True), (0.9, False), (None, False)])
def test_of_hdr_pictures_lost_light_comes_first(picture, kept, told):
    lit = picture_from_array(20 * picture.as_float(), "linear")
    quality = {"psnr_db": 30.7, "log_psnr_db": 99.0, "light_kept": kept}
    said = poor(job_of(steps=50), quality, 1536, lit)
    assert (said is not None and "of the picture's light" in said) is told


def test_a_smooth_picture_that_texels_hold_better_is_told_however_good_the_fit(picture):
    said = poor(job_of(steps=50), {"psnr_db": 30.5}, 768, picture)
    assert said is not None and ": plain texels hold a picture as smooth" in said


@pytest.mark.parametrize("ended, advice", [
    ({"steps": 50}, " Give it more --steps."),
    ({"steps": 50, "seconds": 2.0}, " Give it more --seconds, or a machine with less to do."),
    ({"steps": 10**6, "plateau_step": 40}, ""),
    ({"steps": 10**6, "share": 0.5}, ""),  # by a page, or a target
])  # fmt: skip
def test_the_end_that_it_came_to_is_named(picture, ended, advice):
    said = poor(job_of(**ended), {"psnr_db": 8.7}, 768, picture)
    assert said.startswith(FAR) and said.endswith(f": far below what a fit comes to.{advice}")


def test_the_soonest_plateau_is_that_of_the_loop():
    assert Plateau(0.25).end(FEWEST_STEPS) == LEAST_STEPS


@pytest.mark.parametrize("step, ended, told", [
    (280, {"seconds": 3.0}, "3 s after 280 steps"),  # 768 x 512 pixels on two cores: 29 dB
    (280, {"steps": 280}, "280 steps"),
    (1, {"steps": 1}, "1 step"),
    (640, {"seconds": 3.0}, None),
    (280, {"steps": 10**6, "share": 0.5}, None),  # by a page, or a target
    (280, {"steps": 10**6, "plateau_step": 200}, None),
])  # fmt: skip
def test_a_fit_that_was_cut_off_before_any_plateau_is_told(step, ended, told):
    more = "--seconds, or a machine with less to do" if "seconds" in ended else "--steps"
    said = early(job_of(step=step, **ended), None)
    assert said == (told and f"fit: ended at its {told}: far below what it comes to. One that "
                    f"ends by itself takes 640 steps at least. Give it more {more}.")  # fmt: skip


def test_of_a_preset_with_steps_of_its_own_these_are_usual():
    said = early(job_of(step=1_000, steps=1_000), 32_768)
    assert said is not None and "3.1 % of the 32,768 that are usual: far below" in said
    assert early(job_of(step=32_768, steps=32_768), 32_768) is None


@pytest.mark.parametrize("ended, told", [
    ({"steps": 50}, ", at its 50 steps. Give it more --steps. A larger "),
    ({"seconds": 3.0, "step": 724}, ", at its 3 s after 724 steps. Give it more --seconds, or a "
     "machine with less to do. A larger "),
    ({"steps": 10**6, "plateau_step": 40}, ", at its plateau. A larger "),
])  # fmt: skip
def test_a_target_that_was_missed_is_told(ended, told):
    said = missed(job_of(**ended, target_psnr=60.0), 33.312)
    assert said == (f"fit: got 33.31 dB, where target_psnr asks for 60{told}--bpp, encoding or "
                    "network gives more, too.")  # fmt: skip


def test_a_target_that_the_file_alone_missed_is_told(same_message):
    said = missed(job_of(share=0.4, target_psnr=35.0), 34.98)
    same_message(said, "fit", "Ask")


def test_no_target_is_missed_that_was_reached_nor_one_that_a_page_gave_up():
    assert missed(job_of(steps=50, target_psnr=35.0), 34.999) is None
    assert missed(job_of(steps=50), 8.7) is None
    job = job_of(share=0.4, target_psnr=35.0)
    job.loop.control = SimpleNamespace(ended=True)
    assert missed(job, 8.7) is None
