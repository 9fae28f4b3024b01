"""kinds/textures/blocks_beside: a fit's result beside BC7, BC5 and BC4 at half size."""

from dataclasses import replace

import numpy as np
import pytest
from fixtures.texture_sets import waves

import neuralshade
from neuralshade import FitOptions
from neuralshade.kinds.textures import blocks_beside as module
from neuralshade.kinds.textures.blocks_beside import blocks_beside

FEW = {"steps": 8, "batch": 128, "hidden_width": 16, "options": FitOptions(engine="torch")}


@pytest.fixture(scope="module")
def wall(tmp_path_factory):
    """Return a folder of maps, and the result of a fit to it."""
    folder = tmp_path_factory.mktemp("sets") / "wall"
    folder.mkdir()
    for name, channels in (("albedo", 3), ("roughness", 1)):
        pixels = np.ascontiguousarray(waves(64, 128, channels), np.float32)
        neuralshade.save_picture(folder / f"wall_{name}.png", pixels, "srgb")
    return folder, neuralshade.fit_textures(folder, folder.parent / "wall.nsh", **FEW)


def test_a_folder_and_named_maps_give_one_line(wall):
    folder, result = wall
    line = blocks_beside(result, (str(folder),))
    assert line.startswith("BC7, BC5, BC4 at half size: ") and " % of the bytes " in line
    named = [f"{name}={folder}/wall_{name}.png" for name in ("albedo", "roughness")]
    assert blocks_beside(result, named) == line


def test_what_cannot_be_compared_has_no_line(wall, tmp_path, monkeypatch):
    folder, result = wall
    assert blocks_beside(result, (str(tmp_path / "none"),)) is None
    (tmp_path / "other").mkdir()
    for path in folder.iterdir():
        turned = neuralshade.load_picture(path).as_float()[::-1]
        neuralshade.save_picture(tmp_path / "other" / path.name, turned.copy(), "srgb")
    assert blocks_beside(result, (str(tmp_path / "other"),)) is None  # maps of another fit
    assert blocks_beside(object(), (str(folder),)) is None  # a plan
    monkeypatch.setattr(module, "MOST_TEXELS", 2 * 64 * 128 - 1)
    assert blocks_beside(result, (str(folder),)) is None


def test_a_single_map_has_no_worst_one(wall, capsys):
    _, result = wall
    replace(result, maps={"albedo": [30.0]}).print()
    assert "worst" not in capsys.readouterr().out
