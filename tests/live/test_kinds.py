"""live/live: every kind of fit and of asset is shown."""

import numpy as np
import pytest

import neuralshade
from neuralshade.fitting.scene import Tone
from neuralshade.live.frame_encoding import on_screen
from neuralshade.live.live import view
from neuralshade.measure.display import exposure_stops

SPLATS = {"compositing": "normalized", "count": 30, "steps": 10**8}
SHADER = {"steps": 10**8, "threads": "16x16", "size": "36x24"}


@pytest.fixture
def shown(live, background, look):
    """Give a function that shows an asset and returns a page on it."""

    def shown(asset, reference=None):
        live.show(asset, reference)
        background(live.wait)
        return look()

    return shown


@pytest.mark.slow  # as in test_curves.py: a device of its own
def test_gaussians(device, live, background, look, save_smooth, tmp_path):
    job = background(live.run, neuralshade.fit_splats, save_smooth(), tmp_path / "x.nsh", **SPLATS)
    page = look()
    page.reach(5)
    assert page.scene["kind"] == "splats" and page.fit["transform"] is None
    assert page.scene["overlays"] == [{"name": "Gaussians", "kind": "points"}]
    page.frame()
    np.testing.assert_array_equal(page.pictures["target"],
                                  neuralshade.load_picture(save_smooth()).pixels)  # fmt: skip
    page.say("overlay", scene=page.scene["id"], name="Gaussians")
    header, content = page.until(lambda: page.overlays)[0]
    points = np.frombuffer(content, "<f4").reshape(header["count"], 2)
    assert header["kind"] == "points" and len(points) > 10
    assert np.median(points) == pytest.approx(0.5, abs=0.3)
    page.control("transform", transform="zoom")
    assert page.next("refused")["text"].startswith("transform: got a fit of splats")
    page.control("rate", rate_scale=0.5)
    page.until(lambda: page.fit["rate_scale"] == 0.5)
    page.control("reset", seed=2)
    page.until(lambda: page.fit["id"] == 2)
    page.reach(3, fit=2)
    page.control("stop")
    result = job.finish()
    background(live.wait)
    page.state("ended")
    page.until(lambda: page.scene["continuous"])
    page.frame()
    drawn = on_screen(neuralshade.render(result.asset), False, Tone())
    np.testing.assert_array_equal(page.pictures["result"], drawn)


@pytest.mark.slow
def test_a_task(device, live, background, look, tint, values_of, tmp_path):
    background(live.run, neuralshade.fit_shader, tint, tmp_path / "x.nsh", values=values_of(),
               **SHADER)  # fmt: skip
    page = look()
    page.reach(5)
    assert page.scene["kind"] == "shader" and page.scene["panes"] == ["result"]
    page.until(lambda: page.curve)
    assert all(point[3] is None for point in page.curve)
    page.frame()
    assert page.pictures["result"].shape == (24, 36, 3)
    status, body = page.ask("/asset")
    assert status in (200, 409), body
    page.control("stop")
    page.state("ended")


@pytest.mark.slow
def test_a_shown_task_has_one_gpu_at_a_time(device, live, shown, drawing_gpus, plain, tmp_path):
    """It is drawn in another thread than it was opened in, until another asset is shown."""
    settings = {**SHADER, "steps": 20}
    neuralshade.fit_shader(plain, tmp_path / "x.nsh", **settings)
    page = shown(tmp_path / "x.nsh")
    page.frame()
    drawn = on_screen(neuralshade.render(tmp_path / "x.nsh"), False, Tone())
    np.testing.assert_array_equal(page.pictures["result"], drawn)
    drawing_gpus.pop()  # of render
    page.frame(region=[0, 0, 0.5, 0.5])
    page.say("pick", id=1, scene=page.scene["id"], u=0.5, v=0.5)
    assert len(page.next("values")["values"]["result"]) == 3
    assert [gpu.closed for gpu in drawing_gpus] == [False]
    assert page.ask("/asset?name=x.nsh", (tmp_path / "x.nsh").read_bytes())[0] == 200
    page.until(lambda: page.scene["id"] == 2)
    page.frame()
    assert [gpu.closed for gpu in drawing_gpus] == [True, False]


@pytest.mark.slow
def test_a_fit_has_the_gpu_of_what_was_shown(
    device, live, drawing_gpus, plain, picture, small, tmp_path
):
    neuralshade.fit_shader(plain, tmp_path / "x.nsh", **{**SHADER, "steps": 2})
    live.show(tmp_path / "x.nsh")
    live.renderer.scene.values(0.5, 0.5)
    assert [gpu.closed for gpu in drawing_gpus] == [False]
    live.run(neuralshade.fit_image, picture, tmp_path / "y.nsh", steps=2, **small)
    assert [gpu.closed for gpu in drawing_gpus] == [True]


@pytest.mark.slow
def test_levels_on_a_plane(device, live, background, look, tmp_path, monkeypatch, waves):
    monkeypatch.chdir(tmp_path)
    job = background(live.run, neuralshade.fit_mipmaps, waves, tmp_path / "out", steps=10**6,
                     pool=16, pairs=4)  # fmt: skip
    page = look()
    page.reach(2)
    assert page.scene["kind"] == "mipmaps"
    assert page.scene["light"]["panes"][0] == "result" and "box" in page.scene["panes"]
    assert page.scene["titles"]["result"] == "Trained levels"
    page.control("pause")
    page.state("paused")
    page.drain(0.3)
    lit, panes = [], ("result", "box", "reference")  # the ground truth too
    for azimuth in (0, 120):
        page.frame(light=[azimuth, 30], panes=panes)
        lit.append({pane: page.pictures[pane] for pane in panes})
    for pane in panes:
        assert lit[0][pane].shape == (27, 48, 3)
        assert (lit[0][pane] != lit[1][pane]).mean() > 0.1
    page.control("stop")
    job.finish()
    background(live.wait)
    page.state("ended")
    page.until(lambda: page.scene["id"] > 1)
    assert page.scene["titles"]["result"] == "Kept levels"  # some of a filter, it may be
    page.frame(panes=["result", "lean"])
    assert page.pictures["lean"].shape == (27, 48, 3)


def test_an_asset_and_its_reference(fitted, shown):
    page = shown(fitted / "a.nsh", fitted / "a.png")
    assert page.fit is None and page.scene["panes"][:2] == ["target", "result"]
    assert page.scene["continuous"] and (page.scene["width"], page.scene["height"]) == (36, 24)
    facts = neuralshade.info(fitted / "a.nsh")
    assert [page.scene[name] for name in ("bytes", "memory_bytes")] == [
        facts["bytes"], facts["memory_bytes"],
    ]  # fmt: skip
    frame = page.frame()
    assert frame["sharp"] and frame["step"] is None
    drawn = on_screen(neuralshade.render(fitted / "a.nsh"), False, Tone())
    np.testing.assert_array_equal(page.pictures["result"], drawn)
    picture = neuralshade.load_picture(fitted / "a.png")
    np.testing.assert_array_equal(page.pictures["target"], picture.pixels)
    page.frame(region=[0, 0.5, 0.5, 1], width=90, height=60)
    part = neuralshade.render(fitted / "a.nsh", size=(90, 60), crop=(0, 0.5, 0.5, 1))
    np.testing.assert_array_equal(page.pictures["result"], on_screen(part, False, Tone()))
    status, body = page.ask("/asset")
    assert (status, body) == (200, (fitted / "a.nsh").read_bytes())
    assert page.ask("/report")[0] == 200


def test_light_beyond_one(shown, save_smooth, few, tmp_path):
    path = save_smooth("a.exr", peak=9.0)
    neuralshade.fit_image(path, tmp_path / "a.nsh", **few)
    page = shown(tmp_path / "a.nsh", path)
    rule = exposure_stops(neuralshade.load_picture(path).as_float())
    assert page.scene["hdr"] and page.scene["stops"] == round(rule, 1) < -1
    linear = neuralshade.render(tmp_path / "a.nsh")
    for tone in (Tone(), Tone(-3.0), Tone(1.5, 2.2)):
        page.frame(exposure=tone.exposure, gamma=tone.gamma)
        np.testing.assert_array_equal(page.pictures["result"], on_screen(linear, True, tone))
    page.say("pick", id=1, scene=page.scene["id"], u=0.5, v=0.5)
    values = page.next("values")["values"]
    assert values["result"] == pytest.approx(linear[12, 18].tolist(), rel=1e-4)


def test_light_beyond_one_without_its_picture(shown, save_smooth, few, tmp_path):
    """The result, drawn small, tells the exposure that a page begins with."""
    neuralshade.fit_image(save_smooth("a.exr", peak=9.0), tmp_path / "a.nsh", **few)
    page = shown(tmp_path / "a.nsh")
    assert page.scene["stops"] == round(exposure_stops(neuralshade.render(tmp_path / "a.nsh")), 1)


@pytest.mark.slow
def test_a_large_picture_is_whole_at_its_own_size(shown, tmp_path, small):
    """1200 x 900 pixels are asked for, and as many must come, not every other one."""
    pixels = np.random.default_rng(0).integers(0, 255, (900, 1200, 3), np.uint8)
    picture = neuralshade.picture_from_array(pixels)
    neuralshade.fit_image(picture, tmp_path / "a.nsh", steps=2, **small)
    page = shown(tmp_path / "a.nsh", picture)
    frame = page.frame()
    assert (frame["width"], frame["height"]) == (1200, 900) and frame["sharp"]
    np.testing.assert_array_equal(page.pictures["target"], pixels)


def test_view_shows_and_refuses(fitted, tmp_path, refusal):
    with view(fitted / "a.nsh", port=0) as made:
        assert made.renderer.scene.titles == {"result": "Result"}
        assert made.address == f"http://127.0.0.1:{made.server.access.port}/"
    with view(port=0) as made:
        assert made.renderer.scene is None
    line = refusal(neuralshade.AssetError, view, tmp_path / "none.nsh", port=0)
    assert "none.nsh" in line
