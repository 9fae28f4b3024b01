"""scene/gltf: meshes come back as they were written; what files may not say is refused."""

import numpy as np
import pytest
from fixtures.meshes import document, save

from neuralshade.errors import ConfigError
from neuralshade.scene.gltf import load_gltf
from neuralshade.scene.shapes import BUILT_IN

NEED = "need glTF 2.0 of plain triangles. Export it again."


@pytest.mark.parametrize("suffix", [".glb", ".gltf"])
@pytest.mark.parametrize("shape", ["quad", "box"])
def test_a_mesh_comes_back(tmp_path, suffix, shape):
    mesh = BUILT_IN[shape]()
    had = load_gltf(save(tmp_path / f"x{suffix}", *document(mesh)))
    for name in ("places", "normals", "uv", "tangents", "triangles"):
        np.testing.assert_allclose(getattr(had, name), getattr(mesh, name), atol=1e-6)


@pytest.mark.parametrize("shape", ["quad", "box"])
def test_tangents_that_are_missing_follow_uv(tmp_path, shape):
    mesh = BUILT_IN[shape]()
    had = load_gltf(save(tmp_path / "x.glb", *document(mesh, tangents=False)))
    np.testing.assert_allclose(had.tangents, mesh.tangents, atol=1e-6)


def test_nodes_move_what_they_hold(tmp_path):
    mesh = BUILT_IN["quad"]()
    found, data = document(mesh)
    half = 0.5**0.5
    found["nodes"] = [{"children": [1], "translation": [1, 2, 3]},
                      {"mesh": 0, "rotation": [half, 0, 0, half], "scale": [2, 2, 2]}]  # fmt: skip
    had = load_gltf(save(tmp_path / "x.glb", found, data))
    wanted = mesh.moved(2, (90, 0, 0), (1, 2, 3))
    for name in ("places", "normals", "tangents"):
        np.testing.assert_allclose(getattr(had, name), getattr(wanted, name), atol=1e-6)


def broken(change):
    found, data = document(BUILT_IN["quad"]())
    change(found)
    return found, data


@pytest.mark.parametrize(
    "change, got",
    [
        (lambda f: f["asset"].update(version="1.0"), "no asset of version 2"),
        (lambda f: f["accessors"][0].update(count=10**6), "accessors[0], which lies beyond its "
         "buffer"),
        (lambda f: f["bufferViews"][0].update(byteOffset=-4), "accessors[0], which lies beyond its "
         "buffer"),
        (lambda f: f["accessors"][0].update(count=3),
         "indices that are not three each of 3 vertices"),
        (lambda f: f["scenes"][0].update(nodes=[7]), "nodes[7], which is not there"),
        (lambda f: f["nodes"][0].update(children=[0]), "nodes[0] twice"),
        (lambda f: f.update(nodes=[{"mesh": 0, "children": [i + 1]} for i in range(99)]),
         "nodes[99], which is not there"),
        (lambda f: f["nodes"].append({"children": [0]}) or f["nodes"][0].update(children=[1]),
         "nodes[0] twice"),
        (lambda f: [f.pop("scenes"), f["nodes"][0].update(children=[0])], "nodes in a circle"),
        (lambda f: f["nodes"][0].update(scale=[0, 1, 1]), "a transform that is flat or huge"),
        (lambda f: f["buffers"][0].update(uri="../x.bin"),
         "a buffer at '../x.bin', beyond its own folder"),
        (lambda f: f["nodes"][0].update(rotation=[0, 0, 1]), "a transform that is none"),
        (lambda f: f["nodes"][0].update(matrix=[1, 0]), "a transform that is none"),
        (lambda f: f["nodes"][0].update(translation=["a", 0, 0]), "a transform that is none"),
        (lambda f: f["meshes"][0]["primitives"][0].update(mode=7),
         "meshes[0].primitives[0].mode of 7"),
        (lambda f: f["meshes"][0]["primitives"][0].update(mode=0), "no triangles"),
        (lambda f: f["accessors"][0].update(sparse={"count": 1}),
         "accessors[0].sparse of {'count': 1}"),
        (lambda f: f["scenes"][0].update(nodes=[]), "no triangles"),
    ],
)  # fmt: skip
def test_refusals(tmp_path, refusal, change, got):
    path = save(tmp_path / "x.glb", *broken(change))
    assert refusal(ConfigError, load_gltf, path) == f"{path}: got {got}, {NEED}"


def test_a_missing_file_is_refused(tmp_path, refusal):
    path = tmp_path / "x.glb"
    assert refusal(ConfigError, load_gltf, path) == (
        f"{path}: got no such file, need a glTF file. Check the path.")  # fmt: skip
