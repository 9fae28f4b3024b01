"""Parameter update: gradients in, rounded copies out. Device half: update.cs.slang."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.engine.kernels.step.gradients import GRADIENTS
from neuralshade.errors import ConfigError
from neuralshade.gpu.gpu import Buffer, Gpu
from neuralshade.model.parameters import Table
from neuralshade.model.quantize import LEVELS

Floats = npt.NDArray[np.float32]
Write = Callable[[Buffer, npt.NDArray[Any]], None]  # into a buffer, from its beginning

GROUP_THREADS = 512
QUAD = 4  # numbers of a grid that a thread updates
MOST_FEATURES = GROUP_THREADS - 1  # of an entry, all of whose numbers one group updates
EXTENTS = 5  # that are kept of each feature: see update.extents.slang

TEXT = """#define GRADIENTS {gradients}
#define TOUCHED {touched}
#define STORED_HALVES {halves}
#define SIDE {side}
#define LATENTS {latents}
typealias Stored = {stored};
static const int MAX_FEATURES = {features};
#include "neuralshade/engine/kernels/step/update.cs.slang"
"""


def update_text(
    tables: Sequence[Table], *, halves: bool, gradients: str, touched: bool, side: int = 0
) -> str:
    """Return the module with the update kernels for these grids.

    ``side``: of layers that have axes, as ``turned_side`` returns it.
    """
    latents = any(table.unit for table in tables)
    return TEXT.format(
        gradients=GRADIENTS[gradients].number,
        touched=int(touched),
        halves=int(halves),
        side=side,
        latents=int(latents),
        stored="half" if halves else "float",
        # latents are stepped alike whatever their entries are
        features=1 if latents else max((table.stride for table in tables), default=1),
    )


def table_words(tables: Sequence[Table]) -> tuple[npt.NDArray[Any], int, int]:
    """Return the device's table of grid levels, the groups to dispatch, and all entries.

    Raises: ConfigError for an entry of more than MOST_FEATURES numbers.
    """
    words, group, entry = [], 0, 0
    for table in tables:
        if table.stride > MOST_FEATURES:
            raise ConfigError(
                f"encoding: got a grid of {table.stride} numbers an entry, need {MOST_FEATURES} "
                "or fewer to train it on a GPU. Use several levels or grids."
            )
        span = group_span(table.stride)
        groups = -(-table.entries * table.stride // span)
        words.append((table.first, table.entries, table.stride, table.bits,
                      group, entry, groups, span))  # fmt: skip
        group, entry = group + groups, entry + table.entries
    return np.array(words, np.uint32).reshape(-1, 8), group, entry


def group_span(features: int) -> int:
    """Return how many numbers of a table a group updates: whole entries and whole quads."""
    both = math.lcm(features, QUAD)
    return QUAD * (GROUP_THREADS - 1) // both * both  # the first quad may begin before the table


def latent_groups(tables: Sequence[Table]) -> int:
    """Return the groups for all latents, ``QUAD`` a thread."""
    numbers = max(table.end for table in tables)
    return -(-numbers // (QUAD * GROUP_THREADS))


def whole_quads(numbers: int) -> int:
    """Return the padded size for kernels that access ``QUAD`` numbers at once."""
    return -(-numbers // QUAD) * QUAD


def levels_of(bits: int) -> dict[str, float]:
    """Return the rounding of ``bits`` bits for the device half."""
    levels = LEVELS[bits]
    return {"low": float(levels.low), "high": float(levels.high),
            "offset": levels.offset, "reach": levels.reach}  # fmt: skip


class Numbers:
    """Trained numbers in float32, their Adam moments and their rounded copies."""

    layer_count = 0  # that are stepped along axes of their own; LayerNumbers has some

    def __init__(self, gpu: Gpu, values: Floats, halves: bool, room: int = 0):
        size = values.nbytes
        self.count = values.size
        self.values = gpu.buffer(values)
        self.moments = gpu.buffer(size=2 * size)
        self.means = gpu.buffer(size=size)
        room = max(room, self.count)  # of rounded numbers
        self.stored = gpu.buffer(size=room * (2 if halves else 4))
        self.stored_mean = gpu.buffer(size=size // 2 if halves else size)

    def bound(self) -> dict[str, Any]:
        """Return the buffers by the names that the update kernels use."""
        return {"values": self.values, "moments": self.moments, "means": self.means,
                "stored": self.stored}  # fmt: skip

    def bound_mean(self, average: bool) -> dict[str, Any]:
        """Return the same for rounding to ``stored_mean``: the means where ``average``."""
        return {"values": self.means if average else self.values, "stored": self.stored_mean}

    def axes(self) -> dict[str, torch.Tensor]:
        """Return the state of the layers' axes: empty here."""
        return {}

    def write_axes(self, state: Mapping[str, torch.Tensor], write: Write) -> None:
        """Load the result of ``axes``."""

    def read(self, name: str, part: int = 0) -> Floats:
        """Return the numbers of buffer ``name``; ``part`` 1 is the second moments."""
        buffer: Buffer = getattr(self, name)
        raw = buffer.read().view(np.float32)
        return raw[part * self.count : (part + 1) * self.count]

    def write(self, name: str, parts: Sequence[Floats], write: Write) -> None:
        """Replace the numbers of buffer ``name``: all its parts, as ``read`` has them."""
        write(getattr(self, name), np.concatenate(parts))


class GridNumbers(Numbers):
    """``Numbers`` of grids, of which a kernel accesses ``QUAD`` at once."""

    def __init__(self, gpu: Gpu, values: Floats, halves: bool):
        super().__init__(gpu, np.pad(values, (0, whole_quads(values.size) - values.size)), halves)
        self.filled, self.count = self.count, values.size

    def bound(self) -> dict[str, Any]:
        return {f"grid_{name}": buffer for name, buffer in super().bound().items()}

    def bound_mean(self, average: bool) -> dict[str, Any]:
        return {f"grid_{name}": buffer for name, buffer in super().bound_mean(average).items()}

    def read(self, name: str, part: int = 0) -> Floats:
        raw: Floats = getattr(self, name).read().view(np.float32)
        return raw[part * self.filled : part * self.filled + self.count]

    def write(self, name: str, parts: Sequence[Floats], write: Write) -> None:
        filling = (0, self.filled - self.count)
        super().write(name, [np.pad(part, filling) for part in parts], write)
