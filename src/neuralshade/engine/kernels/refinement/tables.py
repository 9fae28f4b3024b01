"""Tables of levels, lattices and bands for the refinement kernels; see refinement.tables.slang."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.engine.code_bands import Band, Group, Lattice, Level
from neuralshade.model.axis_stencil import Axis

Table = npt.NDArray[Any]
BAND = np.dtype([("pixels", "<u4"), ("lattices", "<u4"), ("first_error", "<u4"), ("slots", "<u4")])
LATTICE = np.dtype([
    ("width", "<u4"), ("height", "<u4"), ("first_row", "<u4"), ("rows", "<u4"),
    ("first_pixel", "<u4"), ("first_target", "<u4"), ("first_weight", "<u4"), ("beyond", "<f4"),
])  # fmt: skip
LEVEL = np.dtype([
    ("first_number", "<u4"), ("columns", "<u4"), ("rows", "<u4"),
    ("block_rows", "<u4"), ("first_block", "<u4"), ("features", "<u4"), ("stride", "<u4"),
    ("own_begin", "<u4"), ("own_end", "<u4"), ("first_slot", "<u4"), ("first_stencil", "<u4"),
    ("column_colors", "<u4"), ("row_colors", "<u4"), ("low", "<i4"), ("high", "<i4"),
    ("reach", "<i4"), ("offset", "<f4"),
])  # fmt: skip
SLOT = np.dtype([("column", "<u4"), ("step", "<f4"), ("quantum", "<f4")])
STENCIL = np.dtype([("along", "<u4"), ("along_most", "<u4"), ("down", "<u4"), ("down_most", "<u4")])
BLOCK = np.dtype([("column", "<u4"), ("row", "<u4")])
STENCIL_ENTRY = np.dtype([("pixel", "<u4"), ("share", "<f4")])


@dataclass(frozen=True)
class GroupTables:
    """A group's tables that all of its bands share; ``levels`` lack the rows of a band."""

    slots: Table
    levels: Table
    stencils: Table
    entries: Table
    blocks: Table

    @staticmethod
    def of(group: Group) -> GroupTables:
        """Return the tables of a group."""
        entries, stencils, known = list[Table](), list[tuple[int, ...]](), 0
        for level in group.levels:
            for axes in level.axes:
                stencil = list[int]()
                for axis in axes:
                    listed = axis_stencil_entries(axis)
                    stencil += [known, listed.shape[1]]
                    known += listed.size
                    entries.append(listed.ravel())
                stencils.append(tuple(stencil))
        return GroupTables(_slots(group), _levels(group), np.array(stencils, STENCIL),
                           np.concatenate(entries), _blocks(group))  # fmt: skip


def axis_stencil_entries(axis: Axis) -> Table:
    """Return which pixels see each texel of an axis, and by which shares: [texels, most]."""
    listed = np.zeros(tuple(axis.index.shape), STENCIL_ENTRY)
    listed["pixel"], listed["share"] = axis.index.numpy(), axis.shares.numpy()
    return listed


def _slots(group: Group) -> Table:
    rows = [
        (level.first + feature, float(level.step[feature]), float(level.quantum[feature]))
        for level in _slot_owners(group).values()
        for feature in range(len(level.codes))
    ]
    return np.array(rows, SLOT)


def _slot_owners(group: Group) -> dict[int, Level]:
    """Return one level for each first column.

    Levels of tiles share columns, as each pixel reads but one of them, and so slopes.
    """
    owners = dict[int, Level]()
    for level in group.levels:
        known = owners.setdefault(level.first, level)
        assert torch.equal(known.step, level.step) and torch.equal(known.quantum, level.quantum)
    return owners


def _levels(group: Group) -> Table:
    table = np.zeros(len(group.levels), LEVEL)
    owners = _slot_owners(group)
    counts = [len(level.codes) for level in owners.values()]
    slots = dict(zip(owners, accumulate(counts, initial=0), strict=False))
    block = 0
    for index, level in enumerate(group.levels):
        features, rows, columns = level.codes.shape
        along, down = level.axes[0]
        row = table[index]
        row["first_number"], row["offset"] = level.first_number, level.offset
        row["columns"], row["rows"] = columns, rows
        row["block_rows"] = rows if level.tiles is None else level.tiles.side
        row["first_block"] = block
        row["features"], row["stride"] = features, level.stride
        row["first_slot"], row["first_stencil"] = slots[level.first], index * len(group.lattices)
        row["column_colors"], row["row_colors"] = along.color_count, down.color_count
        row["low"], row["high"] = level.limits
        row["reach"] = level.reach
        block += len(_origins(level))
    return table


def _blocks(group: Group) -> Table:
    found = np.concatenate([_origins(level) for level in group.levels])
    return np.array([tuple(each) for each in found], BLOCK)


def _origins(level: Level) -> npt.NDArray[np.int64]:
    """Return the first pixels of a level's tiles, (x, y) of each; one where it has none."""
    if level.tiles is None:
        return np.zeros((1, 2), np.int64)
    origins: npt.NDArray[np.int64] = level.tiles.origins.numpy()
    return origins


def band_levels(tables: GroupTables, band: Band) -> Table:
    """Return a group's levels with the rows of a band."""
    table = tables.levels.copy()
    table["own_begin"] = [own.start for own in band.own]
    table["own_end"] = [own.stop for own in band.own]
    return table


def band_lattices(group: Group, band: Band, channels: int, target: int, weight: int) -> Table:
    """Return the rows of a group's lattices that a band sees.

    ``target``: the group's first pixel among those of all, ``weight``: its first weight.
    """
    table, pixel = np.zeros(len(group.lattices), LATTICE), 0
    for index, (lattice, rows) in enumerate(zip(group.lattices, band.rows, strict=True)):
        height, width = lattice.size
        beyond = lattice.beyond[0] if lattice.beyond else 0.0
        table[index] = (width, height, int(rows[0]) if len(rows) else 0, len(rows), pixel,
                        target, weight + index * channels, beyond)  # fmt: skip
        pixel += len(rows) * width
        target += height * width
    return table


def alpha_of(lattices: Sequence[Lattice]) -> int | None:
    """Return the channel that errors of all others count by, which all lattices have alike."""
    found = {lattice.alpha for lattice in lattices}
    assert len(found) <= 1, found
    return found.pop() if found else None


def weights_of(lattices: Sequence[Lattice], channels: int) -> Table:
    """Return the roots of channels' weights: float32 [lattices, channels]."""
    return np.stack([np.ones(channels, np.float32) if lattice.weights is None
                     else lattice.weights.numpy() for lattice in lattices])  # fmt: skip
