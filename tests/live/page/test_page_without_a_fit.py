"""The page where no fit runs: an asset beside its reference, or nothing yet."""

import re

import numpy as np
import pytest

import neuralshade
from neuralshade.fitting.scene import picture_scene
from neuralshade.measure.quality import missing_flip
from neuralshade.source.picture import PictureForm


@pytest.mark.slow
def test_an_empty_page_has_a_place_to_drop_and_a_sample(tab, live, background, tmp_path,
                                                        monkeypatch):  # fmt: skip
    monkeypatch.chdir(tmp_path)
    background(live.wait)
    page = tab(live.address, 390, 800)
    assert page.page.locator("#nothing .zone").is_visible()
    assert page.page.locator("#toolbar").is_hidden()  # there is nothing to zoom
    page.page.click("#sample")
    page.until(lambda: "sample.png, 384 x 256" in page.text("#fit-picture"), "the sample")
    page.page.select_option("#kind", "textures")
    assert page.page.locator("#start").is_disabled()
    assert "neuralshade fit textures" in page.text("#kind-about")
    page.page.select_option("#kind", "image")
    page.page.fill("#bpp", "0.5")
    page.page.fill("#fit-seconds", "0.5")
    page.page.click("#start")
    page.says("#state", "Ended")
    facts = neuralshade.info(tmp_path / "sample.nsh")
    assert facts["recipe"]["bpp"] == 0.5
    assert page.page.locator("#nothing").is_hidden()


@pytest.mark.slow
def test_errors_as_a_heat_map_and_as_flip(tab, shown, fitted):
    page = tab(shown(fitted / "a.nsh", fitted / "a.png"))
    picture = neuralshade.load_picture(fitted / "a.png").pixels
    page.shows("target", picture)
    page.until("document.querySelectorAll('#quality-rows tr').length === 1")
    quality = page.text("#quality-rows")
    assert re.fullmatch(r"\s*\d+\.\d\d\s+0\.\d{4}\s+(0\.\d{4}|\u2013)", quality)
    assert "bytes on disk" in page.text("#sizes") and "in a GPU" in page.text("#sizes")
    page.until("document.querySelector('#beside-rows').textContent.includes('BC7')")
    rival = r"BC7\s+(\d+\.\d\d|\u221e)\s+[\d,]+\s+yes"
    assert re.search(rival, page.text("#beside-rows"))
    page.page.select_option("#error-form", "heat")
    error = page.pixels("error").astype(float).sum(2)
    size = np.abs(page.pixels("result").astype(int) - picture).max(2)
    assert error[size == 0].max(initial=0) == 0
    order = error[np.argsort(size, axis=None) // 36, np.argsort(size, axis=None) % 36]
    assert order[-1] > order[0] + 3 and (np.diff(order) >= -3).all()  # but for rounding
    if missing_flip() is None:
        page.page.select_option("#error-form", "flip")
        assert page.page.locator("#error-scales").is_hidden()
        np.testing.assert_array_equal(page.pixels("flip:result"), page.pixels("error"))


def test_a_picture_of_few_rows_is_no_hairline(tab, shown, live, fitted):
    """It begins with a part of it; the whole is shown where that is asked for."""
    page = tab(shown(fitted / "a.nsh"))
    form = PictureForm(2000, 3, 3, "srgb", "wide.png")
    rows = lambda width, height, crop: np.zeros((height, width, 3), np.float32)  # noqa: E731
    live.stage.show(picture_scene("image", form, rows, continuous=True))
    page.says("#scene-name", "wide.png")
    page.says("#zoom", "267 %")
    assert page.js("document.querySelector('#whole').getAttribute('aria-pressed')") == "false"
    page.page.click("#whole")
    page.until("parseFloat(document.querySelector('#zoom').textContent) < 60")
    assert page.js("document.querySelector('#whole').getAttribute('aria-pressed')") == "true"
