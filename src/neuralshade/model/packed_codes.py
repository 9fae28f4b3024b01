"""Quantized latents packed into a shader's words, as in the asset. Device half: none."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from neuralshade.errors import ShapeError
from neuralshade.model.parameters import Table

Bytes = npt.NDArray[np.uint8]

WORD_BYTES = 4


class PackedCodes:
    """The codes of an encoding's grids, one behind the other, each from a whole word on.

    Number i of a grid, code / (2^bits - 1), is in bits i * bits to (i + 1) * bits - 1 of its
    bytes, the lowest bit first: what ``pack_bits`` makes, and what assets store.

    Args:
        tables: of the encoding, see ``Encoding.tables``: latents all.
        grids: uint8 [bytes] for each.

    Raises: ShapeError for other counts of bytes than the tables need.
    """

    def __init__(self, tables: Sequence[Table], grids: Sequence[Bytes]):
        assert tables and all(table.unit and 1 <= table.bits <= 8 for table in tables), tables
        needed = [-(-table.entries * table.features * table.bits // 8) for table in tables]
        if [grid.shape for grid in grids] != [(size,) for size in needed]:
            raise ShapeError(f"PackedCodes.grids: got shapes {[list(g.shape) for g in grids]}, "
                             f"need {[[size] for size in needed]}. Pass the packed codes of each "
                             "grid.")  # fmt: skip
        words = [-(-size // WORD_BYTES) for size in needed]
        firsts = [sum(words[:index]) for index in range(len(words))]
        self.places = [
            (table.first, first, table.bits) for table, first in zip(tables, firsts, strict=True)
        ]
        padded = [
            np.pad(grid, (0, WORD_BYTES * count - len(grid)))
            for grid, count in zip(grids, words, strict=True)
        ]
        self.words: npt.NDArray[np.uint32] = np.concatenate(padded).view("<u4").astype(np.uint32)
