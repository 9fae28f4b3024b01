"""Network trainer: training steps of a network and its encoding in Slang, for any task."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.base.progress_scope import part
from neuralshade.engine.kernel_path import TrainingPath
from neuralshade.engine.kernel_plan import infer_plan, path_of
from neuralshade.engine.kernels.infer.infer import Inference
from neuralshade.engine.kernels.step.many_steps import (
    GATE_BYTES,
    all_at_once,
    copy_size,
    live_numbers,
)
from neuralshade.engine.kernels.step.step_state import FLAGS, StepState
from neuralshade.engine.kernels.step.update import GridNumbers
from neuralshade.engine.step_kernels import StepKernels, network_numbers, step_buffers
from neuralshade.engine.step_queue import StepQueue
from neuralshade.engine.step_texts import MakeTask, Training, step_texts
from neuralshade.engine.trainer_state import TrainerState
from neuralshade.gpu.gpu import (
    Buffer,
    Dispatch,
    Gpu,
    KernelText,
    Steps,
    run_steps,
    write_once,
)
from neuralshade.model.field import Field

if TYPE_CHECKING:  # a fit without latents loads none
    from neuralshade.engine.kernels.step.latent_words import LatentNumbers

FEW_ALONE = 16  # steps submitted singly, before kernels with less host cost are compiled
SUBMITTED_STEPS = 128  # recorded while the GPU still runs earlier ones
SCALE_SHARE = 1 / 16  # of the recipe's loss scale, which is for a mean; ours multiplies each sample


class NetworkTrainer:
    """Runs steps on the GPU: draw, encode, forward, loss, backward, Adam, in two dispatches
    or four. The host only counts; ``averaged`` updates ``field``.

    Args:
        task: as in ``step_texts``.
        rng: generator of the field's start values; only kept, for the other engine to continue.
        vectors: whether networks trained on matrices are evaluated by cooperative vectors.
        later: kernels needed after the steps, which compile beside these as ``inference`` then
            does; None: neither does.
    """

    def __init__(
        self,
        gpu: Gpu,
        field: Field,
        task: MakeTask,
        training: Training,
        rng: torch.Generator,
        path: TrainingPath = "fma",
        vectors: bool = True,
        later: Sequence[KernelText] | None = None,
    ):
        self.gpu, self.field, self.training, self.rng = gpu, field, training, rng
        self.vectors = path == "matrix" and vectors
        self._texts = texts = step_texts(gpu, field, task, training, path)
        self.plan, self.layout, self.task = texts.plan, texts.layout, texts.task
        self.work, self.resident = texts.work, texts.resident
        self._alone = 0
        self.grid_frozen = False
        with part("compiling kernels"):
            self._texts.prepare(gpu)  # in the background, while numbers are uploaded
            self._allocate()
            self._open_inference()
            if later is not None:
                gpu.prepare([self.inference.text_of("draw_positions"), *later])
            self._compile()
        self._round()

    def _allocate(self) -> None:
        gpu, field, plan, t = self.gpu, self.field, self.plan, self.training
        network = self.layout.flatten(list(field.network.parameters()))
        encoding = field.encoding.flatten(list(field.encoding.parameters())).numpy()
        room = (SUBMITTED_STEPS + 1) * copy_size(self.layout) if self.resident else 0
        self.network = network_numbers(gpu, self._texts, network, room)
        self.grid: GridNumbers | LatentNumbers
        if self.work.latents:
            from neuralshade.engine.kernels.step.latent_words import LatentNumbers

            self.grid = LatentNumbers(gpu, encoding, plan.halves)
        else:
            self.grid = GridNumbers(gpu, encoding, plan.halves)
        state = StepState(0, 0, 0, 0, t.loss_scale * SCALE_SHARE)
        self.buffers = {
            **step_buffers(gpu, plan, self.layout, state),
            **self.work.buffers(gpu, self.grid.count, t.touched),
        }
        states, rates = self.buffers["states"], self.buffers["rate_ring"]
        self.queue = StepQueue(gpu, states, rates, SUBMITTED_STEPS, state)
        hits = self.buffers["hits"] if t.touched else None
        self.kept = TrainerState(field, self.layout, self.network, self.grid, hits, t.average > 0)

    def _compile(self) -> None:
        gpu = self.gpu
        self._kernels = StepKernels(gpu, self._texts, self.network, self.grid, dict(self.buffers))
        self.first_round = gpu.steps(self._rounding)
        self.mean_round = gpu.steps(self._kernels.mean_rounding())
        self.many = self.resident > 0 and self._compile_many()
        if not self.many:
            self._single_step  # noqa: B018 - builds it now, not in the middle of the fit

    def _open_inference(self) -> None:
        gpu, plan = self.gpu, self.plan
        self.inference = Inference(
            gpu,
            self.field,
            self.layout,
            self.network.stored_mean,
            self.grid.stored_mean,
            halves=plan.halves,
            vectors=self.vectors,
            plan=infer_plan(path_of(plan), self.field.network, gpu),
        )

    def _compile_many(self) -> bool:
        """Build the dispatch of many steps; return whether all its groups run at once."""
        gpu = self.gpu
        added = {"gate": gpu.buffer(size=GATE_BYTES), "first_step": gpu.buffer(size=8),
                 "rates": gpu.buffer(size=4 * SUBMITTED_STEPS),
                 "live": gpu.buffer(live_numbers(self.layout))}  # fmt: skip
        kernel = self._kernels.train_many(added)
        self.many_steps = gpu.steps([(kernel, self.resident)])
        self.buffers |= added
        return all_at_once(gpu, kernel, self.resident)

    @cached_property
    def _rounding(self) -> list[Dispatch]:
        noisy = self.work.latents and not self.grid_frozen
        return self._kernels.rounding(self.network.bound(), self.grid.bound(), noisy=noisy)

    @cached_property
    def _single_step(self) -> Steps:
        """Return the dispatches of one step; compiling them may take seconds."""
        build = self._kernels
        before, between = self.task.before, self.task.between
        behind = not self.grid_frozen or self.task.trains_own  # whether the input is trained
        bound = {**self.buffers, "grid_numbers": self.grid.stored}
        step: list[Dispatch] = [
            *(before(bound) if before is not None else ()),
            (build.train(behind_input=behind), self.plan.groups),
            *(between(bound) if between is not None else ()),
            *build.step_update(grids=not self.grid_frozen),
        ]
        if self.work.rounds_after and not self.grid_frozen:
            step.extend(self._rounding[-2:])
        if self.task.after is not None:
            step.extend(self.task.after(self.buffers))
        return self.gpu.steps(step)

    def freeze_grid(self, values: Sequence[torch.Tensor]) -> None:
        """Set the encoding's numbers, and train the network alone from now on.

        ``values``: shaped like the encoding's parameters.
        """
        self.grid_frozen = True
        for name in ("_rounding", "_single_step"):  # to be built again
            self.__dict__.pop(name, None)
        self.first_round = self.gpu.steps(self._rounding)
        self.set_grid(values)

    def set_grid(self, values: Sequence[torch.Tensor]) -> None:
        """Set the encoding's numbers, which are frozen; ``values`` shaped like its parameters."""
        assert self.grid_frozen, "numbers that are trained come from load_state"
        self.kept.freeze_grid(values, self._write)
        self._round()

    def advance(self, rate_factors: Sequence[float]) -> float:
        """Run one step per factor of the step size; return the last step's mean loss."""
        return self.queue.advance(rate_factors, self.submit).loss

    def submit(self, rate_factors: Sequence[float]) -> None:
        """Submit steps, SUBMITTED_STEPS at most, without waiting for them."""
        count = len(rate_factors)
        self._alone = self._alone + 1 if count == 1 else 0
        if not self.many or self._alone > FEW_ALONE:
            self.queue.send(self._single_step, rate_factors)
            return
        step = np.array([self.queue.next_step, count], np.uint32)
        commands = self.queue.begin(count)
        commands.upload(self.buffers["first_step"], 0, step)
        commands.upload(self.buffers["rates"], 0, np.array(rate_factors, np.float32))
        commands.clear(self.buffers["gate"])
        commands.run(self.many_steps)
        self.queue.end(commands, count)

    def _round(self) -> None:
        """Make the rounded copies of uploaded numbers."""
        run_steps(self.gpu, self.first_round)

    @property
    def state_now(self) -> StepState:
        """Return the state after the last finished step."""
        return self.queue.state

    @property
    def skipped(self) -> int:
        """Return how many steps were skipped for gradients that were not finite."""
        return self.queue.state.skipped

    def round_mean(self) -> None:
        """Update the numbers of ``inference`` from the steps."""
        commands = self.gpu.commands()
        commands.run(self.mean_round)
        self.inference.refresh(commands)
        commands.submit()

    @contextmanager
    def averaged(self) -> Iterator[None]:
        """Give the field the averaged weights, if any, inside the block."""
        self._fill_field(mean=self.training.average > 0 and self.state_now.applied > 0)
        yield

    def _fill_field(self, *, mean: bool) -> None:
        if not mean:
            _fill(self.field.parameters(), self.kept.numbers("values"))
            return
        factor = 1.0 / (1.0 - self.training.average**self.state_now.applied)
        means = self.kept.numbers("means")
        _fill(self.field.parameters(), (value * factor for value in means))

    def fill_network(self) -> None:
        """Give the field's network its weights, not averaged; the encoding stays."""
        _fill(self.field.network.parameters(), self.kept.network_values())

    def state(self) -> dict[str, torch.Tensor]:
        """Return everything that a restart needs besides the recipe, by name.

        Names and shapes are those of ``TorchEngine.state``, so that either can go on.
        """
        return {"rng": self.rng.get_state(), **self.kept.named(self.state_now)}

    @torch.no_grad()
    def take_over(self, optimizer: Mapping[str, torch.Tensor], applied: int) -> None:
        """Continue the network's training from another optimizer: its state, and its steps.

        Grids begin anew with moments of 0. With betas of 0.9 and 0.99 a first gradient still moves
        them by a whole step: 0.1 of it over the root of 0.01 of its square.
        """
        self.kept.load_optimizer(optimizer, self._write)
        self.queue.restart(replace(self.state_now, applied=applied))

    def load_state(self, state: dict[str, torch.Tensor]) -> None:
        """Load the result of ``state``, of this or of the other engine."""
        self.rng.set_state(state["rng"])
        self.queue.restart(self.kept.load(state, self.state_now.scale, self._write))
        # of a step before, which one of these that follow would be skipped for
        self._write(self.buffers["broken"], np.zeros(FLAGS, np.uint32))
        self._round()

    def _write(self, into: Buffer, values: npt.NDArray[Any]) -> None:
        write_once(self.gpu, into, values)


@torch.no_grad()
def _fill(parameters: Iterable[torch.Tensor], values: Iterable[torch.Tensor]) -> None:
    for parameter, value in zip(parameters, values, strict=True):
        parameter.copy_(value)
