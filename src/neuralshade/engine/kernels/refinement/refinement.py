"""Refinement of codes after training, on the GPU. Device half: refinement.cs.slang.

Kernels that do not evaluate the field are those of other fields, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch

from neuralshade.base.progress_scope import part, working
from neuralshade.engine.code_bands import Band, Group, bands_of
from neuralshade.engine.code_refinement import DAMPING, run_passes
from neuralshade.engine.kernels.refinement.tables import (
    BAND,
    LATTICE,
    GroupTables,
    Table,
    alpha_of,
    band_lattices,
    band_levels,
    weights_of,
)
from neuralshade.engine.layout import NetworkLayout, sizes_text
from neuralshade.gpu.gpu import (
    Buffer,
    Commands,
    Gpu,
    Kernel,
    KernelText,
    Steps,
    bound_kernel,
    raw_bytes,
    write_once,
)
from neuralshade.model.field import Field

THREADS = 64  # of a group
SLOPE_BYTES = 2**28  # limit for the slopes of a band
ENCODING = "Refined"  # prefix of its Slang declarations
FEW, MANY = 4, 32  # threads a texel
ROWS, SOFTWARE_ROWS = 8, 2  # of a layer at once; compilers for CPUs take long for many
FEW_PIXELS = 24  # at most so many pixels that read a texel are few
LOOK = """
#define DIMENSIONS {dimensions}
typealias Encoding = {encoding};
static const int ALPHA = {alpha};
static const int ROWS = {rows};
StructuredBuffer<float> grid_numbers;

FloatParameters grid()
{{
    return {{ grid_numbers }};
}}
#include "neuralshade/engine/kernels/refinement/refinement.cs.slang"
"""
DESCEND = """static const int OUTPUTS = {outputs};
static const uint LANES = {lanes};
static const float DAMPING = {damping};
#include "neuralshade/engine/kernels/refinement/refinement.codes.cs.slang"
"""
BANDS = '#include "neuralshade/engine/kernels/refinement/refinement.bands.cs.slang"\n'


@dataclass(frozen=True)
class BandPlan:
    """Dispatches for a band."""

    tables: dict[str, Table]  # by the names of their buffers
    judging: Table  # the band once more, for its error after the search
    groups: int  # over its pixels
    look: Steps
    descend: list[tuple[Steps, int]]  # by level, with repetitions
    keep: list[Steps]
    restore: list[Steps]


class GpuRefinement:
    """GPU counterpart of ``code_refinement.descend_codes``, for several groups of levels.

    Sums have a fixed order, so results are reproducible. The order differs from the CPU's: of
    codes with nearly equal errors the two may choose different ones.

    ``slope_bytes``: see SLOPE_BYTES. Raises: DeviceError where the GPU has too little memory.
    """

    def __init__(
        self, gpu: Gpu, field: Field, groups: Sequence[Group], slope_bytes: int = SLOPE_BYTES
    ):
        self.gpu, self.field, self.groups = gpu, field, groups
        self.layout = NetworkLayout(field.network)
        self.channels = field.network.members[-1].weight.shape[0]
        self.alpha = alpha_of([lattice for group in groups for lattice in group.lattices])
        self.tables = [GroupTables.of(group) for group in groups]
        self.bands = [self._bands(*pair, slope_bytes)
                      for pair in zip(groups, self.tables, strict=True)]  # fmt: skip
        self.buffers = self._buffers()
        self._sizes = field.encoding.sized_slang(ENCODING).uniforms
        texts = refinement_texts(field, self.alpha, SOFTWARE_ROWS if gpu.adapter.software else ROWS)
        gpu.prepare(texts)
        look, few, many, copy_codes, next_turn = texts
        codes, kept = self.buffers["codes"], self.buffers["kept"]
        self._look, self._next_turn = self._kernel(look), self._kernel(next_turn)
        self._keep = self._kernel(copy_codes, copied=codes, copies=kept)
        self._restore = self._kernel(copy_codes, copied=kept, copies=codes)
        self._descends = {FEW: self._kernel(few), MANY: self._kernel(many)}
        self._errors = gpu.reader(self.buffers["errors"], self.buffers["errors"].size)
        self._moved = gpu.reader(self.buffers["moved"], 4)

    def _bands(self, group: Group, tables: GroupTables, slope_bytes: int) -> list[Band]:
        most = max(1, slope_bytes // (4 * self.channels * len(tables.slots)))
        return bands_of(group.levels, group.lattices, most)

    def pixels(self, index: int, band: Band) -> int:
        """Return the number of pixels of a group's lattices that read a band."""
        return sum(len(rows) * lattice.size[1] for rows, lattice
                   in zip(band.rows, self.groups[index].lattices, strict=True))  # fmt: skip

    def _buffers(self) -> dict[str, Buffer]:
        """Return buffers by their names in the kernels, large enough for each group and band."""
        gpu, tables = self.gpu, self.tables
        pixels = [max(self.pixels(index, band) for band in bands)
                  for index, bands in enumerate(self.bands)]  # fmt: skip
        most = max(pixels)
        slopes = max(count * len(own.slots) for count, own in zip(pixels, tables, strict=True))
        numbers = 4 * self.field.encoding.number_count()
        lattices = [lattice for group in self.groups for lattice in group.lattices]
        room = {name: max(getattr(own, name).nbytes for own in tables)
                for name in ("slots", "levels", "stencils", "entries", "blocks")}  # fmt: skip
        room |= {
            "bands": BAND.itemsize, "lattices": LATTICE.itemsize * len(lattices),
            "progress": 8, "moved": 4,
            "residuals": 4 * self.channels * most, "slopes": 4 * self.channels * slopes,
            "errors": 8 * -(-most // THREADS), "codes": numbers, "kept": numbers,
            "network": 4 * self.layout.size,
            "targets": 4 * self.channels * sum(math.prod(each.size) for each in lattices),
        }  # fmt: skip
        known = {"weights": weights_of(lattices, self.channels),
                 **self.field.encoding.fixed_buffers(ENCODING)}  # fmt: skip
        found = {name: gpu.buffer(size=size) for name, size in room.items()}
        first = 0
        for targets in (each.targets() for each in lattices):  # one by one: they are large
            write_once(gpu, found["targets"], targets, first)
            first += targets.nbytes
        return found | {name: gpu.buffer(table) for name, table in known.items()}

    def _kernel(self, kernel: KernelText, **others: Buffer) -> Kernel:
        bound = {**self.buffers, "grid_numbers": self.buffers["codes"], **self._sizes, **others}
        return bound_kernel(self.gpu, kernel, bound)

    def refine(self, passes: int, stopped: Callable[[], bool] = lambda: False) -> int:
        """Move codes so that the field's current network is nearer to the lattices' targets.

        The levels' codes and the field change in place. Arguments and result are those of
        ``code_refinement.descend_codes``, for each group in turn.
        """

        def improved(plan: BandPlan) -> int:
            return 0 if stopped() else self._improve(plan)

        self._upload(self._numbers())
        count, total = passes * sum(map(len, self.bands)), 0
        with working("searching codes"), part("searching codes", count) as work:
            for index in range(len(self.groups)):
                plans = list(self.plans(index))
                total += run_passes(passes, partial(map, improved, plans), work)
        self._take_over()
        return total

    def _numbers(self) -> dict[str, Table]:
        encoding = self.field.encoding
        numbers = encoding.flatten(list(encoding.parameters())).numpy()
        return {"network": self.layout.flatten(list(self.field.network.parameters())),
                "codes": numbers}  # fmt: skip

    def plans(self, index: int) -> Iterator[BandPlan]:
        """Upload the tables shared by all bands of a group; yield the plan of each."""
        group, tables = self.groups[index], self.tables[index]
        shared = ("slots", "stencils", "entries", "blocks")
        self._upload({name: getattr(tables, name) for name in shared})
        before = [lattice for group in self.groups[:index] for lattice in group.lattices]
        firsts = (sum(math.prod(lattice.size) for lattice in before),
                  self.channels * len(before))  # fmt: skip
        for band in self.bands[index]:
            pixels = self.pixels(index, band)
            groups = -(-pixels // THREADS)
            about, judging = (np.array([(pixels, len(group.lattices), *rest)], BAND)
                              for rest in ((0, len(tables.slots)), (groups, 0)))  # fmt: skip
            levels = band_levels(tables, band)
            lattices = band_lattices(group, band, self.channels, *firsts)
            yield BandPlan(
                {"bands": about, "levels": levels, "lattices": lattices}, judging, groups,
                self.gpu.steps([(self._look, groups)]),
                [self._descent(tables, level) for level in levels],
                [self._own(self._keep, level) for level in levels],
                [self._own(self._restore, level) for level in levels],
            )  # fmt: skip

    def _own(self, kernel: Kernel, level: Table) -> Steps:
        count = (level["own_end"] - level["own_begin"]) * level["columns"] * level["stride"]
        return self.gpu.steps([(kernel, -(-int(count) // THREADS))])

    def _descent(self, tables: GroupTables, level: Table) -> tuple[Steps, int]:
        """Return one turn of a level, and the number of turns."""
        stencil = tables.stencils[level["first_stencil"]]
        few = stencil["along_most"] * stencil["down_most"] <= FEW_PIXELS
        lanes = FEW if few else MANY
        own = int(level["own_end"]) - int(level["own_begin"])
        texels = (int(level["columns"]) + 1) // 2 * ((own + 1) // 2)
        turn = self.gpu.steps([(self._descends[lanes], -(-texels * lanes // THREADS)),
                               (self._next_turn, 1)])  # fmt: skip
        colors = int(level["column_colors"]) * int(level["row_colors"])
        return turn, int(level["features"]) * colors

    def _improve(self, plan: BandPlan) -> int:
        """Move a band's codes once; return how many moved."""
        if not plan.groups:
            return 0
        commands = self.gpu.commands()
        self.begin(commands, plan)
        for index in reversed(range(len(plan.descend))):
            self._choose(commands, index)
            commands.run(*plan.descend[index])
        commands.upload(self.buffers["bands"], 0, raw_bytes(plan.judging))
        commands.run(plan.look)
        commands.submit()
        errors = self._errors.read().view(np.float32)[: 2 * plan.groups].astype(np.float64)
        if errors[plan.groups :].sum() < errors[: plan.groups].sum():
            return int(self._moved.read().view(np.uint32)[0])
        commands = self.gpu.commands()
        self._each(commands, plan.restore)
        commands.submit()
        return 0

    def begin(self, commands: Commands, plan: BandPlan) -> None:
        """Save a band's codes, and compute its errors and slopes on the device."""
        for name, table in plan.tables.items():
            commands.upload(self.buffers[name], 0, raw_bytes(table))
        commands.clear(self.buffers["moved"])
        self._each(commands, plan.keep)
        commands.run(plan.look)

    def _each(self, commands: Commands, steps: Sequence[Steps]) -> None:
        for index, one in enumerate(steps):
            self._choose(commands, index)
            commands.run(one)

    def _choose(self, commands: Commands, level: int) -> None:
        commands.upload(self.buffers["progress"], 0, np.array([level, 0], np.uint32))

    def _take_over(self) -> None:
        """Copy the resulting codes to the levels and the field."""
        numbers = torch.from_numpy(self.buffers["codes"].read().view(np.float32))
        for group in self.groups:
            for level in group.levels:
                features, rows, columns = level.codes.shape
                end = level.first_number + rows * columns * level.stride
                found = numbers[level.first_number : end].view(rows, columns, -1)
                planes = found[..., :features].permute(2, 0, 1)
                torch.div(planes, level.quantum[:, None, None], out=level.codes)
                if level.offset:
                    level.codes -= level.offset
                level.codes.round_()
                level.apply(slice(0, rows))

    def _upload(self, tables: dict[str, Table]) -> None:
        commands = self.gpu.commands()
        for name, table in tables.items():
            commands.upload(self.buffers[name], 0, raw_bytes(table))
        commands.submit()


def refinement_texts(field: Field, alpha: int | None, rows: int = ROWS) -> list[KernelText]:
    """Return the kernel texts of a search of ``field``'s codes, the slowest first.

    ``alpha``: the channel that errors of all others count by, None where there is none.
    """
    outputs = field.network.members[-1].weight.shape[0]
    few, many = (DESCEND.format(outputs=outputs, lanes=lanes, damping=DAMPING)
                 for lanes in (FEW, MANY))  # fmt: skip
    return [KernelText(_look_text(field, alpha, rows), "look"),
            KernelText(few, "descend"), KernelText(many, "descend"),
            KernelText(BANDS, "copy_codes"), KernelText(BANDS, "next_turn")]  # fmt: skip


def _look_text(field: Field, alpha: int | None, rows: int) -> str:
    half = field.encoding.sized_slang(ENCODING)
    modules = half.modules | {f"neuralshade.model.{name}"
                              for name in ("activation", "encoding", "parameters")}  # fmt: skip
    text = LOOK.format(dimensions=field.dimensions, encoding=half.type,
                       alpha=-1 if alpha is None else alpha, rows=rows)  # fmt: skip
    lines = "".join(f"import {name};\n" for name in sorted(modules))
    return lines + half.declarations + sizes_text(field.network) + text
