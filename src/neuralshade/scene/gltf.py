"""Meshes of a glTF file: all triangles of its scene, moved as its nodes say."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.scene.gltf_file import GltfFile
from neuralshade.scene.shapes import Mesh, joined

Matrix = npt.NDArray[np.float64]
TRIANGLES = 4
DEEPEST = 64  # nodes in each other
MOST_TRIANGLES = 2**23
FAR = 1e6  # coordinates beyond are no scene's


def load_gltf(path: str | os.PathLike[str]) -> Mesh:
    """Return all triangles of a .gltf or .glb file's scene as one mesh.

    Normals that are missing are those of the triangles; tangents that are missing follow the
    texture coordinates. Materials, skins and animations are passed over.

    Raises: ConfigError for a file that is none, says what is not so, or has no triangles.
    """
    file = GltfFile(path)
    found: list[Mesh] = []
    scene = file.entry("scenes", file.json.get("scene", 0))
    for node in _list(file, scene, "nodes"):
        _add(file, node, np.eye(4), found, set(), 0)
    if not found:
        raise file.wrong("no triangles")
    return joined(found)


def _list(file: GltfFile, row: dict[str, Any], name: str) -> list[Any]:
    found = row.get(name, [])
    if not isinstance(found, list):
        raise file.wrong(f"{name} that are no list")
    return found


def _add(
    file: GltfFile, index: Any, outer: Matrix, found: list[Mesh], met: set[int], depth: int
) -> None:
    """Append a node's triangles, and its children's; each node has one parent."""
    row = file.entry("nodes", index)
    if index in met:
        raise file.wrong(f"nodes[{index}] twice")
    met.add(index)
    if depth > DEEPEST or sum(len(mesh.triangles) for mesh in found) > MOST_TRIANGLES:
        raise file.wrong(f"nodes deeper than {DEEPEST}, or over {MOST_TRIANGLES:,} triangles")
    matrix = outer @ _matrix(file, row)
    if "mesh" in row:
        for part in _list(file, file.entry("meshes", row["mesh"]), "primitives"):
            if isinstance(part, dict) and part.get("mode", TRIANGLES) == TRIANGLES:
                found.append(_moved(file, _mesh(file, part), matrix))
    for child in _list(file, row, "children"):
        _add(file, child, matrix, found, met, depth + 1)


def _matrix(file: GltfFile, row: dict[str, Any]) -> Matrix:
    """Return a node's transform [4, 4]."""
    try:
        if "matrix" in row:
            return np.array(row["matrix"], np.float64).reshape(4, 4).T
        x, y, z, w = np.array(row.get("rotation", [0, 0, 0, 1]), np.float64)
        scale = np.array(row.get("scale", [1, 1, 1]), np.float64).reshape(3)
        found = np.eye(4)
        found[:3, :3] = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
        found[:3, :3] *= scale
        found[:3, 3] = np.array(row.get("translation", [0, 0, 0]), np.float64).reshape(3)
    except (TypeError, ValueError) as error:
        raise file.wrong("a transform that is none") from error
    return found


def _mesh(file: GltfFile, part: dict[str, Any]) -> Mesh:
    """Return the triangles of a primitive, with what it lacks."""
    given = part.get("attributes")
    given = given if isinstance(given, dict) else {}
    places = file.array(given.get("POSITION"), ("VEC3",)).astype(np.float32)
    count = len(places)
    if "indices" in part:
        order = file.array(part["indices"], ("SCALAR",)).reshape(-1)
    else:
        order = np.arange(count)
    if order.dtype.kind not in "iu" or len(order) % 3 or order.min() < 0 or order.max() >= count:
        raise file.wrong(f"indices that are not three each of {count:,} vertices")
    triangles = order.reshape(-1, 3).astype(np.uint32)
    uv = _attribute(file, given, "TEXCOORD_0", "VEC2", np.zeros((count, 2)))
    if "NORMAL" not in given:  # flat: each triangle has corners of its own
        places, uv = places[triangles].reshape(-1, 3), uv[triangles].reshape(-1, 2)
        triangles = np.arange(len(places), dtype=np.uint32).reshape(-1, 3)
        given, count = {}, len(places)
        corners = places.reshape(-1, 3, 3)
        flat = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        usual = np.repeat(flat, 3, axis=0)
    else:
        usual = np.zeros((count, 3))
    normals = _unit(_attribute(file, given, "NORMAL", "VEC3", usual), (0, 1, 0))
    along = uv_tangents(places, normals, uv, triangles)
    tangents = _attribute(file, given, "TANGENT", "VEC4", along)
    if not all(np.isfinite(p).all() and np.abs(p).max() < FAR for p in (places, uv, tangents)):
        raise file.wrong("numbers that are not finite, or huge")
    return Mesh(places, normals, uv, tangents, triangles)


def _attribute(
    file: GltfFile, given: dict[str, Any], name: str, kind: str, usual: npt.NDArray[Any]
) -> npt.NDArray[np.float32]:
    found = file.array(given[name], (kind,)) if name in given else usual
    if len(found) != len(usual):
        raise file.wrong(f"{len(found):,} of {name} for {len(usual):,} vertices")
    return np.ascontiguousarray(found, np.float32)


def uv_tangents(
    places: npt.NDArray[np.float32], normals: npt.NDArray[np.float32],
    uv: npt.NDArray[np.float32], triangles: npt.NDArray[np.uint32],
) -> npt.NDArray[np.float32]:  # fmt: skip
    """Return tangents along u of all vertices, and the sign of the way against v: [V, 4].

    Means of the triangles', by area. Source: Lengyel 2001, Computing Tangent Space Basis Vectors.
    """
    p, t = places[triangles].astype(np.float64), uv[triangles].astype(np.float64)
    (e1, e2), (d1, d2) = (
        (v[:, 1] - v[:, 0], v[:, 2] - v[:, 0]) for v in (p, t)
    )  # fmt: skip
    turn = np.sign(d1[:, 0] * d2[:, 1] - d2[:, 0] * d1[:, 1])[:, None]
    along_u = (e1 * d2[:, 1:] - e2 * d1[:, 1:]) * turn
    along_v = (e2 * d1[:, :1] - e1 * d2[:, :1]) * turn
    sums = np.zeros((2, len(places), 3))
    for corner in triangles.T:
        np.add.at(sums[0], corner, along_u)
        np.add.at(sums[1], corner, along_v)
    across = np.where(np.abs(normals[:, :1]) < 0.9, [[1.0, 0, 0]], [[0, 1.0, 0]])
    u = sums[0] - (sums[0] * normals).sum(1, keepdims=True) * normals
    u = np.where((u * u).sum(1, keepdims=True) > 1e-24, u, np.cross(across, normals))
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    sign = np.where((np.cross(normals, u) * -sums[1]).sum(1) < 0, -1.0, 1.0)
    return np.concatenate([u, sign[:, None]], 1).astype(np.float32)


def _unit(vectors: npt.NDArray[Any], usual: tuple[int, ...]) -> npt.NDArray[np.float32]:
    """Return vectors of length 1; ``usual`` in place of those of none."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    good = np.isfinite(length) & (length > 0)
    return np.where(good, vectors / np.where(good, length, 1), usual).astype(np.float32)


def _moved(file: GltfFile, mesh: Mesh, matrix: Matrix) -> Mesh:
    """Return a mesh as a node places it; normals keep their right angles."""
    linear = matrix[:3, :3]
    size = np.linalg.det(linear)
    if not np.isfinite(matrix).all() or np.abs(matrix).max() > FAR or abs(size) < 1e-18:
        raise file.wrong("a transform that is flat or huge")
    normals = _unit(mesh.normals @ np.linalg.inv(linear), (0, 1, 0))
    along = _unit(mesh.tangents[:, :3] @ linear.T, (1, 0, 0))
    signs = mesh.tangents[:, 3:] * (-1 if size < 0 else 1)
    places = (mesh.places @ linear.T + matrix[:3, 3]).astype(np.float32)
    tangents = np.concatenate([along, signs], 1).astype(np.float32)
    return Mesh(places, normals, mesh.uv, tangents, mesh.triangles)
