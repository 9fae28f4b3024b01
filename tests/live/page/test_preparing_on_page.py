"""What the page shows to somebody who has just started a fit, while kernels compile for it."""

import threading

import pytest

import neuralshade
from neuralshade.base import progress_scope


@pytest.mark.slow
def test_a_fit_that_begins_is_told_of(tab, live, background, picture, small, tmp_path):
    compiled = threading.Event()

    def fit_image(picture, output, **settings):
        with progress_scope.working("compiling kernels"):
            compiled.wait()
        return neuralshade.fit_image(picture, output, **settings)

    page = tab(live.address)
    page.says("#state", "No fit")
    assert page.page.locator("#new-fit").get_attribute("open") is not None
    background(live.run, fit_image, picture, tmp_path / "x.nsh", steps=10**8, **small)
    try:
        page.says("#state", "Preparing")
        page.until(lambda: "fit image, array: compiling kernels, 1 s" in page.text("#preparing"))
        assert page.text("#fit-text").startswith("fit image, array: compiling kernels, ")
        assert page.page.locator("#zone").is_hidden()
        assert page.page.locator("#new-fit").get_attribute("open") is None
        late = tab(live.address, 390, 800)
        late.says("#state", "Preparing")
    finally:
        compiled.set()
    for each in (page, late):
        each.says("#state", "Running")
        each.until(each.page.locator("#pane-area").is_visible)
    compiled.clear()
    page.page.click("#reset")
    page.page.locator("#answers button").first.click()
    page.says("#state", "Preparing")  # not the fit that was stopped
    assert page.page.locator("#pause").is_disabled()
    compiled.set()
    page.says("#state", "Running")
