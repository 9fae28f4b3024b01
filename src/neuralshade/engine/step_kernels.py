"""Buffers and bound kernels of a fit's steps on the GPU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from neuralshade.engine.kernel_plan import Plan
from neuralshade.engine.kernels.step.gradients import COPIES
from neuralshade.engine.kernels.step.many_steps import copy_size
from neuralshade.engine.kernels.step.step_state import FLAGS, RATES, StepState
from neuralshade.engine.kernels.step.update import (
    Floats,
    GridNumbers,
    Numbers,
    levels_of,
    whole_quads,
)
from neuralshade.engine.layout import NetworkLayout
from neuralshade.engine.step_texts import StepTexts
from neuralshade.gpu.gpu import Dispatch, Gpu, Kernel, bound_kernel

if TYPE_CHECKING:  # a fit without latents loads none
    from neuralshade.engine.kernels.step.latent_words import LatentNumbers


def adam_settings(rate: float, betas: tuple[float, float], epsilon: float) -> dict[str, float]:
    """Return an AdamStep as the device half has it."""
    return {"rate": rate, "beta1": betas[0], "beta2": betas[1], "epsilon": epsilon}


def step_buffers(gpu: Gpu, plan: Plan, layout: NetworkLayout, state: StepState) -> dict[str, Any]:
    """Return the buffers of steps besides those of grids, by their names in the kernels."""
    return {
        **network_buffers(gpu, plan, layout),
        "states": gpu.buffer(state.pair()),
        "broken": gpu.buffer(size=4 * FLAGS),
        "rate_ring": gpu.ring(np.float32, RATES),
    }


def network_buffers(gpu: Gpu, plan: Plan, layout: NetworkLayout) -> dict[str, Any]:
    """Return the buffers that each network has for itself where several share steps."""
    return {
        "rows": gpu.buffer(layout.rows()),
        "partials": gpu.buffer(size=4 * plan.slots * layout.size),
        "partial_losses": gpu.buffer(size=4 * plan.groups),
    }


def network_numbers(gpu: Gpu, texts: StepTexts, values: Floats, room: int = 0) -> Numbers:
    """Return a network's numbers on the device, ``room`` for rounded ones as in ``Numbers``."""
    if not texts.side:
        return Numbers(gpu, values, texts.plan.halves, room)
    from neuralshade.engine.kernels.step.layer_numbers import LayerNumbers

    return LayerNumbers(gpu, values, texts.plan.halves, texts.layout, texts.training.frozen_layers)


@dataclass(frozen=True)
class StepKernels:
    """Builds the kernels of one fit from their texts, bound to its buffers."""

    gpu: Gpu
    texts: StepTexts
    network: Numbers
    grid: GridNumbers | LatentNumbers
    buffers: dict[str, Any]  # step_buffers, and those of the grids' work

    def train(self, *, behind_input: bool = True) -> Kernel:
        """Return the kernel that computes one step's gradient.

        ``behind_input``: whether it passes gradients by the network's input on.
        """
        frozen = int(not behind_input)
        return self._train_kernel("train", {**self._trained, "input_frozen": frozen})

    def train_many(self, added: dict[str, Any]) -> Kernel:
        """Return the kernel for many whole steps; ``added``: variables that only it binds."""
        settings, texts = self._settings(rounds_mean=False), self.texts
        many = {"adam": settings["network"], "penalty": settings["penalty"],
                "average": texts.training.average, "numbers": settings["numbers"],
                "resident": texts.resident, "slots": texts.plan.slots,
                "copy_size": copy_size(texts.layout)}  # fmt: skip
        variables = {
            **self._trained, **added, "many": many, "network_ring": self.network.stored,
            "input_frozen": 0,
            "values": self.network.values, "moments": self.network.moments,
            "means": self.network.means, "partial_words": self.buffers["partials"],
            "loss_words": self.buffers["partial_losses"],
        }  # fmt: skip
        return self._train_kernel("train_many", variables)

    def update(
        self, entry: str, numbers: dict[str, Any], *, rounds_mean: bool = False, noisy: bool = False
    ) -> Kernel:
        """Return an entry point of update.cs.slang for ``numbers``, with its ``bound`` buffers."""
        variables = {
            **self.buffers,
            "sum_quads": self.buffers["grid_sums"], "half_sum_quads": self.buffers["grid_halves"],
            "extent_maxima": self.buffers["extents"], "extent_squares": self.buffers["extents"],
            "levels4": levels_of(4), "levels8": levels_of(8),
            "settings": self._settings(rounds_mean=rounds_mean, noisy=noisy), **numbers,
        }  # fmt: skip
        return bound_kernel(self.gpu, self.texts.update(entry), variables)

    def step_update(self, *, grids: bool = True) -> list[Dispatch]:
        """Return the dispatches that update the network from ``train``, and round it.

        The first one updates grids beside where there are ``grids``.
        """
        frozen, layout = self.texts.training.frozen_layers, self.texts.layout
        bound, rows = self.network.bound(), layout.rows(frozen)
        assert len(rows), "a step ends with the update of a layer"
        if frozen:
            bound["rows"] = self.gpu.buffer(rows)
        beside = self.texts.work.groups if grids else 0
        bound |= self.grid.bound()
        if not self.network.layer_count:
            return [(self.update("update_network", bound), len(rows) + beside)]
        return [(self.update("sum_network", bound), len(rows) + beside),
                (self.update("update_layers", bound), self.network.layer_count),
                (self.update("round_network", bound), len(rows))]  # fmt: skip

    def rounding(
        self, network: dict[str, Any], grid: dict[str, Any], *, rounds_mean: bool = False,
        noisy: bool = False,
    ) -> list[Dispatch]:  # fmt: skip
        """Return the kernels that round these numbers, trained ones or their mean.

        ``noisy``: latents get the noise of the last step instead.
        """
        rows, work = len(self.texts.layout.rows()), self.texts.work
        dispatches: list[Dispatch] = [
            (self.update("round_network", network, rounds_mean=rounds_mean), rows)
        ]
        for entry, groups in work.rounding:
            kernel = self.update(entry, grid, rounds_mean=rounds_mean, noisy=noisy)
            dispatches.append((kernel, groups))
        return dispatches

    def mean_rounding(self) -> list[Dispatch]:
        """Return the dispatches for inference's rounded copies: of mean weights, if any."""
        mean = self.texts.training.average > 0
        network, grid = self.network.bound_mean(mean), self.grid.bound_mean(mean)
        return self.rounding(network, grid, rounds_mean=mean)

    def _train_kernel(self, entry: str, variables: dict[str, Any]) -> Kernel:
        bound = {**self.buffers, **variables}
        shared = self.texts.plan.shared_bytes
        return bound_kernel(self.gpu, self.texts.train(entry), bound, shared_bytes=shared)

    @property
    def _trained(self) -> dict[str, Any]:
        texts = self.texts
        return {
            **texts.task.variables,
            "network": self.network.stored,
            "network_words": self.network.stored,
            "grid_numbers": self.grid.stored,
            "batch": texts.training.batch,
            "groups": texts.plan.groups,
            "slot_size": texts.layout.size,
        }

    def _settings(self, *, rounds_mean: bool, noisy: bool = False) -> dict[str, Any]:
        texts, t = self.texts, self.texts.training
        network, grid = t.betas, t.grid_betas or t.betas
        grid_epsilon = t.epsilon if t.grid_epsilon is None else t.grid_epsilon
        outputs = texts.field.network.members[-1].weight.shape[0]
        return {
            "network": adam_settings(t.rate, network, t.epsilon),
            "grid": adam_settings(t.grid_rate, grid, grid_epsilon),
            "penalty": t.penalty,
            "average": t.average,
            "numbers": float(t.batch * outputs),
            "row_count": len(texts.layout.rows(t.frozen_layers)),
            "slots": texts.plan.slots,
            "slot_size": texts.layout.size,
            "table_count": len(texts.field.encoding.tables()),
            "losses": texts.plan.groups,
            "noisy": int(noisy),
            "rounds_mean": int(rounds_mean),
            "network_numbers": self.network.count,
            "grid_numbers": whole_quads(self.grid.count),
            "crowded": texts.work.crowded,
            "copies": COPIES,
        }
