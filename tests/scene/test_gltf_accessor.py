"""scene/gltf_accessor: numbers that are sparse, left out, quantized, or compressed."""

import numpy as np
import pytest
from fixtures.meshes import added, document, primitive, save

from neuralshade.errors import ConfigError
from neuralshade.scene.gltf import load_gltf
from neuralshade.scene.shapes import BUILT_IN

NAMES = ("places", "normals", "uv", "tangents")


def test_a_sparse_accessor_has_its_values_in_place_of_others(tmp_path):
    mesh = BUILT_IN["quad"]()
    found, data = document(mesh)
    at, data = added(found, data, np.array([1, 3], np.uint16), "SCALAR", 5123)
    new = mesh.places[[1, 3]] + [[0, 5, 0], [0, 7, 0]]
    to, data = added(found, data, new.astype(np.float32), "VEC3", 5126)
    sparse = {"count": 2, "indices": {"bufferView": at, "componentType": 5123},
              "values": {"bufferView": to}}  # fmt: skip
    place = primitive(found)["attributes"]["POSITION"]
    found["accessors"][place]["sparse"] = sparse
    had = load_gltf(save(tmp_path / "x.glb", found, data))
    wanted = mesh.places.copy()
    wanted[[1, 3]] = new
    np.testing.assert_array_equal(had.places, wanted)
    del found["accessors"][place]["bufferView"]  # the others are zeros
    wanted[[0, 2]] = 0
    had = load_gltf(save(tmp_path / "x.glb", found, data))
    np.testing.assert_array_equal(had.places, wanted)


@pytest.mark.parametrize("change", [
    {"count": 5}, {"count": 0}, {"count": True}, {"values": []}, {"indices": []},
    {"indices": {"bufferView": 5, "componentType": 5126}},
])  # fmt: skip
def test_a_sparse_accessor_that_is_none(tmp_path, refusal, change):
    found, data = document(BUILT_IN["quad"]())
    at, data = added(found, data, np.array([1, 3], np.uint16), "SCALAR", 5123)
    sparse = {"count": 2, "indices": {"bufferView": at, "componentType": 5123},
              "values": {"bufferView": 0}, **change}  # fmt: skip
    found["accessors"][0]["sparse"] = sparse
    said = refusal(ConfigError, load_gltf, save(tmp_path / "x.glb", found, data))
    assert "got accessors[0].sparse of {" in said


@pytest.mark.parametrize("rows", [[3, 1], [1, 1], [1, 4]])
def test_sparse_rows_are_in_order_and_there(tmp_path, refusal, rows):
    found, data = document(BUILT_IN["quad"]())
    at, data = added(found, data, np.array(rows, np.uint16), "SCALAR", 5123)
    found["accessors"][0]["sparse"] = {
        "count": 2, "indices": {"bufferView": at, "componentType": 5123},
        "values": {"bufferView": 0}}  # fmt: skip
    said = refusal(ConfigError, load_gltf, save(tmp_path / "x.glb", found, data))
    assert "got accessors[0].sparse.indices that are not in order, or beyond 4, need" in said


def test_an_accessor_without_a_view_is_zeros(tmp_path):
    found, data = document(BUILT_IN["quad"](), tangents=False)
    del found["accessors"][primitive(found)["attributes"]["TEXCOORD_0"]]["bufferView"]
    had = load_gltf(save(tmp_path / "x.glb", found, data))
    assert not had.uv.any() and np.isfinite(had.tangents).all()


WHOLE = {"i1": (5120, 127), "u1": (5121, 255), "i2": (5122, 32767), "u2": (5123, 65535)}


@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.parametrize("dtype", WHOLE)
def test_quantized_meshes_come_back(tmp_path, dtype, normalized):
    """KHR_mesh_quantization: nodes undo what positions were scaled by."""
    mesh = BUILT_IN["box"]()
    found, data = document(mesh)
    code, most = WHOLE[dtype]
    low = 0 if dtype[0] == "u" else -1
    scaled = mesh.places if low else (mesh.places + 1) / 2
    whole = np.zeros((len(mesh.places), 4), np.dtype(dtype).newbyteorder("<"))  # rows of 4
    whole[:, :3] = np.round(scaled * most)
    attributes = primitive(found)["attributes"]
    attributes["POSITION"], data = added(found, data, whole, "VEC3", code, normalized=normalized)
    found["bufferViews"][-1]["byteStride"] = whole.strides[0]
    size = (1 if low else 2) / (1 if normalized else most)
    found["nodes"][0].update(scale=[size] * 3, translation=[0 if low else -1] * 3)
    if low:  # normals and tangents are signed
        for name in ("NORMAL", "TANGENT"):
            values = np.zeros((len(mesh.places), 4), whole.dtype)
            source = mesh.normals if name == "NORMAL" else mesh.tangents
            values[:, : source.shape[1]] = np.round(source * most)
            kind = "VEC3" if name == "NORMAL" else "VEC4"
            attributes[name], data = added(found, data, values, kind, code, normalized=True)
            found["bufferViews"][-1]["byteStride"] = values.strides[0]
    elif normalized:
        flat = np.zeros((len(mesh.uv), 4), whole.dtype)
        flat[:, :2] = np.round(mesh.uv * most)
        attributes["TEXCOORD_0"], data = added(found, data, flat, "VEC2", code, normalized=True)
        found["bufferViews"][-1]["byteStride"] = flat.strides[0]
    found["extensionsRequired"] = ["KHR_mesh_quantization"]
    had = load_gltf(save(tmp_path / "x.glb", found, data))
    for name in NAMES:
        np.testing.assert_allclose(getattr(had, name), getattr(mesh, name), atol=2 / most)


@pytest.mark.parametrize("name", [
    "KHR_texture_transform", "KHR_materials_unlit", "KHR_materials_transmission",
    "KHR_texture_basisu", "EXT_texture_webp", "EXT_texture_avif", "MSFT_texture_dds",
    "KHR_lights_punctual", "KHR_mesh_quantization", "KHR_materials_variants",
])  # fmt: skip
def test_extensions_that_leave_triangles_as_they_are(tmp_path, name):
    found, data = document(BUILT_IN["quad"]())
    found["extensionsRequired"] = [name]
    assert len(load_gltf(save(tmp_path / "x.glb", found, data)).triangles) == 2


REQUIRED = {
    "KHR_draco_mesh_compression": "triangles compressed by KHR_draco_mesh_compression, need plain "
    "ones. Export it without mesh compression.",
    "EXT_meshopt_compression": "triangles compressed by EXT_meshopt_compression, need plain ones. "
    "Export it without mesh compression.",
    "ACME_shape": "the extension 'ACME_shape', which it requires, need glTF 2.0 of plain "
    "triangles. Export it without.",
}


@pytest.mark.parametrize("name", REQUIRED)
def test_extensions_that_change_triangles_are_refused_by_name(tmp_path, refusal, name):
    found, data = document(BUILT_IN["quad"]())
    found["extensionsRequired"] = ["KHR_texture_transform", name]
    path = save(tmp_path / "x.glb", found, data)
    assert refusal(ConfigError, load_gltf, path) == f"{path}: got {REQUIRED[name]}"


@pytest.mark.parametrize("required", [["a", 1], "KHR_draco_mesh_compression", {"a": 1}])
def test_required_extensions_are_names(tmp_path, refusal, required):
    found, data = document(BUILT_IN["quad"]())
    path = save(tmp_path / "x.glb", found | {"extensionsRequired": required}, data)
    assert "got extensionsRequired of " in refusal(ConfigError, load_gltf, path)


def test_compressed_triangles_that_are_not_said_to_be_required(tmp_path, refusal):
    """Their accessors have no view, and would be zeros; a buffer is no more than a size."""
    name = "KHR_draco_mesh_compression"
    found, data = document(BUILT_IN["quad"]())
    primitive(found)["extensions"] = {name: {"bufferView": 0}}
    assert len(load_gltf(save(tmp_path / "x.glb", found, data)).triangles) == 2
    del found["accessors"][0]["bufferView"]
    said = refusal(ConfigError, load_gltf, save(tmp_path / "x.glb", found, data))
    assert f"got triangles compressed by {name}, need" in said
    name = "EXT_meshopt_compression"
    found, data = document(BUILT_IN["quad"]())
    found["buffers"].append({"byteLength": 64, "extensions": {name: {"fallback": True}}})
    found["bufferViews"][0]["buffer"] = 1
    said = refusal(ConfigError, load_gltf, save(tmp_path / "x.glb", found, data))
    assert f"got triangles compressed by {name}, need" in said
