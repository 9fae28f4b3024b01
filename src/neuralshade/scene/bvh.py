"""A tree of boxes around triangles, built level by level. Device half: bvh.slang."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

BINS = 16  # along an axis, between which a node is split
LEAF = 4  # triangles, which are not split further
EVEN_FROM = 40  # level from which nodes are halved: a stack of 64 is deep enough for any mesh
NODE = 8  # words of a node: low corner, first, high corner, count


@dataclass(frozen=True)
class Bvh:
    """Nodes as bvh.slang reads them, and the order in which it wants the triangles."""

    nodes: Floats  # [nodes, 8]; of an inner node count is 0 and first its left child's index
    order: npt.NDArray[np.int64]  # [triangles]


def build_bvh(corners: Floats) -> Bvh:
    """Return a tree over triangles: float32 [triangles, 3 corners, 3], at least one, finite.

    Each node is split where the sum of its halves' areas times their triangles is least, of
    BINS places along each axis. Source: Wald 2007, On fast Construction of SAH-based BVHs.
    """
    low, high = corners.min(1), corners.max(1)
    middle = (low + high) / 2
    order = np.arange(len(corners))
    first, count = np.array([0]), np.array([len(corners)])
    levels: list[npt.NDArray[np.float32]] = []
    made, level = 1, 0  # nodes so far; those of this level are the last
    while len(first):
        node = np.repeat(np.arange(len(first)), count)
        members = order[np.repeat(first, count) + _within(count)]
        boxes = np.concatenate(
            [
                _per_node(np.minimum, low[members], node, len(first)),
                _per_node(np.maximum, high[members], node, len(first)),
            ],
            1,
        )
        inner = count > LEAF
        right = _right_side(node, middle[members], low[members], high[members], count, level)
        kept = inner[node]
        rank = np.lexsort((right[kept], node[kept]))
        order[(np.repeat(first, count) + _within(count))[kept]] = members[kept][rank]
        rights = np.bincount(node, right, len(first)).astype(np.int64)
        children = made + 2 * (np.cumsum(inner) - 1)
        levels.append(_records(boxes, np.where(inner, children, first), np.where(inner, 0, count)))
        lefts = count - rights
        made, level = made + 2 * int(inner.sum()), level + 1
        first = np.stack([first, first + lefts], 1)[inner].reshape(-1)
        count = np.stack([lefts, rights], 1)[inner].reshape(-1)
    return Bvh(np.concatenate(levels), order)


def _right_side(
    node: npt.NDArray[np.int64], middle: Floats, low: Floats, high: Floats,
    count: npt.NDArray[np.int64], level: int,
) -> npt.NDArray[np.bool_]:  # fmt: skip
    """Return which triangles go to the right child; some and not all of each node's."""
    nodes = len(count)
    begin = _per_node(np.minimum, middle, node, nodes)
    extent = _per_node(np.maximum, middle, node, nodes) - begin
    scale = np.where(extent > 0, BINS * (1 - 1e-5) / np.maximum(extent, 1e-30), 0)
    bins = np.clip((middle - begin[node]) * scale[node], 0, BINS - 1).astype(np.int64)
    best, axis, place = np.full(nodes, np.inf), np.zeros(nodes, int), np.zeros(nodes, int)
    for along in range(3):
        costs = _costs(node * BINS + bins[:, along], low, high, nodes)
        where = costs.argmin(1)
        least = costs[np.arange(nodes), where]
        better = least < best
        best[better], axis[better], place[better] = least[better], along, where[better]
    right = bins[np.arange(len(node)), axis[node]] > place[node]
    rights = np.bincount(node, right, nodes)
    halved = (rights == 0) | (rights == count) | (level >= EVEN_FROM)
    half = _within(count) >= (count // 2)[node]
    return np.where(halved[node], half, right)


def _costs(key: npt.NDArray[np.int64], low: Floats, high: Floats, nodes: int) -> Floats:
    """Return what splitting behind each bin costs, infinite where a side has none [nodes, 15]."""
    lows = _per_node(np.minimum, low, key, nodes * BINS).reshape(nodes, BINS, 3)
    highs = _per_node(np.maximum, high, key, nodes * BINS).reshape(nodes, BINS, 3)
    counts = np.bincount(key, minlength=nodes * BINS).reshape(nodes, BINS)
    cost: Floats = np.zeros((nodes, BINS - 1), np.float32)
    for turn in (slice(None), slice(None, None, -1)):
        grown = np.maximum.accumulate(highs[:, turn], 1) - np.minimum.accumulate(lows[:, turn], 1)
        side = np.maximum(grown, 0)[:, :-1]
        area = (side * np.roll(side, 1, 2)).sum(2)
        share = counts[:, turn].cumsum(1)[:, :-1]
        cost += np.where(share > 0, area * share, np.inf)[:, turn]
    return cost


def _per_node(how: np.ufunc, values: Floats, node: npt.NDArray[np.int64], nodes: int) -> Floats:
    """Return the least or the largest of the values of each node: float32 [nodes, 3]."""
    found = np.full((nodes, 3), np.inf if how is np.minimum else -np.inf, np.float32)
    how.at(found, node, values)
    return found


def _within(count: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return 0, 1, ... for each of so many, one after the other."""
    return np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)


def _records(boxes: Floats, first: npt.NDArray[np.int64], count: npt.NDArray[np.int64]) -> Floats:
    found = np.empty((len(boxes), NODE), np.float32)
    found[:, :3], found[:, 4:7] = boxes[:, :3], boxes[:, 3:]
    found[:, 3] = first.astype(np.uint32).view(np.float32)
    found[:, 7] = count.astype(np.uint32).view(np.float32)
    return found
