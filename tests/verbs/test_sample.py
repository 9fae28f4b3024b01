"""verbs/sample: inputs for a first fit, written whole, over nothing that is there."""

import pathlib

import numpy as np
import pytest

import neuralshade
from neuralshade.cli.sample import NAMES
from neuralshade.errors import ConfigError, OutputError
from neuralshade.verbs.sample import sample
from neuralshade.verbs.sample.sample import MAPS_PX, PHOTO_PX, SAMPLES, write_sample

ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_photo_is_a_small_picture():
    assert write_sample("photo") == pathlib.Path("photo.png")
    picture = neuralshade.load_picture("photo.png")
    assert (picture.width, picture.height, picture.color_space) == (*PHOTO_PX, "srgb")


def test_bricks_are_a_set_that_tiles():
    found = neuralshade.load_material_set(write_sample("bricks"))
    assert {each.name for each in found.maps} == {
        "albedo",
        "normal",
        "roughness",
        "ao",
        "displacement",
    }
    assert (found.width, found.height) == (MAPS_PX, MAPS_PX)
    values = next(m for m in found.maps if m.name == "displacement").values.astype(np.float64)
    seam, inside = values[0] - values[-1], np.diff(values, axis=0)
    assert np.abs(seam).mean() < 1.5 * np.abs(inside).mean()


def test_copper_is_that_of_the_examples():
    example = ROOT / "examples/material/antique_copper.toml"
    assert write_sample("copper", "c.toml").read_bytes() == example.read_bytes()


def test_a_task_needs_nothing_else():
    text = write_sample("task").read_text()
    assert "struct Task : ITask" in text and "Picture<" not in text


@pytest.mark.parametrize("name", SAMPLES)
def test_what_is_there_stays(name):
    path = write_sample(name)
    before = sorted(pathlib.Path().rglob("*"))
    with pytest.raises(OutputError) as caught:
        write_sample(name)
    assert str(caught.value).startswith(f"{path}: got a file or folder that is there already, ")
    assert sorted(pathlib.Path().rglob("*")) == before


@pytest.mark.parametrize("name", SAMPLES)
def test_nothing_is_left_of_one_that_failed(monkeypatch, name):
    def half(path):
        (path / "albedo.png" if path.is_dir() else path).write_text("half")
        raise OSError(28, "No space left on device")

    written = SAMPLES[name]
    monkeypatch.setitem(sample.SAMPLES, name,
                        sample.Sample(written.output, half, "", written.folder))  # fmt: skip
    with pytest.raises(OutputError, match=r"got a full disk|No space left on device"):
        write_sample(name)
    assert list(pathlib.Path().iterdir()) == []


def test_an_unknown_one_is_refused_with_the_nearest():
    with pytest.raises(ConfigError) as caught:
        write_sample("brick")
    assert "need one of ['photo', 'bricks', 'copper', 'task']" in str(caught.value)
    assert str(caught.value).endswith(" Did you mean bricks?")


def test_no_folder_for_it():
    with pytest.raises(OutputError, match=r"^none/walls: got "):
        write_sample("bricks", "none/walls")


def test_the_command_line_names_them_all():
    assert tuple(SAMPLES) == NAMES
