"""Bounding volume hierarchy of triangles, built level by level. Device half: bvh.slang."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

BINS = 16  # along an axis: candidate positions of a split
LEAF = 4  # triangles: largest leaf
EVEN_FROM = 40  # level from which nodes are halved, which bounds the traversal stack to 64
NODE = 8  # words of a node: low corner, 8 first + count, high corner, 0
BITS = 3  # of a count


@dataclass(frozen=True)
class Bvh:
    """Nodes as bvh.slang reads them, and the order of triangles."""

    nodes: Floats  # [nodes, 8]; of an inner node count is 0 and first its left child's index
    edges: Floats  # [triangles, 3, 4]: in that order, a corner and two edges from it
    order: npt.NDArray[np.int64]  # [triangles]


def build_bvh(corners: Floats) -> Bvh:
    """Return the tree over triangles: float32 [triangles, 3 corners, 3], at least one, finite.

    Each node is split where the surface area heuristic is least, at BINS places along each axis.
    Source: Wald 2007, On fast Construction of SAH-based BVHs.
    """
    low, high = corners.min(1), corners.max(1)
    middle = (low + high) / 2
    order = np.arange(len(corners))
    first, count = np.array([0]), np.array([len(corners)])
    levels: list[npt.NDArray[np.float32]] = []
    made, level = 1, 0  # number of nodes so far; this level's are the last
    while len(first):
        node = np.repeat(np.arange(len(first)), count)
        places = np.repeat(first, count) + _within(count)
        members = order[places]
        lows, highs = low[members], high[members]
        boxes = np.concatenate(
            [_per_node(np.minimum, lows, count), _per_node(np.maximum, highs, count)], 1
        )
        inner = count > LEAF
        children = made + 2 * (np.cumsum(inner) - 1)
        levels.append(_records(boxes, np.where(inner, children, first), np.where(inner, 0, count)))
        kept = inner[node]
        first, count, members = first[inner], count[inner], members[kept]
        node = np.repeat(np.arange(len(first)), count)
        right = _right_side(node, middle[members], lows[kept], highs[kept], count, level)
        order[places[kept]] = members[np.argsort(2 * node + right, kind="stable")]
        rights = np.bincount(node, right, len(first)).astype(np.int64)
        made, level = made + 2 * len(first), level + 1
        first = np.stack([first, first + count - rights], 1).reshape(-1)
        count = np.stack([count - rights, rights], 1).reshape(-1)
    edges = np.zeros((len(corners), 3, 4), np.float32)
    edges[:, 0, :3] = corners[order, 0]
    edges[:, 1:, :3] = corners[order, 1:] - corners[order, :1]
    return Bvh(np.concatenate(levels), edges, order)


def _right_side(
    node: npt.NDArray[np.int64], middle: Floats, low: Floats, high: Floats,
    count: npt.NDArray[np.int64], level: int,
) -> npt.NDArray[np.bool_]:  # fmt: skip
    """Return which triangles go to the right child: some but not all of each node."""
    nodes = len(count)
    begin = _per_node(np.minimum, middle, count)
    extent = _per_node(np.maximum, middle, count) - begin
    scale = np.where(extent > 0, BINS * (1 - 1e-5) / np.maximum(extent, 1e-30), 0)
    bins = np.clip((middle - begin[node]) * scale[node], 0, BINS - 1).astype(np.int64)
    best, axis, place = np.full(nodes, np.inf), np.zeros(nodes, int), np.zeros(nodes, int)
    for along in range(3):
        costs = _costs(bins[:, along] * nodes + node, low, high, nodes)
        where = costs.argmin(0)
        least = costs[where, np.arange(nodes)]
        better = least < best
        best[better], axis[better], place[better] = least[better], along, where[better]
    right = bins[np.arange(len(node)), axis[node]] > place[node]
    rights = np.bincount(node, right, nodes)
    halved = (rights == 0) | (rights == count) | (level >= EVEN_FROM)
    half = _within(count) >= (count // 2)[node]
    return np.where(halved[node], half, right)


def _costs(key: npt.NDArray[np.int64], low: Floats, high: Floats, nodes: int) -> Floats:
    """Return the cost of a split behind each bin [15, nodes]; infinite for an empty side."""
    lows = _per_bin(np.minimum, low, key, nodes)
    highs = _per_bin(np.maximum, high, key, nodes)
    counts = np.bincount(key, minlength=BINS * nodes).reshape(BINS, nodes)
    cost: Floats = np.zeros((BINS - 1, nodes), np.float32)
    for bins, behind in ((range(BINS - 1), 0), (range(BINS - 1, 0, -1), 1)):
        least, most = lows[:, bins[0]].copy(), highs[:, bins[0]].copy()
        share = np.zeros(nodes, np.int64)
        for bin_ in bins:  # rows of one bin: accumulate along an axis takes nine times as long
            np.minimum(least, lows[:, bin_], out=least)
            np.maximum(most, highs[:, bin_], out=most)
            share += counts[bin_]
            side = np.maximum(most - least, 0)
            area = side[0] * side[2] + side[1] * side[0] + side[2] * side[1]
            cost[bin_ - behind] += np.where(share > 0, area * share, np.inf)
    return cost


def _per_node(how: np.ufunc, values: Floats, count: npt.NDArray[np.int64]) -> Floats:
    """Return the minimum or maximum of each node's values: [nodes, 3]."""
    found: Floats = how.reduceat(values, np.cumsum(count) - count, 0)
    return found


def _per_bin(how: np.ufunc, values: Floats, key: npt.NDArray[np.int64], nodes: int) -> Floats:
    """Return the minimum or maximum of each bin's values: float32 [3, BINS, nodes]."""
    found = np.full((3, BINS * nodes), np.inf if how is np.minimum else -np.inf, np.float32)
    for axis in range(3):  # numpy is ten times as fast on scalars
        how.at(found[axis], key, values[:, axis])
    return found.reshape(3, BINS, nodes)


def _within(count: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return 0, 1, ..., n - 1 for each n of ``count``, concatenated."""
    return np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)


def _records(boxes: Floats, first: npt.NDArray[np.int64], count: npt.NDArray[np.int64]) -> Floats:
    found = np.zeros((len(boxes), NODE), np.float32)
    found[:, :3], found[:, 4:7] = boxes[:, :3], boxes[:, 3:]
    found[:, 3] = ((first << BITS) + count).astype(np.uint32).view(np.float32)
    return found
