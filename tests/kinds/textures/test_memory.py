"""kinds/textures/memory, source/map_reader: sets that memory has no room for are refused early."""

from types import SimpleNamespace

import numpy as np
import psutil
import pytest
from PIL import Image

import neuralshade
from neuralshade.errors import ConfigError
from neuralshade.kinds.textures import memory
from neuralshade.kinds.textures.request import MapSetRequest
from neuralshade.source import map_reader, material_map

SIDE = 64
MAPS = {"albedo": (SIDE, SIDE, 3), "normal": (SIDE, SIDE, 3), "roughness": (SIDE // 2, SIDE // 2)}
NUMBERS = 7 * SIDE**2  # at the size of the largest


@pytest.fixture
def folder(tmp_path, noise):
    for name, shape in MAPS.items():
        pixels = noise.integers(100, 140, shape, dtype=np.uint8)
        if name == "normal":
            pixels[..., 2] = 250
        Image.fromarray(pixels).save(tmp_path / f"wood_{name}.png")
    return tmp_path


@pytest.fixture
def free(monkeypatch):
    """Give a function that says how many bytes are free."""

    def set_free(count):
        monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=count))

    return set_free


def test_maps_are_refused_before_the_next_one_becomes_floats(
    folder, free, monkeypatch, refusal, same_message
):
    """What is read of a file are bytes; its floats take four times as much."""
    made, read = [], material_map.read_map

    def noted(name, *rest):
        made.append(name)
        return read(name, *rest)

    monkeypatch.setattr(map_reader, "read_map", noted)
    free(map_reader.NUMBER_BYTES * 6 * SIDE**2 - 1)
    message = refusal(ConfigError, neuralshade.load_material_set, folder)
    same_message(message, folder, "Scale")
    assert made == ["albedo"]
    free(map_reader.NUMBER_BYTES * NUMBERS)
    assert neuralshade.load_material_set(folder).height == SIDE


def test_smaller_maps_count_at_the_size_that_they_get(folder, free):
    free(map_reader.NUMBER_BYTES * NUMBERS - 1)
    with pytest.raises(ConfigError, match="got maps of 64 x 64 texels"):
        neuralshade.load_texture_set(folder)


def test_a_fit_that_memory_has_no_room_for_is_refused_before_it_begins(
    folder, free, refusal, same_message
):
    needed = memory.NUMBER_BYTES * NUMBERS
    assert needed > map_reader.NUMBER_BYTES * NUMBERS
    free(needed - 1)
    message = refusal(ConfigError, neuralshade.fit_textures, folder, folder / "a.nsh", steps=1)
    same_message(message, "memory", "Scale")
    assert not (folder / "a.nsh").exists()
    free(needed)
    assert MapSetRequest(folder).textures().height == SIDE


def test_maps_that_are_the_same_everywhere_take_nothing(folder, free):
    Image.new("RGB", (SIDE, SIDE), (128, 128, 255)).save(folder / "wood_normal.png")
    free(memory.NUMBER_BYTES * 4 * SIDE**2)
    assert MapSetRequest(folder).textures()["normal"].constant
    given = neuralshade.load_material_set(folder)
    free(memory.NUMBER_BYTES * 4 * SIDE**2 - 1)
    with pytest.raises(ConfigError, match="a fit of 2 maps"):
        MapSetRequest(given).textures()
