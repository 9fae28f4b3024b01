"""Many small steps in one dispatch. Device half: many_steps.cs.slang."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.engine.layout import NetworkLayout
from neuralshade.engine.matrix import LANES, MatrixPlan
from neuralshade.model.encoding import Encoding

INCLUDE = '#include "neuralshade/engine/many_steps.cs.slang"\n'
LINE_HALVES = 64  # float16 in a line of the cache, 128 bytes
MOST_SAMPLES = 2**15  # of a step; beyond, two dispatches cost little beside it


def takes_many(
    plan: MatrixPlan, layout: NetworkLayout, encoding: Encoding, batch: int, resident: int | None
) -> bool:
    """Return whether steps of this fit can share one dispatch.

    Only the network may be trained, with numbers of 16 bits or more, and all groups must run at
    once: ``resident`` is how many do, None where that is not known.
    """
    return (
        resident is not None
        and batch <= MOST_SAMPLES
        and plan.groups <= resident
        and layout.size <= resident * plan.waves * LANES  # each thread trains one number
        and encoding.number_count() == 0
        and all(layer.bits >= 16 for layer in layout.layers)
    )


def copy_size(layout: NetworkLayout) -> int:
    """Return the numbers from one step's weights to the next step's.

    A line of the cache must not hold numbers of two steps: read early, it would be stale later.
    """
    return -(-layout.size // LINE_HALVES) * LINE_HALVES


def live_numbers(layout: NetworkLayout) -> npt.NDArray[Any]:
    """Return float32 [layout.size]: 1 where a number is trained, 0 where it fills up."""
    live = np.zeros(layout.size, np.float32)
    for first, _, count, _ in layout.rows().tolist():
        live[first : first + count] = 1.0
    return live
