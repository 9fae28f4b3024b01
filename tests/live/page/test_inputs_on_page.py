"""live/page: sliders of a material's varied inputs, and pictures that are the decoder's there."""

import io
from types import SimpleNamespace

import numpy as np
import pytest
from fixtures.small_material import wet_file, wet_paint
from PIL import Image

import neuralshade
from neuralshade.fitting.scene import Tone, View
from neuralshade.kinds import open_asset
from neuralshade.kinds.material.judging.lit import EYE, over_points, sphere
from neuralshade.kinds.material.scene import DRAWN_PX, FILL, RADIANCE
from neuralshade.kinds.material.teachers.teacher import places
from neuralshade.live.frames import on_screen
from neuralshade.measure.plane.sphere_view import to_light

SLIDER, FIELD = "#input-0", "#input-fields input[type=number] >> nth=0"
ROUNDING = 1  # of 255: a sum of float32 is not always rounded to the same side
CHANGE = 4.0  # of 255, that a picture differs by where the paint is wet, at least


@pytest.fixture(scope="module")
def wet(tmp_path_factory, share_device):
    """Give a paint and its asset after a short fit; the wetness is 0.25 of 0 to 2 unless told."""
    folder = tmp_path_factory.mktemp("wet")
    module, asset = wet_file(folder), folder / "wet.nsh"
    with pytest.MonkeyPatch.context() as patch:
        share_device(patch)
        patch.setattr("neuralshade.kinds.material.judging.judge.SIDE_PX", 32)
        neuralshade.fit_material(module, asset, size=8, steps=150, batch=512, hidden_width=16,
                                 mips=0.0, sampler=0.0, vary="wetness=0..2,rough=0.1..0.3",
                                 options=neuralshade.FitOptions(engine="torch"))  # fmt: skip
    return SimpleNamespace(module=module, asset=asset)


def lit_sphere(shade, width, height, region, light):
    """Return what a page shows of a sphere that scatters so, uint8."""
    lamps = [(np.array(to_light(*light)), np.full(3, RADIANCE)), (np.array(EYE), np.full(3, FILL))]
    return on_screen(sphere(width, height, region).lit_over(shade, lamps), True, Tone())


def shows(page, pane, shade):
    """Wait until a pane shows a sphere that scatters so, as sharp as any before."""
    found, side = [], max(getattr(page, "side", 0), page.pixels(pane).shape[0])

    def shown():
        picture, frame = page.pixels(pane), page.js("window.neuralshade.frame")
        light = [float(page.page.locator(f"#{name}").input_value())
                 for name in ("azimuth", "elevation")]  # fmt: skip
        height, width = picture.shape[:2]
        wanted = lit_sphere(shade, width, height, frame["region"], light).astype(int)
        if height < side or width != frame["width"] or np.abs(picture - wanted).max() > ROUNDING:
            return False
        found.append(picture.astype(int))
        return True

    page.until(shown, pane)
    page.side = side
    return found[0]


def decoded(asset, **values):
    """Return the Python half at these values."""
    return open_asset(asset, values).seen


@pytest.mark.slow
def test_a_slider_shows_what_the_decoder_says_there(tab, shown, wet):
    """By pointer and keys, and in a field; the first value comes back by a double click."""
    page = tab(shown(wet.asset), width=900, height=700)
    slider, field = page.page.locator(SLIDER), page.page.locator(FIELD)
    usual = shows(page, "sphere", decoded(wet.asset))
    labels = page.page.locator("#input-fields label").all_inner_texts()
    assert labels == ["wetness", "rough"] and field.input_value() == "0.25"
    assert page.page.locator("#input-fields .soft").all_inner_texts()[:2] == ["0", "2"]
    assert slider.get_attribute("aria-valuetext") == "0.25"
    page.page.get_by_label("wetness", exact=True).focus()
    page.press("End")
    soaked = shows(page, "sphere", decoded(wet.asset, wetness=2))
    assert field.input_value() == "2" and np.abs(soaked - usual).mean() > CHANGE
    page.press("Home", *["ArrowRight"] * 3)
    dry = shows(page, "sphere", decoded(wet.asset, wetness=0.06))
    assert field.input_value() == "0.06" and np.abs(soaked - dry).mean() > CHANGE
    page.drag(SLIDER, 30, 0)
    value = float(field.input_value())
    assert 1 < value < 2 and slider.get_attribute("aria-valuetext") == field.input_value()
    shows(page, "sphere", decoded(wet.asset, wetness=value))
    field.fill("1.2345")
    field.press("Enter")
    shows(page, "sphere", decoded(wet.asset, wetness=1.2345))
    page.page.locator("#input-1").press("Home")  # the other one, and this one stays
    shows(page, "sphere", decoded(wet.asset, wetness=1.2345, rough=0.1))
    page.page.locator("#input-1").dblclick()
    field.fill("9")
    field.press("Enter")
    assert field.input_value() == "2"
    shows(page, "sphere", decoded(wet.asset, wetness=2))
    with page.page.expect_download() as sent:
        page.page.click("#snapshot")
    snapshot = np.asarray(Image.open(io.BytesIO(sent.value.path().read_bytes())))
    seen = open_asset(wet.asset, {"wetness": 2}).scene()
    wanted = on_screen(
        seen.draw("sphere", View(0, 0, width=DRAWN_PX, height=DRAWN_PX)), True, Tone()
    )
    assert np.abs(snapshot.astype(int) - wanted).max() <= ROUNDING
    slider.dblclick()
    shows(page, "sphere", decoded(wet.asset))


@pytest.mark.slow
def test_the_material_itself_goes_along(tab, live, background, one_device, wet):
    """Both begin where the asset was opened, so that errors are of one value."""
    live.show(open_asset(wet.asset, {"wetness": 1.5}), wet.module)
    background(live.wait)
    page = tab(live.address, width=1000, height=500)
    shows(page, "sphere", decoded(wet.asset, wetness=1.5))
    assert page.page.locator(FIELD).input_value() == "1.5"
    page.page.locator(SLIDER).press("End")
    shows(page, "sphere", decoded(wet.asset, wetness=2))
    shows(page, "given:sphere",
          over_points(lambda uv, wi, wo: wet_paint(places(uv, [1.0]), wi, wo)))  # fmt: skip


@pytest.mark.slow
def test_other_assets_have_no_sliders(tab, live, shown, fitted, wet):
    page = tab(shown(wet.asset))
    page.page.wait_for_selector("#inputs", state="visible")
    page.page.set_input_files("#load", fitted / "a.nsh")
    page.page.wait_for_selector("#inputs", state="hidden")
    page.pixels("result")
    assert page.page.locator("#inputs").is_hidden()
