"""Table of a grid's levels that kernels read as a uniform: one kernel serves all sizes.

Device half: ILevelTable in bilinear.slang.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from neuralshade.model.parameters import SlangType

MOST_MIPS = 25  # of a texture whose sides have 24 bits
Row = tuple[int, int, int, int]

TABLE = """uniform uint4 {name}_table[{rows}];
public struct {name}Table : ILevelTable
{{
    public static const int COUNT = {count};
    public static uint4 level(int index) {{ return {name}_table[index]; }}
}}
"""
MODULE = "neuralshade.model.bilinear"


def table_type(
    name: str, kind: str, rows: Sequence[Row], entries: int, modules: frozenset[str],
    padded: int = 0,
) -> SlangType:  # fmt: skip
    """Return the Slang type ``kind`` with ``rows`` as a table that it names {name}Table.

    Each row has what ILevelTable says; ``entries`` is the sum behind the last one. ``padded``:
    how many rows kernels of another number of levels have room for.
    """
    count = max(len(rows), padded)
    table = np.zeros((count + 1, 4), np.uint32)
    table[: len(rows)] = np.array(rows, np.uint32).reshape(-1, 4)
    table[len(rows) : count] = table[len(rows) - 1]
    table[count, 0] = entries
    text = TABLE.format(name=name, rows=count + 1, count=count)
    return SlangType(kind, modules | {MODULE}, text, {f"{name}_table": table})


def float_bits(value: float) -> int:
    """Return the bits of a float32 as a whole number."""
    return int(np.float32(value).view(np.uint32))
