"""Triangle meshes with normals, texture coordinates and tangents; built-in shapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
ROWS = 96  # of a sphere, from pole to pole


@dataclass(frozen=True)
class Mesh:
    """Triangles; u and v as in glTF: right and down in a picture."""

    places: Floats  # [V, 3]
    normals: Floats  # [V, 3], of length 1
    uv: Floats  # [V, 2]
    tangents: Floats  # [V, 4]: along u, of length 1, and the sign of the bitangent, against v
    triangles: npt.NDArray[np.uint32]  # [T, 3]

    def moved(self, scale: float, rotation: Sequence[float], position: Sequence[float]) -> Mesh:
        """Return the mesh scaled, rotated by degrees about x, y and z in turn, and moved."""
        turn = rotation_matrix(rotation)
        tangents = np.concatenate([self.tangents[:, :3] @ turn.T, self.tangents[:, 3:]], 1)
        places = self.places * scale @ turn.T + np.asarray(position)
        return Mesh(places.astype(np.float32), (self.normals @ turn.T).astype(np.float32), self.uv,
                    tangents.astype(np.float32), self.triangles)  # fmt: skip

    def packed(self, tile: float) -> Floats:
        """Return the vertices as bvh.slang reads them: float32 [V, 12]."""
        uv = self.uv * np.float32(tile)
        return np.concatenate([self.places, uv[:, :1], self.normals, uv[:, 1:], self.tangents], 1)


def rotation_matrix(degrees: Sequence[float]) -> npt.NDArray[np.float64]:
    """Return the rotation about x, then y, then z: [3, 3]."""
    found = np.eye(3)
    for axis, angle in enumerate(np.radians(degrees)):
        i, j = (axis + 1) % 3, (axis + 2) % 3
        turn = np.eye(3)
        turn[i, i] = turn[j, j] = np.cos(angle)
        turn[i, j], turn[j, i] = -np.sin(angle), np.sin(angle)
        found = turn @ found
    return found


def joined(meshes: Sequence[Mesh]) -> Mesh:
    """Return several meshes as one."""
    firsts = np.cumsum([0, *(len(m.places) for m in meshes[:-1])]).astype(np.uint32)
    places, normals, uv, tangents = (
        np.concatenate([getattr(m, name) for m in meshes])
        for name in ("places", "normals", "uv", "tangents")
    )
    triangles = [m.triangles + first for m, first in zip(meshes, firsts, strict=True)]
    return Mesh(places, normals, uv, tangents, np.concatenate(triangles))


def sphere(rows: int = ROWS) -> Mesh:
    """Return a sphere of radius 1 of 4 rows^2 triangles.

    u goes around twice, v from pole to pole. Tiles meet at the sides; their middles face +z and
    -z.
    """
    columns = 2 * rows
    v, u = np.meshgrid(np.arange(rows + 1) / rows, np.arange(columns + 1) / columns, indexing="ij")
    down, turn = v.reshape(-1) * np.pi, (u.reshape(-1) - 0.25) * 2 * np.pi
    around, zero = np.sin(down), np.zeros_like(down)
    normals = np.stack([around * np.sin(turn), np.cos(down), around * np.cos(turn)], 1)
    tangents = np.stack([np.cos(turn), zero, -np.sin(turn), zero + 1], 1)
    uv = np.stack([u.reshape(-1) * 2, v.reshape(-1)], 1)
    corner = (np.arange(rows)[:, None] * (columns + 1) + np.arange(columns)).reshape(-1, 1)
    below = corner + columns + 1
    triangles = np.concatenate([np.concatenate([corner, below, below + 1], 1),
                                np.concatenate([corner, below + 1, corner + 1], 1)])  # fmt: skip
    return _mesh(normals, normals, uv, tangents, triangles)


def quad() -> Mesh:
    """Return a square of side 2 in the plane y = 0 that looks up, v towards +z."""
    places = np.array([[-1, 0, -1], [1, 0, -1], [1, 0, 1], [-1, 0, 1]])
    return _mesh(places, [[0, 1, 0]] * 4, [[0, 0], [1, 0], [1, 1], [0, 1]], [[1, 0, 0, 1]] * 4,
                 [[0, 2, 1], [0, 3, 2]])  # fmt: skip


def box() -> Mesh:
    """Return a cube from -1 to 1, with a whole tile on each face."""
    up = quad().moved(1, (0, 0, 0), (0, 1, 0))
    turns = [(0, 0, 0), (180, 0, 0), (90, 0, 0), (90, 90, 0), (90, 180, 0), (90, 270, 0)]
    return joined([up.moved(1, turn, (0, 0, 0)) for turn in turns])


def ball() -> Mesh:
    """Return a shader ball: a sphere on a foot, and a smaller one beside it for close views."""
    foot = box()
    places = foot.places * np.array([0.7, 0.12, 0.7], np.float32)
    flat = Mesh(places, foot.normals, foot.uv, foot.tangents, foot.triangles)
    return joined([sphere().moved(1, (0, 0, 0), (0, 1.2, 0)),
                   flat.moved(1, (0, 0, 0), (0, 0.12, 0)),
                   sphere().moved(0.35, (0, 0, 0), (1.25, 0.35, 0.6))])  # fmt: skip


BUILT_IN: dict[str, Callable[[], Mesh]] = {"sphere": sphere, "quad": quad, "box": box, "ball": ball}


def _mesh(places: npt.ArrayLike, normals: npt.ArrayLike, uv: npt.ArrayLike,
          tangents: npt.ArrayLike, triangles: npt.ArrayLike) -> Mesh:  # fmt: skip
    parts = (places, normals, uv, tangents)
    p, n, at, t = (np.ascontiguousarray(part, np.float32) for part in parts)
    return Mesh(p, n, at, t, np.ascontiguousarray(triangles, np.uint32))
