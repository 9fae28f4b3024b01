"""Table of a grid's levels that kernels read as a uniform: one kernel serves all sizes.

Device half: level_table.slang.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from neuralshade.model.parameters import SlangType

MOST_MIPS = 25  # of a texture whose sides have 24 bits
Row = tuple[int, int, int, int]

TABLE = """uniform uint4 {name}_table[{rows}]; // two for each level
public struct {name}Table : ILevelTable
{{
    public static const int COUNT = {count};
    public static uint4 level(int index) {{ return {name}_table[2 * index]; }}
    public static float2 extent(int index) {{ return asfloat({name}_table[2 * index + 1].xy); }}
}}
"""
MODULE = "neuralshade.model.level_table"


def table_type(
    name: str, kind: str, rows: Sequence[Row], entries: int, modules: frozenset[str],
    padded: int = 0,
) -> SlangType:  # fmt: skip
    """Return the Slang type ``kind`` with ``rows`` as a table that it names {name}Table.

    Each row has what ILevelTable says; ``entries`` is the sum behind the last one. ``padded``:
    how many rows kernels of another number of levels have room for.
    """
    count = max(len(rows), padded)
    table = np.zeros((count + 1, 2, 4), np.uint32)
    table[: len(rows), 0] = np.array(rows, np.uint32).reshape(-1, 4)
    table[:, 1, :2] = table[:, 0, 1:3].astype(np.float32).view(np.uint32)
    table[len(rows) : count] = table[len(rows) - 1]
    table[count, 0, 0] = entries
    text = TABLE.format(name=name, rows=2 * len(table), count=count)
    return SlangType(kind, modules | {MODULE}, text, {f"{name}_table": table.reshape(-1, 4)})


def float_bits(value: float) -> int:
    """Return the bits of a float32 as a whole number."""
    return int(np.float32(value).view(np.uint32))
