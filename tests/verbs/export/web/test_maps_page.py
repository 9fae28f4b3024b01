"""The page of texture sets and mip levels draws what render draws, by both APIs of a browser."""

import io
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fixtures.browsers import chromium
from fixtures.texture_assets import material_set
from PIL import Image

from neuralshade.errors import AssetError
from neuralshade.fitting.options import FitOptions
from neuralshade.kinds import open_asset
from neuralshade.kinds.textures.fit import fit_textures
from neuralshade.kinds.textures.reference import byte_maps
from neuralshade.measure.quality import psnr_db
from neuralshade.measure.texture_rivals import half_size_levels
from neuralshade.source.color import linear_to_srgb
from neuralshade.verbs.export.web.web import page_data, web_page
from neuralshade.verbs.render import render

pytestmark = pytest.mark.slow

DATA = Path(__file__).parents[3] / "data"
FLAGS = (
    "--no-sandbox",
    "--enable-unsafe-webgpu",
    "--use-webgpu-adapter=swiftshader",
    "--enable-features=Vulkan",
    "--use-vulkan=swiftshader",
    "--use-angle=swiftshader",
)
APIS = {"webgpu": "WebGPU", "webgl2": "WebGL 2"}
LEAST_DB = 48.0
TIMES = 10  # pixels of a texel: small viewports are never painted
SETTLED = """async () => {
    await neuralshade_viewer.view.whole;
    await neuralshade_viewer.stage.settled;
}"""


@pytest.fixture(scope="module")
def started():
    with chromium(*FLAGS) as opened:
        yield opened


@pytest.fixture(params=APIS)
def show(request, started, tmp_path):
    """Return a function that opens an asset's page, and waits until it is whole."""
    opened = []

    def shown(asset, width, height, source=None, **query):
        path = tmp_path / "page.html"
        path.write_bytes(web_page([asset], beside=[] if source is None else [source]))
        page = started.new_page(viewport={"width": width, "height": height})
        opened.append(page)
        page.errors = []
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        page.on("console", lambda one: page.errors.append(one.text) if one.type == "error" else 0)
        listed = "&".join(f"{name}={value}" for name, value in query.items())
        page.goto(f"{path.as_uri()}?ui=0&api={request.param}&{listed}")
        page.wait_for_selector("#view[data-ready]", state="attached", timeout=120_000)
        assert page.get_attribute("#view", "data-ready") == APIS[request.param], page.errors
        page.evaluate(SETTLED)
        assert not page.errors
        return page

    yield shown
    for page in opened:
        page.close()


def picture(page):
    """Return what the page shows: uint8 [H, W, 3]."""
    page.evaluate(SETTLED)
    page.evaluate("() => document.activeElement.blur()")  # or its outline is seen
    shot = Image.open(io.BytesIO(page.screenshot()))
    return np.asarray(shot.convert("RGB"))


def rendered(asset, size, **how):
    """Return a rendering as displayed: uint8 [H, W, 3]."""
    opened = open_asset(asset)
    pixels = render(opened, size=size, **how)
    if not how:
        pixels = linear_to_srgb(pixels.clip(0, 1))
    return np.round(pixels * 255).astype(np.uint8)


def sized(asset):
    width, height = open_asset(asset).sizes[0]
    return width * TIMES, height * TIMES


def test_a_lit_sphere_equals_render(show, fitted_set):
    size = sized(fitted_set.asset)
    page = show(fitted_set.asset, *size, view="lit")
    expected = rendered(fitted_set.asset, size, show="lit")
    assert psnr_db(expected, picture(page)) >= LEAST_DB


def test_the_light_of_a_query_is_that_of_render(show, fitted_set):
    size = sized(fitted_set.asset)
    page = show(fitted_set.asset, *size, view="lit", light="80,25")
    expected = rendered(fitted_set.asset, size, show="lit", light=(80, 25))
    assert psnr_db(expected, picture(page)) >= LEAST_DB
    assert psnr_db(rendered(fitted_set.asset, size, show="lit"), picture(page)) < LEAST_DB


@pytest.mark.parametrize("name", ["albedo", "normal", "roughness", "metallic", "displacement"])
def test_a_map_equals_render(show, fitted_set, name):
    size = sized(fitted_set.asset)
    page = show(fitted_set.asset, *size, view=f"map:{name}")
    expected = rendered(fitted_set.asset, size, show=f"map:{name}")
    assert psnr_db(expected, picture(page)) >= LEAST_DB


def test_light_beyond_1_is_clipped(show, fitted_set):
    """Render has its logarithm: the page shows it as it is, at exposure 0."""
    opened = open_asset(fitted_set.asset)
    width, height = opened.sizes[0]
    page = show(fitted_set.asset, width * TIMES, height * TIMES, view="map:emissive")
    light = linear_to_srgb(opened.map("emissive").clip(0, 1))
    expected = np.round(light * 255).astype(np.uint8).repeat(TIMES, 0).repeat(TIMES, 1)
    assert (expected == 255).any()
    assert psnr_db(expected, picture(page)) >= 40  # 8 bits of a logarithm


@pytest.mark.parametrize("name", ["albedo", "normal", "roughness"])
def test_maps_of_filtered_blocks_equal_render(show, block_set, name):
    size = sized(block_set.asset)
    page = show(block_set.asset, *size, view=f"map:{name}")
    expected = rendered(block_set.asset, size, show=f"map:{name}")
    assert psnr_db(expected, picture(page)) >= LEAST_DB


def test_a_plane_of_trained_levels_equals_render(show):
    asset = DATA / "mipmaps.nsh"
    page = show(asset, 320, 180, view="plane")
    assert psnr_db(rendered(asset, (320, 180)), picture(page)) >= LEAST_DB


def test_a_smaller_picture_has_coarser_levels(show, fitted_set):
    """What is mixed at a quarter of the size is close to the mean of the texels."""
    opened = open_asset(fitted_set.asset)
    width, height = opened.sizes[0]
    page = show(fitted_set.asset, 20 * width, 20 * height, view="map:albedo")
    page.evaluate("""() => {
        Object.assign(neuralshade_viewer.view, { scale: 1 / 160, sharp: 0 });
        neuralshade_viewer.stage.change();
    }""")  # an eighth of a pixel for a texel: level 3
    middle = picture(page)[10 * height - 1 : 10 * height + 1, 10 * width - 1 : 10 * width + 2]
    mean = np.round(opened.map("albedo", level=3) * 255)
    assert np.abs(middle.mean((0, 1)) - mean.mean((0, 1))).max() < 12


@pytest.mark.parametrize("shape", range(3))
def test_dragging_turns_a_shape_and_moves_its_light(show, fitted_set, shape):
    page = show(fitted_set.asset, 240, 160)
    page.evaluate("(shape) => neuralshade_viewer.view.controls()[0].set(shape)", shape)
    before = picture(page)
    drag(page, 120, 80, 30, 10)
    turned = picture(page)
    assert psnr_db(before, turned) < 40
    page.keyboard.down("Shift")
    drag(page, 120, 80, -40, 20)
    page.keyboard.up("Shift")
    lit = picture(page)
    assert psnr_db(turned, lit) < 40
    page.focus("canvas")
    page.keyboard.press("0")
    assert psnr_db(before, picture(page)) > 60


def drag(page, x, y, dx, dy):
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + dx, y + dy, steps=3)
    page.mouse.up()


def other_picture(page):
    """Return the picture beside, where it has the whole canvas."""
    page.evaluate("() => { document.querySelector('.wipe').hidden = true; }")
    return picture(page)


def test_the_source_is_beside(show, fitted_set):
    size = sized(fitted_set.asset)
    page = show(fitted_set.asset, *size, fitted_set.maps, view="map:albedo", beside=1, wipe=0)
    source = np.round(fitted_set.maps["albedo"].values * 255).astype(np.uint8)
    assert page.inner_text(".wipe .right") == "source, 24 x 16 texels"
    expected = source.repeat(TIMES, 0).repeat(TIMES, 1)
    assert psnr_db(expected, other_picture(page)) >= LEAST_DB


def test_a_lit_source_is_beside(show, fitted_set):
    size = sized(fitted_set.asset)
    page = show(fitted_set.asset, *size, fitted_set.maps, view="lit", beside=1, wipe=0)
    expected = rendered(fitted_set.asset, size, show="given:lit", reference=fitted_set.maps)
    assert psnr_db(expected, other_picture(page)) >= LEAST_DB


def test_blocks_at_half_size_are_beside_with_their_bytes(show, fitted_set):
    opened = open_asset(fitted_set.asset)
    rival, levels = half_size_levels(byte_maps(opened, fitted_set.maps))
    page = show(fitted_set.asset, *sized(fitted_set.asset), fitted_set.maps, view="map:albedo",
                beside=2, wipe=0)  # fmt: skip
    told = page.inner_text(".wipe .right")
    assert f"{rival.disk_bytes:,} bytes" in told and f"{rival.mean_psnr_db:.2f} dB" in told
    half = np.round(levels["albedo"][0] * 255).astype(np.uint8)
    expected = half.repeat(2 * TIMES, 0).repeat(2 * TIMES, 1)
    assert psnr_db(expected, other_picture(page)) >= LEAST_DB


def test_a_box_filter_is_beside_trained_levels(show):
    asset = DATA / "mipmaps.nsh"
    page = show(asset, 320, 180, view="plane", beside=1, wipe=0)
    box = render(open_asset(asset), size=(320, 180), show="box")
    expected = np.round(linear_to_srgb(box.clip(0, 1)) * 255).astype(np.uint8)
    assert psnr_db(expected, other_picture(page)) >= LEAST_DB


def test_other_maps_are_refused(fitted_set, same_message):
    other = material_set()
    albedo = replace(other["albedo"], values=1 - other["albedo"].values)
    changed = replace(other, maps=(albedo, *other.maps[1:]))
    with pytest.raises(AssetError) as caught:
        web_page([fitted_set.asset], beside=[changed])
    same_message(str(caught.value), str(fitted_set.asset), "maps", "fitted to")


def test_names_of_maps_are_text(show, tmp_path):
    """What a set calls its maps is shown as it is."""
    odd = "</script><b>x & y"
    maps = material_set()
    named = replace(maps, maps=(replace(maps["displacement"], name=odd), maps["metallic"]))
    path = tmp_path / "odd.nsh"
    fit_textures(named, path, steps=4, batch=64, hidden_width=16, bpp=20, warmup=0,
                 options=FitOptions(engine="torch"))  # fmt: skip
    page = show(path, 240, 160)
    listed = page.evaluate("() => [...document.querySelectorAll('option')].map(o => o.textContent)")
    assert listed[:2] == [odd, "metallic"]  # nothing of it is lit
    assert psnr_db(rendered(path, (240, 160), show=f"map:{odd}"), picture(page)) < math.inf


def test_the_page_is_hardly_larger_than_the_asset(fitted_set):
    for asset in (fitted_set.asset, DATA / "mipmaps.nsh"):
        _, data, _ = page_data([asset])
        assert len(web_page([asset])) <= 1.4 * Path(asset).stat().st_size + 40_000, len(data)
