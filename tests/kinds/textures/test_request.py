"""kinds/textures/request: what is read, how it is typed again, and what is never written over."""

import contextlib

import numpy as np
import pytest
from fixtures.texture_sets import small_set
from PIL import Image

from neuralshade.cli.main import commands
from neuralshade.errors import ConfigError, OutputError
from neuralshade.fitting.command import named_sources
from neuralshade.fitting.options import USUAL, FitOptions
from neuralshade.kinds.textures.request import MapSetRequest


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
    request = MapSetRequest(maps, normal_convention="directx")
    assert request.place == "rock_color.png"
    assert request.words == ("rock_rough.png", "--normal-convention", "directx")
    assert request.textures().names == ("albedo", "roughness")


def test_maps_by_name_are_typed_again(maps):
    request = MapSetRequest(None, {"mrao": "a b.png", "albedo": "c.png", "normal": None})
    assert (request.place, request.words) == ("mrao=a b.png", ("albedo=c.png",))
    assert MapSetRequest("rock", {"arm": "a.png"}).words == ("arm=a.png",)


def test_words_with_a_name_are_maps(maps, tmp_path):
    (tmp_path / "odd=one.png").touch()
    words = ["rock", "arm=a=b.png", "odd=one.png", "1=x.png", "mrao="]
    assert named_sources(words) == (["rock", "odd=one.png", "1=x.png", "mrao="],
                                    {"arm": "a=b.png"})  # fmt: skip
    with pytest.raises(ConfigError, match=r"^arm: got it twice, a and b, need it once\."):
        named_sources(["arm=a", "arm=b"])


def test_the_command_takes_a_map_by_its_name(maps, monkeypatch):
    """What the refusal of a packed map in color says to type."""
    seen = {}
    monkeypatch.setattr("neuralshade.kinds.textures.fit.fit_textures",
                        lambda *given, **named: seen.update(given=given, **named))  # fmt: skip
    for words, source, named in (
        (["rock_color.png", "arm=rock_rough.png"], "rock_color.png", {"arm": "rock_rough.png"}),
        (["albedo=rock_color.png"], None, {"albedo": "rock_color.png"}),
    ):
        with contextlib.suppress(AttributeError):  # nothing was fitted
            commands.main(["fit", "textures", *words, "--quiet"], standalone_mode=False)
        assert (seen["given"][0], seen["maps"]) == (source, named)


def test_a_folder_is_typed_as_it_was(maps, tmp_path):
    request = MapSetRequest(tmp_path)
    assert (request.place, request.words) == (str(tmp_path), ())


@pytest.mark.parametrize("named", [{"source": small_set(8, 8)},
                                   {"source": None, "maps": {"ao": np.ones((2, 2))}}])  # fmt: skip
def test_what_no_command_names_is_not_typed(named):
    request = MapSetRequest(**named)
    assert (request.place, request.words) == (None, ())


def test_a_set_in_memory_has_its_maps_already():
    with pytest.raises(ConfigError, match=r"^albedo: got it beside a MaterialSet.*Leave it out\.$"):
        MapSetRequest(small_set(8, 8), {"albedo": "a.png"}).textures()
    with pytest.raises(ConfigError, match=r"^normal_convention: got it beside"):
        MapSetRequest(small_set(8, 8), normal_convention="opengl").textures()


def test_no_map_is_written_over(maps):
    request = MapSetRequest(maps)
    textures = request.textures()
    with pytest.raises(OutputError, match=r"rock_rough\.png"):
        request.output(textures, "rock_rough.png", USUAL)
    with pytest.raises(OutputError, match=r"rock_color\.png"):
        request.output(textures, "x.nsh", FitOptions(report="rock_color.png"))
    assert request.output(textures, None, USUAL).suffix == ".nsh"
