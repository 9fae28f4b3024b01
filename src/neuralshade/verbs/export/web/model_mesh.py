"""Meshes of a page: positions, normals and coordinates in a few bits. Read by page/mesh.js."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.verbs.export.web.container import Container

PLACE_BITS, NORMAL_BITS, UV_BITS = 16, 12, 20
LEAST_SIZE = 1e-9

Floats = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True)
class PageMesh:
    """Triangles of one material, counter-clockwise from the front."""

    material: int
    places: npt.NDArray[np.float32]  # [n, 3]
    normals: npt.NDArray[np.float32]  # [n, 3], unit
    uv: npt.NDArray[np.float32]  # [n, 4], two texture coordinates
    colors: npt.NDArray[np.float32]  # [n, 4], linear, in [0, 1]
    triangles: npt.NDArray[np.uint32]  # [T, 3]


def mesh_facts(mesh: PageMesh, box: tuple[Floats, float], container: Container) -> dict[str, Any]:
    """Return a mesh's facts, its numbers added to the data: one array for each column.

    ``box``: least corner and longest side of all meshes of the model, so that places in two of
    them stay one place.
    """
    low, size = box
    low_uv, high_uv = mesh.uv.min(axis=0), mesh.uv.max(axis=0)
    size_uv = np.maximum(high_uv - low_uv, LEAST_SIZE)
    columns = [
        mesh.triangles.reshape(-1).astype(np.uint32),
        *_rounded((mesh.places - low) / size, PLACE_BITS),
        *_rounded(_octahedral(mesh.normals), NORMAL_BITS),
        *_rounded((mesh.uv - low_uv) / size_uv, UV_BITS),
    ]
    colored = bool((mesh.colors < 1).any())
    if colored:
        columns += [np.rint(255 * one).astype(np.uint8) for one in mesh.colors.T]
    return {"material": mesh.material, "segment": container.add(*columns), "colored": colored,
            "bits": [PLACE_BITS, NORMAL_BITS, UV_BITS], "low": low.tolist(), "size": float(size),
            "low_uv": low_uv.tolist(), "size_uv": size_uv.tolist()}  # fmt: skip


def box_of(meshes: list[PageMesh]) -> tuple[Floats, float]:
    """Return the least corner and the longest side of meshes."""
    low = np.min([mesh.places.min(axis=0) for mesh in meshes], axis=0)
    high = np.max([mesh.places.max(axis=0) for mesh in meshes], axis=0)
    return low, max(float((high - low).max()), LEAST_SIZE)


def _rounded(values: Floats, bits: int) -> list[npt.NDArray[np.uint32]]:
    """Return the columns of values in [0, 1], [n, C], as whole numbers of so many bits."""
    whole = np.rint(values.clip(0, 1) * (2**bits - 1)).astype(np.uint32)
    return [np.ascontiguousarray(column) for column in whole.T]


def _octahedral(normals: npt.NDArray[np.float32]) -> Floats:
    """Return directions as points of a square: [n, 2] in [0, 1].

    Source: Cigolle et al. 2014, A Survey of Efficient Representations for Independent Unit Vectors.
    """
    flat = normals / np.abs(normals).sum(axis=1, keepdims=True)
    x, y = flat[:, 0], flat[:, 1]
    signs = np.where(flat[:, :2] < 0, -1, 1)
    folded = np.stack([(1 - np.abs(y)) * signs[:, 0], (1 - np.abs(x)) * signs[:, 1]], axis=1)
    return np.where(flat[:, 2:] < 0, folded, flat[:, :2]) / 2 + 0.5
