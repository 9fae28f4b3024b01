"""live/page: each map of a texture set beside its reference."""

import re

import numpy as np
import pytest

from neuralshade.measure.baselines import to_uint8
from neuralshade.source.material_mips import mip_levels


@pytest.mark.slow
def test_maps_are_beside_themselves_as_given(moss, tab, shown):
    page, textures = tab(shown(moss.path, moss.textures)), moss.textures
    decoded = to_uint8(moss.opened.drawn_map(moss.opened.coding("albedo"), 0, 24, 16))
    page.shows("given:map:albedo", to_uint8(textures["albedo"].values))
    page.shows("map:albedo", decoded)
    panes = [page.page.locator(f"[data-testid=pane-{number}]") for number in (1, 2, 3)]
    assert [pane.input_value() for pane in panes] == [
        "given:map:albedo", "map:albedo", "error:map:albedo",
    ]  # fmt: skip
    titles = panes[0].locator("option").all_inner_texts()
    assert titles[0] == "albedo as decoded" and "roughness reference" in titles
    assert "Error of flow as decoded" in titles

    # another map's error is made of that map, whatever else is shown
    panes[2].select_option("error:map:roughness")
    scale = int(page.page.locator("#error-scale").input_value())
    grey = np.repeat(to_uint8(textures["roughness"].values), 3, axis=2)
    page.shows("given:map:roughness", grey)
    error = 127.5 + scale * (page.pixels("map:roughness").astype(float) - grey)
    assert np.abs(page.pixels("error:map:roughness") - error.clip(0, 255)).max() <= 0.5


@pytest.mark.slow
def test_without_the_maps_there_are_no_errors(moss, tab, shown):
    page = tab(shown(moss.path))
    page.shows("map:albedo", to_uint8(moss.opened.draw(24, 16)))
    titles = page.page.locator("[data-testid=pane-1] option").all_inner_texts()
    names = ["albedo", "normal", "roughness", "metallic", "flow", "emissive"]
    assert titles == [*names, "lit sphere"]


@pytest.mark.slow
def test_a_level_and_the_light_of_the_sphere(moss, tab, shown):
    page, textures = tab(shown(moss.path, moss.textures)), moss.textures
    pane = [page.page.locator(f"[data-testid=pane-{number}]") for number in (1, 2, 3)]
    pane[0].select_option("given:map:albedo")
    pane[1].select_option("lit")
    pane[2].select_option("error:lit")
    sphere = page.pixels("lit")
    assert sphere.shape[1] > 24 and page.pixels("error:lit").shape == sphere.shape

    # a drag on the sphere moves its highlight, one on a map pans
    azimuth, elevation = page.page.locator("#azimuth"), page.page.locator("#elevation")
    before = azimuth.input_value(), elevation.input_value()
    page.drag("canvas[data-pane=lit]", 40, 10)
    moved = azimuth.input_value(), elevation.input_value()
    assert moved != before and page.text("#light-what") == "the sphere"
    page.until(lambda: not np.array_equal(page.pixels("lit"), sphere), "another light")
    page.drag("canvas[data-pane='given:map:albedo']", 40, 10)
    assert (azimuth.input_value(), elevation.input_value()) == moved

    # a level is shown in its own texels, and read there
    page.press("m")
    assert page.text("#level-size") == "12 x 8 texels"
    page.shows("given:map:albedo", to_uint8(mip_levels(textures["albedo"])[1]))
    assert page.pixels("lit").shape[1] > 24
    box = page.page.locator("canvas[data-pane='given:map:albedo']").bounding_box()
    page.page.mouse.move(box["x"] + box["width"] / 2 + 1, box["y"] + box["height"] / 2 + 1)
    page.until(lambda: page.text("#values").startswith("x 6, y 4"), "a texel of the level")
    page.page.locator("#level").fill("4")
    page.shows("given:map:albedo", to_uint8(mip_levels(textures["albedo"])[4]))
    page.press("M", "M")
    assert page.text("#level-value") == "2"


@pytest.mark.slow
def test_numbers_under_the_pointer_are_of_what_is_looked_at(moss, tab, shown):
    """Of what is lit first, as it is shown; one number where a map has one channel."""
    page = tab(shown(moss.path, moss.textures))
    pane = [page.page.locator(f"[data-testid=pane-{number}]") for number in (1, 2, 3)]
    pane[0].select_option("given:lit")
    pane[1].select_option("error:lit")
    pane[2].select_option("map:roughness")
    page.pixels("lit")
    page.pixels("map:roughness")
    page.page.locator("canvas[data-pane='error:lit']").hover()
    told = "[...document.querySelectorAll('#values > span')].map(e => e.innerText)"
    page.until(lambda: len(page.js(told)) > 1)
    _, *spans = page.js(told)
    titles, numbers = zip(*(re.match(r"(.*?) ((?:-?[0-9.]+ *)+)$", s).groups() for s in spans),
                          strict=True)  # fmt: skip
    assert titles == (
        "lit sphere as decoded, as shown", "lit sphere reference, as shown",
        "roughness as decoded", "roughness reference",
    )  # fmt: skip
    assert [len(text.split()) for text in numbers] == [3, 3, 1, 1]
