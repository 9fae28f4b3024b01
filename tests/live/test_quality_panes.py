"""live/quality_panes: what an asset that is shown is worth is measured, and FLIP is drawn."""

import dataclasses
import threading
import time

import numpy as np
import pytest

import neuralshade
from neuralshade.fitting.scene import FLIP, Tone, View
from neuralshade.kinds import open_asset
from neuralshade.live.frame_encoding import on_screen
from neuralshade.live.messages import FrameShown
from neuralshade.live.page_renderer import QUIET_SECONDS
from neuralshade.live.quality_panes import QualityMeasurement, with_flip
from neuralshade.measure.quality import flip, flip_colors, measure_quality, missing_flip

no_flip = pytest.mark.skipif(missing_flip() is not None, reason=missing_flip() or "")


def test_pages_are_told_what_is_measured(live, background, look, fitted):
    live.show(fitted / "a.nsh", fitted / "a.png")
    background(live.wait)
    page = look()
    assert page.hello["quality"] is None
    page.frame()
    said = page.until(lambda: [said for said in page.told["quality"] if said["quality"]])[0]
    target = neuralshade.load_picture(fitted / "a.png").as_float()
    result = neuralshade.render(fitted / "a.nsh")
    wanted = measure_quality(target, result, "srgb")
    found = said["quality"]["result"]
    assert found["psnr_db"] == pytest.approx(wanted.psnr_db, abs=1e-4)
    assert found["ssim"] == pytest.approx(wanted.ssim, abs=1e-5)
    assert found["flip"] == (None if wanted.flip is None else pytest.approx(wanted.flip, abs=1e-5))
    again = look().hello["quality"]["result"]  # which may have more rows by now
    assert all(again[name] == found[name] for name in ("psnr_db", "ssim", "flip"))
    facts = neuralshade.info(fitted / "a.nsh")
    assert page.scene["bits_per_pixel"] == pytest.approx(facts["bits_per_pixel"])
    page.say("pick", id=1, scene=page.scene["id"], u=0.5, v=0.5)
    assert set(page.next("values")["values"]) == {"target", "result"}  # FLIP has no numbers there
    # another asset: what was measured is told no more
    page.ask("/asset?name=b.nsh", (fitted / "a.nsh").read_bytes())
    page.until(lambda: page.told["quality"][-1]["quality"] is None
               or page.scene["name"] == "b.nsh")  # fmt: skip


def test_pages_are_told_what_files_and_textures_have(live, background, look, fitted):
    """The rows of ``evaluate``, as they are found."""
    live.show(fitted / "a.nsh", fitted / "a.png")
    background(live.wait)
    page = look()
    page.frame()
    _, *wanted = neuralshade.evaluate(fitted / "a.nsh", fitted / "a.png")
    wanted = [row for row in wanted if row["bytes"] is not None]

    def told():
        said = page.told["quality"][-1]["quality"] if page.told["quality"] else None
        beside = said and said["result"].get("beside", [])
        return beside if beside and len(beside) == len(wanted) else None

    for row, known in zip(page.until(told), wanted, strict=True):
        assert set(row) == {"name", "bytes", "memory_bytes", "random_access", "psnr_db"}
        assert row == {name: known[name] for name in row} | {"psnr_db": row["psnr_db"]}
        db = known["psnr_db"]  # JSON has no infinity
        assert row["psnr_db"] == (pytest.approx(db, abs=1e-4) if np.isfinite(db) else None)


def test_without_a_reference_nothing_is_measured(live, background, look, fitted):
    live.show(fitted / "a.nsh")
    background(live.wait)
    page = look()
    page.frame()
    assert page.scene["measured"].startswith(f"{open_asset(fitted / 'a.nsh').summary()['quality']}")
    assert not any(said["quality"] for said in page.told["quality"])
    assert all(not pane.startswith(FLIP) for pane in page.scene["panes"])


@no_flip
def test_a_pane_of_flip(fitted):
    """Black where both are equal; the mean error is the brighter the worse."""
    scene = with_flip(open_asset(fitted / "a.nsh").scene(fitted / "a.png"))
    assert scene.titles["flip:result"] == "FLIP of Result"
    view = View(0, 0, width=scene.width, height=scene.height)
    drawn = scene.draw("flip:result", view)
    target, result = (on_screen(scene.draw(pane, view), False, Tone())
                      for pane in ("target", "result"))  # fmt: skip
    assert drawn.shape == result.shape and drawn.min() >= 0 and drawn.max() <= 1
    assert (drawn.mean() > 0.01) == (flip(target, result) > 0.01)


@no_flip
def test_flip_of_lit_panes_is_lit_and_is_seen_as_it_is(small_kinds):
    """Whatever the exposure: it is drawn for a screen."""
    opened = open_asset(small_kinds["material"].asset)
    scene = opened.scene()
    twice = {**scene.titles, "given:sphere": "Material, sphere"}

    def draw(pane, view):
        light = scene.draw("sphere", view)
        return light * (1.0 if pane == "sphere" else 0.8)

    made = with_flip(type(scene)(**{**vars(scene), "titles": twice, "draw": draw}))
    assert made.is_lit("flip:sphere") and "flip:sphere" in made.rotatable
    for tone in (Tone(), Tone(2.0), Tone(-1.0, 2.2)):
        view = View(0, 0, width=24, height=24, tone=tone)
        pair = [on_screen(draw(pane, view), True, tone) for pane in ("given:sphere", "sphere")]
        seen = on_screen(made.draw("flip:sphere", view), True, tone)
        np.testing.assert_allclose(seen / 255, flip_colors(*pair), atol=2 / 255)


def test_panes_are_measured_one_by_one_and_pages_are_told_which_are_left(fitted, monkeypatch):
    """Who looks on is to see pictures meanwhile: no pair is drawn before the last is measured."""
    monkeypatch.setattr("neuralshade.live.quality_panes.all_baselines", lambda *given: [])
    scene = open_asset(fitted / "a.nsh").scene(fitted / "a.png")
    drawn, told, draw = [], {"quality": [], "measuring": []}, scene.draw
    scene = dataclasses.replace(
        scene, titles={**scene.titles, "other": "Other"},
        draw=lambda pane, view: (drawn.append(pane), draw("result", view))[1],
    )  # fmt: skip
    measuring = QualityMeasurement(lambda name, value: told[name].append(value))
    held = threading.Event()
    before = measuring._thread.submit(held.wait, 60)
    measuring.begin(scene)
    assert told["measuring"] == [["result", "other"]] and drawn == []
    for _ in range(3):
        measuring.measure_next()
    assert drawn == ["target", "result"]
    held.set()
    before.result()
    measuring._job.result()
    measuring.measure_next()
    measuring._job.result()
    assert drawn == ["target", "result", "target", "other"]
    assert told["measuring"] == [["result", "other"], ["other"], []]
    assert [list(found) for found in told["quality"]] == [["result"], ["result", "other"]]
    measuring.close()


def test_pages_have_their_pictures_before_anything_is_measured(live, fitted, monkeypatch):
    """Drawing for that, and its thread, had kept a page grey for seconds."""
    live.show(fitted / "a.nsh", fitted / "a.png")
    begun = []
    monkeypatch.setattr(live.viewer.measuring, "begin", begun.append)
    monkeypatch.setattr(live.viewer.measuring, "measure_next", lambda: None)
    client, renderer = live.channel.connect(), live.renderer
    held = threading.Event()
    renderer._encoder.submit(held.wait, 60)  # another program has the machine
    live.channel.receive(client, View(1, renderer.number, width=9, height=9, panes=("result",)))
    renderer.draw(None, hurried=False)
    time.sleep(2 * QUIET_SECONDS)
    live.viewer.measure()
    assert begun == []
    held.set()
    renderer._encoding[0].result()
    live.viewer.measure()
    assert begun == [renderer.scene]


def test_pages_keep_their_pictures_until_what_was_fitted_is_drawn(live, fitted, monkeypatch):
    """A page drops those of a scene that another one replaces."""
    live.show(fitted / "a.nsh", fitted / "a.png")
    client, number = live.channel.connect(), live.renderer.number
    view = View(1, number, width=9, height=9, panes=("target", "result"))
    live.channel.receive(client, view)
    drawn, flip = [], with_flip

    def watched(scene):
        made = flip(scene)
        return dataclasses.replace(made, draw=lambda pane, view: (
            drawn.append((pane, live.renderer.number)), made.draw(pane, view))[1])  # fmt: skip

    monkeypatch.setattr("neuralshade.live.asset_viewer.with_flip", watched)
    live.viewer.open(fitted / "a.nsh", fitted / "a.png", fitted=True)
    assert sorted(drawn) == [("result", number), ("target", number)]
    live.channel.receive(client, dataclasses.replace(view, id=2, scene=number + 1))
    live.renderer.draw(None, hurried=False)
    assert client.in_flight is not None and len(drawn) == 2  # sent as it was drawn before
    live.channel.receive(
        client, dataclasses.replace(view, id=3, scene=number + 1, region=(0, 0, 0.5, 1))
    )
    live.channel.receive(client, FrameShown(client.in_flight))
    live.renderer.draw(None, hurried=False)
    assert len(drawn) == 4


def test_what_is_shown_no_more_is_not_measured(fitted, monkeypatch):
    """A fit that begins meanwhile has the machine for itself."""
    told, measured = [], []
    measuring = QualityMeasurement(lambda name, value: told.append((name, value)))
    held = threading.Event()
    measuring._thread.submit(held.wait, 600)  # the thread is busy
    monkeypatch.setattr("neuralshade.live.quality_panes.measure_quality", measured.append)
    measuring.begin(open_asset(fitted / "a.nsh").scene(fitted / "a.png"))
    measuring.forget()
    held.set()
    measuring._thread.shutdown()
    assert told[-2:] == [("quality", None), ("measuring", [])] and measured == []


def test_color_counts_by_alpha_as_in_evaluate(tmp_path):
    pixels = np.random.default_rng(0).integers(0, 256, (16, 20, 4), dtype=np.uint8)
    pixels[:, :9, 3] = 0
    options = neuralshade.FitOptions(engine="torch", device="cpu")
    neuralshade.fit_image(pixels, tmp_path / "a.nsh", steps=2, hidden_width=8, options=options)
    picture, told = neuralshade.picture_from_array(pixels), {}
    measuring = QualityMeasurement(told.__setitem__)
    measuring.begin(open_asset(tmp_path / "a.nsh").scene(picture))
    measuring.measure_next()
    measuring._thread.shutdown()
    ours, *others = neuralshade.evaluate(tmp_path / "a.nsh", picture)
    found = told["quality"]["result"]
    for name in ("psnr_db", "ssim"):
        assert found[name] == pytest.approx(ours[name], abs=1e-4)
    known = {row["name"]: row["psnr_db"] for row in others}
    for row in found.get("beside", []):
        assert row["psnr_db"] == pytest.approx(known[row["name"]], abs=1e-4)
