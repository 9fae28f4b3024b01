"""languages/cpp_vectors: vectors of an export beside those that CUDA or a program brings."""

import shutil
import subprocess
from pathlib import Path

import pytest

import neuralshade
from neuralshade.languages.printers import printer_of

DATA = Path(__file__).parents[1] / "data"
OTHERS = """
struct float2 { float x, y; };
struct float3 { float x, y, z; };
struct float4 { float x, y, z, w; };
struct int2 { int x, y; };
inline int min(int a, int b) { return b < a ? b : a; }
inline float max(float a, float b) { return b < a ? a : b; }
"""


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
@pytest.mark.parametrize("kind", ["image_grid", "material", "splats_normalized", "textures"])
def test_others_of_the_same_names_are_hidden(tmp_path, kind):
    """As nvcc has some before every file: with both at hand, a name would be ambiguous."""
    form = neuralshade.load(DATA / f"{kind}.nsh").shader("rock")
    file = tmp_path / "rock.cpp"
    file.write_text(OTHERS + printer_of(form, "cpp").text().replace("#pragma once\n", ""))
    subprocess.run(["g++", "-std=c++17", "-fsyntax-only", file], check=True)
