"""What Python code gives by mistake is told in a line, as what is typed is."""

from pathlib import Path

import numpy as np
import pytest

import neuralshade
from neuralshade import FitOptions
from neuralshade.errors import ConfigError, OutputError
from neuralshade.scene.document import requested_number, requested_size

DATA = Path(__file__).parent / "data"
MATERIAL, IMAGE, PHOTO = DATA / "material.nsh", DATA / "image_grid.nsh", DATA / "photo.png"
SPHERE = {"show": "sphere"}
SCENE = {"samples": 1, "size": (4, 4)}
NAMED = "need them by name, such as {'wetness': 0.5}. Leave it out for what it has."


def fit(**options):
    return neuralshade.fit_image(PHOTO, "x.nsh", steps=1, options=FitOptions(**options))


def render(asset=MATERIAL, **given):
    return neuralshade.render(asset, **given)


def scene(**given):
    return neuralshade.render_scene(MATERIAL, **{**SCENE, **given})


def live(**given):
    neuralshade.Live(**given).close()


@pytest.mark.parametrize("call, given, told", [
    (fit, {"engine": 3}, "engine: got 3, need one of "),
    (fit, {"kernels": 3}, "kernels: got 3, need one of "),
    (render, {"show": 3}, "show: got 3, need the name of a pane as text."),
    (render, {**SPHERE, "light": 3}, "light: got 3, need 2 or 3 finite numbers."),
    (render, {**SPHERE, "light": "up"}, "light: got 'up', need 2 or 3 finite numbers."),
    (render, {**SPHERE, "turn": ["a", "b"]}, "turn: got ['a', 'b'], need 2 finite numbers."),
    (render, {**SPHERE, "level": "x"}, "level: got 'x', need a whole number."),
    (render, {"values": 3}, f"values: got 3, {NAMED}"),
    (scene, {"values": 3}, f"values: got 3, {NAMED}"),
    (scene, {"show": 3}, "show: got 3, need one of fitted, "),
    (scene, {"shape": 3}, "shape: got 3, need one of sphere, "),
    (scene, {"samples": "x"}, "samples: got 'x', need a number from 1 to 1048576."),
    (scene, {"samples": 0}, "samples: got 0, need a number from 1 to 1048576."),
    (scene, {"size": 3}, "size: got 3, need width and height in pixels. Write "),
    (scene, {"size": ("a", 2)}, "size: got ('a', 2), need width and height in pixels."),
    (live, {"host": 3}, "live.host: got 3, need an address as text, such as '127.0.0.1'."),
    (live, {"port": "x"}, "live.port: got 'x', need 0 to 65535."),
])  # fmt: skip
def test_an_argument_of_another_kind_is_refused(refusal, call, given, told):
    assert refusal(ConfigError, call, **given).startswith(told)


def test_whole_numbers_of_numpy_are_taken():
    one, small = np.int64(1), (np.int64(4), np.int64(3))
    drawn = render(**SPHERE, level=np.int64(0), size=small, stretch=True)
    assert drawn.shape[:2] == (3, 4)
    assert requested_size(small) == (4, 3) and requested_number("samples", one) == 1


def test_snapshots_that_are_none_are_refused(refusal, tmp_path):
    told = refusal(OutputError, neuralshade.report, IMAGE, PHOTO, tmp_path / "x.html", snapshots=3)
    assert told.startswith("snapshots: got 3, need the folder that a fit filled, or pairs of ")
    assert not (tmp_path / "x.html").exists()


def test_a_preset_that_is_no_name_is_refused(refusal, tmp_path):
    told = refusal(ConfigError, neuralshade.fit_image, PHOTO, tmp_path / "x.nsh", preset=3)
    assert told.startswith("preset: got 3, need one of ['grid', ")
