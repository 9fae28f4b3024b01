"""Mesh of a glTF file: all triangles of its scene, transformed by its nodes."""

from __future__ import annotations

import logging
import os
from collections import Counter

import numpy as np

from neuralshade.scene.gltf_file import GltfFile
from neuralshade.scene.gltf_nodes import Doubles, Nodes, read_nodes
from neuralshade.scene.gltf_primitive import Primitive, unit
from neuralshade.scene.shapes import Mesh, joined

log = logging.getLogger("neuralshade")

MOST_TRIANGLES = 2**23
MOST_PRIMITIVES = 2**15


def load_gltf(path: str | os.PathLike[str]) -> Mesh:
    """Return all triangles of a .gltf or .glb file's scene as one mesh.

    Missing normals are the triangles' own; missing tangents follow the texture coordinates, as in
    MikkTSpace. Omitted parts, such as points and lines, are logged as a warning.


    Raises: ConfigError for an invalid file, or one without triangles or with more than
        MOST_TRIANGLES, counted before any is read.
    """
    file = GltfFile(path)
    nodes = read_nodes(file)
    parts = counted_parts(file, nodes)
    found = []
    for index, mesh in parts.items():
        drawn = [part for part in mesh if part.triangle_count]
        if drawn:
            matrices = nodes.matrices(file, index)
            found += [_moved(part.mesh(), matrices) for part in drawn]
    if not sum(len(mesh.triangles) for mesh in found):
        raise file.wrong("no triangles")
    _warn(file, nodes.notes)
    return joined(found)


def counted_parts(file: GltfFile, nodes: Nodes) -> dict[int, list[Primitive]]:
    """Return the primitives of all placed meshes, within the limits."""
    rows = {index: file.rows(file.entry("meshes", index), "primitives") for index in nodes.placed}
    if sum(map(len, rows.values())) > MOST_PRIMITIVES:
        raise file.wrong(f"over {MOST_PRIMITIVES:,} primitives", "fewer", "Join meshes.")
    found, triangles = dict[int, list[Primitive]](), 0
    for index, placed in nodes.placed.items():
        found[index] = [Primitive(file, row, f"meshes[{index}].primitives[{i}]")
                        for i, row in enumerate(rows[index])]  # fmt: skip
        times = sum(one.count for one in placed)
        triangles += times * sum(part.triangle_count for part in found[index])
        if triangles > MOST_TRIANGLES:
            raise file.wrong(f"over {MOST_TRIANGLES:,} triangles, primitives times nodes",
                             "fewer", "Simplify or split it.")  # fmt: skip
        _note(found[index], nodes.notes, times)
    return found


def _note(parts: list[Primitive], notes: Counter[str], count: int) -> None:
    """Count what of a mesh is not drawn."""
    for part in parts:
        if not part.triangle_count:
            named = part.mode if part.mode in ("points", "lines") else "no triangle"
            notes[f"primitives of {named}"] += count
        if part.has_targets:
            notes["shapes to morph to"] += count


def _moved(mesh: Mesh, matrices: Doubles) -> Mesh:
    """Return n copies of a mesh, transformed by the matrices [n, 4, 4]."""
    count, linear = len(matrices), matrices[:, :3, :3]
    turned = linear.transpose(0, 2, 1)
    signs = np.where(np.linalg.det(linear) < 0, -1, 1)[:, None, None] * mesh.tangents[:, 3:]
    along = unit(mesh.tangents[:, :3] @ turned, (1, 0, 0))
    normals = unit(mesh.normals @ np.linalg.inv(linear), (0, 1, 0))
    places = (mesh.places @ turned + matrices[:, None, :3, 3]).astype(np.float32)
    tangents = np.concatenate([along, signs], 2).astype(np.float32)
    firsts = (np.arange(count) * len(mesh.places)).astype(np.uint32)[:, None, None]
    return Mesh(places.reshape(-1, 3), normals.reshape(-1, 3), np.tile(mesh.uv, (count, 1)),
                tangents.reshape(-1, 4), (mesh.triangles + firsts).reshape(-1, 3))  # fmt: skip


def _warn(file: GltfFile, notes: Counter[str]) -> None:
    """Log in one line what is omitted."""
    materials = len(file.rows(file.json, "materials"))
    if materials > 1:
        notes["its own materials"] = materials
    if notes:
        listed = ", ".join(f"{what} ({count:,})" for what, count in notes.items())
        log.warning("%s: left out %s.", file.path, listed)
