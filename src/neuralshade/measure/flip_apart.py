"""FLIP of many pairs of pictures in processes: its evaluator holds Python's lock."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from neuralshade.base.ahead import begin, taken_result
from neuralshade.base.cores import core_count, map_on_cores
from neuralshade.base.sandbox.wire import Array
from neuralshade.measure.pair import Pixels
from neuralshade.measure.quality import flip
from neuralshade.measure.rival_process import RivalProcess, measured_apart, waiting_process

KEY = "processes that measure FLIP"  # of what is begun ahead
TASK = f"{__name__}:flip_facts"
PROCESS_CORES, MOST_PROCESSES = 4, 4  # the evaluator uses a few cores well

Pair = tuple[Pixels, Pixels]


def begin_processes() -> None:
    """Begin to start processes for ``flips``, if anybody keeps them and cores are many."""
    count = min(MOST_PROCESSES, core_count() // PROCESS_CORES)
    if count > 1:
        begin(KEY, lambda: [waiting_process(TASK, PROCESS_CORES) for _ in range(count)])


def flips(pairs: Sequence[Pair]) -> list[float]:
    """Return ``flip`` of each pair of equal shapes, in sRGB; in processes where they were begun.

    Raises: what ``flip`` raises.
    """
    processes: list[RivalProcess | None] = taken_result(KEY) or []
    if not processes:
        return list(map_on_cores(lambda pair: flip(*pair) or 0.0, pairs))
    share = math.ceil(len(pairs) / len(processes))
    parts = [pairs[first : first + share] for first in range(0, len(pairs), share)]

    def measured(number: int) -> list[float]:
        sides = [np.stack(side) for side in zip(*parts[number], strict=True)]
        found: list[float] = measured_apart(TASK, {}, sides, processes[number])["flips"]
        return found

    return [value for part in map_on_cores(measured, range(len(parts))) for value in part]


def flip_facts(facts: Mapping[str, Any], arrays: Sequence[Array]) -> dict[str, Any]:
    """Measure pairs of ``flips``: targets and results, float32 [n, H, W, C]."""
    return {"flips": [flip(*pair) or 0.0 for pair in zip(*arrays, strict=True)]}
