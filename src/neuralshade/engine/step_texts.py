"""Kernel texts of a fit's steps, known before any buffer is allocated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from neuralshade.engine.kernel_path import TrainingPath
from neuralshade.engine.kernel_plan import Plan, build_plan, train_text
from neuralshade.engine.kernels.step.gradients import (
    COPIES,
    GRADIENTS,
    UNCROWDED,
    choose_gradients,
    crowded_numbers,
)
from neuralshade.engine.kernels.step.many_steps import (
    INCLUDE,
    many_constants,
    resident_groups,
    takes_many,
)
from neuralshade.engine.kernels.step.portable import PortablePlan
from neuralshade.engine.kernels.step.update import (
    EXTENTS,
    latent_groups,
    table_words,
    update_text,
    whole_quads,
)
from neuralshade.engine.kernels.wgmma.wgmma import WgmmaPlan
from neuralshade.engine.layout import NetworkLayout
from neuralshade.engine.task import TaskText
from neuralshade.gpu.gpu import Gpu, KernelText
from neuralshade.model.field import Field
from neuralshade.model.parameters import Table

MakeTask = Callable[..., TaskText]  # see ``step_texts``
COARSE = ("update_network", "sum_network", "round_latents")  # entry points that may be, with grids
OF_NETWORK = ("update_layers", "round_network")  # entry points without grids


@dataclass(frozen=True)
class Training:
    """Settings of a field's training, for any task."""

    batch: int
    rate: float
    grid_rate: float
    betas: tuple[float, float]
    epsilon: float
    average: float  # decay of the mean weights; 0 keeps none
    touched: bool  # Adam for grids steps entries with a gradient only
    loss_scale: float
    exact: bool  # equal bits on every run
    grid_betas: tuple[float, float] | None = None  # of grids, where they differ
    grid_epsilon: float | None = None  # the same
    penalty: float = 0.0  # weight decay, as a share of the number added to its gradient
    frozen_layers: int = 0  # the first layers of the network, which do not change
    soap: bool = False  # steps the network, instead of Adam


class GridWork:
    """Division of a step's work on grids into groups, and buffers of their gradients."""

    def __init__(self, tables: Sequence[Table], gradients: str):
        self.words, self.groups, self.entries = table_words(tables)
        self.latents = any(table.unit for table in tables)  # then all are: one kernel steps them
        if self.latents:
            self.groups = latent_groups(tables)
        self.tables = len(tables)
        measured = not self.latents and any(table.bits < 16 for table in tables)
        self.rounding = self._rounding(measured)
        self.rounds_after = measured and gradients == "fixed"  # a step, by what it has measured
        self.most_features = max((table.stride for table in tables), default=1)
        self.crowded = 0 if gradients in UNCROWDED else crowded_numbers(tables)
        self.gradients, self.kind = gradients, GRADIENTS[gradients]

    def _rounding(self, measured: bool) -> list[tuple[str, int]]:
        """Return the entry points that write what look-ups read, and their groups."""
        if self.latents:
            return [("round_latents", self.groups)]
        measuring = [("measure_grid", self.groups), ("sum_extents", self.tables)]
        rounding = [("round_cells", self.groups)] if self.groups else []
        return [*(measuring if measured else ()), *rounding]

    def buffers(self, gpu: Gpu, count: int, touched: bool) -> dict[str, Any]:
        """Return the buffers of grids with ``count`` numbers, by their names in the kernels.

        ``touched``: Adam counts the steps of each entry.
        """
        count = whole_quads(count)
        sums = self.kind.sum_bytes * count + 4 * COPIES * self.crowded
        return {
            "tables": gpu.buffer(self.words),
            "hits": gpu.buffer(size=4 * self.entries if touched else 0),
            "group_extents": gpu.buffer(size=8 * self.groups * self.most_features),
            "extents": gpu.buffer(size=8 * EXTENTS * self.tables * self.most_features),
            "grid_sums": gpu.buffer(size=sums),
            "grid_halves": gpu.buffer(size=self.kind.half_bytes * count),
        }


@dataclass(frozen=True)
class StepTexts:
    """Kernel texts of steps, independent of the field's numbers."""

    field: Field
    task: TaskText
    training: Training
    plan: Plan
    layout: NetworkLayout
    work: GridWork
    resident: int  # resident groups where many steps share a dispatch, else 0
    apart: bool = False  # each entry point is compiled by itself, as through CUDA

    def prepare(self, gpu: Gpu) -> None:
        """Compile kernels ahead, the slowest first."""
        grids = [entry for entry, _ in self.work.rounding]
        network = ("sum_network", "update_layers") if self.side else ("update_network",)
        gpu.prepare([
            self.train("train_many" if self.resident else "train"),
            *self.task.kernels,
            *(self.update(entry) for entry in (*network, "round_network", *grids)),
        ])  # fmt: skip

    def train(self, entry: str) -> KernelText:
        """Return an entry point that computes gradients, of one step or of many."""
        # fast: numbers that are rounded to float16 need no finer input
        return KernelText(self._train_text, entry, self.plan.halves)

    def update(self, entry: str) -> KernelText:
        """Return an entry point of update.cs.slang."""
        # quotients and roots may be coarse unless bits must be equal
        coarse = entry in COARSE and self.work.groups > 0 and not self.training.exact
        if self.apart and entry in OF_NETWORK:  # one for all of a fit's networks: no grid in it
            side = self.side if entry == "update_layers" else 0
            alone = update_text((), halves=self.plan.halves, gradients="float", touched=False,
                                side=side)  # fmt: skip
            return KernelText(alone, entry)
        return KernelText(self._update_text, entry, coarse)

    @property
    def side(self) -> int:
        """Return the longest side of layers that are stepped along axes; 0 where none is."""
        if not self.training.soap:
            return 0
        from neuralshade.engine.kernels.step.layer_numbers import turned_side

        return turned_side(self.layout)

    @cached_property
    def _update_text(self) -> str:
        return update_text(
            self.field.encoding.tables(),
            halves=self.plan.halves,
            gradients=self.work.gradients,
            touched=self.training.touched,
            side=self.side,
        )

    @cached_property
    def _train_text(self) -> str:
        text = train_text(self.plan, self.field, self.task, many=self.resident > 0)
        if self.resident == 0:
            return text
        assert not isinstance(self.plan, PortablePlan), "takes_many is for fused plans only"
        return text + many_constants(self.plan, self.layout, self.resident) + INCLUDE


def step_texts(
    gpu: Gpu, field: Field, task: MakeTask, training: Training, path: TrainingPath, *,
    joined: bool = False,
) -> StepTexts:  # fmt: skip
    """Return the kernel texts that train ``field``.

    ``task``: called with ``halves`` (whether grid numbers are packed float16) and ``gradients``
    (a key of GRADIENTS, how theirs are summed); returns the TaskText.
    ``joined``: steps are parts of those of another network.
    """
    plan = build_plan(path, field.network, training.batch, gpu)
    layout = NetworkLayout(field.network, plan.align)
    gradients = choose_gradients(gpu, exact=training.exact, halves=plan.halves)
    apart = not training.exact and not joined and _by_levels(gpu, plan, field, training.batch)
    made = task(halves=plan.halves, gradients="levels" if apart else gradients)
    if apart and made.position:
        from neuralshade.engine.kernels.levels.levels import level_task

        gradients = "levels"
        made = level_task(gpu, field.encoding, training.batch, made)
    elif apart:
        made = task(halves=plan.halves, gradients=gradients)
    if made.small_samples and not joined:
        plan = build_plan(path, field.network, training.batch, gpu, small_samples=True)
    resident = 0
    alone = not joined and not training.soap and made.before is made.after is made.between is None
    if alone and training.frozen_layers == 0:
        resident = _resident_groups(gpu, plan, layout, field, training.batch)
    work = GridWork(field.encoding.tables(), gradients)
    return StepTexts(field, made, training, plan, layout, work, resident, gpu.api == "cuda")


def _by_levels(gpu: Gpu, plan: Plan, field: Field, batch: int) -> bool:
    """Return whether the grid has kernels of its own; a fit without loads none of them."""
    if not isinstance(plan, WgmmaPlan):
        return False
    from neuralshade.engine.kernels.levels.levels import trains_by_levels

    return trains_by_levels(gpu, plan, field.encoding, batch)


def _resident_groups(gpu: Gpu, plan: Plan, layout: NetworkLayout, field: Field, batch: int) -> int:
    """Return the groups of a dispatch of many steps; 0 where steps cannot share one."""
    if isinstance(plan, PortablePlan):
        return 0
    groups = resident_groups(plan, gpu.multiprocessors)
    taken = takes_many(plan, layout, field.encoding, batch, groups)
    return groups if groups is not None and taken else 0
