"""Forged stacks, MaterialX documents, scenes and meshes are refused in a line, or taken.

benchmarks/soak_forger.py does the same with many more files.
"""

import pathlib
from collections import Counter

import pytest
from fixtures import doors
from fixtures.forged_texts import forge_bytes, forge_text
from fixtures.meshes import document, save

from neuralshade.scene.shapes import box

ROOT = pathlib.Path(__file__).parents[2]
FILES = {
    "stack.toml": (ROOT / "examples/material/antique_copper.toml", doors.material),
    "graph.mtlx": (ROOT / "benchmarks/materials/scratched_plastic.mtlx", doors.material),
    "scene.toml": (ROOT / "examples/scene/tray.toml", doors.scene),
}


# by which something else came of these files once
FAULTS = {"stack.toml": (2010, 4490, 19653), "scene.toml": (708, 10220), "x.gltf": (318, 442),
          "graph.mtlx": (450, 754)}  # fmt: skip


def came_of(door, path, cases):
    """Return how often each outcome came of forged files; a fault is one that is neither."""
    outcomes = Counter()
    for write in cases:
        write()
        outcome, detail = doors.tried(door, path)
        assert outcome in ("opened", "refused"), (outcome, detail)
        outcomes[outcome] += 1
    return outcomes


@pytest.mark.parametrize(
    "name, cases", [("stack.toml", 60), ("graph.mtlx", 12), ("scene.toml", 15)]
)
def test_a_forged_text_is_taken_or_refused(tmp_path, name, cases):
    if name == "graph.mtlx":
        pytest.importorskip("MaterialX")
    whole, door = FILES[name]
    text, path = whole.read_text(), tmp_path / name
    (tmp_path / "copper.nsh").write_bytes((doors.DATA / "material.nsh").read_bytes())
    path.write_text(text)
    assert doors.tried(door, path) == ("opened", "")
    forged = (lambda seed=seed: path.write_text(forge_text(text, seed), errors="surrogatepass")
              for seed in (*range(cases), *FAULTS.get(name, ())))  # fmt: skip
    assert came_of(door, path, forged)["refused"] > cases / 2


@pytest.mark.parametrize("suffix", [".gltf", ".glb"])
def test_a_forged_mesh_is_taken_or_refused(tmp_path, suffix):
    path = save(tmp_path / f"x{suffix}", *document(box()))
    whole = path.read_bytes()
    forged = (lambda seed=seed: path.write_bytes(forge_bytes(whole, seed)) for seed in range(150))
    assert came_of(doors.mesh, path, forged)["refused"] > 75


def test_a_forged_word_of_a_mesh_is_taken_or_refused(tmp_path):
    path = save(tmp_path / "x.gltf", *document(box()))
    text = path.read_text()
    forged = (lambda seed=seed: path.write_text(forge_text(text, seed), errors="surrogatepass")
              for seed in (*range(100), *FAULTS["x.gltf"]))  # fmt: skip
    assert came_of(doors.mesh, path, forged)["refused"] > 50
