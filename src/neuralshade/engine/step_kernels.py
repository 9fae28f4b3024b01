"""The kernels of a fit on the GPU, compiled and bound to its buffers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from neuralshade.engine.gpu_numbers import GridWork, Numbers
from neuralshade.engine.kernel_plan import Plan, train_text
from neuralshade.engine.kernels.step.many_steps import INCLUDE, copy_size, many_constants
from neuralshade.engine.kernels.step.portable import PortablePlan
from neuralshade.engine.kernels.step.update import levels_of, update_text
from neuralshade.engine.layout import NetworkLayout
from neuralshade.engine.task import TaskText
from neuralshade.engine.training import Training
from neuralshade.gpu.gpu import Dispatch, Gpu, Kernel
from neuralshade.model.field import Field


@dataclass(frozen=True)
class FitKernels:
    """What the kernels of one fit are compiled from and bound to."""

    gpu: Gpu
    field: Field
    task: TaskText
    training: Training
    plan: Plan
    layout: NetworkLayout
    network: Numbers
    grid: Numbers
    work: GridWork
    buffers: dict[str, Any]  # step_buffers, and those of ``work``
    gradients: str  # key of GRADIENTS
    resident: int  # groups that run at once where many steps share a dispatch, else 0

    def train(self) -> Kernel:
        """Return the kernel that leaves one step's gradient."""
        return self._train_kernel("train", self._trained)

    def train_many(self, added: dict[str, Any]) -> Kernel:
        """Return the kernel that runs many whole steps; ``added`` is what only it binds."""
        settings = self._settings(rounds_mean=False)
        many = {"adam": settings["network"], "average": self.training.average,
                "numbers": settings["numbers"], "resident": self.resident,
                "slots": self.plan.slots, "copy_size": copy_size(self.layout)}  # fmt: skip
        variables = {
            **self._trained, **added, "many": many, "network_ring": self.network.stored,
            "values": self.network.values, "moments": self.network.moments,
            "means": self.network.means, "partial_words": self.buffers["partials"],
            "loss_words": self.buffers["partial_losses"],
        }  # fmt: skip
        return self._train_kernel("train_many", variables)

    def update(self, entry: str, numbers: dict[str, Any], *, rounds_mean: bool = False) -> Kernel:
        """Return an entry point of update.cs.slang for ``numbers``, as Numbers.bound has them."""
        variables = {
            **self.buffers, "grid_gradients": self.buffers["grid_sums"],
            "levels4": levels_of(4), "levels8": levels_of(8),
            "settings": self._settings(rounds_mean=rounds_mean), **numbers,
        }  # fmt: skip
        return self.gpu.kernel(self._update_text, entry, variables)

    def rounding(
        self, network: dict[str, Any], grid: dict[str, Any], *, rounds_mean: bool = False
    ) -> list[Dispatch]:
        """Return what rounds these numbers, trained ones or their mean."""
        rows = len(self.layout.rows())
        dispatches: list[Dispatch] = [
            (self.update("round_network", network, rounds_mean=rounds_mean), rows)
        ]
        for entry in ("measure_grid", "round_cells") if self.work.groups else ():
            kernel = self.update(entry, grid, rounds_mean=rounds_mean)
            dispatches.append((kernel, self.work.groups))
        return dispatches

    def mean_rounding(self) -> list[Dispatch]:
        """Return what makes the rounded copies for inference: of mean weights if there are any."""
        mean = self.training.average > 0
        network, grid = (
            {"values": of.means if mean else of.values, "stored": of.stored_mean}
            for of in (self.network, self.grid)
        )
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

    def _settings(self, *, rounds_mean: bool) -> dict[str, Any]:
        t = self.training
        adam = {"beta1": t.betas[0], "beta2": t.betas[1], "epsilon": t.epsilon}
        outputs = self.field.network.members[-1].weight.shape[0]
        return {
            "network": {"rate": t.rate, **adam},
            "grid": {"rate": t.grid_rate, **adam},
            "average": t.average,
            "numbers": float(t.batch * outputs),
            "slots": self.plan.slots,
            "slot_size": self.layout.size,
            "table_count": len(self.field.encoding.tables()),
            "losses": self.plan.groups,
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
            gradients=self.gradients,
            touched=self.training.touched,
        )

    @cached_property
    def _train_text(self) -> str:
        text = train_text(self.plan, self.field, self.task, many=self.resident > 0)
        if self.resident == 0:
            return text
        assert not isinstance(self.plan, PortablePlan), "takes_many is asked for fused plans only"
        return text + many_constants(self.plan, self.layout, self.resident) + INCLUDE
