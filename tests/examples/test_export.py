"""examples/export: an asset in a program of C++ that knows nothing of neuralshade."""

import pathlib
import shutil
import subprocess

import numpy as np
import pytest

import neuralshade
from neuralshade.source.image_file import load_picture

PROGRAM = pathlib.Path(__file__).parents[2] / "examples/export/picture.cpp"


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
def test_a_program_draws_the_picture(asset_path, tmp_path):
    neuralshade.export(asset_path, output=tmp_path / "photo.hpp")
    program, picture = tmp_path / "picture", tmp_path / "picture.ppm"
    flags = ["-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(["g++", *flags, PROGRAM, "-I", tmp_path, "-o", program], check=True)
    drawn = subprocess.run([program, "37", "21"], check=True, capture_output=True).stdout
    picture.write_bytes(drawn)
    wanted = neuralshade.render(asset_path, size=(37, 21)).clip(0, 1) * 255
    found = load_picture(picture).pixels
    assert found.shape == wanted.shape and np.abs(found - wanted).max() <= 0.51
