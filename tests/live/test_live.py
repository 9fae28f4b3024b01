"""live/live: a page sees a fit as it goes on, and what it says is done."""

import itertools

import numpy as np
import pytest

import neuralshade
from neuralshade.base.message_text import rounded_db
from neuralshade.errors import ConfigError
from neuralshade.fitting.scene import Tone
from neuralshade.live.client import Client
from neuralshade.live.frame_encoding import on_screen
from neuralshade.live.messages import Control


def drawn(asset, **how):
    """Return what `render` makes of an asset, as a PNG has it."""
    opened = neuralshade.render(asset, **how)
    return on_screen(opened, neuralshade.info(asset)["picture"]["color_space"] == "linear", Tone())


def test_a_page_is_told_what_is_warned_of(live, look, background, picture, small, tmp_path):
    page = look()
    job = background(live.run, neuralshade.fit_image, picture, tmp_path / "x.nsh", steps=5, **small)
    fit = page.state("ended")
    assert fit["warnings"] == list(job.finish().warnings) and fit["warnings"]
    assert look().hello["fit"]["warnings"] == fit["warnings"]
    assert fit["cut_short"] is False


def test_a_page_is_told_that_a_fit_was_stopped(fitting, look):
    job, page = fitting(), look()
    page.reach(5)
    assert page.fit["cut_short"] is False and page.fit["warnings"] == []
    page.control("stop")
    fit = page.state("ended")
    assert fit["cut_short"] is True and job.finish().steps == page.progress["step"]


def test_a_page_sees_a_fit(fitting, look, picture):
    job, page = fitting(), look()
    page.reach(20)
    assert page.hello["protocol"] == 1 and page.hello["version"] == neuralshade.__version__
    assert page.hello["presets"] and page.hello["transforms"] == ["identity", "zoom", "flip"]
    assert page.scene == page.scene | {
        "kind": "image", "width": 32, "height": 24, "channels": 3, "hdr": False,
        "panes": ["target", "result"], "continuous": False, "light": None, "levels": [],
        "inputs": [], "overlays": [{"name": "grid 1", "kind": "picture"}],
    }  # fmt: skip
    assert page.fit == page.fit | {"verb": "image", "state": "running", "transform": "identity",
                                   "rate_scale": 1.0, "steps": 10**8, "seed": 0}  # fmt: skip
    assert set(page.fit["can"]) == {"pause", "step", "rate", "reset", "transform", "stop", "start"}
    p = page.progress
    assert 0 < p["share"] < 1 and p["samples_per_second"] > 0 and p["left_seconds"] > 0
    assert 0 < p["loss"] < 10 and p["seconds"] > 0
    first = page.frame()
    assert first["region"] == [0, 0, 1, 1] and (first["width"], first["height"]) == (32, 24)
    np.testing.assert_array_equal(page.pictures["target"], picture.pixels)
    assert [image["pane"] for image in first["images"]] == ["target", "result"]
    page.until(lambda: len(page.frames) > 4)
    assert [image["pane"] for image in page.frames[-1]["images"]] == ["result"]
    steps = [frame["step"] for frame in page.frames]
    assert steps == sorted(set(steps))
    page.until(lambda: page.curve and page.curve[-1][3] is not None)
    assert [row[0] for row in page.curve] == sorted({row[0] for row in page.curve})
    page.control("stop")
    page.state("ended")
    result = job.finish()
    assert result.steps > steps[-1]
    page.until(lambda: page.curve[-1][3] == rounded_db(result.psnr_db))  # it comes by itself
    told = [row[0] for row in page.curve]  # of the last step once: as the file has it
    assert told == sorted(set(told))
    assert told[-1] == result.steps


def test_who_looks_on_already_sees_pictures_before_the_first_step(fitting, look, monkeypatch):
    """It may compile for seconds; and none of the time is the fit's."""
    monkeypatch.setattr("neuralshade.live.fit_controller.REQUEST_SECONDS", 4.0)
    monkeypatch.setattr("neuralshade.live.fit_controller.OPENING_SECONDS", 4.0)
    page = look()
    fitting()
    page.until(lambda: page.scene)
    assert page.frame(parts=True)["step"] == 0
    page.reach(1)
    assert page.told["progress"][0]["step"] == 0 and page.progress["seconds"] < 4.0


def test_what_is_shown_at_the_end_is_what_render_draws(fitting, look, background, live, tmp_path):
    job, page = fitting(steps=60), look()
    result = job.finish()
    background(live.wait)
    page.state("ended")
    assert page.fit["text"] == f"{result.asset}: {result.psnr_db:.2f} dB after 60 steps"
    assert page.fit["can"] == ["start", "reset", "transform"]
    frame = page.frame()
    assert frame["sharp"] and frame["step"] is None
    np.testing.assert_array_equal(page.pictures["result"], drawn(tmp_path / "x.nsh"))
    frame = page.frame(region=[0.25, 0, 0.75, 0.5], width=128, height=96)
    zoomed = drawn(tmp_path / "x.nsh", size=(128, 96), crop=(0.25, 0, 0.75, 0.5))
    np.testing.assert_array_equal(page.pictures["result"], zoomed)
    assert page.pictures["target"].shape == (96, 128, 3)


def test_pause_step_rate_resume(fitting, look):
    fitting()
    page = look()
    page.reach(5)
    page.control("pause")
    page.state("paused")
    page.drain(0.3)
    paused = page.progress
    page.drain(0.5)
    assert page.progress["step"] == paused["step"]
    for count in (1, 2, 3):  # from a pause, each is one
        page.control("step")
        page.until(lambda: page.progress["step"] > paused["step"] + count - 1)  # noqa: B023
        page.state("paused")
        page.drain(0.3)
        assert page.progress["step"] == paused["step"] + count
    assert page.progress["seconds"] < paused["seconds"] + 1  # over 1.5 s have passed
    page.control("rate", rate_scale=0.05)
    page.until(lambda: page.fit["rate_scale"] == 0.05)
    assert page.fit["state"] == "paused"
    page.control("resume")
    page.state("running")
    page.reach(paused["step"] + 10)
    assert page.fit["rate_scale"] == 0.05


def test_one_step_of_a_running_fit_pauses_it(fitting, look):
    fitting()
    page = look()
    page.reach(5)
    page.control("step")
    page.until(lambda: page.fit["state"] == "paused" and page.told["progress"])
    page.drain(0.3)
    at = page.progress["step"]
    page.drain(0.4)
    assert page.progress["step"] == at
    page.control("resume")
    page.reach(at + 5)


@pytest.mark.slow
def test_a_step_size_of_a_hundredth_learns_less(fitting, look, small):
    """Both fits end after as many steps; only one of them had its rate turned down."""
    losses = []
    for scale in (1.0, 0.01):
        job, page = fitting(steps=300, rate=0.01, grid_rate=0.02), look()
        page.control("rate", rate_scale=scale)
        losses.append(job.finish().psnr_db)
        page.close()
    assert losses[0] > losses[1] + 3


def test_stop_ends_and_writes(fitting, look, tmp_path):
    job, page = fitting(), look()
    page.reach(10)
    page.control("pause")
    page.state("paused")
    page.control("stop")
    result = job.finish()
    ended = page.state("ended")
    assert (tmp_path / "x.nsh").stat().st_size == result.asset_bytes
    assert not (tmp_path / "x.checkpoint.nsh").exists()
    assert ended["text"].startswith(f"{result.asset}: ")


def test_what_is_done_after_the_last_step_is_told(fitting, look, tmp_path):
    job, page = fitting(options=neuralshade.FitOptions(report=tmp_path / "x.html")), look()
    page.reach(10)
    page.control("stop")
    job.finish()
    page.state("ended")
    states = [(told["fit"]["state"], told["fit"]["text"]) for told in page.told["fit"]]
    assert states[-2] == ("finishing", "writing the report")
    assert not any(told["fit"]["can"] for told in page.told["fit"]
                   if told["fit"]["state"] == "finishing")  # fmt: skip


def test_stop_before_the_first_step(fitting, look, live, tmp_path):
    """There is nothing learned yet, and that is what is written."""
    page = look()
    live.channel.receive(Client(), Control("stop", {}))
    result = fitting().finish()
    assert result.steps == 0 and (tmp_path / "x.nsh").exists()
    page.state("ended")


@pytest.mark.slow
def test_values_overlay_report_snapshot(fitting, look, picture):
    fitting()
    page = look()
    page.reach(5)
    page.say("pick", id=4, scene=page.scene["id"], u=0.99, v=0.01)
    said = page.next("values")
    assert said["id"] == 4 and len(said["values"]["result"]) == 3
    assert said["values"]["target"] == pytest.approx(picture.pixels[0, 31] / 255, abs=1e-6)
    page.say("overlay", scene=page.scene["id"], name="grid 1")
    header, file = page.until(lambda: page.overlays)[0]
    assert header == header | {"kind": "picture", "bytes": len(file), "width": 12, "height": 8}
    page.say("overlay", scene=page.scene["id"], name="no-such")
    assert page.next("refused")["text"] == (
        "overlay: got 'no-such', need one that the scene has.")  # fmt: skip
    status, file = page.ask("/snapshot.png")
    assert status == 200 and file.startswith(b"\x89PNG")
    status, body = page.ask("/report")
    assert status == 200 and body.startswith(b"<!DOCTYPE html>")
    page.reach(page.progress["step"] + 5)


@pytest.mark.slow
def test_all_pages_see_the_same(fitting, look):
    fitting()
    pages = [look() for _ in range(5)]
    for page in pages:
        page.reach(1)
        page.view()
    for page in pages:
        page.until(lambda: len(page.frames) >= 2)  # noqa: B023
    pages[0].control("pause")
    for page in pages:
        page.state("paused")
        page.drain(0.3)
    assert len({page.progress["step"] for page in pages}) == 1
    assert all(page.curve == pages[0].curve for page in pages)


def test_a_page_that_comes_back_has_the_whole_history(fitting, look):
    fitting()
    page = look()
    page.until(lambda: len(page.curve) > 10)
    seen = page.curve
    page.socket.socket.close()  # no farewell
    again = look()
    assert again.hello["session"] == page.hello["session"]
    assert again.hello["curve"][: len(seen)] == seen
    again.view()
    again.until(lambda: {"target", "result"} <= again.pictures.keys())
    again.until(lambda: len(again.curve) > len(seen) + 3)


@pytest.mark.slow
def test_frames_wait_for_a_page_and_follow_its_view(fitting, look):
    fitting()
    page = look()
    page.reach(1)
    page.acknowledges = False
    page.view()
    page.until(lambda: page.frames)
    page.drain(0.6)
    assert len(page.frames) == 1  # one on its way is all
    page.say("visible", visible=False)
    page.say("received", id=page.frames[0]["id"])
    page.drain(0.5)
    assert len(page.frames) == 1
    page.say("visible", visible=True)
    page.until(lambda: len(page.frames) == 2)
    page.acknowledges = True
    page.say("received", id=page.frames[1]["id"])
    frame = page.frame(region=[0.5, 0.5, 1, 1], width=16, height=12)
    assert frame["region"] == [0.5, 0.5, 1, 1] and page.pictures["target"].shape == (12, 16, 3)


def test_a_fit_that_fails_tells_pages(fitting, look):
    """Learning rates of 1e30 leave nothing that can be stored."""
    page = look()
    page.expects_failure = True
    job = fitting(rate=1e30, grid_rate=1e30, steps=30)
    failed = page.state("failed")
    with pytest.raises(ConfigError) as caught:
        job.finish()
    assert failed["text"] == str(caught.value)


@pytest.mark.slow
def test_equal_bits_with_a_page_and_without(live, picture, small, tmp_path, look):
    settings = {**small, "steps": 200}
    neuralshade.fit_image(picture, tmp_path / "without.nsh", **settings)
    live.run(neuralshade.fit_image, picture, tmp_path / "with.nsh", **settings)
    page = look()
    page.view()
    live.run(neuralshade.fit_image, picture, tmp_path / "watched.nsh", **settings)
    whole, *others = (neuralshade.load(tmp_path / f"{n}.nsh").tensors
                      for n in ("without", "with", "watched"))  # fmt: skip
    for other, (name, value) in itertools.product(others, whole.items()):
        assert value.tobytes() == other[name].tobytes(), name
