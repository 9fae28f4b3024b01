"""Network trained in the steps of another one, on part of its encoding's output."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import torch

from neuralshade.engine.kernel_path import TrainingPath
from neuralshade.engine.kernel_plan import infer_plan
from neuralshade.engine.kernels.infer.infer import Inference
from neuralshade.engine.kernels.step.step_state import StepState
from neuralshade.engine.kernels.step.update import GridNumbers
from neuralshade.engine.step_kernels import StepKernels, network_buffers, network_numbers
from neuralshade.engine.step_texts import MakeTask, Training, step_texts
from neuralshade.engine.trainer_state import TrainerState
from neuralshade.gpu.gpu import Buffer, Dispatch, Gpu, run_once, write_once
from neuralshade.model.field import Field

SHARED = ("states", "broken", "rate_ring")  # of a step's buffers, those of the other network


class JoinedNetwork:
    """Trains ``field``, whose encoding has no numbers of its own, in steps of a NetworkTrainer.

    The trainer's task has ``evaluated`` among its work before each step and ``trained`` in
    between. Both share one counter, one loss scale, and one flag for gradients that are
    not finite, read after both have set it: so a step changes both networks or none.

    Args:
        task: its loss is the other network's, so its ``loss_gradient`` is that times its own
            outputs over the other's.
    """

    def __init__(
        self, gpu: Gpu, field: Field, task: MakeTask, training: Training, path: TrainingPath
    ):
        self.gpu, self.field = gpu, field
        self.texts = texts = step_texts(gpu, field, task, training, path, joined=True)
        plan, layout = texts.plan, texts.layout
        values = layout.flatten(list(field.network.parameters()))
        self.network = network_numbers(gpu, texts, values)
        self.grid = GridNumbers(gpu, np.zeros(0, np.float32), plan.halves)
        self.kept = TrainerState(field, layout, self.network, self.grid, None, False)
        self.inference = Inference(
            gpu, field, layout, self.network.stored, self.grid.stored, halves=plan.halves,
            vectors=False, plan=infer_plan(path, field.network, gpu),
        )  # fmt: skip
        self._buffers = network_buffers(gpu, plan, layout) | texts.work.buffers(gpu, 0, False)
        self._kernels: StepKernels | None = None

    def prepare(self) -> None:
        """Compile kernels ahead."""
        self.gpu.prepare([self.inference.text_of("draw_positions")])
        self.texts.prepare(self.gpu)

    def evaluated(self, positions: Buffer, drawn: Buffer) -> Dispatch:
        """Return the dispatch that evaluates positions float32 [batch, D]: float32 [batch, C]."""
        return self.inference.dispatch_between(positions, drawn, self.texts.training.batch)

    def trained(self, bound: dict[str, Any]) -> list[Dispatch]:
        """Return the dispatches for gradients and the update, with a step's buffers by name.

        They end the step as the other network's update does again, whose loss remains. Raises:
        KernelError.
        """
        shared = {name: bound[name] for name in SHARED}
        self._kernels = kernels = StepKernels(
            self.gpu, self.texts, self.network, self.grid, {**self._buffers, **shared}
        )
        self.round()
        return [(kernels.train(), self.texts.plan.groups), *kernels.step_update()]

    def load(self, state: dict[str, torch.Tensor]) -> StepState:
        """Load numbers and moments, by the names of ``kept.named``; return its steps."""
        found = self.kept.load(state, 1.0, partial(write_once, self.gpu))
        self.round()
        return found

    def round(self) -> None:
        """Make the rounded copies of uploaded numbers."""
        assert self._kernels is not None, "it is joined to a trainer's steps first"
        run_once(self.gpu, self._kernels.rounding(self.network.bound(), self.grid.bound()))
