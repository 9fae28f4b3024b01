"""Triangles of a glTF file by material, as a rasterizer draws them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from neuralshade.scene.gltf import counted_parts
from neuralshade.scene.gltf_file import GltfFile
from neuralshade.scene.gltf_nodes import Doubles, read_nodes
from neuralshade.scene.gltf_primitive import DrawnVertices, unit

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Surface:
    """All triangles of one material in the scene, placed by its nodes."""

    material: int | None  # None: glTF's default material
    places: Floats  # [n, 3]
    normals: Floats  # [n, 3], unit
    uv: Floats  # [n, 4]: TEXCOORD_0 and TEXCOORD_1
    colors: Floats  # [n, 4], linear
    triangles: npt.NDArray[np.uint32]  # [T, 3], counter-clockwise from the front


def gltf_surfaces(file: GltfFile) -> list[Surface]:
    """Return the triangles of a file's scene, one surface a material, in the order of materials.

    Raises: ConfigError as ``load_gltf``.
    """
    nodes = read_nodes(file)
    found = dict[int, list[Surface]]()
    for index, parts in counted_parts(file, nodes).items():
        drawn = [part for part in parts if part.triangle_count]
        if not drawn:
            continue
        matrices = nodes.matrices(file, index)
        for part in drawn:
            material = part.material
            if material is not None:
                file.entry("materials", material)
            placed = _placed(material, part.drawn(), matrices)
            found.setdefault(-1 if material is None else material, []).append(placed)
    if not found:
        raise file.wrong("no triangles")
    return [_joined(found[key]) for key in sorted(found)]


def _placed(material: int | None, one: DrawnVertices, matrices: Doubles) -> Surface:
    """Return n copies of triangles, transformed by the matrices [n, 4, 4]."""
    count, linear = len(matrices), matrices[:, :3, :3]
    places = one.places @ linear.transpose(0, 2, 1) + matrices[:, None, :3, 3]
    normals = unit(one.normals @ np.linalg.inv(linear), (0, 1, 0))
    firsts = (np.arange(count) * len(one.places))[:, None, None]
    corners = np.broadcast_to(one.corners, (count, *one.corners.shape))
    mirrored = (np.linalg.det(linear) < 0)[:, None, None]
    corners = np.where(mirrored, corners[..., ::-1], corners) + firsts
    return Surface(material, places.astype(np.float32).reshape(-1, 3), normals.reshape(-1, 3),
                   np.tile(one.uv, (count, 1)), np.tile(one.colors, (count, 1)),
                   corners.astype(np.uint32).reshape(-1, 3))  # fmt: skip


def _joined(parts: list[Surface]) -> Surface:
    firsts = np.cumsum([0, *(len(one.places) for one in parts)])[:-1].astype(np.uint32)
    triangles = [one.triangles + first for one, first in zip(parts, firsts, strict=True)]
    return Surface(
        parts[0].material,
        np.concatenate([one.places for one in parts]),
        np.concatenate([one.normals for one in parts]),
        np.concatenate([one.uv for one in parts]),
        np.concatenate([one.colors for one in parts]),
        np.concatenate(triangles),
    )
