"""scene/gltf: files that other programs write: topologies, scenes, nodes, limits."""

import json
import logging

import numpy as np
import pytest
from fixtures.meshes import added, document, primitive, save

from neuralshade.errors import ConfigError
from neuralshade.scene import gltf
from neuralshade.scene.gltf import load_gltf
from neuralshade.scene.shapes import BUILT_IN


def corners_of(mesh):
    """Return triangles as the places of their corners, each from its least corner on, sorted."""
    rows = []
    for three in mesh.places[mesh.triangles].round(4).tolist():
        first = three.index(min(three))
        rows.append(tuple(map(tuple, three[first:] + three[:first])))
    return sorted(rows)


def panel(order, mode, indexed):
    """Return a row of five quads as a file: 12 vertices, of which ``order`` makes triangles."""
    x, y = np.meshgrid(np.arange(6), [0, 1])
    places = np.stack([x, y, 0 * x], 2).transpose(1, 0, 2).reshape(-1, 3).astype(np.float32)
    used = np.array(order)
    points = places if indexed else places[used]
    mesh = BUILT_IN["quad"]()
    found, data = document(mesh)
    place, data = added(found, data, points, "VEC3", 5126)
    part = {"attributes": {"POSITION": place}, "mode": mode}
    if indexed:
        part["indices"], data = added(found, data, used.astype(np.uint8), "SCALAR", 5121)
    found["meshes"] = [{"primitives": [part]}]
    return found, data


LIST = [i for q in range(5) for i in (2 * q, 2 * q + 2, 2 * q + 1, 2 * q + 1, 2 * q + 2, 2 * q + 3)]


@pytest.mark.parametrize("indexed", [True, False])
def test_a_strip_is_its_triangles_all_wound_to_one_side(tmp_path, indexed):
    had = load_gltf(save(tmp_path / "x.glb", *panel(range(12), 5, indexed)))
    turned = np.reshape(LIST, (-1, 3))[:, ::-1].reshape(-1)
    same = load_gltf(save(tmp_path / "y.glb", *panel(turned, 4, True)))
    assert len(had.triangles) == 10 and corners_of(had) == corners_of(same)
    assert (had.normals == [0, 0, -1]).all()


def test_triangles_of_a_strip_that_join_its_parts_are_none(tmp_path):
    strip = [0, 2, 1, 3, 3, 6, 6, 8, 7, 9]  # two quads, four flat triangles between
    had = load_gltf(save(tmp_path / "x.glb", *panel(strip, 5, True)))
    wanted = [0, 2, 1, 1, 2, 3, 6, 8, 7, 7, 8, 9]
    same = load_gltf(save(tmp_path / "y.glb", *panel(wanted, 4, True)))
    assert corners_of(had) == corners_of(same)


@pytest.mark.parametrize("indexed", [True, False])
def test_a_fan_is_its_triangles(tmp_path, indexed):
    had = load_gltf(save(tmp_path / "x.glb", *panel([0, 2, 4, 5, 3], 6, indexed)))
    same = load_gltf(save(tmp_path / "y.glb", *panel([0, 2, 4, 0, 4, 5, 0, 5, 3], 4, True)))
    assert corners_of(had) == corners_of(same)


def test_what_is_left_out_is_a_warning(tmp_path, caplog):
    found, data = document(BUILT_IN["quad"]())
    whole = primitive(found)
    found["meshes"][0]["primitives"] += [
        {**whole, "mode": 0}, {**whole, "mode": 1}, {**whole, "mode": 3}, {"attributes": {}},
    ]  # fmt: skip
    found["nodes"][0]["skin"] = 0
    found["nodes"].append({"mesh": 0, "scale": [0, 0, 0]})
    found["scenes"] = [{"nodes": [0, 1]}, {"nodes": []}]
    found["materials"] = [{}, {}]
    path = save(tmp_path / "x.glb", found, data)
    with caplog.at_level(logging.WARNING, "neuralshade"):
        assert len(load_gltf(path).triangles) == 2
    assert caplog.messages == [
        f"{path}: left out scenes besides scenes[0] (1), skins (1), primitives of points (2), "
        "primitives of lines (4), primitives of no triangle (2), nodes of scale 0 (1), its own "
        "materials (2)."
    ]


@pytest.mark.parametrize("left", ["scenes", "nodes"])
def test_a_file_without_scenes_is_all_that_it_has(tmp_path, left):
    mesh = BUILT_IN["quad"]()
    found, data = document(mesh)
    del found["scenes"], found["scene"]
    if left == "scenes":  # the second node is below the first, and so is no root
        found["nodes"] = [{"children": [1], "translation": [1, 2, 3]}, {"mesh": 0}]
        mesh = mesh.moved(1, (0, 0, 0), (1, 2, 3))
    else:
        del found["nodes"]
    had = load_gltf(save(tmp_path / "x.glb", found, data))
    np.testing.assert_allclose(had.places, mesh.places)


def test_instances_and_hidden_nodes(tmp_path, caplog):
    mesh = BUILT_IN["quad"]()
    found, data = document(mesh)
    moves = np.array([[0, 0, 0], [0, 4, 0], [1, 0, 0]], np.float32)
    at, data = added(found, data, moves, "VEC3", 5126)
    half = 0.5**0.5
    turns = np.array([[0, 0, 0, 1], [half, 0, 0, half], [0, 0, 0, 1]], np.float32)
    turn, data = added(found, data, turns, "VEC4", 5126)
    found["nodes"] = [
        {"mesh": 0, "scale": [2, 2, 2], "extensions": {
            "EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": at, "ROTATION": turn}}}},
        {"children": [2], "extensions": {"KHR_node_visibility": {"visible": False}}}, {"mesh": 0},
    ]  # fmt: skip
    found["scenes"][0]["nodes"] = [0, 1]
    found["extensionsRequired"] = ["EXT_mesh_gpu_instancing", "KHR_node_visibility"]
    path = save(tmp_path / "x.glb", found, data)
    had = load_gltf(path)
    wanted = [mesh.moved(2, (0, 0, 0), (0, 0, 0)), mesh.moved(2, (90, 0, 0), (0, 8, 0)),
              mesh.moved(2, (0, 0, 0), (2, 0, 0))]  # fmt: skip
    for name in ("places", "normals", "tangents"):
        every = np.concatenate([getattr(one, name) for one in wanted])
        np.testing.assert_allclose(getattr(had, name), every, atol=1e-5)
    assert had.triangles.max() == 11 and len(had.triangles) == 6
    assert caplog.messages == [f"{path}: left out nodes that are hidden, with all below (1)."]
    found["accessors"][turn]["count"] = 2
    with pytest.raises(ConfigError, match="instances that are not as many of each"):
        load_gltf(save(path, found, data))


def test_many_nodes_over_one_mesh_are_placed_one_by_one(tmp_path):
    mesh = BUILT_IN["quad"]()
    found, data = document(mesh)
    found["nodes"] = [{"mesh": 0, "translation": [i, 0, 0]} for i in range(9)]
    found["scenes"][0]["nodes"] = list(range(9))
    had = load_gltf(save(tmp_path / "x.glb", found, data))
    wanted = np.concatenate([mesh.moved(1, (0, 0, 0), (i, 0, 0)).places for i in range(9)])
    np.testing.assert_allclose(had.places, wanted)


def test_a_long_chain_of_nodes(tmp_path):
    mesh = BUILT_IN["quad"]()
    found, data = document(mesh)
    count = 3_000  # beyond Python's recursion
    found["nodes"] = [{"children": [i + 1], "translation": [0.5, 0, 0]} for i in range(count - 1)]
    found["nodes"].append({"mesh": 0})
    had = load_gltf(save(tmp_path / "x.glb", found, data))
    np.testing.assert_allclose(had.places, mesh.places + np.array([(count - 1) / 2, 0, 0]))


def test_a_scale_that_undoes_whole_numbers_is_not_flat(tmp_path):
    found, data = document(BUILT_IN["quad"]())
    found["nodes"][0]["scale"] = [1e-7] * 3
    load_gltf(save(tmp_path / "x.glb", found, data))


LIMITS = {
    "triangles of primitives": ("MOST_TRIANGLES", 9, lambda f: f["meshes"][0].update(
        primitives=5 * [primitive(f)]), "over 9 triangles, primitives times nodes, need fewer. "
        "Simplify or split it."),
    "triangles of nodes": ("MOST_TRIANGLES", 9, lambda f: f.update(
        nodes=5 * [{"mesh": 0}], scenes=[{"nodes": [0, 1, 2, 3, 4]}]),
        "over 9 triangles, primitives times nodes, need fewer. Simplify or split it."),
    "primitives": ("MOST_PRIMITIVES", 4, lambda f: f["meshes"][0].update(
        primitives=5 * [primitive(f)]), "over 4 primitives, need fewer. Join meshes."),
}  # fmt: skip


@pytest.mark.parametrize("limit", LIMITS)
def test_limits_are_told_before_anything_is_read(tmp_path, refusal, monkeypatch, limit):
    name, most, change, got = LIMITS[limit]
    monkeypatch.setattr(gltf, name, most)
    monkeypatch.setattr(gltf.Primitive, "mesh", lambda self: pytest.fail("read"))
    found, data = document(BUILT_IN["quad"]())
    change(found)
    path = save(tmp_path / "x.glb", found, data)
    assert refusal(ConfigError, load_gltf, path) == f"{path}: got {got}"


def test_nodes_and_bytes_have_limits(tmp_path, refusal, monkeypatch):
    found, data = document(BUILT_IN["quad"]())
    found["nodes"] = [{"mesh": 0, "children": [i + 1]} for i in range(4)] + [{}]
    path = save(tmp_path / "x.glb", found, data)
    with monkeypatch.context() as patch:
        patch.setattr("neuralshade.scene.gltf_nodes.MOST_NODES", 4)
        assert "got over 4 nodes, need fewer." in refusal(ConfigError, load_gltf, path)
    monkeypatch.setattr("neuralshade.scene.gltf_file.MOST_BYTES", 4_000)
    data += bytes(1_000)
    (tmp_path / "x.bin").write_bytes(data)  # once for each of its buffers
    found["buffers"] = [{"byteLength": len(data), "uri": "x.bin"}] * 9
    for i, view in enumerate(found["bufferViews"]):
        view["buffer"] = i
    path = tmp_path / "x.gltf"
    path.write_text(json.dumps(found))
    assert "got buffers of more than" in refusal(ConfigError, load_gltf, path)


def test_many_primitives_may_share_one_table_of_vertices(tmp_path):
    mesh = BUILT_IN["sphere"]()
    found, data = document(mesh)
    at, data = added(found, data, mesh.triangles[:1].reshape(-1).astype(np.uint16), "SCALAR", 5123)
    found["meshes"][0]["primitives"] = 50 * [{**primitive(found), "indices": at}]
    had = load_gltf(save(tmp_path / "x.glb", found, data))
    assert len(had.triangles) == 50 and len(had.places) == 150
    np.testing.assert_allclose(had.places[had.triangles[49]], mesh.places[mesh.triangles[0]])
