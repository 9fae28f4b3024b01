"""Several small training steps in one dispatch. Device half: many_steps.cs.slang."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.engine.kernel_plan import FusedPlan
from neuralshade.engine.kernels.matrix.matrix import LANES, MatrixPlan
from neuralshade.engine.layout import NetworkLayout
from neuralshade.gpu.gpu import Gpu, Kernel
from neuralshade.model.encoding import Encoding

INCLUDE = '#include "neuralshade/engine/kernels/step/many_steps.cs.slang"\n'
BLOCK = 128  # numbers that a group trains at once, a thread each
MOST_BLOCKS = 4  # that a group trains
MOST_LOADS = 16  # of 16 bytes, that a thread has under way
LINE_HALVES = 64  # float16 in a line of the cache, 128 bytes
MOST_SAMPLES = 2**15  # of a step on cooperative matrices; beyond, two dispatches cost little
GATE_BYTES = 256  # two counters, each in a line of the cache of its own


def resident_groups(plan: FusedPlan, multiprocessors: int | None) -> int | None:
    """Return the groups of a dispatch of many steps, all resident at once; None if unknown."""
    return None if multiprocessors is None else max(multiprocessors, plan.groups)


def all_at_once(gpu: Gpu, kernel: Kernel, resident: int) -> bool:
    """Return whether ``resident`` groups of a kernel run at once: else they would wait forever.

    Where the device does not report it, one group per multiprocessor is assumed to.
    """
    each = gpu.occupancy(kernel)
    return resident <= (1 if each is None else each) * (gpu.multiprocessors or 0)


def takes_many(
    plan: FusedPlan, layout: NetworkLayout, encoding: Encoding, batch: int, resident: int | None
) -> bool:
    """Return whether steps of this fit can share one dispatch of ``resident`` groups.

    Only the network may be trained, with numbers of 16 bits or more.
    """
    return (
        resident is not None
        and (batch <= MOST_SAMPLES or not isinstance(plan, MatrixPlan))
        and layout.size <= MOST_BLOCKS * BLOCK * resident
        and encoding.number_count() == 0
        and all(layer.bits >= 16 for layer in layout.layers)
    )


def many_constants(plan: FusedPlan, layout: NetworkLayout, resident: int) -> str:
    """Return the constants of the device half: how groups share the numbers."""
    blocks = -(-layout.size // (BLOCK * resident))
    loads = min(MOST_LOADS, -(-plan.slots // (plan.threads // LANES)))
    # numbers that a thread sums: neighbors where one load takes four, else a wave reads whole lines
    apart = LANES if isinstance(plan, MatrixPlan) and not plan.mma else 1
    return (
        f"static const uint BLOCKS = {blocks};\n"
        f"static const uint LOADS = {loads};\n"
        f"static const uint APART = {apart};\n"
    )


def copy_size(layout: NetworkLayout) -> int:
    """Return the distance from one step's weights to the next step's, in numbers.

    A line of the cache must not hold numbers of two steps: read early, it would be stale later.
    """
    return -(-layout.size // LINE_HALVES) * LINE_HALVES


def live_numbers(layout: NetworkLayout) -> npt.NDArray[Any]:
    """Return float32 [layout.size]: 1 where a number is trained, 0 where it fills up."""
    live = np.zeros(layout.size, np.float32)
    for first, _, count, _ in layout.rows().tolist():
        live[first : first + count] = 1.0
    return live
