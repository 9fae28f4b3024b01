"""The kernels of a fit on the GPU, compiled and bound to its buffers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from neuralshade.engine.fused import kernel_text
from neuralshade.engine.gpu_numbers import GridWork, Numbers
from neuralshade.engine.layout import NetworkLayout
from neuralshade.engine.many_steps import INCLUDE, copy_size
from neuralshade.engine.matrix import MatrixPlan, matrix_constants
from neuralshade.engine.portable import PortablePlan, portable_constants
from neuralshade.engine.task import TaskText
from neuralshade.engine.training import Training
from neuralshade.engine.update import levels_of, update_text
from neuralshade.gpu.kernel import Kernel, load_text
from neuralshade.model.field import Field

if TYPE_CHECKING:
    import slangpy

Dispatches = list[tuple[Kernel, int]]  # with their groups


@dataclass(frozen=True)
class FitKernels:
    """What the kernels of one fit are compiled from and bound to."""

    gpu: slangpy.Device
    field: Field
    task: TaskText
    training: Training
    plan: MatrixPlan | PortablePlan
    layout: NetworkLayout
    network: Numbers
    grid: Numbers
    work: GridWork
    buffers: dict[str, Any]  # step_buffers, and those of ``work``
    gradients: str  # key of GRADIENTS
    many: bool  # many steps share a dispatch

    def train(self) -> Kernel:
        """Return the kernel that leaves one step's gradient."""
        return self._kernel(self._train_module, "train", self._trained)

    def train_many(self, resident: int, added: dict[str, Any]) -> Kernel:
        """Return the kernel that runs many whole steps; ``added`` is what only it binds."""
        settings = self._settings(rounds_mean=False)
        many = {"adam": settings["network"], "average": self.training.average,
                "numbers": settings["numbers"], "resident": resident,
                "slots": self.plan.slots, "copy_size": copy_size(self.layout)}  # fmt: skip
        return self._kernel(self._train_module, "train_many", {
            **self._trained, **added, "many": many, "network_ring": self.network.stored,
            "values": self.network.values, "moments": self.network.moments,
            "means": self.network.means, "partial_words": self.buffers["partials"],
            "loss_words": self.buffers["partial_losses"],
        })  # fmt: skip

    def update(self, entry: str, numbers: dict[str, Any], *, rounds_mean: bool = False) -> Kernel:
        """Return an entry point of update.cs.slang for ``numbers``, as Numbers.bound has them."""
        settings = self._settings(rounds_mean=rounds_mean)
        return self._kernel(self._update_module, entry, {"settings": settings, **numbers})

    def rounding(
        self, network: dict[str, Any], grid: dict[str, Any], *, rounds_mean: bool = False
    ) -> Dispatches:
        """Return what rounds these numbers, trained ones or their mean."""
        rows = len(self.layout.rows())
        return [
            (self.update("round_network", network, rounds_mean=rounds_mean), rows),
            (self.update("measure_grid", grid, rounds_mean=rounds_mean), self.work.groups),
            (self.update("round_cells", grid, rounds_mean=rounds_mean), self.work.groups),
        ]

    def mean_rounding(self) -> Dispatches:
        """Return what makes the rounded copies for inference: of mean weights if there are any."""
        mean = self.training.average > 0
        network, grid = (
            {"values": of.means if mean else of.values, "stored": of.stored_mean}
            for of in (self.network, self.grid)
        )
        return self.rounding(network, grid, rounds_mean=mean)

    def _kernel(self, module: Any, entry: str, variables: dict[str, Any]) -> Kernel:
        shared = {**self.buffers, "grid_gradients": self.buffers["grid_sums"],
                  "levels4": levels_of(4), "levels8": levels_of(8)}  # fmt: skip
        return Kernel(self.gpu, module, entry, {**shared, **variables})

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
    def _update_module(self) -> slangpy.SlangModule:
        text = update_text(
            self.field.encoding.tables(),
            halves=self.plan.halves,
            gradients=self.gradients,
            touched=self.training.touched,
        )
        return load_text(self.gpu, text)

    @cached_property
    def _train_module(self) -> slangpy.SlangModule:
        return load_text(self.gpu, self._train_text())

    def _train_text(self) -> str:
        if isinstance(self.plan, MatrixPlan):
            layers = len(self.field.network.members) - 1
            constants = matrix_constants(self.plan, layers, many=self.many)
            text = kernel_text(self.field, self.task, "matrix", constants)
            return text + INCLUDE if self.many else text
        return kernel_text(self.field, self.task, "portable", portable_constants(self.plan))
