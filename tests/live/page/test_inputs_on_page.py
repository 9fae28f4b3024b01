"""live/page: sliders of a material's varied inputs, and pictures that are the decoder's there."""

import base64
import io
from types import SimpleNamespace

import numpy as np
import pytest
from fixtures.small_material import wet_file, wet_paint
from PIL import Image

import neuralshade
from neuralshade.fitting.scene import Tone, View
from neuralshade.kinds import open_asset
from neuralshade.kinds.material.judging.lit_surfaces import EYE, at_centers, sphere
from neuralshade.kinds.material.references.reference_bsdf import places
from neuralshade.kinds.material.scene import DRAWN_PX, FILL, RADIANCE
from neuralshade.live.frame_encoding import on_screen
from neuralshade.measure.plane.sphere_view import to_light

SLIDER, FIELD = "#input-0", "#input-fields input[type=number] >> nth=0"
ROUNDING = 1  # of 255: a sum of float32 is not always rounded to the same side
CHANGE = 4.0  # of 255, that a color differs by in the mean, at least, where the paint is wet


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
    """Wait until a pane shows a sphere that scatters so, not coarse; return its mean color."""
    found = []

    def shown():
        picture, (u0, v0, u1, v1) = page.pixels(pane), page.js("window.neuralshade.frame.region")
        light = [float(page.page.locator(f"#{name}").input_value())
                 for name in ("azimuth", "elevation")]  # fmt: skip
        height, width = picture.shape[:2]
        told = page.page.locator(f"figure:has([data-pane='{pane}']) .detail").first.inner_text()
        if not told.startswith(f"{width} x {height}"):  # "coarse: " and "earlier: " come before
            return False
        wanted = lit_sphere(shade, width, height, (u0, v0, u1, v1), light).astype(int)
        found.append(picture.mean((0, 1)))
        return np.abs(picture - wanted).max() <= ROUNDING

    page.until(shown, pane)
    return found[-1]


def decoded(asset, **values):
    """Return the Python half at these values."""
    return open_asset(asset, values).eval_footprint


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
    assert field.input_value() == "2" and np.abs(soaked - usual).max() > CHANGE
    page.press("Home", *["ArrowRight"] * 3)
    dry = shows(page, "sphere", decoded(wet.asset, wetness=0.06))
    assert field.input_value() == "0.06" and np.abs(soaked - dry).max() > CHANGE
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
          at_centers(lambda uv, wi, wo: wet_paint(places(uv, [1.0]), wi, wo)))  # fmt: skip


@pytest.mark.slow
def test_what_is_chosen_stays_when_a_fit_ends(
    tab, live, background, one_device, wet, tmp_path, monkeypatch
):
    """The material itself goes along while the fit runs; its asset is shown where it was."""
    monkeypatch.setattr("neuralshade.kinds.material.judging.judge.SIDE_PX", 32)
    output = tmp_path / "x.nsh"
    job = background(
        live.run,
        neuralshade.fit_material,
        source=wet.module,
        output=output,
        steps=10**6,
        size=8,
        batch=256,
        hidden_width=16,
        vary="wetness=0..2",
        options=neuralshade.FitOptions(engine="torch"),
    )
    page = tab(live.address, width=1000, height=500)
    page.page.wait_for_selector("#inputs", state="visible")
    assert page.page.locator(FIELD).input_value() == "0.25"
    page.page.locator(SLIDER).press("End")
    itself = at_centers(lambda uv, wi, wo: wet_paint(places(uv, [1.0]), wi, wo))
    shows(page, "given:sphere", itself)
    page.page.click("#stop")
    assert job.finish().steps < 10**6
    background(live.wait)
    shows(page, "sphere", decoded(output, wetness=2))
    assert page.page.locator(FIELD).input_value() == "2"


@pytest.mark.slow
def test_a_report_has_a_slider_that_stops_where_pictures_were_drawn(
    tab, wet, tmp_path, share_device, monkeypatch
):
    """One stop more where the asset was opened; a key goes to the next, exactly as decoded."""
    share_device(monkeypatch)
    for name in ("report.SPHERE_PX", "report.PLANE_PX", "varied_report.SIDE_PX"):
        monkeypatch.setattr(f"neuralshade.kinds.material.judging.{name}", 24)
    opened = open_asset(wet.asset, {"wetness": 0.6})
    neuralshade.report(opened, wet.module, tmp_path / "wet.html")
    page = tab((tmp_path / "wet.html").as_uri())
    slider, told = (page.page.locator(f"#varied {name}").first for name in ("input", "output"))

    def chosen(pane):
        """Return the one picture of a pane that is not hidden."""
        (shown,) = [
            image
            for image in page.page.locator("#varied .chosen")
            .first.locator(".frame")
            .nth(pane)
            .locator("img")
            .all()
            if image.is_visible()
        ]
        data = shown.get_attribute("src").partition(",")[2]
        return np.asarray(Image.open(io.BytesIO(base64.b64decode(data)))).astype(int)

    assert told.inner_text() == "0.6"
    for key, value in (
        ("ArrowRight", 0.75),
        ("End", 2.0),
        ("Home", 0.0),
        ("ArrowRight", 0.25),
        ("ArrowRight", 0.5),
        ("ArrowRight", 0.6),
    ):
        slider.press(key)
        assert float(told.inner_text()) == value
        assert slider.get_attribute("aria-valuetext") == told.inner_text()
        seen = sphere(24, 24).at([value / 2, 0.5])  # the other is in the middle of its range
        itself, network = (
            on_screen(seen.lit_by_default(at_centers(shade), opened.sample), True, Tone())
            for shade in (wet_paint, opened.eval)
        )
        assert np.abs(chosen(0) - itself).max() <= ROUNDING
        assert np.abs(chosen(1) - network).max() <= ROUNDING
        off = (127.5 + 4.0 * (network.astype(int) - itself)).clip(0, 255)
        assert np.abs(chosen(2) - off).max() <= 4 * 2 * ROUNDING  # two roundings, four times


@pytest.mark.slow
def test_other_assets_have_no_sliders(tab, live, shown, fitted, wet):
    page = tab(shown(wet.asset))
    page.page.wait_for_selector("#inputs", state="visible")
    page.page.set_input_files("#load", fitted / "a.nsh")
    page.page.wait_for_selector("#inputs", state="hidden")
    page.pixels("result")
    assert page.page.locator("#inputs").is_hidden()
