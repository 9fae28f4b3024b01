"""What the steps of a fit are made of on the GPU: how it is trained, buffers, kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from neuralshade.engine.kernel_plan import Plan, train_text
from neuralshade.engine.kernels.step.gradients import COPIES, GRADIENTS, crowded_numbers
from neuralshade.engine.kernels.step.many_steps import INCLUDE, copy_size, many_constants
from neuralshade.engine.kernels.step.portable import PortablePlan
from neuralshade.engine.kernels.step.step_state import RATES, StepState
from neuralshade.engine.kernels.step.update import (
    Numbers,
    latent_groups,
    levels_of,
    table_words,
    update_text,
    whole_quads,
)
from neuralshade.engine.layout import NetworkLayout
from neuralshade.engine.task import TaskText
from neuralshade.gpu.gpu import Dispatch, Gpu, Kernel, KernelText
from neuralshade.model.field import Field
from neuralshade.model.parameters import Table

if TYPE_CHECKING:  # a fit without latents loads none
    from neuralshade.engine.kernels.step.latent_words import LatentNumbers

COARSE = ("update_latents", "round_latents")  # entry points of whose numbers 16 bits are kept


@dataclass(frozen=True)
class Training:
    """How a field is trained, whatever it is."""

    batch: int
    rate: float
    grid_rate: float
    betas: tuple[float, float]
    epsilon: float
    average: float  # decay of the mean weights; 0 keeps none
    touched: bool  # Adam for grids steps entries with a gradient only
    loss_scale: float
    exact: bool  # equal bits on every run
    grid_betas: tuple[float, float] | None = None  # of grids, where they have others
    penalty: float = 0.0  # share of a weight or bias that its gradient has besides
    frozen_layers: int = 0  # of the network, its first ones, which stay as they are


def _adam(rate: float, betas: tuple[float, float], epsilon: float) -> dict[str, float]:
    return {"rate": rate, "beta1": betas[0], "beta2": betas[1], "epsilon": epsilon}


class GridWork:
    """How a step's work on grids is cut into groups, and where their gradients are summed."""

    def __init__(self, tables: Sequence[Table], gradients: str):
        self.words, self.groups, self.entries = table_words(tables)
        self.latents = any(table.unit for table in tables)  # then all are: one kernel steps them
        self.update, self.rounding = "update_cells", ["measure_grid", "round_cells"]
        if self.latents:
            self.groups = latent_groups(tables)
            self.update, self.rounding = "update_latents", ["round_latents"]
        self.rounds = not self.latents and any(table.bits < 16 for table in tables)
        self.most_features = max((table.features for table in tables), default=1)
        self.crowded = 0 if gradients == "fixed" else crowded_numbers(tables)
        self.gradients, self.kind = gradients, GRADIENTS[gradients]

    def buffers(self, gpu: Gpu, count: int, touched: bool) -> dict[str, Any]:
        """Return the buffers of grids with ``count`` numbers, by their names in the kernels.

        ``touched``: Adam counts the steps of each entry.
        """
        count = whole_quads(count)
        sums = self.kind.sum_bytes * count + 4 * COPIES * self.crowded
        return {
            "tables": gpu.buffer(self.words),
            "hits": gpu.buffer(size=4 * self.entries if touched else 0),
            "extents": gpu.buffer(size=8 * self.groups * self.most_features),
            "grid_sums": gpu.buffer(size=sums),
            "grid_halves": gpu.buffer(size=self.kind.half_bytes * count),
        }


def step_buffers(gpu: Gpu, plan: Plan, layout: NetworkLayout, state: StepState) -> dict[str, Any]:
    """Return the buffers of steps besides those of grids, by their names in the kernels."""
    return {
        "rows": gpu.buffer(layout.rows()),
        "partials": gpu.buffer(size=4 * plan.slots * layout.size),
        "partial_losses": gpu.buffer(size=4 * plan.groups),
        "states": gpu.buffer(state.pair()),
        "broken": gpu.buffer(size=8),
        "rate_ring": gpu.ring(np.float32, RATES),
    }


@dataclass(frozen=True)
class StepKernels:
    """What the kernels of one fit are compiled from and bound to."""

    gpu: Gpu
    field: Field
    task: TaskText
    training: Training
    plan: Plan
    layout: NetworkLayout
    network: Numbers
    grid: Numbers | LatentNumbers
    work: GridWork
    buffers: dict[str, Any]  # step_buffers, and those of ``work``
    resident: int  # groups that run at once where many steps share a dispatch, else 0

    def prepare(self) -> None:
        """Compile what steps are made of, those that take longest first."""
        train, fast = "train_many" if self.resident else "train", self.plan.halves
        grids = (self.work.update, *self.work.rounding) if self.work.groups else ()
        self.gpu.prepare([
            KernelText(self._train_text, train, fast),
            *(KernelText(self._update_text, entry, self._is_coarse(entry))
              for entry in ("update_network", "round_network", *grids)),
        ])  # fmt: skip

    def train(self) -> Kernel:
        """Return the kernel that leaves one step's gradient."""
        return self._train_kernel("train", self._trained)

    def train_many(self, added: dict[str, Any]) -> Kernel:
        """Return the kernel that runs many whole steps; ``added`` is what only it binds."""
        settings = self._settings(rounds_mean=False)
        many = {"adam": settings["network"], "penalty": settings["penalty"],
                "average": self.training.average, "numbers": settings["numbers"],
                "resident": self.resident, "slots": self.plan.slots,
                "copy_size": copy_size(self.layout)}  # fmt: skip
        variables = {
            **self._trained, **added, "many": many, "network_ring": self.network.stored,
            "values": self.network.values, "moments": self.network.moments,
            "means": self.network.means, "partial_words": self.buffers["partials"],
            "loss_words": self.buffers["partial_losses"],
        }  # fmt: skip
        return self._train_kernel("train_many", variables)

    def update(
        self, entry: str, numbers: dict[str, Any], *, rounds_mean: bool = False, noisy: bool = False
    ) -> Kernel:
        """Return an entry point of update.cs.slang for ``numbers``, as their ``bound`` has them."""
        variables = {
            **self.buffers, "grid_gradients": self.buffers["grid_sums"],
            "sum_quads": self.buffers["grid_sums"], "half_sum_quads": self.buffers["grid_halves"],
            "levels4": levels_of(4), "levels8": levels_of(8),
            "settings": self._settings(rounds_mean=rounds_mean, noisy=noisy), **numbers,
        }  # fmt: skip
        return self.gpu.kernel(
            self._update_text, entry, variables, fast_math=self._is_coarse(entry)
        )

    def _is_coarse(self, entry: str) -> bool:
        """Return whether quotients and roots may be coarse, where bits need not be equal."""
        return entry in COARSE and not self.training.exact

    def rounding(
        self, network: dict[str, Any], grid: dict[str, Any], *, rounds_mean: bool = False,
        noisy: bool = False,
    ) -> list[Dispatch]:  # fmt: skip
        """Return what rounds these numbers, trained ones or their mean.

        ``noisy``: latents get the noise of the last step in place of that.
        """
        rows = len(self.layout.rows())
        dispatches: list[Dispatch] = [
            (self.update("round_network", network, rounds_mean=rounds_mean), rows)
        ]
        for entry in self.work.rounding if self.work.groups else ():
            kernel = self.update(entry, grid, rounds_mean=rounds_mean, noisy=noisy)
            dispatches.append((kernel, self.work.groups))
        return dispatches

    def mean_rounding(self) -> list[Dispatch]:
        """Return what makes the rounded copies for inference: of mean weights if there are any."""
        mean = self.training.average > 0
        network, grid = self.network.bound_mean(mean), self.grid.bound_mean(mean)
        return self.rounding(network, grid, rounds_mean=mean)

    def _train_kernel(self, entry: str, variables: dict[str, Any]) -> Kernel:
        plan = self.plan
        return self.gpu.kernel(
            self._train_text,
            entry,
            {**self.buffers, **variables},
            shared_bytes=plan.shared_bytes,
            fast_math=plan.halves,  # what is rounded to float16 need not be finer before
        )

    @property
    def _trained(self) -> dict[str, Any]:
        return {
            **self.task.variables,
            "network": self.network.stored,
            "network_words": self.network.stored,
            "grid_numbers": self.grid.stored,
            "batch": self.training.batch,
            "groups": self.plan.groups,
            "slot_size": self.layout.size,
        }

    def _settings(self, *, rounds_mean: bool, noisy: bool = False) -> dict[str, Any]:
        t = self.training
        network, grid = t.betas, t.grid_betas or t.betas
        outputs = self.field.network.members[-1].weight.shape[0]
        return {
            "network": _adam(t.rate, network, t.epsilon),
            "grid": _adam(t.grid_rate, grid, t.epsilon),
            "penalty": t.penalty,
            "average": t.average,
            "numbers": float(t.batch * outputs),
            "slots": self.plan.slots,
            "slot_size": self.layout.size,
            "table_count": len(self.field.encoding.tables()),
            "losses": self.plan.groups,
            "noisy": int(noisy),
            "rounds_mean": int(rounds_mean),
            "network_numbers": self.network.count,
            "grid_numbers": self.grid.count,
            "crowded": self.work.crowded,
        }

    @cached_property
    def _update_text(self) -> str:
        return update_text(
            self.field.encoding.tables(),
            halves=self.plan.halves,
            gradients=self.work.gradients,
            touched=self.training.touched,
        )

    @cached_property
    def _train_text(self) -> str:
        text = train_text(self.plan, self.field, self.task, many=self.resident > 0)
        if self.resident == 0:
            return text
        assert not isinstance(self.plan, PortablePlan), "takes_many is asked for fused plans only"
        return text + many_constants(self.plan, self.layout, self.resident) + INCLUDE
