"""Tables of levels, lattices and bands for the refinement kernels; see refinement.tables.slang."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.engine.code_bands import Band, Group, Lattice
from neuralshade.model.axis_stencil import Axis

Table = npt.NDArray[Any]
BAND = np.dtype([("pixels", "<u4"), ("lattices", "<u4"), ("first_error", "<u4"), ("slots", "<u4")])
LATTICE = np.dtype([
    ("width", "<u4"), ("height", "<u4"), ("first_row", "<u4"), ("rows", "<u4"),
    ("first_pixel", "<u4"), ("first_target", "<u4"), ("first_weight", "<u4"), ("beyond", "<f4"),
])  # fmt: skip
LEVEL = np.dtype([
    ("first_number", "<u4"), ("columns", "<u4"), ("rows", "<u4"), ("features", "<u4"),
    ("stride", "<u4"),
    ("own_begin", "<u4"), ("own_end", "<u4"), ("first_slot", "<u4"), ("first_stencil", "<u4"),
    ("column_colors", "<u4"), ("row_colors", "<u4"), ("low", "<i4"), ("high", "<i4"),
    ("reach", "<i4"), ("offset", "<f4"),
])  # fmt: skip
SLOT = np.dtype([("column", "<u4"), ("step", "<f4"), ("quantum", "<f4")])
STENCIL = np.dtype([("along", "<u4"), ("along_most", "<u4"), ("down", "<u4"), ("down_most", "<u4")])
STENCIL_ENTRY = np.dtype([("pixel", "<u4"), ("share", "<f4")])


@dataclass(frozen=True)
class GroupTables:
    """A group's tables that all of its bands share; ``levels`` lack the rows of a band."""

    slots: Table
    levels: Table
    stencils: Table
    entries: Table

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
                           np.concatenate(entries))  # fmt: skip


def axis_stencil_entries(axis: Axis) -> Table:
    """Return which pixels see each texel of an axis, and by which shares: [texels, most]."""
    listed = np.zeros(tuple(axis.index.shape), STENCIL_ENTRY)
    listed["pixel"], listed["share"] = axis.index.numpy(), axis.shares.numpy()
    return listed


def _slots(group: Group) -> Table:
    rows = [
        (level.first + feature, float(level.step[feature]), float(level.quantum[feature]))
        for level in group.levels
        for feature in range(len(level.codes))
    ]
    return np.array(rows, SLOT)


def _levels(group: Group) -> Table:
    table = np.zeros(len(group.levels), LEVEL)
    slot = 0
    for index, level in enumerate(group.levels):
        features, rows, columns = level.codes.shape
        along, down = level.axes[0]
        row = table[index]
        row["first_number"], row["offset"] = level.first_number, level.offset
        row["columns"], row["rows"] = columns, rows
        row["features"], row["stride"] = features, level.stride
        row["first_slot"], row["first_stencil"] = slot, index * len(group.lattices)
        row["column_colors"], row["row_colors"] = along.color_count, down.color_count
        row["low"], row["high"] = level.limits
        row["reach"] = level.reach
        slot += features
    return table


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
