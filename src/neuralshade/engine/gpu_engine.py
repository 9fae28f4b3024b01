"""Training steps in Slang on the GPU."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.engine.gpu_kernels import FitKernels
from neuralshade.engine.gpu_numbers import GridWork, Numbers, step_buffers
from neuralshade.engine.gpu_state import GpuState
from neuralshade.engine.gradients import choose_gradients
from neuralshade.engine.infer import Inference
from neuralshade.engine.layout import NetworkLayout
from neuralshade.engine.many_steps import copy_size, live_numbers, takes_many
from neuralshade.engine.matrix import MatrixPlan, matrix_plan
from neuralshade.engine.portable import PortablePlan, portable_plan
from neuralshade.engine.step_state import STATE, StepState
from neuralshade.engine.task import TaskText
from neuralshade.engine.training import Training
from neuralshade.errors import DeviceError
from neuralshade.gpu.device import multiprocessors
from neuralshade.gpu.kernel import Kernel, device_buffer, read_back_buffer
from neuralshade.model.field import Field
from neuralshade.sampler.sample import PixelLattice
from neuralshade.source.target import Target

if TYPE_CHECKING:
    import slangpy

SUBMITTED_STEPS = 128  # recorded while the GPU still runs those before
SCALE_SHARE = 1 / 16  # of the recipe's loss scale: it is for a mean, ours multiplies each sample
GROUPS = 132  # that share a batch


class GpuEngine:
    """Runs steps on the GPU: draw, encode, forward, loss, backward, Adam, in two dispatches
    or four. The host only counts; ``field`` is brought up to date by ``averaged``.
    """

    def __init__(
        self,
        device: slangpy.Device,
        field: Field,
        task: Any,
        target: Target,
        training: Training,
        rng: torch.Generator,
        path: str = "fma",
        vectors: bool = True,
    ):
        self.gpu, self.field, self.target, self.rng = device, field, target, rng
        self.training = training
        self.vectors = path == "matrix" and vectors
        self.device = device.info.adapter_name
        build = matrix_plan if path == "matrix" else portable_plan
        plan: MatrixPlan | PortablePlan = build(field.network, training.batch, GROUPS)
        self.plan = plan
        self.layout = NetworkLayout(field.network, plan.align)
        halves = plan.halves
        self.gradients = choose_gradients(device, exact=training.exact, halves=halves)
        self.task: TaskText = task(halves=halves, gradients=self.gradients)
        resident = multiprocessors(device)
        self.many = isinstance(plan, MatrixPlan) and takes_many(
            plan, self.layout, field.encoding, training.batch, resident
        )
        self.resident = resident or 0
        network = self.layout.flatten(list(field.network.parameters()))
        encoding = field.encoding.flatten(list(field.encoding.parameters())).numpy()
        room = (SUBMITTED_STEPS + 1) * copy_size(self.layout) if self.many else 0
        self.network = Numbers(device, network, halves, room)
        self.grid = Numbers(device, encoding, halves)
        self.state_now = StepState(0, 0, 0, 0, training.loss_scale * SCALE_SHARE)
        self._next_step = 0
        self.seen = read_back_buffer(device, 2 * STATE.itemsize)
        self._build(GridWork(field.encoding.tables(), self.gradients))
        self._round()

    def _build(self, work: GridWork) -> None:
        gpu, layout, t = self.gpu, self.layout, self.training
        network, grid = self.network, self.grid
        self.cell_groups, self.crowded, self.rounds_cells = work.groups, work.crowded, work.rounds
        self.rows = layout.rows()
        self.buffers = {
            **step_buffers(gpu, self.plan, self.rows, layout.size, self.state_now, SUBMITTED_STEPS),
            **work.buffers(gpu, grid.count, t.touched),
        }
        hits = self.buffers["hits"] if t.touched else None
        self.kept = GpuState(self.field, layout, network, grid, hits, t.average > 0)
        self._build_kernels(
            FitKernels(
                gpu, self.field, self.task, t, self.plan, layout, network, grid, work,
                dict(self.buffers), self.gradients, self.many,
            )
        )  # fmt: skip

    def _build_kernels(self, build: FitKernels) -> None:
        network, grid = self.network.bound(), self.grid.bound()
        self.train_kernel = build.train()
        if self.many:
            added = {"gate": device_buffer(self.gpu, size=4),
                     "live": device_buffer(self.gpu, live_numbers(self.layout))}  # fmt: skip
            self.train_many = build.train_many(self.resident, added)
            self.buffers |= added
        self.update_network = build.update("update_network", network)
        self.update_cells = build.update("update_cells", grid)
        self.first_round = build.rounding(network, grid)
        self.round_cells = self.first_round[-1][0]
        self.mean_round = build.mean_rounding()
        self.step = [
            (self.train_kernel, self.plan.groups),
            (self.update_network, len(self.rows)),
            (self.update_cells, self.cell_groups),
        ]
        if self.rounds_cells:
            self.step.append((self.round_cells, self.cell_groups))
        self.inference = Inference(
            self.gpu,
            self.field,
            self.layout,
            self.network.stored_mean,
            self.grid.stored_mean,
            halves=self.plan.halves,
            vectors=self.vectors,
        )

    def advance(self, rate_factors: Sequence[float]) -> float:
        """Run one step per factor of the step size; return the last step's mean loss."""
        for first in range(0, len(rate_factors), SUBMITTED_STEPS):
            self._submit(rate_factors[first : first + SUBMITTED_STEPS])
        self.state_now = StepState.of(self._read_states())
        return self.state_now.loss

    def _submit(self, rate_factors: Sequence[float]) -> None:
        encoder = self.gpu.create_command_encoder()
        rates = np.array(rate_factors, np.float32)
        step = np.array([self._next_step, len(rate_factors)], np.uint32)
        encoder.upload_buffer_data(self.buffers["rates"], 0, rates)
        encoder.upload_buffer_data(self.buffers["first_step"], 0, step)
        if self.many and len(rate_factors) > 1:
            encoder.clear_buffer(self.buffers["gate"])
            self._record(encoder, [(self.train_many, self.resident)])
        else:
            self._record(encoder, self.step * len(rate_factors))
        self._send(encoder)
        self._next_step += len(rate_factors)

    def _send(self, encoder: Any) -> None:
        try:
            self.gpu.submit_command_buffer(encoder.finish())
        except RuntimeError as error:
            raise DeviceError(
                f"device: got an error from {self.device} ({error}), need one that answers. "
                "Resume from the last checkpoint, or start again."
            ) from error

    def _read_states(self) -> npt.NDArray[Any]:
        """Read the states through memory that the host sees: ten times faster than to_numpy."""
        encoder = self.gpu.create_command_encoder()
        encoder.copy_buffer(self.seen, 0, self.buffers["states"], 0, 2 * STATE.itemsize)
        self._send(encoder)
        self.gpu.wait()
        return self.seen.to_numpy()

    def _round(self) -> None:
        """Make the rounded copies of what was just uploaded."""
        self._run(self.first_round)

    def _run(self, kernels: Sequence[tuple[Kernel, int]]) -> None:
        encoder = self.gpu.create_command_encoder()
        self._record(encoder, kernels)
        self._send(encoder)

    def _record(self, encoder: Any, kernels: Sequence[tuple[Kernel, int]]) -> None:
        with encoder.begin_compute_pass() as into:
            for kernel, groups in kernels:
                if groups:
                    kernel.record(into, [groups])

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

    def round_mean(self) -> None:
        """Bring what ``inference`` evaluates up to date with the steps."""
        encoder = self.gpu.create_command_encoder()
        self._record(encoder, self.mean_round)
        self.inference.refresh(encoder)
        self._send(encoder)

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

    def _write(self, into: slangpy.Buffer, first_byte: int, values: npt.NDArray[Any]) -> None:
        encoder = self.gpu.create_command_encoder()
        raw = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
        encoder.upload_buffer_data(into, first_byte, raw)
        self._send(encoder)

    def close(self) -> None:
        """Give the device back; nothing else may be asked afterwards."""
        self.gpu.close()
