"""The page itself, in Chromium: watched, steered, compared with `render` pixel by pixel."""

import dataclasses
import json
import re

import numpy as np
import pytest

import neuralshade
from neuralshade.fitting.scene import Tone, View
from neuralshade.live.frame_encoding import on_screen
from neuralshade.live.live import Live
from neuralshade.measure.display import exposure_stops


def drawn(asset, tone=None, **how):
    """Return what `render` makes of an asset, as a screen shows it."""
    linear = neuralshade.info(asset)["picture"]["color_space"] == "linear"
    return on_screen(neuralshade.render(asset, **how), linear, tone or Tone())


@pytest.mark.slow
def test_a_fit_is_watched_and_steered(tab, command, save_smooth, tmp_path):
    picture = neuralshade.load_picture(save_smooth("photo.png", 48, 64))
    page = tab(command("fit", "image", "photo.png", "-o", "photo.nsh", "--seconds", "900",
                       "--batch", "512", "--encoding", "dense_grid:width=16,height=12",
                       "--hidden-width", "8"))  # fmt: skip
    page.says("#state", "Running")
    page.says("#connection", "Connected")
    page.shows("target", picture.pixels)
    first, points = page.step, page.points()
    page.until(lambda: page.step > first + 10 and page.points() > points + 2, "training")
    page.until(lambda: re.fullmatch(r"(about )?\d+\.\d\d.*", page.text("#psnr")), "PSNR")
    assert "in the file" not in page.text("#psnr-read-out")
    before = page.pixels("result")
    page.until(lambda: not np.array_equal(page.pixels("result"), before), "another result")

    page.press("Space")
    page.says("#state", "Paused")
    page.page.wait_for_timeout(300)
    paused = page.step
    page.page.wait_for_timeout(500)
    assert page.step == paused
    page.page.click("#one-step")
    page.until(lambda: page.step == paused + 1, "one step")
    page.press(".")
    page.until(lambda: page.step == paused + 2, "one step more")
    page.page.click("#resume")
    page.says("#state", "Running")
    page.until(lambda: page.step > paused + 10, "training again")

    page.page.fill("#learning-rate-value", "0.5")
    page.press("Enter")
    page.page.select_option("#transform", "zoom")
    page.until("document.querySelector('#scene-size').textContent === '32 x 24'")
    page.until(lambda: page.pixels("target").shape == (24, 32, 3), "the zoomed picture")
    page.says("#state", "Running")
    assert page.page.locator("#transform").input_value() == "zoom"
    page.until(lambda: page.step > 20, "the fit of the zoomed picture")

    with page.page.expect_download() as download:
        page.page.click("#save")
    assert download.value.suggested_filename == "photo.nsh"
    download.value.save_as(tmp_path / "saved.nsh")
    assert neuralshade.render(tmp_path / "saved.nsh").shape == (24, 32, 3)
    step = page.step
    page.page.set_input_files("#load", tmp_path / "saved.nsh")
    page.page.get_by_role("button", name="Go on from its numbers").click()
    page.page.wait_for_selector(".notice.note")
    page.until(lambda: page.step > step + 10, "training after loading")

    page.page.click("#stop")
    page.says("#state", "Stopped and saved")
    assert page.page.locator("#left").is_hidden()
    page.until("document.querySelector('#fit-text').textContent.startsWith('photo.nsh: ')")
    assert page.text("#psnr-read-out").endswith(" dB in the file")
    page.shows("result", drawn(tmp_path / "photo.nsh"))
    page.page.click("#snapshot")

    page.page.set_input_files("#load", tmp_path / "saved.nsh")
    page.shows("result", drawn(tmp_path / "saved.nsh"))


@pytest.mark.slow
def test_a_new_fit_of_an_uploaded_picture(tab, live, background, save_smooth, tmp_path,
                                          monkeypatch):  # fmt: skip
    path = save_smooth("my <b>photo<b>.png", 24, 36)
    monkeypatch.chdir(tmp_path)
    background(live.wait)
    page = tab(live.address)
    page.says("#state", "No fit")
    page.until(page.page.locator("#nothing").is_visible)
    page.until(page.page.locator("#save").is_disabled)
    page.page.set_input_files("#upload-picture", path)
    page.until("!document.querySelector('#start').disabled")
    page.page.select_option("#preset", "tiny-9")
    page.page.fill("#fit-seconds", "0.5")
    page.page.click("#start")
    page.says("#state", "Ended")
    (asset,) = tmp_path.glob("*.nsh")
    page.shows("result", drawn(asset))
    page.shows("target", neuralshade.load_picture(path).pixels)
    names = page.js("Array.from(document.querySelectorAll('b')).map(b => b.textContent)")
    assert "photo" not in names  # a name is text, never markup


@pytest.mark.slow
def test_it_comes_back_with_the_whole_history(tab, live, fitting):
    fitting()
    page = tab(live.address)
    page.until(lambda: page.points() > 10, "a history")
    page.pixels("result")
    points, frame = page.points(), page.js("window.neuralshade.frame.id")
    for connection in list(live.server.server.server_state.connections):
        loop = live.channel._loop
        loop.call_soon_threadsafe(connection.transport.abort)
    page.until(lambda: page.text("#connection") != "Connected", "the loss is said")
    page.says("#connection", "Connected")
    page.until(lambda: page.points() >= points, "the history")
    step = page.step
    page.until(lambda: page.step > step + 10, "training")
    page.until(lambda: page.js("window.neuralshade.frame.id") > frame, "frames")


@pytest.mark.slow
def test_a_server_that_ends_and_comes_again(tab, shown, live, fitted):
    page = tab(shown(fitted / "a.nsh"))
    page.shows("result", drawn(fitted / "a.nsh"))
    live.server.close()
    page.until(lambda: "lost" in page.text("#connection"), "the loss is said")
    assert page.page.locator("#pause").is_disabled()
    with Live(port=live.server.access.port) as again:
        again.renderer.show(live.renderer.scene)
        page.says("#connection", "Connected")
    # a browser says on its console that nobody listens; that is not the page's doing
    page.said = [line for line in page.said if "ERR_CONNECTION_REFUSED" not in line[1]]


@pytest.mark.slow  # many frames, drawn and compared byte for byte
def test_an_asset_at_any_zoom_beside_its_reference(tab, shown, fitted):
    asset, picture = fitted / "a.nsh", neuralshade.load_picture(fitted / "a.png").pixels
    page = tab(shown(asset, fitted / "a.png"))
    page.shows("result", drawn(asset))
    page.shows("target", picture)
    scale = int(page.page.locator("#error-scale").input_value())
    error = 127.5 + scale * (page.pixels("result").astype(float) - picture)
    assert np.abs(page.pixels("error") - error.clip(0, 255)).max() <= 0.5
    page.press("+", "+", "+")
    page.until("window.neuralshade.frame.region[0] > 0")

    def as_rendered():
        header = page.js("window.neuralshade.frame")
        size, crop = (header["width"], header["height"]), header["region"]
        assert header["sharp"]
        return size[0] > 36 and np.array_equal(
            page.pixels("result"), drawn(asset, size=size, crop=crop)
        )

    page.until(as_rendered, "the part as it is rendered")
    crop = page.js("window.neuralshade.frame.region")
    page.press("ArrowRight")
    page.until(lambda: page.js("window.neuralshade.frame.region[0]") != crop[0], "panned")
    page.press("1")
    assert page.page.locator("canvas[data-pane]:visible").count() == 1
    page.press("0", "3")
    page.until("window.neuralshade.frame.region.join() === '0,0,1,1'")
    page.shows("result", drawn(asset))
    page.press("w")
    assert page.page.locator("canvas[data-pane=wipe]").is_visible()
    page.press("w", "2")
    assert page.page.locator("canvas[data-pane]:visible").count() == 2
    page.press("e")
    assert page.page.locator("#error-scale").input_value() == str(2 * scale)
    page.press("?")
    assert page.page.locator("#help").is_visible()
    page.press("Escape")
    box = page.page.locator("canvas[data-pane=result]").bounding_box()
    page.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.until(lambda: "x 1" in page.text("#values"), "values under the pointer")


@pytest.mark.slow
def test_exposure_and_gamma_of_light_beyond_one(tab, shown, save_smooth, few, tmp_path):
    path = save_smooth("a.exr", peak=9.0)
    neuralshade.fit_image(path, tmp_path / "a.nsh", **few)
    page = tab(shown(tmp_path / "a.nsh", path))
    page.pixels("result")  # or the field may have no scene's exposure yet
    stops = float(page.page.input_value("#exposure-value"))
    assert stops == round(exposure_stops(neuralshade.load_picture(path).as_float()), 1) < -1
    page.shows("result", drawn(tmp_path / "a.nsh", Tone(stops)))
    page.page.fill("#exposure-value", "-2.5")
    page.press("Enter")
    page.shows("result", drawn(tmp_path / "a.nsh", Tone(-2.5)))
    page.page.select_option("#gamma", "2.2")
    page.shows("result", drawn(tmp_path / "a.nsh", Tone(-2.5, 2.2)))


@pytest.mark.slow
def test_a_kind_that_the_page_has_not_heard_of_is_shown(tab, shown, live, fitted):
    """What a scene offers is told by its facts: tone, a light, overlays, panes."""
    page = tab(shown(fitted / "a.nsh"))
    live.renderer.show(
        dataclasses.replace(live.renderer.scene, kind="unheard_of", name="of tomorrow")
    )
    page.says("#scene-name", "of tomorrow")
    page.shows("result", drawn(fitted / "a.nsh"))
    assert page.page.locator("#overlays").is_visible()
    assert page.page.locator("#light").is_hidden() and page.page.locator("#tone").is_hidden()


@pytest.mark.slow  # planes are drawn on the CPU
def test_a_light_is_dragged_over_a_plane(tab, live, background, device, tmp_path, waves):
    neuralshade.fit_mipmaps(waves, tmp_path / "out", steps=4, pool=16, pairs=4)
    live.show(next((tmp_path / "out").glob("*.nsh")))
    background(live.wait)
    page = tab(live.address)
    panes = [page.page.locator(f"[data-testid=pane-{number}]") for number in (1, 2, 3)]
    shown = ["reference", "result", "box"]  # once the page has heard of them
    page.until(lambda: [pane.input_value() for pane in panes] == shown)
    titles = panes[0].locator("option").all_inner_texts()
    assert "Error of Toksvig" in titles and "Error of Kept levels" in titles
    for pane in ("result", "reference"):
        page.pixels(pane)
    canvas = page.page.locator("canvas[data-pane=result]").first
    box = canvas.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    azimuth = page.page.locator("#azimuth").input_value()
    page.page.mouse.move(x, y)
    page.page.mouse.down()
    page.page.mouse.move(x + 60, y - 20, steps=4)
    page.page.mouse.up()
    assert page.page.locator("#azimuth").input_value() != azimuth

    scene = live.renderer.scene

    def changed():
        """Compare with the same view under the light as it was; frames come in all sizes."""
        header, now = page.js("window.neuralshade.frame"), page.pixels("result")
        view = View(0, 0, header["region"], header["width"], header["height"])
        before = on_screen(scene.draw("result", view), scene.linear, Tone())
        return now.shape == before.shape and (now != before).mean() > 0.05

    page.until(changed, "another light")


@pytest.mark.slow
def test_beyond_this_machine_the_token_opens_it(tab, fitted):
    with Live("0.0.0.0", 0) as live:
        live.show(fitted / "a.nsh")
        address = f"http://127.0.0.1:{live.server.access.port}/"
        page = tab(f"{address}?token={live.server.access.token}")
        page.says("#connection", "Connected")


LARGEST = pytest.param(3840, 2160, marks=pytest.mark.slow)  # eight million pixels, drawn by a CPU


@pytest.mark.slow
@pytest.mark.parametrize("width, height", [(360, 740), (1280, 800), LARGEST])
def test_layout(tab, shown, fitted, width, height):
    page = tab(shown(fitted / "a.nsh", fitted / "a.png"), width, height)
    page.pixels("result")
    page.page.evaluate("document.querySelector('#new-fit').open = true")
    for scheme in ("light", "dark"):
        page.page.emulate_media(color_scheme=scheme)
        check_layout(page, width, height, scheme)


def check_layout(page, width, height, scheme):
    """See that nothing lies beyond the screen, panes have room, and colors are the scheme's."""
    assert page.js("document.documentElement.scrollWidth") <= width
    beyond = page.js("""() => Array.from(document.querySelectorAll('button, input, select, canvas'))
        .filter(e => e.offsetParent && !e.classList.contains('unseen'))
        .map(e => [e.id || e.tagName, e.getBoundingClientRect()])
        .filter(([, box]) => box.width && (box.left < -1 || box.right > innerWidth + 1))
        .map(([name]) => name)""")
    assert beyond == []
    color = page.js("getComputedStyle(document.body).backgroundColor")
    light = np.mean(json.loads(f"[{re.sub('[^0-9,]', '', color)}]")[:3])
    assert light > 200 if scheme == "light" else light < 60
    areas = [
        box["width"] * box["height"]
        for box in (c.bounding_box() for c in page.page.locator("canvas[data-pane]:visible").all())
    ]
    assert len(areas) == 3 and min(areas) > 0.03 * width * min(height, 800)
