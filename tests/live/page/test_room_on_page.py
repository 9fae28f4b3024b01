"""Where panes, captions and curves lie: pictures as large as can be, and no word cut off."""

import numpy as np
import pytest

import neuralshade

IS_CUT = """() => [...document.querySelectorAll(".slot:not([hidden]) .detail")].some(
    e => e.scrollWidth > e.clientWidth)"""


@pytest.mark.slow
def test_curves_take_the_quarter_that_three_panes_leave(tab, live, background, small, tmp_path):
    row, col = np.mgrid[:20, :30]
    picture = neuralshade.picture_from_array(np.stack([row, col, row + col], 2).astype(np.uint8))
    background(live.run, neuralshade.fit_image, picture, tmp_path / "x.nsh", steps=10**8, **small)
    page = tab(live.address, 1400, 900)
    page.until(lambda: page.points() > 2)
    page.until("document.querySelector('#pane-area > #curves')")
    height = page.page.locator(".well").first.bounding_box()["height"]
    assert height > 300  # it was 267 above the curves
    lies = page.page.locator("#curves").bounding_box()
    assert lies["x"] > 500 and lies["y"] > 450 and lies["height"] > 300
    page.press("1")
    page.until("document.querySelector('main > #curves')")
    page.press("3")
    page.until("document.querySelector('#pane-area > #curves')")
    page.page.set_viewport_size({"width": 390, "height": 800})
    page.until("document.querySelector('main > #curves')")


@pytest.mark.slow
def test_captions_have_a_line_more_where_they_need_it(moss, tab, shown):
    page = tab(shown(moss.path, moss.textures), 360, 800)
    page.pixels("map:albedo")
    page.page.locator("[data-testid=pane-3]").select_option("map:roughness")
    heights = "[...document.querySelectorAll('figcaption')].slice(0, 3).map(e => e.offsetHeight)"
    high = page.js(heights)[0]
    assert not page.js(IS_CUT)
    page.page.locator("[data-testid=pane-2]").select_option("error:lit")
    page.until(lambda: page.js(heights)[0] > high)
    assert not page.js(IS_CUT)
    assert len(set(page.js(heights))) == 1  # panes are of one size
    page.page.locator("[data-testid=pane-2]").select_option("map:albedo")
    page.until(lambda: page.js(heights)[0] == high)
