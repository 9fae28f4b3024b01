"""live/live: after an asset was loaded the page says what it shows, not what was fitted."""

import json
from dataclasses import replace

import numpy as np
import pytest

import neuralshade
from neuralshade.asset.asset import Header, asset_file
from neuralshade.asset.file import read_asset_file, to_bytes
from neuralshade.fitting.recipe import to_dict
from neuralshade.kinds.shader.recipe import ShaderRecipe


def test_an_asset_of_the_same_picture(fitting, look, live, background, tmp_path, picture, small):
    neuralshade.fit_image(picture, tmp_path / "other.nsh", steps=5, **small)
    job, page = fitting(), look()
    page.reach(5)
    page.control("stop")
    job.finish()
    page.state("ended")
    background(live.wait)
    status, _ = page.ask("/asset?name=other.nsh", (tmp_path / "other.nsh").read_bytes())
    assert status == 200
    fit = page.state("shown")
    assert fit["text"] == "other.nsh is shown." and "start" in fit["can"]
    page.until(lambda: page.scene["name"] == "other.nsh")
    page.until(lambda: page.curve == [] and page.progress.get("progress", 0) is None)
    assert page.scene["panes"][:2] == ["target", "result"]
    assert look().hello["progress"] is None


def test_an_asset_of_another_picture_has_no_reference(fitting, look, live, background, tmp_path,
                                                      picture, small):  # fmt: skip
    other = neuralshade.picture_from_array(255 - picture.pixels)
    neuralshade.fit_image(other, tmp_path / "other.nsh", steps=5, **small)
    job, page = fitting(), look()
    page.reach(5)
    page.control("stop")
    job.finish()
    background(live.wait)
    page.ask("/asset?name=other.nsh", (tmp_path / "other.nsh").read_bytes())
    page.until(lambda: page.scene["name"] == "other.nsh")
    assert page.scene["panes"] == ["result"]


def test_code_that_came_with_an_asset_is_not_compiled(
    fitting, look, live, background, drawing_gpus, stranger
):
    """Neither while a fit runs nor after it; the page is told why, and the fit goes on."""
    job, page = fitting(), look()
    page.reach(5)
    for path in ("/asset?name=x.nsh", "/asset?into=fit&name=x.nsh"):
        status, body = page.ask(path, stranger)
        assert 400 <= status < 500, body
    assert b"got Slang code that no fit of yours made" in page.ask("/asset?name=x.nsh", stranger)[1]
    page.reach(page.progress["step"] + 5)
    page.control("stop")
    job.finish()
    page.state("ended")
    background(live.wait)
    status, body = page.ask("/asset?name=x.nsh", stranger)
    assert 400 <= status < 500 and b"no fit of yours made" in body
    assert drawing_gpus == []


def test_numbers_that_are_none_are_not_taken_into_a_fit(fitting, look, tmp_path, picture, small):
    """The forger knows the network that is trained, and gives his file a checksum that is right."""
    neuralshade.fit_image(picture, tmp_path / "good.nsh", steps=5, **small)
    file = read_asset_file(tmp_path / "good.nsh")
    name = next(name for name, values in file.tensors.items() if values.dtype.kind == "f")
    job, page = fitting(), look()
    page.reach(5)
    for number in (np.nan, np.inf, -np.inf):
        values = file.tensors[name].copy()
        values.flat[0] = number
        forged = to_bytes(replace(file, tensors={**file.tensors, name: values}))
        for path in ("/asset?into=fit&name=x.nsh", "/asset?name=x.nsh"):
            status, body = page.ask(path, forged)
            assert 400 <= status < 500, body
            line = json.loads(body)["refused"]
            assert line.startswith("x.nsh") and "\n" not in line
    page.reach(page.progress["step"] + 5)
    page.control("stop")
    assert np.isfinite(job.finish().psnr_db)
    assert np.isfinite(neuralshade.render(tmp_path / "x.nsh")).all()


@pytest.fixture
def stranger(tmp_path):
    """Give the bytes of an asset whose module this machine's user never had."""
    task = "import neuralshade.model.trainable; // of a stranger\nstruct Task : ITask {}"
    module = {"text": task, "name": "x.slang", "files": {}, "values": {}, "pictures": {}}
    shown = {"name": "x", "width": 4, "height": 4, "channels": 3, "color_space": "srgb",
             "dtype": "uint8"}  # fmt: skip
    training = {"steps": 1, "seconds": 0.1, "curve": []}
    header = Header(to_dict(ShaderRecipe(steps=1)), training, {"loss": 0.0}, shown,
                    {"module": module})  # fmt: skip
    return to_bytes(asset_file("shader", header, {}))
