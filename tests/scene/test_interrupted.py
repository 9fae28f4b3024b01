"""scene/render: Ctrl-C and SIGTERM, before there is a picture to keep and after."""

import signal

import numpy as np
import pytest

from neuralshade.cli.main import main
from neuralshade.gpu import device_wait
from neuralshade.scene import render

SCENE = """
size = [24, 16]
samples = 9
[camera]
position = [0, 1, 4]
look_at = [0, 1, 0]
[materials.white]
diffuse = [1, 1, 1]
[[mesh]]
shape = "sphere"
material = "white"
"""
DEVICE = "a device of test_interrupted"


class Tracer:
    """A path tracer that is interrupted in one of its paths, and there never done."""

    def __init__(self, at, ends, number=signal.SIGINT):
        self.at, self.ends, self.number, self.count = at, ends, number, 0

    def trace(self):
        if self.count == self.at:
            signal.raise_signal(self.number)
            device_wait.wait_until(lambda: self.ends, DEVICE)
        self.count += 1

    def radiance(self):
        return np.full((16, 24, 3), 0.5, np.float32)


class NoGpu:
    def close(self):
        pass


@pytest.fixture
def scene(tmp_path, monkeypatch):
    """Give a scene's file; no device is opened for it, and none is left with work."""
    monkeypatch.setattr(device_wait, "_leave", lambda those, name: None)
    monkeypatch.setattr(render, "open_gpu", lambda device: NoGpu())
    path = tmp_path / "scene.toml"
    path.write_text(SCENE)
    return path


def run(scene, monkeypatch, tracer):
    monkeypatch.setattr(render, "PathTracer", lambda *_, **__: tracer)
    output = scene.parent / "x.png"
    with pytest.raises(SystemExit) as leaving:
        main(["scene", str(scene), "-o", str(output)])
    return leaving.value.code, output


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_while_drivers_compile_is_told(scene, monkeypatch, capsys, number):
    """Not as a fault of a device that has work without an end."""
    code, output = run(scene, monkeypatch, Tracer(0, False, number))
    assert (code, output.exists()) == (130, False)
    assert capsys.readouterr() == ("", f"neuralshade: {render.NOTHING_YET}\n")


def test_a_later_one_keeps_the_picture_so_far(scene, monkeypatch):
    tracer = Tracer(at=3, ends=True)
    monkeypatch.setattr(render, "PathTracer", lambda *_, **__: tracer)
    output = scene.parent / "x.png"
    render.render_scene(scene, output)
    assert output.exists() and tracer.count == 4
