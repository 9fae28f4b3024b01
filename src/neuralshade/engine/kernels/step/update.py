"""Gradients in, better parameters and rounded copies out. Device half: update.cs.slang."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.engine.kernels.step.gradients import COPIES, GRADIENTS
from neuralshade.model.parameters import Table
from neuralshade.model.quantize import LEVELS

GROUP_CELLS = 256  # entries of a grid that one group updates, one a thread
QUAD = 4  # latents that a thread updates

TEXT = """#define GRADIENTS {gradients}
#define TOUCHED {touched}
#define COPIES {copies}
#define STORED_HALVES {halves}
typealias Stored = {stored};
static const int MAX_FEATURES = {features};
#include "neuralshade/engine/kernels/step/update.cs.slang"
"""


def update_text(tables: Sequence[Table], *, halves: bool, gradients: str, touched: bool) -> str:
    """Return the module with the update kernels for these grids."""
    return TEXT.format(
        gradients=GRADIENTS[gradients].number,
        touched=int(touched),
        copies=COPIES,
        halves=int(halves),
        stored="half" if halves else "float",
        features=max((table.features for table in tables), default=1),
    )


def table_words(tables: Sequence[Table]) -> tuple[npt.NDArray[Any], int, int]:
    """Return the device's table of grid levels, groups to dispatch, and entries in all."""
    words, group, entry = [], 0, 0
    for table in tables:
        groups = -(-table.entries // GROUP_CELLS)
        words.append((table.first, table.entries, table.features, table.bits,
                      group, entry, groups))  # fmt: skip
        group, entry = group + groups, entry + table.entries
    return np.array(words, np.uint32).reshape(-1, 7), group, entry


def latent_groups(tables: Sequence[Table]) -> int:
    """Return how many groups take all latents, ``QUAD`` a thread."""
    numbers = max(table.first + table.entries * table.features for table in tables)
    return -(-numbers // (QUAD * GROUP_CELLS))


def whole_quads(numbers: int) -> int:
    """Return for how many numbers there must be room where kernels take ``QUAD`` at once."""
    return -(-numbers // QUAD) * QUAD


def levels_of(bits: int) -> dict[str, float]:
    """Return the rounding of ``bits`` bits as the device half has it."""
    levels = LEVELS[bits]
    return {"low": float(levels.low), "high": float(levels.high),
            "offset": levels.offset, "reach": levels.reach}  # fmt: skip
