"""verbs/export/web: pages in Chromium, by WebGPU, WebGL 2 and neither, as users drive them."""

import numpy as np
import pytest
from fixtures.browsers import chromium
from fixtures.small_kinds import ASSETS, DATA
from fixtures.web_pages import (
    FLAGS,
    LEAST_DB,
    SAME_DB,
    TRIES,
    TRY_MS,
    adapter_or_skip,
    opened,
)
from PIL import Image

import neuralshade
from neuralshade.measure.quality import psnr_db
from neuralshade.source.color import linear_to_srgb

pytestmark = [pytest.mark.slow]
APIS = ["webgpu", "webgl2"]
SCALE = 10  # pixels of a window for one of the source


@pytest.fixture(scope="module")
def chrome():
    with chromium(*FLAGS) as browser:
        yield browser


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Return the file of a page by kinds, with the picture beside it if it has one."""
    made = {}

    def page(*kinds, beside=None):
        key = (*kinds, beside)
        if key not in made:
            folder = tmp_path_factory.mktemp("page")
            assets = [DATA / ASSETS[kind] for kind in kinds]
            made[key] = neuralshade.export(assets, "web", folder, beside=beside).files[0]
        return made[key]

    return page


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("kind", ["image", "splats"])
def test_pictures_are_those_of_render(chrome, pages, kind, api):
    size = tuple(side * 10 for side in neuralshade.load(DATA / ASSETS[kind]).size)
    with opened(chrome, pages(kind), f"api={api}&ui=0", size) as shown:
        adapter_or_skip(shown, api)
        right = neuralshade.render(DATA / ASSETS[kind], size=size)
        right = np.broadcast_to(right[..., :3], (*right.shape[:2], 3))
        assert psnr_db(np.rint(right * 255).astype(np.uint8), shown.pixels()) >= LEAST_DB


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("shape", ["sphere", "plane"])
def test_a_material_is_that_of_render(chrome, pages, shape, api):
    query = f"api={api}&ui=0&env=0&shape={shape}&light=-40,35"
    with opened(chrome, pages("material"), query, (192, 192)) as shown:
        adapter_or_skip(shown, api)
        found = shown.pixels()
    right = neuralshade.render(DATA / ASSETS["material"], size=192, show=shape, light=(-40, 35),
                               filter="point")  # fmt: skip
    inside = np.ones((192, 192), bool)
    if shape == "sphere":
        y, x = np.mgrid[0:192, 0:192] + 0.5
        inside = np.hypot(x - 96, y - 96) < 0.95 * 96
    expected = np.rint(linear_to_srgb(right.clip(0, 1)) * 255).astype(np.uint8)
    assert psnr_db(expected[inside][None], found[inside][None]) >= LEAST_DB


def test_without_an_api_javascript_draws_the_picture(chrome, pages):
    with opened(chrome, pages("image"), "api=none&ui=0") as shown:
        assert shown.ready() == "still"
        assert "neither WebGPU nor WebGL 2" in shown.text
        colors = shown.still()
    height, width = colors.shape[:2]
    right = neuralshade.render(DATA / ASSETS["image"], size=(width, height))[..., :3]
    assert psnr_db(np.rint(right * 255).astype(np.uint8), colors) >= LEAST_DB


def test_networks_too_large_for_a_text_are_drawn_too(chrome, tmp_path):
    asset = tmp_path / "wide.nsh"
    neuralshade.fit_image(DATA / "photo.png", asset, steps=3, hidden_width=128, hidden_layers=3)
    (page,) = neuralshade.export(asset, "web", tmp_path).files
    size = tuple(side * 10 for side in neuralshade.load(asset).size)
    for api in ("none", "webgl2"):
        with opened(chrome, page, f"api={api}&ui=0", size) as shown:
            shown.ready()
            colors = shown.still() if api == "none" else shown.pixels()
        right = neuralshade.render(asset, size=colors.shape[1::-1])[..., :3]
        assert psnr_db(np.rint(right * 255).astype(np.uint8), colors) >= LEAST_DB


def test_a_material_without_an_api_is_a_still_picture(chrome, pages):
    with opened(chrome, pages("material"), "api=none") as shown:
        assert shown.ready() == "still"
        assert shown.page.is_visible(".poster")


@pytest.mark.parametrize("kind", ["image", "material"])
def test_dragging_the_wheel_and_keys_change_what_is_seen(chrome, pages, kind):
    with opened(chrome, pages(kind), "api=webgl2&env=0", (400, 320)) as shown:
        shown.ready()
        page, seen = shown.page, [shown.pixels()]

        def changed():
            """Wait until the picture is another one: events arrive when the browser has time."""
            for _ in range(TRIES):
                now = shown.pixels()
                if psnr_db(seen[-1][8:-8, 8:-8], now[8:-8, 8:-8]) < SAME_DB:
                    seen.append(now)
                    return True
                page.wait_for_timeout(TRY_MS)
            return False

        page.mouse.move(160, 100)
        page.mouse.wheel(0, -400)
        assert changed()
        page.mouse.down()
        page.mouse.move(190, 120, steps=3)
        page.mouse.up()
        assert changed()
        page.locator("canvas").focus()
        page.keyboard.press("ArrowLeft")
        assert changed()
        page.keyboard.press("+")
        assert changed()
        page.keyboard.press("0")
        assert changed()
        assert shown.becomes(seen[0])  # all is as it was


def test_two_fingers_zoom(chrome, pages):
    with opened(chrome, pages("image"), "api=webgl2", (320, 240), has_touch=True) as shown:
        shown.ready()
        before = shown.page.evaluate("neuralshade_viewer.view.scale")
        touch = shown.page.context.new_cdp_session(shown.page)
        for kind, far in (("touchStart", 20), ("touchMove", 40), ("touchMove", 60)):
            points = [{"x": 160 - far, "y": 110, "id": 0}, {"x": 160 + far, "y": 110, "id": 1}]
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        shown.settled()
        assert before is None
        assert shown.page.evaluate("neuralshade_viewer.view.scale") > 6  # of 240 / 36 at first


def test_statistics_are_shown_on_request(chrome, pages):
    with opened(chrome, pages("image"), "api=webgl2", (320, 240)) as shown:
        shown.ready()
        assert not shown.page.is_visible(".stats")
        shown.page.keyboard.press("i")
        text = shown.page.inner_text(".stats")
        assert "WebGL 2" in text
        assert "320 x 240" in text
        shown.page.keyboard.press("i")
        assert not shown.page.is_visible(".stats")


@pytest.fixture
def beside(chrome, pages):
    """Give a page that shows the source alone, ten times as large, and its pixels as squares."""
    with Image.open(DATA / "photo.png") as photo:
        squares = np.asarray(photo.convert("RGB")).repeat(SCALE, 0).repeat(SCALE, 1)
    height, width, _ = squares.shape
    with opened(chrome, pages("image", beside=DATA / "photo.png"),
                "api=webgl2&ui=0&beside=1&wipe=0", (width, height)) as shown:  # fmt: skip
        shown.ready()
        shown.page.evaluate("document.querySelector('.wipe').style.visibility = 'hidden'")
        yield shown, squares


def test_the_wipe_shows_the_source_on_its_right(beside):
    shown, squares = beside
    page, (height, width, _) = shown.page, squares.shape
    page.locator("canvas").focus()
    page.keyboard.press("p")  # its pixels as squares
    assert shown.becomes(squares)
    page.evaluate("document.querySelector('.wipe').style.visibility = ''")
    slider = page.locator("[role=slider].wipe")
    assert slider.get_attribute("aria-valuenow") == "0"
    slider.focus()
    page.keyboard.press("End")
    assert slider.get_attribute("aria-valuenow") == "100"
    page.evaluate("document.querySelector('.wipe').style.visibility = 'hidden'")
    own = neuralshade.render(DATA / ASSETS["image"], size=(width, height))[..., :3]
    assert shown.becomes(np.rint(own * 255).astype(np.uint8))


def test_a_change_while_the_last_picture_is_shown_is_drawn(beside):
    shown, squares = beside
    shown.settled()
    shown.page.evaluate("""async () => {
        const { stage, canvas } = neuralshade_viewer, { gpu } = stage, { draw, done } = gpu;
        let last = false;
        gpu.draw = function (program, ...more) {
            const whole = stage.layers.every((one) => one.passes && !one.stale);
            last = whole && program === stage.present;
            return draw.call(this, program, ...more);
        };
        const pressed = new Promise((pressed) => {
            gpu.done = async function () {
                await done.call(this);
                if (!last) return;
                Object.assign(gpu, { draw, done });
                canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "p" }));
                pressed();
            };
        });
        stage.change();
        await pressed;
    }""")
    assert shown.becomes(squares)


@pytest.mark.parametrize("api", APIS)
def test_a_lost_gpu_comes_back(chrome, pages, api):
    with opened(chrome, pages("image"), f"api={api}&ui=0") as shown:
        adapter_or_skip(shown, api)
        before = shown.pixels()
        shown.page.evaluate("""() => {
            const { gpu } = neuralshade_viewer.stage;
            delete document.getElementById("view").dataset.ready;
            if (gpu.device) gpu.device.destroy();
            else gpu.gl.getExtension("WEBGL_lose_context").loseContext();
        }""")
        assert shown.ready() in ("WebGPU", "WebGL 2")
        shown.page.evaluate("async () => { await neuralshade_viewer.restarted }")
        assert "started over" in shown.text
        shown.page.evaluate("document.querySelector('.status').textContent = ''")
        assert psnr_db(before, shown.pixels()) >= LEAST_DB


def test_several_assets_are_a_gallery(chrome, pages):
    with opened(chrome, pages("image", "splats", "material"), "api=webgl2", (390, 700)) as shown:
        page = shown.page
        page.wait_for_selector("#gallery a")
        assert page.locator("#gallery a").count() == 3
        page.locator("#gallery a").nth(1).click()
        shown.ready()
        assert page.inner_text("h1") == "splats_normalized"
        page.keyboard.press("Escape")
        page.wait_for_selector("#gallery", state="visible")
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 390


@pytest.mark.parametrize("kind", ["image", "splats", "material"])
def test_controls_have_names_and_fit_a_phone(chrome, pages, kind):
    with opened(chrome, pages(kind), "api=webgl2", (390, 844)) as shown:
        shown.ready()
        nameless = shown.page.evaluate("""() => [...document.querySelectorAll(
            "button, select, input, canvas, [role=slider]")].filter((one) => !(one.ariaLabel
            || one.textContent.trim() || one.closest("label")?.textContent.trim()))
            .map((one) => one.outerHTML)""")
        assert nameless == []
        wide = shown.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 390


def test_the_theme_is_that_of_the_system(chrome, pages):
    grounds = []
    for scheme in ("dark", "light"):
        with opened(chrome, pages("image"), "api=webgl2&ui=0", (300, 150),
                    color_scheme=scheme) as shown:  # fmt: skip
            shown.ready()
            grounds.append(shown.pixels()[75, 3])
    assert grounds[0].mean() < 60
    assert grounds[1].mean() > 200
