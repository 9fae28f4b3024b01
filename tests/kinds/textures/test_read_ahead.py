"""kinds/textures/request: a command's maps are read once, beside the import of PyTorch."""

import numpy as np
import pytest
from PIL import Image

from neuralshade.base.ahead import kept_ahead
from neuralshade.errors import NeuralShadeError
from neuralshade.fitting.command import CommandLine
from neuralshade.kinds.textures import request
from neuralshade.kinds.textures.request import MapSetRequest, read_ahead

FLAGS = {"plan": False, "normal_convention": None}


@pytest.fixture
def folder(tmp_path):
    for name, color in (("albedo", (200, 90, 30)), ("roughness", 120)):
        Image.new("RGB" if name == "albedo" else "L", (8, 4), color).save(tmp_path / f"{name}.png")
    return str(tmp_path)


def typed(*words, flags=FLAGS, settings=(), **options):
    return CommandLine(words, None, flags, None, dict(settings), {}, options)


@pytest.fixture
def reads(monkeypatch):
    """Return the list of what is read from now on."""
    sources, load = [], request.load_material_set

    def noted(source, **named):
        sources.append((source, named["wrap"]))
        return load(source, **named)

    monkeypatch.setattr(request, "load_material_set", noted)
    return sources


def test_what_is_read_ahead_is_not_read_again(folder, reads):
    alone = MapSetRequest(folder).textures()
    with kept_ahead():
        read_ahead(typed(folder))
        beside = MapSetRequest(folder).textures()
    assert reads == [(folder, "repeat")] * 2
    assert [one.name for one in beside.maps] == [one.name for one in alone.maps]
    for one, other in zip(beside.maps, alone.maps, strict=True):
        np.testing.assert_array_equal(one.values, other.values)


def test_single_maps_are_those_that_were_named(folder, reads):
    word = f"albedo={folder}/albedo.png"
    with kept_ahead():
        read_ahead(typed(word))
        found = MapSetRequest(None, {"albedo": f"{folder}/albedo.png"}).textures()
    assert [one.name for one in found.maps] == ["albedo"] and len(reads) == 1


@pytest.mark.parametrize("other", [
    {"settings": {"wrap": "clamp"}}, {"flags": {**FLAGS, "normal_convention": "directx"}},
])  # fmt: skip
def test_other_settings_read_for_themselves(folder, reads, other):
    with kept_ahead():
        read_ahead(typed(folder, **other))
        MapSetRequest(folder).textures()
    assert (folder, "repeat") in reads and len(reads) == 2


@pytest.mark.parametrize("line", [
    {"flags": {**FLAGS, "plan": True}}, {"resume": "fit.ckpt"},
])  # fmt: skip
def test_a_plan_and_a_resumed_fit_begin_nothing(folder, reads, line):
    with kept_ahead():
        read_ahead(typed(folder, **line))
    assert not reads


def test_an_error_is_the_same(tmp_path):
    missing = str(tmp_path / "none")
    with pytest.raises(NeuralShadeError) as alone:
        MapSetRequest(missing).textures()
    with kept_ahead():
        read_ahead(typed(missing))
        with pytest.raises(NeuralShadeError) as beside:
            MapSetRequest(missing).textures()
    assert str(beside.value) == str(alone.value)
