"""neuralshade info FOLDER: a line for each asset in it."""

import json
import shutil
from pathlib import Path

import pytest

DATA = Path(__file__).parents[1] / "data"


@pytest.fixture
def folder(tmp_path):
    shutil.copy(DATA / "image_grid.nsh", tmp_path / "a.nsh")
    (tmp_path / "b.nsh").write_text("no asset")
    (tmp_path / "photo.png").write_text("not looked at")
    return tmp_path


def test_a_line_for_each(run, folder):
    done = run("info", str(folder))
    title, good, bad = (line.split() for line in done.out)
    assert done.code == 0 and title == ["kind", "bytes", "GPU", "bytes", "PSNR", "dB"]
    size = f"{(folder / 'a.nsh').stat().st_size:,}"
    assert good[:3] == ["a.nsh", "image", size] and float(good[-1]) > 10
    assert " ".join(bad) == (
        "b.nsh - - - - got a file that is no safetensors file, need a neuralshade asset. Make one "
        "with neuralshade fit."
    )


def test_the_same_as_json(run, folder):
    told = json.loads(run("info", str(folder), "--json").out[0])
    assert told["folder"] == str(folder)
    good, bad = told["assets"]
    assert good["path"] == str(folder / "a.nsh") and good["obstacle"] == ""
    assert good["kind"] == "image" and bad["kind"] is None


def test_a_folder_without_any_is_refused(run, tmp_path):
    done = run("info", str(tmp_path))
    assert done.code == 1 and done.err == [
        f"neuralshade: {tmp_path}: got a folder, need an asset, or a folder that has .nsh files "
        "in it. Check the path."
    ]
