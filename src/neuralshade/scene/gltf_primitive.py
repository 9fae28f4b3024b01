"""Primitive of a glTF file: its triangles from lists, strips and fans, with missing attributes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.base.message_text import shown
from neuralshade.scene.gltf_accessor import COUNTS, Accessor, read_accessor
from neuralshade.scene.gltf_file import GltfFile, is_whole
from neuralshade.scene.gltf_nodes import FAR
from neuralshade.scene.shapes import Mesh
from neuralshade.scene.tangents import uv_tangents

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
MODES = ("points", "lines", "lines", "lines", "triangles", "strip", "fan")  # by their numbers
USUAL_MODE = 4


@dataclass(frozen=True)
class DrawnVertices:
    """Triangles of one primitive for a rasterizer."""

    places: Floats  # [n, 3]
    normals: Floats  # [n, 3], unit
    uv: Floats  # [n, 4]: TEXCOORD_0 and TEXCOORD_1
    colors: Floats  # [n, 4], linear, factors of the material's
    corners: Ints  # [T, 3]


class Primitive:
    """One primitive; its number of triangles is known before any is read."""

    def __init__(self, file: GltfFile, part: Any, place: str):
        """Raises: ConfigError for an invalid primitive."""
        self.file, self.place = file, place
        if not isinstance(part, dict):
            raise file.wrong(f"{place} that is no object")
        mode = part.get("mode", USUAL_MODE)
        if not is_whole(mode) or mode >= len(MODES):
            raise file.wrong(f"{place}.mode of {shown(mode)}")
        self.mode = MODES[mode]
        attributes = part.get("attributes")
        self.attributes: dict[str, Any] = attributes if isinstance(attributes, dict) else {}
        self.places = self.indices = None
        self.triangle_count = 0
        self.has_targets = bool(part.get("targets"))
        self.material = part.get("material")  # a row, not checked; None: glTF's default
        if not self.is_drawn:
            return
        self.places = self._accessor(part, self.attributes["POSITION"], "VEC3")
        if "indices" in part:
            self.indices = self._accessor(part, part["indices"], "SCALAR")
        count = (self.indices or self.places).count
        if self.mode == "triangles" and count % 3:
            raise self._not_three()
        self.triangle_count = count // 3 if self.mode == "triangles" else max(0, count - 2)

    @property
    def is_drawn(self) -> bool:
        """Return whether it has triangles: not points or lines, and with positions."""
        return self.mode not in ("points", "lines") and "POSITION" in self.attributes

    def _accessor(self, part: dict[str, Any], index: Any, kind: str) -> Accessor:
        if "bufferView" not in self.file.entry("accessors", index):
            self.file.check_extensions(part, self.place)  # which may store the data
        return read_accessor(self.file, index, (kind,))

    def _not_three(self) -> Exception:
        assert self.places is not None
        return self.file.wrong(f"indices that are not three each of {self.places.count:,} vertices")

    def mesh(self) -> Mesh:
        """Return the triangles and their vertices."""
        used, corners = self._vertices()
        places, normals, uv, corners = self._surface(used, corners)
        if "TANGENT" in self.attributes and not self.is_flat:
            tangents = self._read("TANGENT", used, "VEC4")
            tangents[:, 3] = np.where(tangents[:, 3] < 0, -1, 1)
        else:
            found = uv_tangents(places, normals, uv, corners)
            places, normals, uv = (part[found.source] for part in (places, normals, uv))
            tangents, corners = found.tangents, found.corners
        return Mesh(places, normals, uv, tangents, corners.astype(np.uint32))

    def drawn(self) -> DrawnVertices:
        """Return the triangles with all that a rasterizer reads, without tangents."""
        used, first = self._vertices()
        places, normals, uv, corners = self._surface(used, first)
        more = [self._read("TEXCOORD_1", used, "VEC2"), self._colors(used)]
        if self.is_flat:
            more = [part[first].reshape(-1, part.shape[1]) for part in more]
        return DrawnVertices(places, normals, np.concatenate([uv, more[0]], 1), more[1], corners)

    @property
    def is_flat(self) -> bool:
        """Return whether each triangle has its own normal, and so its own corners."""
        return "NORMAL" not in self.attributes

    def _vertices(self) -> tuple[Ints, Ints]:
        """Return the used vertices, and the triangles numbered by them."""
        assert self.places is not None
        return _used(self._corners(), self.places.count)

    def _surface(self, used: Ints, corners: Ints) -> tuple[Floats, Floats, Floats, Ints]:
        """Return positions, normals and texture coordinates, and the triangles."""
        places = self._read("POSITION", used)
        uv = self._read("TEXCOORD_0", used, "VEC2")
        if not self.is_flat:
            return places, unit(self._read("NORMAL", used), (0, 1, 0)), uv, corners
        places, uv = places[corners].reshape(-1, 3), uv[corners].reshape(-1, 2)
        three = places.reshape(-1, 3, 3)
        normal = np.cross(three[:, 1] - three[:, 0], three[:, 2] - three[:, 0])
        normals = unit(np.repeat(normal, 3, axis=0), (0, 1, 0))
        return places, normals, uv, np.arange(len(places)).reshape(-1, 3)

    def _colors(self, used: Ints) -> Floats:
        """Return COLOR_0, linear, opaque white where it is missing."""
        found = np.ones((len(used), 4), np.float32)
        if "COLOR_0" in self.attributes:
            colors = self._read("COLOR_0", used, "VEC3", "VEC4")
            found[:, : colors.shape[1]] = colors.clip(0, 1)
        return found

    def _corners(self) -> Ints:
        """Return the vertex indices of the triangles: [T, 3], without degenerate ones.

        Every second triangle of a strip has its winding reversed, so that all face one side.
        """
        assert self.places is not None
        if self.indices is None:
            order = np.arange(self.places.count)
        else:
            found = self.indices.take().reshape(-1)
            if found.dtype.kind not in "iu" or found.min() < 0 or found.max() >= self.places.count:
                raise self._not_three()
            order = found.astype(np.int64)
        if self.mode == "triangles":
            return order.reshape(-1, 3)
        first = np.arange(len(order) - 2)
        if self.mode == "fan":
            corners = np.stack([first + 1, first + 2, np.zeros_like(first)], 1)
        else:
            odd = first % 2
            corners = np.stack([first, first + 1 + odd, first + 2 - odd], 1)
        triangles = order[corners]
        same = (triangles == np.roll(triangles, 1, 1)).any(1)
        return triangles[~same]

    def _read(self, name: str, used: Ints, *kinds: str) -> Floats:
        """Return an attribute of the used vertices, zeros where it is missing."""
        assert self.places is not None
        kinds = kinds or ("VEC3",)
        if name not in self.attributes:
            return np.zeros((len(used), COUNTS[kinds[0]]), np.float32)
        accessor = read_accessor(self.file, self.attributes[name], kinds)
        if accessor.count != self.places.count:
            raise self.file.wrong(f"{accessor.count:,} of {name} for {self.places.count:,} "
                                  "vertices")  # fmt: skip
        found = accessor.take(used).astype(np.float32)
        if not np.isfinite(found).all() or np.abs(found).max(initial=0) >= FAR:
            raise self.file.wrong("numbers that are not finite, or huge")
        return found


def _used(corners: Ints, count: int) -> tuple[Ints, Ints]:
    """Return the used ones of ``count`` vertices, and the triangles renumbered to them.

    Takes time in proportion to the triangles: many primitives may share one vertex table.
    """
    if 16 * corners.size < count:
        found, inverse = np.unique(corners, return_inverse=True)
        return found, inverse.reshape(-1, 3)
    mask = np.zeros(count, bool)
    mask[corners] = True
    return np.flatnonzero(mask), (np.cumsum(mask) - 1)[corners]


def unit(vectors: npt.NDArray[Any], usual: tuple[int, ...]) -> Floats:
    """Return vectors of length 1; ``usual`` for zero vectors."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    good = np.isfinite(length) & (length > 0)
    return np.where(good, vectors / np.where(good, length, 1), usual).astype(np.float32)
