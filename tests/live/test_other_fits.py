"""live/live: another fit in place of the one that runs; what is saved and loaded."""

import json

import numpy as np
import pytest

import neuralshade
from neuralshade.asset.checkpoint import load_checkpoint
from neuralshade.fitting.scene import Tone
from neuralshade.live.frame_encoding import on_screen


def drawn(asset, **how):
    """Return what `render` makes of an asset, as a PNG has it."""
    opened = neuralshade.render(asset, **how)
    return on_screen(opened, neuralshade.info(asset)["picture"]["color_space"] == "linear", Tone())


def test_reset_with_another_seed(fitting, look, tmp_path):
    job, page = fitting(steps=400), look()
    page.control("pause")
    page.state("paused")
    scene = page.scene["id"]
    page.control("reset", seed=3)
    page.until(lambda: page.fit["id"] == 2)
    page.until(lambda: page.scene["id"] > scene)
    assert page.fit["seed"] == 3 and page.fit["state"] == "running"
    result = job.finish()
    assert result.steps == 400
    assert neuralshade.info(tmp_path / "x.nsh")["recipe"]["seed"] == 3
    assert page.until(lambda: page.curve)[0][0] < 400


@pytest.mark.parametrize("transform, size", [("zoom", (16, 12)), ("flip", (24, 32))])
def test_another_transform(fitting, look, tmp_path, transform, size):
    job, page = fitting(), look()
    page.reach(10)
    page.control("transform", transform=transform)
    page.until(lambda: page.fit["transform"] == transform)
    page.until(lambda: (page.scene["width"], page.scene["height"]) == size)
    page.frame()
    assert page.pictures["target"].shape[1::-1] == size
    page.reach(10, fit=2)
    page.control("stop")
    job.finish()
    assert neuralshade.info(tmp_path / "x.nsh")["recipe"]["transform"] == transform


def test_another_fit_of_an_uploaded_picture(fitting, look, tmp_path, monkeypatch, as_png):
    monkeypatch.chdir(tmp_path)
    pixels = np.random.default_rng(0).integers(0, 255, (9, 7, 3), np.uint8)
    job, page = fitting(), look()
    page.reach(5)
    status, body = page.ask("/picture?name=noise.png", as_png(pixels))
    said = json.loads(body)
    assert status == 200
    assert said == {"picture": "p1", "name": "noise.png", "width": 7, "height": 9}
    page.control("start", picture="p1", preset="tiny-9", seed=5, seconds=0.5)
    page.until(lambda: page.fit["id"] == 2)
    assert page.fit == page.fit | {"picture": "noise.png", "preset": "tiny-9", "seed": 5,
                                   "seconds": 0.5, "output": "noise.nsh"}  # fmt: skip
    page.until(lambda: page.scene["name"] == "noise.png")
    page.frame()
    np.testing.assert_array_equal(page.pictures["target"], pixels)
    result = job.finish()
    assert result.asset == "noise.nsh" and 0.5 <= result.seconds < 5
    assert (tmp_path / "noise.nsh").exists() and not (tmp_path / "x.nsh").exists()


def told_of_two(page, caplog):
    """Give two fits up for the same again, with other settings; return how to go on with each."""
    for fit in (1, 2):
        page.until(lambda at=fit: page.fit and page.fit["id"] == at and page.progress
                   and page.progress["step"] > 0)  # fmt: skip
        page.control("start", seconds=600.0 if fit == 1 else 0.3, seed=fit)
    page.until(lambda: page.fit["id"] == 3)
    page.state("ended")
    given_up = [line for line in caplog.messages if line.startswith("stopped at step ")]
    return [line.partition("kept in ")[2] for line in given_up]


def test_how_to_go_on_names_the_picture_that_was_sent(
    live, background, look, tmp_path, monkeypatch, picture, as_png, caplog
):
    """Its user has the file, and no name of Python's that stands for it."""
    monkeypatch.chdir(tmp_path)
    background(live.wait)
    page = look()
    _, body = page.ask("/picture?name=photo.png", as_png(picture.pixels))
    key = json.loads(body)["picture"]
    page.control("start", picture=key, preset="tiny-9", seconds=600.0)
    told = told_of_two(page, caplog)
    assert len(told) == 2
    for line in told:
        assert line == (
            "photo.checkpoint.nsh. Go on, with 'photo.png', the file that was sent, in this "
            "folder, with: neuralshade fit image photo.png -o photo.nsh --resume "
            "photo.checkpoint.nsh"
        )


def test_how_to_go_on_keeps_a_picture_that_the_page_drew(
    live, background, look, tmp_path, monkeypatch, picture, as_png, caplog
):
    """Its user has no file of it; one of that name is another's."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sample.png").write_bytes(b"another's")
    background(live.wait)
    page = look()
    _, body = page.ask("/picture?own=1&name=sample.png", as_png(picture.pixels))
    page.control("start", picture=json.loads(body)["picture"], preset="tiny-9", seconds=600.0)
    assert told_of_two(page, caplog) == 2 * [
        "sample.checkpoint.nsh. The page's sample picture is kept in sample_2.png. Go on with: "
        "neuralshade fit image sample_2.png -o sample.nsh --resume sample.checkpoint.nsh"
    ]
    assert (tmp_path / "sample_2.png").read_bytes() == as_png(picture.pixels)
    assert (tmp_path / "sample.png").read_bytes() == b"another's"


def test_another_preset_of_the_same_picture(fitting, look, tmp_path):
    job, page = fitting(), look()
    page.reach(5)
    page.control("start", preset="tiny-9", seconds=0.3)
    page.until(lambda: page.fit["id"] == 2 and page.fit["preset"] == "tiny-9")
    assert job.finish().asset == str(tmp_path / "x.nsh")
    header = neuralshade.info(tmp_path / "x.nsh")
    assert header["recipe"]["seconds"] == 0.3 and header["recipe"]["steps"] is None


@pytest.mark.slow
def test_another_kind_of_the_same_picture_and_its_size(device, fitting, look, tmp_path):
    job, page = fitting(), look()
    page.reach(5)
    kinds = {kind["name"]: kind for kind in page.hello["kinds"]}
    assert kinds["splats"]["picture"] and kinds["splats"]["bpp"]
    assert not kinds["textures"]["picture"] and kinds["image"]["presets"]
    page.control("start", kind="splats", bpp=16.0, seconds=0.3)
    page.until(lambda: page.fit["id"] == 2 and page.fit["verb"] == "splats")
    assert job.finish().asset == str(tmp_path / "x_splats.nsh")
    header = neuralshade.info(tmp_path / "x_splats.nsh")
    assert header["kind"] == "splats" and header["recipe"]["bpp"] == 16.0


@pytest.mark.parametrize("wanted, line", [
    ({"action": "start", "kind": "splat"},
     "start.kind: got 'splat', need one of ['image', 'splats', 'mipmaps', 'textures', 'material', "
     "'shader']. Did you mean splats?"),
    ({"action": "start", "kind": "textures"},
     "start.kind: got textures for a picture, need one of ['image', 'splats']. Start it in a "
     "terminal: neuralshade fit textures --live."),
    ({"action": "start", "kind": "image", "preset": "rtxns", "bpp": 2.0},
     "ImageRecipe.bpp: got 2 with encoding='frequency:octaves=3' and hidden_width=64, which have "
     "sizes of their own, need encoding='auto' or hidden_width=0. Leave bpp out, or the preset "
     "that names them."),
    ({"action": "start", "picture": "p9"},
     "start.picture: got 'p9', need one that was uploaded and kept. Upload it again."),
    ({"action": "start", "set": ["tint=0.5"]},
     "start.set: got it for image, need a kind whose members take values. Leave it out."),
    ({"action": "start", "preset": "no-such"}, None),
    ({"action": "start", "preset": "../../x"}, None),
])  # fmt: skip
def test_a_fit_survives_another_that_cannot_be_started(fitting, look, wanted, line):
    fitting()
    page = look()
    page.reach(5)
    page.say("control", **wanted)
    said = page.next("refused")
    assert said["about"] == "control" and (line is None or said["text"] == line)
    assert page.fit["id"] == 1 and page.fit["state"] == "running"
    page.reach(page.progress["step"] + 5)


def test_saved_on_the_way_it_opens(fitting, look, tmp_path):
    job, page = fitting(), look()
    page.reach(20)
    status, body = page.ask("/asset")
    assert status == 200
    (tmp_path / "saved.nsh").write_bytes(body)
    loaded = neuralshade.load(tmp_path / "saved.nsh")
    assert neuralshade.render(loaded).shape == (24, 32, 3)
    page.reach(page.progress["step"] + 5)
    page.control("stop")
    job.finish()


@pytest.mark.slow
def test_loaded_into_a_fit_it_goes_on_from_there(fitting, look, tmp_path, small, picture):
    """The numbers come from a fit that is good; the running one has all but no step size."""
    good = neuralshade.fit_image(picture, tmp_path / "good.nsh", steps=400, **small)
    fitting(rate=1e-6, grid_rate=1e-6)
    page = look()
    page.until(lambda: page.progress and page.progress["psnr_db"])
    assert page.progress["psnr_db"] < good.psnr_db - 6
    status, body = page.ask("/asset?into=fit&name=good.nsh", (tmp_path / "good.nsh").read_bytes())
    assert status == 200
    assert json.loads(body) == {"text": "The fit goes on from good.nsh."}
    before = page.progress["step"]
    page.until(lambda: page.progress["psnr_db"] > good.psnr_db - 3)  # its average, in fewer bits
    assert page.progress["step"] > before and page.fit["id"] == 1


def test_another_network_is_not_loaded_into_a_fit(fitting, look, tmp_path, picture, small):
    other = small | {"hidden_width": 16}
    neuralshade.fit_image(picture, tmp_path / "other.nsh", steps=5, **other)
    fitting()
    page = look()
    page.reach(5)
    for content, line in (
        ((tmp_path / "other.nsh").read_bytes(), "other.nsh: got another network, need the one that "
         "is trained. Show the asset instead, or fit anew."),
        (b"\x80\x04 no asset", None),
    ):  # fmt: skip
        status, body = page.ask("/asset?into=fit&name=other.nsh", content)
        assert status == 409 and line in (None, json.loads(body)["refused"])
    page.reach(page.progress["step"] + 5)


def test_loaded_to_be_shown_the_fit_is_given_up(fitting, look, live, background, tmp_path, picture,
                                                small):  # fmt: skip
    neuralshade.fit_image(picture, tmp_path / "other.nsh", steps=5, **small)
    job, page = fitting(), look()
    page.reach(5)
    status, _ = page.ask("/asset?name=other.nsh", (tmp_path / "other.nsh").read_bytes())
    assert status == 200
    assert job.finish() is None
    page.state("stopped")
    assert load_checkpoint(tmp_path / "x.checkpoint.nsh", "image").progress["step"] >= 5
    background(live.wait)
    page.until(lambda: page.scene["panes"] == ["result"])
    page.frame()
    np.testing.assert_array_equal(page.pictures["result"], drawn(tmp_path / "other.nsh"))
    assert page.ask("/asset") == (200, (tmp_path / "other.nsh").read_bytes())


def test_no_asset_does_not_end_a_fit(fitting, look):
    fitting()
    page = look()
    page.reach(5)
    for content in (b"", b"x" * 1000, b"\x80\x04\x95"):
        status, body = page.ask("/asset?name=x.nsh", content)
        assert status == 409, body
    assert page.fit["state"] == "running"
    page.reach(page.progress["step"] + 5)


def test_a_program_that_fits_by_itself(live, background, picture, small, tmp_path, look):
    """FitOptions(live=...) shows a fit, but only the program starts another."""
    options = neuralshade.FitOptions(live=live)
    job = background(neuralshade.fit_image, picture, tmp_path / "x.nsh", steps=10**8,
                     options=options, **small)  # fmt: skip
    page = look()
    page.reach(5)
    assert set(page.fit["can"]) == {"pause", "step", "rate", "stop"}
    page.control("reset", seed=3)
    assert page.next("refused")["text"] == (
        "reset: got a fit that was started by a program, which alone can start another."
    )
    page.control("stop")
    assert job.finish().asset == str(tmp_path / "x.nsh")


def test_a_page_before_any_fit(live, background, look, tmp_path, monkeypatch, as_png, picture):
    monkeypatch.chdir(tmp_path)
    background(live.wait)
    page = look()
    assert page.scene is None and page.fit is None and page.progress is None
    for path in ("/asset", "/snapshot.png", "/report"):
        status, body = page.ask(path)
        assert status == 409 and json.loads(body)["refused"]
    page.control("pause")
    assert page.next("refused")["text"] == "pause: got no fit that runs, need one. Start one."
    _, body = page.ask("/picture?name=photo.png", as_png(picture.pixels))
    page.control("start", picture=json.loads(body)["picture"], preset="tiny-9", seconds=0.3)
    page.state("ended")
    assert (tmp_path / "photo.nsh").exists()
    page.frame()
    np.testing.assert_array_equal(page.pictures["result"], drawn("photo.nsh"))
    page.control("start", seconds=0.3, seed=4)
    page.until(lambda: page.fit["id"] == 2)
    page.state("ended")
