"""The page where no fit runs: an asset beside its reference, or nothing yet."""

import re

import numpy as np
import pytest

import neuralshade
from neuralshade.fitting.picture_scene import picture_scene
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
    page.says("#taken", "sample.ppm, 384 x 256: ready to be fitted.")
    assert page.text("#fit-picture") == "sample.ppm, 384 x 256"
    page.page.fill("#bpp", "0.5")
    page.page.fill("#fit-seconds", "0.5")
    page.page.click("#start-here")
    page.says("#state", "Ended")
    page.page.select_option("#kind", "mipmaps")  # the present picture is nothing for that
    assert page.text("#fit-picture") == "none yet" and page.page.locator("#start").is_disabled()
    facts = neuralshade.info(tmp_path / "sample.nsh")
    assert facts["recipe"]["bpp"] == 0.5
    assert facts["picture"]["channels"] == 3  # or JPEG and BC1 could not be compared with it
    assert page.page.locator("#nothing").is_hidden()


@pytest.mark.slow
def test_what_cannot_be_started_here_is_a_command(tab, live, background):
    background(live.wait)
    page = tab(live.address)
    page.page.select_option("#kind", "shader")
    for hidden in ("#start", "#source", "#presets"):
        assert page.page.locator(hidden).is_hidden()
    assert page.text("#terminal-why") == (
        "It takes a Slang module. What ends with .slang runs as code: a server that was started "
        "with --run-shaders takes it. In a terminal, with yours in place of task.slang:"
    )
    page.page.select_option("#kind", "textures")
    assert page.page.locator("#start").is_disabled()
    assert page.text("#bpp-unit") == "Bits per texel"
    assert page.text("#command") == "neuralshade fit textures bricks/ --live"
    assert page.text("#terminal-why") == (
        "It takes a folder of maps. Choose maps here, or in a terminal, with yours in place of "
        "bricks/:"
    )
    page.page.fill("#bpp", "2.5")
    page.page.fill("#fit-seconds", "60")
    page.page.fill("#fit-seed", "3")
    assert page.text("#command") == (
        "neuralshade fit textures bricks/ --bpp 2.5 --seconds 60 --seed 3 --live"
    )
    # an option is not broken at its hyphens
    words = """[...document.querySelectorAll("#command .unbroken")]
        .map(e => [e.textContent, e.getClientRects().length])"""
    assert ["--live", 1] in page.js(words) and all(lines == 1 for _, lines in page.js(words))
    assert page.text("#start-why") == "It needs the maps of a material, chosen together."
    page.page.select_option("#kind", "mipmaps")
    assert page.text("#command") == ("neuralshade fit mipmaps bricks/ --seconds 60 --seed 3 --live")
    page.page.select_option("#kind", "image")
    assert page.text("#bpp-unit") == "Bits per pixel"
    assert page.page.locator("#start").is_visible()
    assert page.page.locator("#in-terminal").is_hidden()


@pytest.mark.slow
def test_what_an_asset_alone_lacks_is_told(tab, shown, fitted):
    page = tab(shown(fitted / "a.nsh"))
    page.says("#withheld", "A report compares with what was fitted: name that with --reference.")
    assert page.page.locator("#report").get_attribute("href") is None
    assert page.page.locator("#save").is_enabled()


@pytest.mark.slow
def test_errors_as_a_heat_map_and_as_flip(tab, shown, fitted):
    page = tab(shown(fitted / "a.nsh", fitted / "a.png"))
    picture = neuralshade.load_picture(fitted / "a.png").pixels
    page.shows("target", picture)
    page.until("/\\d\\.\\d{4}/.test(document.querySelector('#quality-rows').textContent)")
    quality = page.text("#quality-rows")
    assert re.fullmatch(r"\s*\d+\.\d\d\s+0\.\d{4}\s+(0\.\d{4}|\u2013)", quality)
    assert "bytes on disk" in page.text("#sizes") and "in a GPU" in page.text("#sizes")
    page.until("document.querySelector('#beside-rows').textContent.includes('BC7')")
    rival = r"BC7\s+(\d+\.\d\d|\u221e)\s+[\d.]+ k?B\s+[\d.]+ k?B\s+yes"
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
    live.renderer.show(picture_scene("image", form, rows, continuous=True))
    page.says("#scene-name", "wide.png")
    page.says("#zoom", "267 %")
    assert page.js("document.querySelector('#whole').getAttribute('aria-pressed')") == "false"
    page.page.click("#whole")
    page.until("parseFloat(document.querySelector('#zoom').textContent) < 60")
    assert page.js("document.querySelector('#whole').getAttribute('aria-pressed')") == "true"


@pytest.mark.slow
def test_what_is_measured_says_so(tab, shown, live, fitted):
    page = tab(shown(fitted / "a.nsh"))  # without a reference nothing else is told
    page.until("document.querySelector('#sizes').textContent")
    cells = "[...document.querySelectorAll('#quality-rows td')].map(e => e.textContent)"
    live.channel.publish("measuring", ["result"])
    page.until(lambda: page.js(cells) == ["measuring ..."])
    found = {"psnr_db": 30.0, "ssim": 0.9, "flip": None, "cropped": False}
    live.channel.publish("quality", {"result": found})
    page.until(lambda: page.js(cells) == ["30.00", "0.9000", "\u2013"])
