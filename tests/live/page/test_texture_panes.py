"""live/page: each map of a texture set beside itself as it was given."""

import numpy as np

from neuralshade.measure.baselines import to_uint8


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
    assert titles[0] == "albedo as decoded" and "roughness as given" in titles
    assert "Error of flow as decoded" in titles

    # another map's error is made of that map, whatever else is shown
    panes[2].select_option("error:map:roughness")
    scale = int(page.page.locator("#error-scale").input_value())
    grey = np.repeat(to_uint8(textures["roughness"].values), 3, axis=2)
    page.shows("given:map:roughness", grey)
    error = 127.5 + scale * (page.pixels("map:roughness").astype(float) - grey)
    assert np.abs(page.pixels("error:map:roughness") - error.clip(0, 255)).max() <= 0.5


def test_without_the_maps_there_are_no_errors(moss, tab, shown):
    page = tab(shown(moss.path))
    page.shows("map:albedo", to_uint8(moss.opened.draw(24, 16)))
    titles = page.page.locator("[data-testid=pane-1] option").all_inner_texts()
    assert titles == ["albedo", "normal", "roughness", "metallic", "flow", "emissive"]
