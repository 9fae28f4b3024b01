"""Training steps in Slang on the GPU."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.engine.draw import Crop
from neuralshade.engine.gpu_numbers import GridWork, Numbers, step_buffers
from neuralshade.engine.kernel_path import TrainingPath
from neuralshade.engine.kernel_plan import Plan, build_plan, infer_plan, path_of
from neuralshade.engine.kernels.infer.infer import Inference
from neuralshade.engine.kernels.step.gradients import choose_gradients
from neuralshade.engine.kernels.step.many_steps import (
    GATE_BYTES,
    all_at_once,
    copy_size,
    live_numbers,
    resident_groups,
    takes_many,
)
from neuralshade.engine.kernels.step.portable import PortablePlan
from neuralshade.engine.kernels.step.step_state import RATES, STATE, StepState
from neuralshade.engine.layout import NetworkLayout
from neuralshade.engine.step_kernels import FitKernels
from neuralshade.engine.task import TaskText
from neuralshade.engine.trainer_state import GpuState
from neuralshade.engine.training import Training
from neuralshade.gpu.gpu import Buffer, Dispatch, Gpu, Steps, raw_bytes, run_steps
from neuralshade.model.field import Field
from neuralshade.sampler.sample import PixelLattice
from neuralshade.source.target import Target

FEW_ALONE = 16  # steps submitted one by one, before they get kernels that cost the host less
SUBMITTED_STEPS = 128  # recorded while the GPU still runs those before
SCALE_SHARE = 1 / 16  # of the recipe's loss scale: it is for a mean, ours multiplies each sample


class GpuEngine:
    """Runs steps on the GPU: draw, encode, forward, loss, backward, Adam, in two dispatches
    or four. The host only counts; ``field`` is brought up to date by ``averaged``.
    """

    def __init__(
        self,
        gpu: Gpu,
        field: Field,
        task: Any,
        target: Target,
        training: Training,
        rng: torch.Generator,
        path: TrainingPath = "fma",
        vectors: bool = True,
    ):
        self.gpu, self.field, self.target, self.rng = gpu, field, target, rng
        self.training = training
        self.vectors = path == "matrix" and vectors
        self.plan: Plan = build_plan(path, field.network, training.batch, gpu)
        plan = self.plan
        self.layout = NetworkLayout(field.network, plan.align)
        halves = plan.halves
        self.gradients = choose_gradients(gpu, exact=training.exact, halves=halves)
        self.task: TaskText = task(halves=halves, gradients=self.gradients)
        resident = None
        if not isinstance(plan, PortablePlan):
            resident = resident_groups(plan, gpu.multiprocessors)
        self.many = not isinstance(plan, PortablePlan) and takes_many(
            plan, self.layout, field.encoding, training.batch, resident
        )
        self.resident = resident or 0
        network = self.layout.flatten(list(field.network.parameters()))
        encoding = field.encoding.flatten(list(field.encoding.parameters())).numpy()
        room = (SUBMITTED_STEPS + 1) * copy_size(self.layout) if self.many else 0
        self.network = Numbers(gpu, network, halves, room)
        self.grid = Numbers(gpu, encoding, halves)
        self.state_now = StepState(0, 0, 0, 0, training.loss_scale * SCALE_SHARE)
        self._next_step = 0
        self._in_flight = 0
        self._alone = 0
        self._build(GridWork(field.encoding.tables(), self.gradients))
        self._round()

    def _build(self, work: GridWork) -> None:
        gpu, layout, t = self.gpu, self.layout, self.training
        network, grid = self.network, self.grid
        self.cell_groups, self.crowded, self.rounds_cells = work.groups, work.crowded, work.rounds
        self.rows = layout.rows()
        self.buffers = {
            **step_buffers(gpu, self.plan, self.rows, layout.size, self.state_now),
            **work.buffers(gpu, grid.count, t.touched),
        }
        self.rate_ring = self.buffers["rate_ring"]
        self.states = gpu.reader(self.buffers["states"], 2 * STATE.itemsize)
        hits = self.buffers["hits"] if t.touched else None
        self.kept = GpuState(self.field, layout, network, grid, hits, t.average > 0)
        self._build_kernels(
            FitKernels(
                gpu, self.field, self.task, t, self.plan, layout, network, grid, work,
                dict(self.buffers), self.gradients,
                self.resident if self.many else 0,
            )
        )  # fmt: skip

    def _build_kernels(self, build: FitKernels) -> None:
        gpu, self._kernels = self.gpu, build
        self.first_round = gpu.steps(self._rounding)
        self.mean_round = gpu.steps(build.mean_rounding())
        if self.many:
            added = {"gate": gpu.buffer(size=GATE_BYTES), "first_step": gpu.buffer(size=8),
                     "rates": gpu.buffer(size=4 * SUBMITTED_STEPS),
                     "live": gpu.buffer(live_numbers(self.layout))}  # fmt: skip
            kernel = build.train_many(added)
            self.many = all_at_once(gpu, kernel, self.resident)
            self.many_steps = gpu.steps([(kernel, self.resident)])
            self.buffers |= added
        if not self.many:
            self._single_step  # noqa: B018 - builds it now, not in the middle of the fit
        self.inference = Inference(
            gpu,
            self.field,
            self.layout,
            self.network.stored_mean,
            self.grid.stored_mean,
            halves=self.plan.halves,
            vectors=self.vectors,
            plan=infer_plan(path_of(self.plan), self.field.network, gpu),
        )

    @cached_property
    def _rounding(self) -> list[Dispatch]:
        return self._kernels.rounding(self.network.bound(), self.grid.bound())

    @cached_property
    def _single_step(self) -> Steps:
        """Return the dispatches of one step; compiling them may take seconds."""
        build = self._kernels
        step: list[Dispatch] = [
            (build.train(), self.plan.groups),
            (build.update("update_network", self.network.bound()), len(self.rows)),
        ]
        if self.cell_groups:
            step.append((build.update("update_cells", self.grid.bound()), self.cell_groups))
        if self.rounds_cells:
            step.append(self._rounding[-1])
        return self.gpu.steps(step)

    def advance(self, rate_factors: Sequence[float]) -> float:
        """Run one step per factor of the step size; return the last step's mean loss."""
        for first in range(0, len(rate_factors), SUBMITTED_STEPS):
            self.submit(rate_factors[first : first + SUBMITTED_STEPS])
        self.state_now = StepState.of(self.states.read())
        self._in_flight = 0
        return self.state_now.loss

    def submit(self, rate_factors: Sequence[float]) -> None:
        """Send steps, SUBMITTED_STEPS at most, and do not wait for them."""
        count = len(rate_factors)
        self._in_flight += count
        if self._in_flight > RATES // 2:  # no factor in use may be overwritten
            self.gpu.wait()
            self._in_flight = count
        commands = self.gpu.commands()
        self._alone = self._alone + 1 if count == 1 else 0
        if self.many and self._alone <= FEW_ALONE:
            step = np.array([self._next_step, count], np.uint32)
            commands.upload(self.buffers["first_step"], 0, step)
            commands.upload(self.buffers["rates"], 0, np.array(rate_factors, np.float32))
            commands.clear(self.buffers["gate"])
            commands.run(self.many_steps)
        else:
            self.rate_ring.write(commands, self._next_step, rate_factors)
            commands.run(self._single_step, count)
        commands.submit()
        self._next_step += count

    def _round(self) -> None:
        """Make the rounded copies of what was just uploaded."""
        run_steps(self.gpu, self.first_round)

    @property
    def skipped(self) -> int:
        """Return how many steps had a gradient that was not finite."""
        return self.state_now.skipped

    def glance(self, lattice: PixelLattice) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the averaged field's and the picture's channels at a lattice, as columns."""
        height, width = self.target.height, self.target.width
        u, v = (lattice.cols + 0.5) / width, (lattice.rows + 0.5) / height
        uv = torch.stack(torch.meshgrid(u, v, indexing="xy"), dim=-1).reshape(-1, 2)
        self.round_mean()
        drawn = self.inference.at_positions(uv.float().numpy())
        return torch.from_numpy(drawn).t(), self.target.at_lattice(lattice.rows, lattice.cols)

    def draw(self, width: int, height: int, crop: Crop) -> npt.NDArray[Any]:
        """Return the averaged field as ``draw_field`` does, drawn by the GPU."""
        self.round_mean()
        return self.inference.picture(width, height, crop)

    def round_mean(self) -> None:
        """Bring what ``inference`` evaluates up to date with the steps."""
        commands = self.gpu.commands()
        commands.run(self.mean_round)
        self.inference.refresh(commands)
        commands.submit()

    @contextmanager
    def averaged(self) -> Iterator[None]:
        """Let the field have the averaged weights, where there are any, inside the block."""
        self._fill_field(mean=self.training.average > 0 and self.state_now.applied > 0)
        yield

    @torch.no_grad()
    def _fill_field(self, *, mean: bool) -> None:
        factor = 1.0
        if mean:
            factor = 1.0 / (1.0 - self.training.average**self.state_now.applied)
        values = self.kept.numbers("means" if mean else "values")
        for parameter, value in zip(self.field.parameters(), values, strict=True):
            parameter.copy_(value * factor)

    def state(self) -> dict[str, torch.Tensor]:
        """Return everything that a restart needs besides the recipe, by name.

        Names and shapes are those of ``TorchEngine.state``, so that either can go on.
        """
        return {"rng": self.rng.get_state(), **self.kept.named(self.state_now)}

    def load_state(self, state: dict[str, torch.Tensor]) -> None:
        """Take over what ``state`` returned once, here or on the other engine."""
        self.rng.set_state(state["rng"])
        self.state_now = self.kept.load(state, self.state_now.scale, self._write)
        self._next_step = self.state_now.step
        self._write(self.buffers["states"], 0, self.state_now.pair())
        self._round()

    def _write(self, into: Buffer, first_byte: int, values: npt.NDArray[Any]) -> None:
        commands = self.gpu.commands()
        commands.upload(into, first_byte, raw_bytes(values))
        commands.submit()

    def close(self) -> None:
        """Give the device back; nothing else may be asked afterwards."""
        self.gpu.close()
