"""scene/gltf_surfaces: triangles by material, with all that a rasterizer reads."""

import numpy as np
import pytest
from fixtures.meshes import added, document, primitive, save

from neuralshade.errors import ConfigError
from neuralshade.scene.gltf import load_gltf
from neuralshade.scene.gltf_file import GltfFile
from neuralshade.scene.gltf_surfaces import gltf_surfaces
from neuralshade.scene.shapes import BUILT_IN


def surfaces(path, found, data):
    return gltf_surfaces(GltfFile(save(path, found, data)))


def sides(places, triangles):
    """Return the directions that triangles face."""
    a, b, c = (places[triangles[:, i]] for i in range(3))
    return np.cross(b - a, c - a)


@pytest.mark.parametrize("scale", [[2, 3, 1], [-2, 3, 1]])
def test_it_has_the_triangles_of_the_mesh_and_they_face_outwards(tmp_path, scale):
    found, data = document(BUILT_IN["box"]())
    found["nodes"][0] |= {"scale": scale, "translation": [5, 0, 0]}
    (one,) = surfaces(tmp_path / "x.glb", found, data)
    mesh = load_gltf(tmp_path / "x.glb")
    np.testing.assert_allclose(one.places, mesh.places, atol=1e-6)
    np.testing.assert_allclose(one.normals, mesh.normals, atol=1e-6)
    assert one.material is None
    facing = sides(one.places, one.triangles)
    assert ((facing * one.normals[one.triangles[:, 0]]).sum(1) > 0).all()


def test_triangles_of_one_material_are_one_surface(tmp_path):
    found, data = document(BUILT_IN["quad"]())
    found["materials"] = [{}, {}]
    part = primitive(found)
    found["meshes"] = [{"primitives": [part | {"material": 1}, part | {"material": 0},
                                       part | {"material": 1}]}]  # fmt: skip
    had = surfaces(tmp_path / "x.glb", found, data)
    assert [(one.material, len(one.triangles)) for one in had] == [(0, 2), (1, 4)]
    assert had[1].triangles.max() == 2 * len(had[0].places) - 1
    found["meshes"][0]["primitives"][0]["material"] = 7
    with pytest.raises(ConfigError, match=r"materials\[7\], which is not there"):
        surfaces(tmp_path / "x.glb", found, data)


@pytest.mark.parametrize("flat", [False, True])
def test_colors_and_second_coordinates_come_along(tmp_path, flat):
    found, data = document(BUILT_IN["quad"]())
    count = found["accessors"][0]["count"]
    colors = np.array([[255, 0, 51, 255]] * count, np.uint8)
    uv = np.arange(2 * count, dtype=np.float32).reshape(-1, 2)
    attributes = primitive(found)["attributes"]
    attributes["COLOR_0"], data = added(found, data, colors, "VEC4", 5121, normalized=True)
    attributes["TEXCOORD_1"], data = added(found, data, uv, "VEC2", 5126)
    if flat:
        attributes.pop("NORMAL")
    (one,) = surfaces(tmp_path / "x.glb", found, data)
    np.testing.assert_allclose(one.colors, np.tile([1, 0, 0.2, 1], (len(one.places), 1)))
    first = load_gltf(tmp_path / "x.glb").uv
    assert one.uv.shape == (len(one.places), 4)
    assert {tuple(row) for row in one.uv[:, 2:]} == {tuple(row) for row in uv}
    assert {tuple(row) for row in one.uv[:, :2]} == {tuple(row) for row in first}
