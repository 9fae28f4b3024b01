"""kinds/textures/blocks_beside: a fit's result beside BC7, BC5 and BC4 at half size."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from fixtures.texture_sets import waves

import neuralshade
from neuralshade import FitOptions
from neuralshade.base.ahead import begun_result, kept_ahead
from neuralshade.kinds.textures import blocks_beside as module
from neuralshade.kinds.textures.blocks_beside import begin_beside, blocks_beside
from neuralshade.kinds.textures.reference import source_of
from neuralshade.measure.rival_process import KEY, begin_process
from neuralshade.measure.set_apart import TASK

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


def begun(folder, result, **others):
    """Begin to compare the folder's maps, as a fit does."""
    textures = neuralshade.load_material_set(folder)
    opened = neuralshade.load(result.asset)
    given = {"digest": source_of(textures).digest, "mips": len(opened.sizes), "wrap": "repeat",
             "on_gpu": True}  # fmt: skip
    begin_beside(textures=textures, codings=opened.codings, **given | others)


def test_what_was_begun_is_told_without_reading_the_maps_again(wall, monkeypatch):
    folder, result = wall
    line = blocks_beside(result, (str(folder),))
    monkeypatch.setattr(module, "same_set", lambda *given: pytest.fail("read again"))
    with kept_ahead():
        begun(folder, result)
        assert blocks_beside(result, ("moved away",)) == line


@pytest.mark.parametrize("others", [{"digest": "0" * 64}, {"mips": 3}, {"wrap": "clamp"}])
def test_what_was_begun_for_other_maps_is_not_told(wall, others):
    folder, result = wall
    with kept_ahead():
        begun(folder, result, **others)
        assert blocks_beside(result, ("moved away",)) is None
        assert blocks_beside(result, (str(folder),)) is not None


def test_a_fit_on_the_cpu_begins_nothing_and_ends_the_waiting_process(wall, monkeypatch):
    folder, result = wall
    monkeypatch.setattr(module, "half_size_apart", lambda *given: pytest.fail("measured"))
    with kept_ahead():
        begin_process(TASK)
        worker = begun_result(KEY)._worker
        begun(folder, result, on_gpu=False)
        assert worker.returncode is not None and begun_result(KEY) is None


def test_without_an_encoder_there_is_no_line(wall, monkeypatch):
    folder, result = wall
    monkeypatch.setitem(sys.modules, "etcpak", None)
    with kept_ahead():
        begun(folder, result)
        assert blocks_beside(result, (str(folder),)) is None


@pytest.mark.gpu
def test_a_fit_on_a_gpu_begins_it(wall, tmp_path, monkeypatch):
    folder, _ = wall
    with kept_ahead():
        settings = {**FEW, "options": FitOptions(engine="gpu")}
        result = neuralshade.fit_textures(folder, tmp_path / "a.nsh", **settings)
        monkeypatch.setattr(module, "same_set", lambda *given: pytest.fail("read again"))
        assert " % of the bytes " in blocks_beside(result, (str(folder),))


def test_a_single_map_has_no_worst_one(wall, capsys):
    _, result = wall
    replace(result, maps={"albedo": [30.0]}).print()
    assert "worst" not in capsys.readouterr().out
