"""The page where several pictures are chosen or dropped: the maps of one set, and their fit."""

import base64

import numpy as np
import pytest
from PIL import Image

import neuralshade

NAMES = ("bricks_albedo.png", "bricks_normal.png", "bricks_roughness.png")
DROP = """names => {
    const carried = new DataTransfer();
    for (const [name, type, text] of names) {
        const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
        carried.items.add(new File([bytes], name, {type}));
    }
    document.dispatchEvent(new DragEvent("drop", {dataTransfer: carried, cancelable: true}));
}"""


@pytest.fixture
def maps(tmp_path, monkeypatch):
    """Give the paths of three maps of 16 x 16 texels."""
    monkeypatch.chdir(tmp_path)
    rng, folder = np.random.default_rng(0), tmp_path / "sent"
    folder.mkdir()
    for name in NAMES:
        shape = (16, 16) if "rough" in name else (16, 16, 3)
        Image.fromarray(rng.integers(90, 200, shape, np.uint8)).save(folder / name)
    return [folder / name for name in NAMES]


@pytest.mark.slow
def test_chosen_maps_are_fitted_and_seen(tab, live, background, maps, tmp_path):
    background(live.wait)
    page = tab(live.address)
    page.page.set_input_files("#upload-picture", maps)
    page.says("#fit-picture", "bricks, 3 maps")
    assert page.page.locator("#kind").input_value() == "textures"
    assert page.text("#map-list").split() == [
        "bricks_albedo.png", "albedo", "bricks_normal.png", "normal", "bricks_roughness.png",
        "roughness",
    ]  # fmt: skip
    assert page.text("#taken") == "bricks, 3 maps: ready to be fitted."
    assert page.page.locator("#in-terminal").is_hidden()
    page.page.fill("#bpp", "6")
    page.page.fill("#fit-seconds", "0.5")
    page.page.click("#start")
    page.says("#state", "Ended")
    assert neuralshade.info(tmp_path / "bricks.nsh")["recipe"]["bpp"] == 6
    page.until("document.querySelectorAll('#pane-area canvas').length >= 2")
    assert page.text("#scene-name") == "bricks"


@pytest.mark.slow
def test_a_set_that_lacks_a_map_says_so(tab, live, background, maps):
    background(live.wait)
    page = tab(live.address, 390, 800)
    page.page.locator("#new-fit").scroll_into_view_if_needed()
    page.page.select_option("#kind", "mipmaps")
    page.page.set_input_files("#upload-picture", maps[:1])
    page.says("#fit-picture", "bricks, 1 map")
    assert page.text("#maps-refused").startswith("bricks: got no roughness among bricks_albedo.png")
    assert (
        page.page.locator("#start").is_disabled() and page.page.locator("#start-here").is_hidden()
    )
    page.page.select_option("#kind", "textures")
    assert page.text("#maps-refused") == "" and page.page.locator("#start").is_enabled()
    page.page.select_option("#kind", "image")
    assert page.page.locator("#map-list").is_hidden()


@pytest.mark.slow
def test_maps_dropped_with_other_files(tab, live, background, maps, as_png):
    background(live.wait)
    page = tab(live.address)
    content = [base64.b64encode(path.read_bytes()).decode() for path in maps]
    files = [[n, "image/png", c] for n, c in zip(NAMES, content, strict=True)]
    page.until("document.querySelector('#kind').options.length")  # it was greeted
    page.js(DROP, [*files, ["bricks.mtlx", "", ""]])
    page.says("#fit-picture", "bricks, 3 maps")
    page.until("document.querySelector('#notices').textContent.includes('Left out: bricks.mtlx.')")


@pytest.mark.slow
def test_maps_are_taken_for_a_texture_set_unless_another_kind_was_chosen(tab, live, background,
                                                                         maps):  # fmt: skip
    background(live.wait)
    page = tab(live.address)
    page.until("document.querySelector('#kind').options.length")
    page.js("document.querySelector('#kind').value = 'mipmaps'")  # as the page does, for other maps
    page.page.set_input_files("#drop-file", maps)
    page.says("#fit-picture", "bricks, 3 maps")
    assert page.page.locator("#kind").input_value() == "textures"
    page.page.select_option("#kind", "mipmaps")
    page.page.set_input_files("#drop-file", maps)
    page.until(lambda: page.page.locator("#start").is_enabled())
    assert page.page.locator("#kind").input_value() == "mipmaps"
