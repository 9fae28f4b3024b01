"""kinds/textures/asked: what is read, how it is typed again, and what is never written over."""

import numpy as np
import pytest
from fixtures.texture_sets import small_set
from PIL import Image

from neuralshade.errors import ConfigError, OutputError
from neuralshade.fitting.options import USUAL, FitOptions
from neuralshade.kinds.textures.asked import AskedSet


@pytest.fixture
def maps(tmp_path, monkeypatch):
    """Be in a folder with two maps; return their names."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    for name, channels in (("rock_color", 3), ("rock_rough", 1)):
        texels = rng.integers(0, 256, (8, 8, channels), np.uint8)
        Image.fromarray(texels.squeeze()).save(f"{name}.png")
    return ["rock_color.png", "rock_rough.png"]


def test_files_are_typed_again_with_what_was_said_of_them(maps):
    asked = AskedSet(maps, normal_convention="directx")
    assert asked.place == "rock_color.png"
    assert asked.words == ("rock_rough.png", "--normal-convention", "directx")
    assert asked.textures().names == ("albedo", "roughness")


def test_a_folder_is_typed_as_it_was(maps, tmp_path):
    asked = AskedSet(tmp_path)
    assert (asked.place, asked.words) == (str(tmp_path), ())


@pytest.mark.parametrize("named", [{"source": small_set(8, 8)},
                                   {"source": None, "maps": {"albedo": "a.png"}}])  # fmt: skip
def test_what_no_command_names_is_not_typed(named):
    asked = AskedSet(**named)
    assert (asked.place, asked.words) == (None, ())


def test_a_set_in_memory_has_its_maps_already():
    with pytest.raises(ConfigError, match=r"^albedo: got it beside a MaterialSet.*Leave it out\.$"):
        AskedSet(small_set(8, 8), {"albedo": "a.png"}).textures()
    with pytest.raises(ConfigError, match=r"^normal_convention: got it beside"):
        AskedSet(small_set(8, 8), normal_convention="opengl").textures()


def test_no_map_is_written_over(maps):
    asked = AskedSet(maps)
    textures = asked.textures()
    with pytest.raises(OutputError, match=r"rock_rough\.png"):
        asked.output(textures, "rock_rough.png", USUAL)
    with pytest.raises(OutputError, match=r"rock_color\.png"):
        asked.output(textures, "x.nsh", FitOptions(report="rock_color.png"))
    assert asked.output(textures, None, USUAL).suffix == ".nsh"
