"""measure/rival_process: what a process measures of textures is what this one would."""

import dataclasses
import logging

import numpy as np
import pytest

from neuralshade.measure import rival_process as module
from neuralshade.measure import set_apart
from neuralshade.measure.picture_apart import TASK, psnr_apart, textures_within
from neuralshade.measure.picture_rivals import picture_rivals
from neuralshade.measure.rival_process import waiting_process
from neuralshade.measure.set_apart import half_size_apart
from neuralshade.measure.texture_rivals import ByteMaps, half_size_rival
from neuralshade.source.picture import Picture


@pytest.fixture
def maps(monkeypatch):
    """Give a set of two maps, one of them the opacity, that counts as large."""
    monkeypatch.setattr(module, "LEAST_APART", 1)
    rng = np.random.default_rng(0)
    levels = {name: [rng.integers(0, 256, (side, side, count), np.uint8) for side in (32, 16, 8)]
              for name, count in (("albedo", 3), ("opacity", 1))}  # fmt: skip
    return ByteMaps(levels, colors=frozenset({"albedo"}), opacity="opacity")


def alike(rival):
    """Return a rival without what a process leaves out, or measures anew."""
    return dataclasses.asdict(dataclasses.replace(rival, maps={}, seconds=0))


def test_a_process_measures_the_same(maps, monkeypatch):
    expected = half_size_rival(maps)
    monkeypatch.setattr(set_apart, "half_size_rival", lambda *given: pytest.fail("measured here"))
    found = half_size_apart(maps)
    assert not found.maps and alike(found) == alike(expected)


def test_a_process_that_waits_already_measures_the_same(maps, monkeypatch):
    expected, process = half_size_rival(maps), waiting_process(set_apart.TASK)
    monkeypatch.setattr(module, "RivalProcess", lambda *given: pytest.fail("started another"))
    assert alike(half_size_apart(maps, process)) == alike(expected)
    with pytest.raises((OSError, ValueError)):
        process.answer({}, [])  # it does one task


def test_a_process_measures_a_picture_as_this_one(monkeypatch):
    monkeypatch.setattr(module, "LEAST_APART", 1)
    pixels = np.random.default_rng(0).integers(0, 256, (17, 30, 3), np.uint8)
    picture = Picture(pixels, "srgb", "noise")
    names = textures_within(picture, pixels.size)
    assert names == ["ASTC 4x4", "BC1"]
    expected = picture_rivals({"names": names}, [picture.as_float()])
    monkeypatch.setattr(module, "import_object", lambda place: pytest.fail("measured here"))
    assert psnr_apart(picture, names, waiting_process(TASK)) == expected


def test_a_process_that_nobody_needs_ends():
    process = waiting_process(TASK)
    worker = process._worker
    assert worker.poll() is None
    del process
    assert worker.returncode is not None


def test_where_no_process_starts_none_waits(monkeypatch):
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    assert waiting_process(TASK) is None


def test_a_small_set_starts_no_process(maps, monkeypatch):
    monkeypatch.setattr(module, "LEAST_APART", 2**20)
    monkeypatch.setattr("subprocess.Popen", lambda *given, **named: pytest.fail("started"))
    assert alike(half_size_apart(maps)) == alike(half_size_rival(maps))


@pytest.mark.parametrize("python", ["/nowhere/python", "/bin/true"])
def test_without_a_process_this_one_measures(maps, python, monkeypatch, caplog):
    monkeypatch.setattr("sys.executable", python)
    with caplog.at_level(logging.INFO, "neuralshade"):
        assert alike(half_size_apart(maps)) == alike(half_size_rival(maps))
    assert "got no result of a process" in caplog.text
