"""Grids in kernels of their own, level by level in group-shared memory.

Device halves: levels.encode.cs.slang, levels.scatter.cs.slang.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from neuralshade.engine.kernels.levels.level_jobs import (
    Unit,
    encode_units,
    jobs_of,
    scatter_units,
)
from neuralshade.engine.kernels.levels.planes import TASK
from neuralshade.engine.kernels.wgmma.wgmma import WgmmaPlan
from neuralshade.engine.task import TaskText
from neuralshade.gpu.gpu import Buffer, Dispatch, Gpu, KernelText, bound_kernel
from neuralshade.model.composite import Composite
from neuralshade.model.encoding import Encoding
from neuralshade.model.hash_grid import HashGrid

LEAST_BATCH = 2**16  # below it, further dispatches cost more than look-ups
LEAST_POSITIONS = 2**19  # of inference; the same
FEATURES = (2, 4, 8)  # of an entry: entries lie at multiples of 4 words, or four of them do
THREADS = 1024  # of a group, which has a multiprocessor for itself
SLACK_BYTES = 2048  # of group-shared memory: its beginning is moved, and other variables
JOINED_WORDS = 2**14  # of levels that share the sums of a group
ENCODE_BASE, SCATTER_BASE = 1.0, 1.5  # costs of a sample besides a level's, and of a level
SCATTER_LEVEL = 1.5  # besides a feature's
SOFTWARE_THREADS, SOFTWARE_WORDS, SOFTWARE_GROUPS = 64, 6144, 5  # of other devices, for tests

COMMON = """
#define TABLE_WORDS {words}
static const int FEATURES = {features};
static const int THREADS = {threads};
"""
ENCODE = """
#define KEEPS_PLACES 1
RWStructuredBuffer<StepState> states;

uint encoded_step()
{{
    return states[TRAINING].step;
}}

float2 position_at(uint index, uint step)
{{
    return make_drawn(0u).draw(index, step).{position};
}}
#include "neuralshade/engine/kernels/levels/levels.encode.cs.slang"
"""
LISTED = """
#define KEEPS_PLACES 0
StructuredBuffer<float2> positions;

uint encoded_step()
{
    return 0u;
}

float2 position_at(uint index, uint step)
{
    return positions[index];
}
#include "neuralshade/engine/kernels/levels/levels.encode.cs.slang"
"""
SCATTER = '#include "neuralshade/engine/kernels/levels/levels.scatter.cs.slang"\n'
IMPORTS = """import neuralshade.engine.kernels.step.step_state;
import neuralshade.gpu.instructions.additions;
import neuralshade.engine.kernels.levels.planes;
"""
# the task, under names that leave its own to the task around it
DRAWN = """#define Task Drawn
#define make_task make_drawn
{text}
#undef Task
#undef make_task
"""


def takes_levels(gpu: Gpu, plan: object, encoding: Encoding, count: int, least: int) -> bool:
    """Return whether these kernels encode ``count`` positions for a network's kernel ``plan``.

    ``least``: LEAST_BATCH in training, where they sum gradients too, else LEAST_POSITIONS.
    """
    if not isinstance(plan, WgmmaPlan) or count < least or not is_hash_grid(encoding):
        return False
    features, most = encoding.tables()[0].features, max(t.entries for t in encoding.tables())
    return features in FEATURES and most * features // 2 <= table_words(gpu) - 8


def trains_by_levels(gpu: Gpu, plan: object, encoding: Encoding, batch: int) -> bool:
    """Return whether these kernels encode and sum gradients for training steps."""
    return takes_levels(gpu, plan, encoding, batch, LEAST_BATCH)


def is_hash_grid(encoding: Encoding) -> bool:
    """Return whether all of ``encoding`` is one hash grid, of positions (u, v)."""
    if encoding.dimensions != 2:
        return False
    if isinstance(encoding, Composite):
        return len(encoding.members) == 1 and isinstance(encoding.members[0], HashGrid)
    return isinstance(encoding, HashGrid)


def table_words(gpu: Gpu) -> int:
    """Return the words of a group's table."""
    if gpu.api != "cuda":
        return SOFTWARE_WORDS
    assert gpu.adapter is not None
    return int(gpu.adapter.shared_bytes - SLACK_BYTES) // 4


class LevelKernels:
    """Encodes batches of positions by a grid, and sums the gradients of its numbers."""

    def __init__(self, gpu: Gpu, encoding: Encoding, batch: int):
        self.gpu, self.batch, self.tables = gpu, batch, encoding.tables()
        self.features = self.tables[0].features
        self.planes = len(self.tables) * self.features // 2
        cuda = gpu.api == "cuda"
        self.groups = (gpu.multiprocessors if cuda else None) or SOFTWARE_GROUPS
        self.words = table_words(gpu)
        self.common = COMMON.format(words=0 if cuda else self.words, features=self.features,
                                    threads=THREADS if cuda else SOFTWARE_THREADS)  # fmt: skip

    def buffers(self) -> dict[str, Any]:
        """Return the variables that the network's kernel shares with these: 4 bytes for each
        two columns of a sample.
        """
        planes: Buffer = self.gpu.buffer(size=4 * self.planes * self.batch)
        return {"planes": planes, "plane_size": self.batch}

    def encode(self, kernel: KernelText, variables: dict[str, Any], count: int) -> Dispatch:
        """Return the dispatch of levels.encode.cs.slang for ``count`` positions."""
        units = encode_units(self.tables, self.words)
        costs = [ENCODE_BASE + len(unit.tables) for unit in units]
        words = max(unit.entries for unit in units) * self.features // 2
        return self._dispatch(kernel, variables, units, costs, words, count)

    def scatter(self, kernel: KernelText, variables: dict[str, Any]) -> Dispatch:
        """Return the dispatch that sums gradients from those of the columns."""
        units = scatter_units(self.tables, self.words, JOINED_WORDS)
        costs = [
            SCATTER_BASE + len(unit.tables) * (SCATTER_LEVEL + unit.features) for unit in units
        ]
        words = max(unit.entries * unit.features for unit in units)
        return self._dispatch(kernel, variables, units, costs, words, self.batch)

    def _dispatch(self, kernel: KernelText, variables: dict[str, Any], units: Sequence[Unit],
                  costs: Sequence[float], words: int, count: int) -> Dispatch:  # fmt: skip
        jobs, firsts = jobs_of(units, costs, count, self.groups)
        bound = {**variables, "jobs": self.gpu.buffer(jobs), "job_firsts": self.gpu.buffer(firsts)}
        shared = 4 * words + SLACK_BYTES
        return bound_kernel(self.gpu, kernel, bound, shared_bytes=shared), self.groups


def level_task(gpu: Gpu, encoding: Encoding, batch: int, task: TaskText) -> TaskText:
    """Return ``task`` with its samples encoded, and gradients of grids summed, by own kernels.

    ``task`` tells its ``position``, declares "levels" of GRADIENTS, and dispatches nothing.
    """
    assert task.position and task.before is task.between is None
    levels = LevelKernels(gpu, encoding, batch)
    variables = {**task.variables, **levels.buffers(), "places": gpu.buffer(size=8 * batch)}
    drawn = DRAWN.format(text=task.text)
    common = IMPORTS + drawn + levels.common
    encode = KernelText(common + ENCODE.format(position=task.position), "encode_levels", True)
    scatter = KernelText(common + SCATTER, "scatter_levels", True)

    def before(bound: dict[str, Any]) -> list[Dispatch]:
        return [levels.encode(encode, {**bound, **variables}, batch)]

    def between(bound: dict[str, Any]) -> list[Dispatch]:
        return [levels.scatter(scatter, {**bound, **variables})]

    text = "import neuralshade.engine.kernels.levels.planes;\n" + drawn
    return replace(
        task, text=text + TASK.format(planes=levels.planes), variables=variables,
        before=before, between=between, kernels=(encode, scatter),
    )  # fmt: skip
