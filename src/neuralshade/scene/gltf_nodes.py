"""Node hierarchy of a glTF file: the transforms of its meshes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.scene.gltf_accessor import Accessor, read_accessor
from neuralshade.scene.gltf_file import GltfFile

Doubles = npt.NDArray[np.float64]
MOST_NODES = 2**20
FAR = 1e6  # limit of coordinates
FLAT = 1e-9  # volume of a node's axes over the product of their lengths
INSTANCING, VISIBILITY = "EXT_mesh_gpu_instancing", "KHR_node_visibility"
PARTS = (("TRANSLATION", "VEC3", (0, 0, 0)), ("ROTATION", "VEC4", (0, 0, 0, 1)),
         ("SCALE", "VEC3", (1, 1, 1)))  # fmt: skip


@dataclass(frozen=True)
class Placed:
    """A node with a mesh: ``node`` is its row in the transforms."""

    node: int
    instances: dict[str, Accessor] | None = None  # of EXT_mesh_gpu_instancing

    @property
    def count(self) -> int:
        """Return the number of instances."""
        return 1 if not self.instances else next(iter(self.instances.values())).count


@dataclass
class Nodes:
    """Nodes reachable from a scene: by mesh, and the transforms of all."""

    placed: dict[int, list[Placed]] = field(default_factory=dict)
    transforms: Doubles = field(default_factory=lambda: np.eye(4)[None])  # [nodes, 4, 4]
    notes: Counter[str] = field(default_factory=Counter)  # omitted features, with counts

    def matrices(self, file: GltfFile, mesh: int) -> Doubles:
        """Return the transforms of a mesh, except zero-size ones: [count, 4, 4]."""
        plain = [one.node for one in self.placed[mesh] if one.instances is None]
        found = [self.transforms[plain]]
        for one in self.placed[mesh]:
            if one.instances is not None:
                parts = [one.instances[name].take().astype(np.float64) if name in one.instances
                         else np.broadcast_to(np.array(usual, np.float64), (one.count, len(usual)))
                         for name, _, usual in PARTS]  # fmt: skip
                found.append(self.transforms[one.node] @ _combined(*parts))
        return self._checked(file, np.concatenate(found))

    def _checked(self, file: GltfFile, found: Doubles) -> Doubles:
        linear = found[:, :3, :3]
        with np.errstate(invalid="ignore", over="ignore"):
            lengths = np.linalg.norm(linear, axis=1)
            hidden = (linear == 0).all((1, 2))
            flat = np.abs(np.linalg.det(linear)) <= FLAT * lengths.prod(1)
        if not np.isfinite(found).all() or np.abs(found).max() > FAR or (flat & ~hidden).any():
            raise file.wrong("a transform that is flat or huge")
        if hidden.any():
            self.notes["nodes of scale 0"] += int(hidden.sum())
        return found[~hidden]


def read_nodes(file: GltfFile) -> Nodes:
    """Return the nodes of a file's scene; without scenes, all nodes.

    Each node has one parent. Takes linear time. Raises ConfigError.
    """
    tables = {name: file.rows(file.json, name) for name in ("scenes", "nodes", "meshes")}
    if not tables["nodes"] and not tables["scenes"]:
        return Nodes({mesh: [Placed(0)] for mesh in range(len(tables["meshes"]))})
    found, rows, parents = Nodes(), list[dict[str, Any]](), list[int]()
    levels, met = [0], set[int]()
    waiting = [(index, 0) for index in _roots(file, tables, found)]
    while waiting:
        below: list[tuple[Any, int]] = []
        for index, parent in waiting:
            row = file.entry("nodes", index)
            if index in met:
                raise file.wrong(f"nodes[{index}] twice")
            met.add(index)
            if _is_hidden(file, row, index):
                found.notes["nodes that are hidden, with all below"] += 1
                continue
            rows.append(row)
            parents.append(parent)
            if "mesh" in row:
                file.entry("meshes", row["mesh"])
                placed = found.placed.setdefault(row["mesh"], [])
                placed.append(_placed(file, row, index, len(rows)))
            if "skin" in row:
                found.notes["skins"] += 1
            below += [(child, len(rows)) for child in file.rows(row, "children")]
        if len(met) + len(below) > MOST_NODES:
            raise file.wrong(f"over {MOST_NODES:,} nodes", "fewer", "Join meshes.")
        levels.append(len(rows))
        waiting = below
    local = _locals(file, rows)
    found.transforms = np.concatenate([np.eye(4)[None], local])
    above = np.array(parents, np.int64)
    with np.errstate(invalid="ignore", over="ignore"):
        for first, end in pairwise(levels[1:]):  # below the roots
            found.transforms[first + 1 : end + 1] = (
                found.transforms[above[first:end]] @ local[first:end]
            )
    return found


def _roots(file: GltfFile, tables: dict[str, list[Any]], found: Nodes) -> list[Any]:
    """Return the root nodes of a scene."""
    if tables["scenes"]:
        count, which = len(tables["scenes"]), file.json.get("scene", 0)
        row = file.entry("scenes", which)
        if count > 1:
            found.notes[f"scenes besides scenes[{which}]"] = count - 1
        return file.rows(row, "nodes")
    children = {child for row in tables["nodes"] if isinstance(row, dict)
                for child in file.rows(row, "children") if type(child) is int}  # fmt: skip
    roots = [index for index in range(len(tables["nodes"])) if index not in children]
    if not roots:
        raise file.wrong("nodes in a circle")
    return roots


def _extension(file: GltfFile, row: dict[str, Any], name: str, index: int) -> dict[str, Any] | None:
    """Return a node's entry of an extension, None without one."""
    all_of = row.get("extensions", {})
    found = all_of.get(name) if isinstance(all_of, dict) else all_of
    if found is not None and not isinstance(found, dict):
        raise file.wrong(f"nodes[{index}].extensions of no objects")
    return found


def _is_hidden(file: GltfFile, row: dict[str, Any], index: int) -> bool:
    return (_extension(file, row, VISIBILITY, index) or {}).get("visible") is False


def _placed(file: GltfFile, row: dict[str, Any], index: int, node: int) -> Placed:
    instanced = _extension(file, row, INSTANCING, index)
    if instanced is None:
        return Placed(node)
    attributes = instanced.get("attributes")
    found = {name: read_accessor(file, attributes[name], (kind,)) for name, kind, _ in PARTS
             if isinstance(attributes, dict) and name in attributes}  # fmt: skip
    if len({one.count for one in found.values()}) != 1:
        raise file.wrong(f"nodes[{index}] with instances that are not as many of each")
    return Placed(node, found)


def _locals(file: GltfFile, rows: list[dict[str, Any]]) -> Doubles:
    """Return the nodes' local transforms [nodes, 4, 4]."""
    try:
        parts = [_numbers([row.get(name.lower(), usual) for row in rows], len(usual))
                 for name, _, usual in PARTS]  # fmt: skip
        found = _combined(*parts)
        whole = [i for i, row in enumerate(rows) if "matrix" in row]
        matrices = _numbers([rows[i]["matrix"] for i in whole], 16)
    except (TypeError, ValueError) as error:
        raise file.wrong("a transform that is none") from error
    found[whole] = matrices.reshape(-1, 4, 4).transpose(0, 2, 1)
    return found


def _numbers(rows: list[Any], width: int) -> Doubles:
    """Return lists of numbers as an array. Raises TypeError, ValueError."""
    found = np.array(rows, np.float64)
    if found.shape not in ((len(rows), width), (0,)):
        raise ValueError(found.shape)
    return found.reshape(-1, width)


def _combined(moved: Doubles, turned: Doubles, scaled: Doubles) -> Doubles:
    """Return transforms that scale, then rotate by quaternions, then translate: [n, 4, 4]."""
    length = np.linalg.norm(turned, axis=1)[:, None]
    x, y, z, w = np.where(length > 0, turned / np.where(length > 0, length, 1), (0, 0, 0, 1)).T
    found = np.zeros((len(moved), 4, 4))
    found[:, 3, 3] = 1
    rows = ((1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
            (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
            (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)))  # fmt: skip
    for i, row in enumerate(rows):
        for j, part in enumerate(row):
            found[:, i, j] = part * scaled[:, j]
    found[:, :3, 3] = moved
    return found
