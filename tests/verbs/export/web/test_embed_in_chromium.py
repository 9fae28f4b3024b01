"""verbs/export/web: elements of other sites in Chromium, under the policy that README.md names."""

import json
import struct

import pytest
from fixtures.browsers import chromium
from fixtures.small_kinds import ASSETS, DATA
from fixtures.web_pages import FLAGS, LEAST_DB
from fixtures.web_sites import (
    data_of,
    eight_bits,
    events_of,
    header_of,
    pixels,
    site_opened,
    status,
    tag,
    until,
)

import neuralshade
from neuralshade.measure.quality import psnr_db
from neuralshade.source.color import linear_to_srgb
from neuralshade.verbs.export.web.container import deflate

pytestmark = [pytest.mark.slow]


@pytest.fixture(scope="module")
def chrome():
    with chromium(*FLAGS) as browser:
        yield browser


@pytest.mark.parametrize("api", ["webgpu", "webgl2"])
def test_two_elements_show_what_render_does(chrome, embed_site, embed_address, api):
    kinds = {"a": "image", "b": "splats"}
    sizes = {id: tuple(side * 10 for side in neuralshade.load(DATA / ASSETS[kind]).size)
             for id, kind in kinds.items()}  # fmt: skip
    body = "".join(tag(data_of(kind), id, api=api) for id, kind in kinds.items())
    with site_opened(chrome, embed_site, embed_address, body, **sizes) as (page, asked):
        found = events_of(page, 2)
        if api == "webgpu" and any(one[1] == "error" for one in found):
            pytest.skip("this browser has no adapter of WebGPU, not even in software")
        name = {"webgpu": "WebGPU", "webgl2": "WebGL 2"}[api]
        assert sorted(found) == [("a", "ready", name), ("b", "ready", name)]
        for id, kind in kinds.items():
            right = eight_bits(neuralshade.render(DATA / ASSETS[kind], size=sizes[id]))
            assert psnr_db(right, pixels(page, id)) >= LEAST_DB
        files = ["neural-shade.js", "test.html", *map(data_of, kinds.values())]
        assert sorted(asked) == sorted(files)


def test_attributes_choose_the_view(chrome, embed_site, embed_address):
    side, path = 192, DATA / ASSETS["material"]
    body = tag(data_of("material"), env="0", shape="plane", light="-40,35")
    with site_opened(chrome, embed_site, embed_address, body, it=(side, side)) as (page, _):
        assert [one[1] for one in events_of(page, 1)] == ["ready"]
        for index, light in enumerate([(-40, 35), (60, 50)]):
            if index:  # a change starts it over
                page.evaluate(f"it.setAttribute('light', '{light[0]},{light[1]}')")
                events_of(page, 2)
            right = neuralshade.render(path, size=side, show="plane", light=light, filter="point")
            right = eight_bits(linear_to_srgb(right.clip(0, 1)))
            assert psnr_db(right, pixels(page, "it")) >= LEAST_DB


def test_maps_and_themes(chrome, embed_site, embed_address):
    body = tag(data_of("textures"), "a", theme="dark") + tag(data_of("image"), "b", theme="light")
    with site_opened(chrome, embed_site, embed_address, body, a=(300, 150), b=(300, 100)) as (
        page,
        _,
    ):
        assert [one[1] for one in events_of(page, 2)] == ["ready", "ready"]
        assert pixels(page, "a")[75, 3].mean() < 60
        assert pixels(page, "b")[50, 3].mean() > 200
        page.evaluate("b.setAttribute('theme', 'dark')")
        events_of(page, 3)
        assert pixels(page, "b")[50, 3].mean() < 60


def test_what_is_no_data_is_one_sentence_and_an_event(chrome, embed_site, embed_address):
    data = (embed_site / data_of("splats")).read_bytes()
    header = json.loads(header_of(embed_site / data_of("splats")))
    broken = {
        "short": data[:-9], "head": data[:40], "tiny": data[:6], "empty": b"",
        "other": b"<!doctype html>" * 9, "unmade": changed(data, header, "rebuild"),
        "unseen": changed(data, header, "view"),
    }  # fmt: skip
    for name, content in broken.items():
        (embed_site / f"{name}.nsb").write_bytes(content)
    names = [*broken, "missing"]
    try:
        body = "".join(tag(f"{name}.nsb", name, poster="image_grid.webp") for name in names)
        sizes = dict.fromkeys(names, (160, 90))
        with site_opened(chrome, embed_site, embed_address, body + tag("", "none"), **sizes) as (
            page,
            _,
        ):
            found = {id: (kind, detail) for id, kind, detail in events_of(page, len(names) + 1)}
            assert found.keys() == {*names, "none"}
            for id, (kind, detail) in found.items():
                assert kind == "error"
                assert status(page, id) == detail
                assert detail.count("\n") == 0
            said = {id: detail for id, (_, detail) in found.items()}
            loaded = page.evaluate("""async () => {
                const poster = document.getElementById("missing").shadowRoot.querySelector("img");
                await poster.decode();
                return poster.naturalWidth > 0;
            }""")
            assert loaded
    finally:
        for name in broken:
            (embed_site / f"{name}.nsb").unlink()
    for name in ("short", "head", "tiny", "empty", "other"):
        assert said[name].startswith(f"{name}.nsb is no whole .nsb file: ")
    assert said["short"].endswith("cut short.")
    assert said["head"].endswith("cut short.")
    assert said["unmade"].endswith("no script here makes its numbers")
    assert said["unseen"] == "unseen.nsb needs a view that this script does not have."
    assert said["missing"] == "missing.nsb cannot be loaded: the server says 404."
    assert said["none"].startswith("No src")


def changed(data, header, what):
    """Return data with a name in its header that is that of a property of every object."""
    (length,) = struct.unpack_from("<I", data, 4)
    own = dict(header["assets"][0])
    own |= {"view": "constructor"} if what == "view" else {
        "words": {**own["words"], "rebuild": "constructor"}}  # fmt: skip
    first = deflate(json.dumps({**header, "assets": [own]}).encode())
    return data[:4] + struct.pack("<I", len(first)) + first + data[8 + length :]


def test_without_an_api_the_poster_stays(chrome, embed_site, embed_address):
    # A second script, and one that is no module, change nothing.
    body = '<script src="neural-shade.js"></script>' * 2
    body += tag(data_of("image"), api="none", poster="image_grid.webp")
    with site_opened(chrome, embed_site, embed_address, body, it=(300, 200)) as (page, asked):
        ((_, kind, detail),) = events_of(page, 1)
        assert kind == "error"
        assert "neither WebGPU nor WebGL 2" in detail
        assert status(page) == detail
        assert page.locator("#it .poster").is_visible()
        assert "image_grid.webp" in asked


def test_an_element_runs_only_while_it_is_near_and_in_the_page(chrome, embed_site, embed_address):
    body = "<div id=space></div>" + tag(data_of("image"))
    with site_opened(chrome, embed_site, embed_address, body, space=(10, 3000), it=(300, 200)) as (
        page,
        asked,
    ):
        until(page, "Boolean(customElements.get('neural-shade'))")
        page.evaluate("() => new Promise(requestAnimationFrame)")
        assert page.evaluate("it.viewer === null")
        assert data_of("image") not in asked
        page.evaluate("it.scrollIntoView()")
        events_of(page, 1)
        before = pixels(page, "it")
        for leave, back in (
            ("scrollTo(0, 0)", "it.scrollIntoView()"),
            ("globalThis.kept = it; it.remove()", "document.body.append(kept)"),
        ):
            count = page.evaluate("""() => {
                const { viewer: { stage } } = globalThis.seen = document.getElementById("it");
                globalThis.stage = stage;
                return events.length;
            }""")
            page.evaluate(leave)
            until(page, "seen.viewer === null")
            assert page.evaluate("stage.stopped && stage.gpu.gl.isContextLost()")
            assert page.evaluate("seen.shadowRoot.querySelector('canvas')") is None
            page.evaluate(back)
            page.evaluate("document.getElementById('it').scrollIntoView()")
            assert events_of(page, count + 1)[-1] == ("it", "ready", "WebGL 2")
            assert psnr_db(before, pixels(page, "it")) >= LEAST_DB


def test_a_wheel_scrolls_the_page_until_the_canvas_has_the_focus(chrome, embed_site, embed_address):
    body = tag(data_of("image")) + "<div id=space></div>"
    with site_opened(chrome, embed_site, embed_address, body, space=(10, 3000), it=(300, 200)) as (
        page,
        _,
    ):
        events_of(page, 1)
        page.mouse.move(150, 100)
        page.mouse.wheel(0, 120)
        until(page, "scrollY > 0")
        assert page.evaluate("it.viewer.view.scale") is None
        page.evaluate("scrollTo(0, 0)")
        page.locator("#it canvas").focus()
        page.mouse.wheel(0, -120)
        until(page, "it.viewer.view.scale !== null")
        assert page.evaluate("scrollY") == 0
