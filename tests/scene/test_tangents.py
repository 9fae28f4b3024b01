"""scene/tangents: along u of each side of a seam, whatever is mirrored."""

import numpy as np
import pytest

from neuralshade.scene.shapes import BUILT_IN
from neuralshade.scene.tangents import uv_tangents


def flat_sheet(columns, rows, u_of, v_of):
    """Return a sheet in z = 0 of quads that share vertices, with u and v of its columns and rows.

    v goes down, as glTF has it.
    """
    y, x = np.mgrid[0 : rows + 1, 0 : columns + 1]
    places = np.stack([x, -y, 0 * x], 2).reshape(-1, 3).astype(np.float32)
    uv = np.stack([np.take(u_of, x), np.take(v_of, y)], 2).reshape(-1, 2).astype(np.float32)
    normals = np.tile(np.array([[0, 0, 1]], np.float32), (len(places), 1))
    first = (np.arange(rows)[:, None] * (columns + 1) + np.arange(columns)).reshape(-1, 1)
    below = first + columns + 1
    corners = np.concatenate([np.concatenate([first, below, below + 1], 1),
                              np.concatenate([first, below + 1, first + 1], 1)])  # fmt: skip
    return places, normals, uv, corners


def directions(places, uv, corners):
    """Return the unit vectors along u and against v of each triangle: [T, 3] each."""
    p, t = places[corners].astype(float), uv[corners].astype(float)
    edges = np.stack([p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]], 1)
    steps = np.stack([t[:, 1] - t[:, 0], t[:, 2] - t[:, 0]], 1)
    found = np.linalg.inv(steps) @ edges
    found /= np.linalg.norm(found, axis=2, keepdims=True)
    return found[:, 0], -found[:, 1]


def check_frames(sheet):
    """Assert that each corner's tangent and bitangent are those of its triangle."""
    places, normals, uv, corners = sheet
    found = uv_tangents(places, normals, uv, corners)
    np.testing.assert_array_equal(found.source[: len(places)], np.arange(len(places)))
    np.testing.assert_array_equal(found.source[found.corners], corners)
    along, up = directions(places, uv, corners)
    tangents, n = found.tangents[found.corners], normals[corners]
    np.testing.assert_allclose(tangents[..., :3], np.repeat(along[:, None], 3, 1), atol=1e-6)
    bitangents = np.cross(n, tangents[..., :3]) * tangents[..., 3:]
    np.testing.assert_allclose(bitangents, np.repeat(up[:, None], 3, 1), atol=1e-6)
    return found


@pytest.mark.parametrize("u_of, v_of, more", [
    ([0, 1, 2], [0, 1, 2], 0),
    ([0, 1, 0], [0, 1, 2], 3),       # mirrored in u: three vertices of the seam are there twice
    ([0, 1, 2], [0, 1, 0], 3),       # in v
    ([1, 0, 1], [1, 0, 1], 7),       # in both: four sides meet in the middle
    ([0, 1, 0, 1], [0, 1, 0, 1], 4 * 3 + 8),
])  # fmt: skip
def test_mirrored_seams_are_split_and_nothing_else_is(u_of, v_of, more):
    sheet = flat_sheet(len(u_of) - 1, len(v_of) - 1, u_of, v_of)
    found = check_frames(sheet)
    assert len(found.source) == len(sheet[0]) + more


def test_a_seam_of_vertices_that_are_not_shared_stays(noise):
    """Each triangle with vertices of its own, in any order: the same frames."""
    places, normals, uv, corners = flat_sheet(2, 2, [0, 1, 0], [0, 1, 0])
    order = noise.permutation(corners.size)
    back = np.argsort(order).reshape(-1, 3)
    each = corners.reshape(-1)[order]
    found = check_frames((places[each], normals[each], uv[each], back))
    assert len(found.source) == corners.size


def test_vertices_that_are_alike_share_a_tangent(noise):
    """Of a bent sheet whether or not an exporter joined them, as MikkTSpace has it."""
    places, _, uv, corners = flat_sheet(4, 3, range(5), range(4))
    places[:, 2] = noise.random(len(places)) * 0.3
    normals = noise.normal(size=places.shape) * 0.1 + [0, 0, 1]
    normals = (normals / np.linalg.norm(normals, axis=1, keepdims=True)).astype(np.float32)
    joined = uv_tangents(places, normals, uv, corners)
    each = corners.reshape(-1)
    apart = uv_tangents(places[each], normals[each], uv[each], np.arange(each.size).reshape(-1, 3))
    np.testing.assert_allclose(apart.tangents, joined.tangents[each], atol=1e-6)


def test_triangles_weigh_by_their_corners_angle():
    """A corner split into two triangles counts no more than the same corner whole."""
    places = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0.0], [-1, 0, 1], [0.5, 0.5, 0]], np.float32)
    uv = np.array([[0, 0], [1, 0], [0, -1], [-1, 0.7], [0.5, -0.5]], np.float32)
    normals = np.tile(np.array([[0, 0, 1]], np.float32), (5, 1))
    whole = uv_tangents(places, normals, uv, np.array([[0, 1, 2], [0, 2, 3]]))
    halves = uv_tangents(places, normals, uv, np.array([[0, 1, 4], [0, 4, 2], [0, 2, 3]]))
    assert abs(whole.tangents[0, 1]) > 0.1  # the last one's lies elsewhere
    np.testing.assert_allclose(halves.tangents[0], whole.tangents[0], atol=1e-6)


def test_without_texture_coordinates_any_tangent_lies_on_the_surface():
    mesh = BUILT_IN["ball"]()
    found = uv_tangents(mesh.places, mesh.normals, 0 * mesh.uv, mesh.triangles.astype(np.int64))
    assert len(found.source) == len(mesh.places)
    np.testing.assert_allclose(np.linalg.norm(found.tangents[:, :3], axis=1), 1, atol=1e-5)
    assert np.abs((found.tangents[:, :3] * mesh.normals).sum(1)).max() < 1e-5


def test_a_triangle_of_no_side_goes_with_its_neighbors():
    """At a mirrored seam, too: it has a tangent of one of them and splits nothing."""
    places, normals, uv, corners = flat_sheet(2, 1, [0, 1, 0], [0, 1])
    uv = np.concatenate([uv, uv[1:2]])
    places = np.concatenate([places, [[1, 1, 0]]]).astype(np.float32)
    normals = np.concatenate([normals, normals[:1]])
    found = uv_tangents(places, normals, uv, np.concatenate([corners, [[1, 6, 1]]]))
    assert len(found.source) == 7 + 2 and np.isfinite(found.tangents).all()


def test_tangents_of_a_sphere_are_close_to_its_own():
    mesh = BUILT_IN["sphere"]()
    corners = mesh.triangles.astype(np.int64)
    found = uv_tangents(mesh.places, mesh.normals, mesh.uv, corners)
    assert len(found.source) == len(mesh.places)
    apart = np.abs(mesh.normals[:, 1]) < 0.9  # of its poles, where u has no direction
    assert ((found.tangents * mesh.tangents)[apart, :3].sum(1) > 0.999).all()
    assert (found.tangents[apart, 3] == mesh.tangents[apart, 3]).all()


@pytest.mark.parametrize("turned", [False, True])
def test_a_mesh_inside_out_has_the_same_frames(turned):
    """Winding says nothing: normals do."""
    places, normals, uv, corners = flat_sheet(2, 1, [0, 1, 0], [0, 1])
    check_frames((places, -normals if turned else normals, uv, corners[:, ::-1]))
