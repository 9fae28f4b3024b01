"""Tangents of a mesh along its texture coordinates, split where these are mirrored.

As in MikkTSpace (Mikkelsen 2008, Simulation of Wrinkled Surfaces Revisited), which glTF requires:
equal vertices are merged, triangles are weighted by the angle at the corner, and parts that are
mirrored in u or v share no tangent with others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
SEED = 2016  # of the hash of rows
BLOCK = 2**17  # triangles that are summed at a time


@dataclass(frozen=True)
class Tangents:
    """Tangents of vertices, some of which are duplicated, and the triangles of these."""

    source: Ints  # [V']: original index of each vertex
    tangents: Floats  # [V', 4]: along u, of length 1, and the sign of the bitangent, against v
    corners: Ints  # [T, 3] of V'


def uv_tangents(places: Floats, normals: Floats, uv: Floats, corners: Ints) -> Tangents:
    """Return tangents along u of vertices [V]; duplicates at seams follow the original vertices.

    Degenerate texture coordinates get any direction along the surface.
    """
    same = _alike(np.concatenate([places, normals, uv], 1))
    blocks = [slice(first, first + BLOCK) for first in range(0, len(corners), BLOCK)]
    side = np.concatenate([_sides(uv[corners[block]].astype(np.float64)) for block in blocks])
    group = _groups(same[corners], side)
    sums = np.zeros((2, 3, int(group.max()) + 1))
    for block in blocks:
        p, t, n = (part[corners[block]].astype(np.float64) for part in (places, uv, normals))
        _add_sums(sums, p, t, n, side[block], group[block])
    source, corners, of_vertex = _split(len(places), corners, group)
    u, v = sums[:, :, of_vertex].transpose(0, 2, 1)
    n = normals[source].astype(np.float64)
    across = np.where(np.abs(n[:, :1]) < 0.9, [[1.0, 0, 0]], [[0, 1.0, 0]])
    u = np.where((u * u).sum(1, keepdims=True) > 1e-24, u, np.cross(across, n))
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    sign = np.where((np.cross(n, u) * -v).sum(1) < 0, -1.0, 1.0)
    return Tangents(source, np.concatenate([u, sign[:, None]], 1).astype(np.float32), corners)


def _sides(t: Doubles) -> Doubles:
    """Return 1, -1 or 0 of triangles [n, 3, 2]: their orientation in u and v."""
    a, b = t[:, 1] - t[:, 0], t[:, 2] - t[:, 0]
    found: Doubles = np.sign(a[:, 0] * b[:, 1] - b[:, 0] * a[:, 1])
    return found


def _alike(rows: Floats) -> Ints:
    """Return for each row the index of the first equal row."""
    words = (rows + np.float32(0)).view(np.uint32).astype(np.uint64)  # -0 is 0
    rng = np.random.default_rng(SEED)
    factors = rng.integers(1, 2**64, rows.shape[1], np.uint64) | np.uint64(1)
    mixed = (words * factors).sum(1, dtype=np.uint64)
    mixed ^= mixed >> np.uint64(32)
    _, first, each = np.unique(mixed, return_index=True, return_inverse=True)
    found: Ints = first[each]
    differ = (rows[found] != rows).any(1)  # a hash collision
    return np.where(differ, np.arange(len(rows)), found)


def _groups(alike: Ints, side: Doubles) -> Ints:
    """Return the group of each corner [T, 3]: corners of one group share a tangent.

    A group is all corners at a vertex or, where orientations are mixed, each run of triangles of
    one orientation that share edges. Degenerate triangles join any group.
    """
    count = int(alike.max(initial=0)) + 1
    sides = [np.zeros(count, bool), np.zeros(count, bool)]
    for which, sign in enumerate((1, -1)):
        sides[which][alike[side == sign]] = True
    mixed = sides[0] & sides[1]
    if not mixed.any():
        return alike
    at = np.flatnonzero(mixed[alike].any(1) & (side != 0))
    runs = count + _runs(alike[at], side[at]).reshape(-1, 3)
    group = alike.copy()
    group[at] = np.where(mixed[alike[at]], runs, alike[at])
    first = np.full(count, np.iinfo(np.int64).max)
    np.minimum.at(first, alike[at], group[at])
    flat = np.flatnonzero(side == 0)
    group[flat] = np.where(mixed[alike[flat]], first[alike[flat]], alike[flat])
    return group


def _runs(alike: Ints, side: Doubles) -> Ints:
    """Return for each corner of triangles [T, 3] the smallest one connected through edges."""
    pairs = np.stack([alike, np.roll(alike, -1, 1)], 2).reshape(-1, 2)
    here = np.arange(len(pairs))
    ends = np.stack([here, here.reshape(-1, 3)[:, [1, 2, 0]].reshape(-1)], 1)
    turned = pairs[:, 0] > pairs[:, 1]
    pairs[turned], ends[turned] = pairs[turned][:, ::-1], ends[turned][:, ::-1]
    sides = np.repeat(side, 3)
    order = np.lexsort((sides, pairs[:, 1], pairs[:, 0]))
    pairs, ends, sides = pairs[order], ends[order], sides[order]
    shared = (pairs[1:] == pairs[:-1]).all(1) & (sides[1:] == sides[:-1])
    links = np.concatenate([np.stack([ends[:-1, i][shared], ends[1:, i][shared]], 1)
                            for i in (0, 1)])  # fmt: skip
    return _components(len(here), links)


def _components(count: int, links: Ints) -> Ints:
    """Return for each of ``count`` items the smallest item connected through links."""
    found = np.arange(count)
    while True:
        a, b = found[links[:, 0]], found[links[:, 1]]
        if (a == b).all():
            return found
        np.minimum.at(found, np.maximum(a, b), np.minimum(a, b))
        while not np.array_equal(found, found[found]):
            found = found[found]


def _add_sums(
    sums: Doubles, p: Doubles, t: Doubles, normals: Doubles, side: Doubles, group: Ints
) -> None:
    """Add directions along u and v of corners [n, 3] to their groups' sums: [2, 3, groups]."""
    (e1, e2), (d1, d2) = ((x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]) for x in (p, t))
    directions = ((e1 * d2[:, 1:] - e2 * d1[:, 1:]) * side[:, None],
            (e2 * d1[:, :1] - e1 * d2[:, :1]) * side[:, None])  # fmt: skip
    for corner in range(3):
        n, to = normals[:, corner], group[:, corner]
        before, after = (_flat(p[:, (corner + i) % 3] - p[:, corner], n) for i in (1, 2))
        angle = np.arccos(np.clip((before * after).sum(1), -1, 1))
        for which, direction in enumerate(directions):
            weighed = _flat(direction, n) * angle[:, None]
            for axis in range(3):
                np.add.at(sums[which, axis], to, weighed[:, axis])


def _flat(vectors: Doubles, normals: Doubles) -> Doubles:
    """Return vectors projected onto planes by their normals, of length 1; 0 where degenerate."""
    found = vectors - (vectors * normals).sum(1, keepdims=True) * normals
    length = np.linalg.norm(found, axis=1, keepdims=True)
    least = 1e-9 * np.linalg.norm(vectors, axis=1, keepdims=True)  # below that it is rounding
    return np.where(length > least, found / np.where(length > 0, length, 1), 0)


def _split(count: int, corners: Ints, group: Ints) -> tuple[Ints, Ints, Ints]:
    """Return vertices with a row for each group, the triangles of these, and their groups.

    A vertex's first group keeps its row; others are appended after all vertices.
    """
    of_vertex = np.zeros(count, np.int64)
    of_vertex[corners.reshape(-1)] = group.reshape(-1)  # any of its groups
    other = np.flatnonzero((of_vertex[corners] != group).reshape(-1))
    if not len(other):
        return np.arange(count), corners, of_vertex
    pairs = np.stack([corners.reshape(-1)[other], group.reshape(-1)[other]], 1)
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    new = np.ones(len(order), bool)
    new[1:] = (pairs[order][1:] != pairs[order][:-1]).any(1)
    found = corners.reshape(-1).copy()
    found[other[order]] = count + np.cumsum(new) - 1
    added = pairs[order][new]
    return (np.concatenate([np.arange(count), added[:, 0]]), found.reshape(-1, 3),
            np.concatenate([of_vertex, added[:, 1]]))  # fmt: skip
