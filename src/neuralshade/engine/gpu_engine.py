"""Training steps in Slang on the GPU."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from neuralshade.engine.fused import kernel_text
from neuralshade.engine.gradients import COPIES, GRADIENTS, choose_gradients, crowded_numbers
from neuralshade.engine.infer import Inference
from neuralshade.engine.layout import NetworkLayout
from neuralshade.engine.many_steps import INCLUDE, copy_size, live_numbers, takes_many
from neuralshade.engine.matrix import MatrixPlan, matrix_constants, matrix_plan
from neuralshade.engine.portable import PortablePlan, portable_constants, portable_plan
from neuralshade.engine.step_state import STATE, StepState
from neuralshade.engine.task import TaskText
from neuralshade.engine.update import levels_of, table_words, update_text
from neuralshade.errors import DeviceError
from neuralshade.gpu.device import multiprocessors
from neuralshade.gpu.kernel import Kernel, device_buffer, load_text, read_back_buffer
from neuralshade.model.field import Field
from neuralshade.sampler.sample import PixelLattice
from neuralshade.source.target import Target

if TYPE_CHECKING:
    import slangpy

SUBMITTED_STEPS = 128  # recorded while the GPU still runs those before
SCALE_SHARE = 1 / 16  # of the recipe's loss scale: it is for a mean, ours multiplies each sample
GROUPS = 132  # that share a batch


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


class Numbers:
    """Trained numbers on the device, with what Adam keeps of them and their rounded copies."""

    def __init__(self, device: slangpy.Device, values: np.ndarray, halves: bool, room: int = 0):
        size = values.nbytes
        self.count = values.size
        self.values = device_buffer(device, values)
        self.moments = device_buffer(device, size=2 * size)
        self.means = device_buffer(device, size=size)
        room = max(room, self.count)  # of rounded numbers
        self.stored = device_buffer(device, size=room * (2 if halves else 4))
        self.stored_mean = device_buffer(device, size=size // 2 if halves else size)

    def bound(self) -> dict[str, Any]:
        """Return the buffers by the names that the update kernels use."""
        return {"values": self.values, "moments": self.moments, "means": self.means,
                "stored": self.stored}  # fmt: skip


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
        self.seen = read_back_buffer(device, 2 * STATE.itemsize)
        self._build_buffers()
        self._build_kernels()
        self._round()

    def _build_buffers(self) -> None:
        device, plan = self.gpu, self.plan
        tables = self.field.encoding.tables()
        words, self.cell_groups, entries = table_words(tables)
        self.rows = self.layout.rows()
        self.crowded = 0 if self.gradients == "fixed" else crowded_numbers(tables)
        kind = GRADIENTS[self.gradients]
        self.rounds_cells = any(table.bits < 16 for table in tables)
        most = max((table.features for table in tables), default=1)
        self.buffers = {
            "rows": device_buffer(device, self.rows),
            "tables": device_buffer(device, words),
            "partials": device_buffer(device, size=4 * plan.slots * self.layout.size),
            "partial_losses": device_buffer(device, size=4 * plan.groups),
            "states": device_buffer(device, self.state_now.pair()),
            "broken": device_buffer(device, size=8),
            "first_step": device_buffer(device, size=8),
            "rates": device_buffer(device, size=4 * SUBMITTED_STEPS),
            "hits": device_buffer(device, size=4 * entries if self.training.touched else 0),
            "extents": device_buffer(device, size=8 * self.cell_groups * most),
            "grid_sums": device_buffer(
                device, size=kind.sum_bytes * self.grid.count + 4 * COPIES * self.crowded
            ),
            "grid_halves": device_buffer(device, size=kind.half_bytes * self.grid.count),
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
            "crowded": self.crowded,
        }

    def _build_kernels(self) -> None:
        halves, t = self.plan.halves, self.training
        tables = self.field.encoding.tables()
        update = load_text(
            self.gpu,
            update_text(tables, halves=halves, gradients=self.gradients, touched=t.touched),
        )
        train = load_text(self.gpu, self._train_text())
        shared = {**self.buffers, "grid_gradients": self.buffers["grid_sums"],
                  "levels4": levels_of(4), "levels8": levels_of(8)}  # fmt: skip
        steps = {**shared, "settings": self._settings(rounds_mean=False)}
        means = {**shared, "settings": self._settings(rounds_mean=t.average > 0)}

        def kernel(module: Any, entry: str, *variables: dict[str, Any]) -> Kernel:
            merged = {name: value for some in variables for name, value in some.items()}
            return Kernel(self.gpu, module, entry, merged)

        self.train_kernel = kernel(train, "train", shared, dict(self.task.variables), {
            "network": self.network.stored, "network_words": self.network.stored,
            "grid_numbers": self.grid.stored,
            "batch": t.batch, "groups": self.plan.groups, "slot_size": self.layout.size,
        })  # fmt: skip
        network, grid = self.network.bound(), self.grid.bound()
        if self.many:
            self._build_many(train, kernel, shared)
        self.update_network = kernel(update, "update_network", steps, network)
        self.update_cells = kernel(update, "update_cells", steps, grid)
        self.round_cells = kernel(update, "round_cells", steps, grid)
        self.first_round = [
            (kernel(update, "round_network", steps, network), len(self.rows)),
            (kernel(update, "measure_grid", steps, grid), self.cell_groups),
            (self.round_cells, self.cell_groups),
        ]
        self._build_look(update, means, kernel)

    def _build_many(self, train: Any, kernel: Any, shared: dict[str, Any]) -> None:
        t, settings = self.training, self._settings(rounds_mean=False)
        self.buffers |= {"gate": device_buffer(self.gpu, size=4),
                         "live": device_buffer(self.gpu, live_numbers(self.layout))}  # fmt: skip
        many = {"adam": settings["network"], "average": t.average,
                "numbers": settings["numbers"], "resident": self.resident,
                "slots": self.plan.slots, "copy_size": copy_size(self.layout)}  # fmt: skip
        self.train_many = kernel(train, "train_many", shared, dict(self.task.variables), {
            "network": self.network.stored, "network_words": self.network.stored,
            "network_ring": self.network.stored, "values": self.network.values,
            "moments": self.network.moments, "means": self.network.means,
            "partial_words": self.buffers["partials"],
            "loss_words": self.buffers["partial_losses"],
            "grid_numbers": self.grid.stored, "batch": t.batch, "groups": self.plan.groups,
            "slot_size": self.layout.size, "many": many,
            "gate": self.buffers["gate"], "live": self.buffers["live"],
        })  # fmt: skip

    def _train_text(self) -> str:
        if isinstance(self.plan, MatrixPlan):
            layers = len(self.field.network.members) - 1
            constants = matrix_constants(self.plan, layers, many=self.many)
            text = kernel_text(self.field, self.task, "matrix", constants)
            return text + INCLUDE if self.many else text
        return kernel_text(self.field, self.task, "portable", portable_constants(self.plan))

    def _build_look(self, update: Any, means: dict[str, Any], kernel: Any) -> None:
        """Build what rounds the mean weights, and what evaluates them."""
        mean = self.training.average > 0
        network = {"values": self.network.means if mean else self.network.values,
                   "stored": self.network.stored_mean}  # fmt: skip
        grid = {"values": self.grid.means if mean else self.grid.values,
                "stored": self.grid.stored_mean}  # fmt: skip
        self.mean_round = [
            (kernel(update, "round_network", means, network), len(self.rows)),
            (kernel(update, "measure_grid", means, grid), self.cell_groups),
            (kernel(update, "round_cells", means, grid), self.cell_groups),
        ]
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
            self._send(encoder)
            self._next_step += len(rate_factors)
            return
        with encoder.begin_compute_pass() as into:
            for _ in rate_factors:
                self.train_kernel.record(into, [self.plan.groups])
                self.update_network.record(into, [len(self.rows)])
                if self.cell_groups:
                    self.update_cells.record(into, [self.cell_groups])
                    if self.rounds_cells:
                        self.round_cells.record(into, [self.cell_groups])
        self._send(encoder)
        self._next_step += len(rate_factors)

    _next_step = 0

    def _send(self, encoder: Any) -> None:
        try:
            self.gpu.submit_command_buffer(encoder.finish())
        except RuntimeError as error:
            raise DeviceError(
                f"device: got an error from {self.device} ({error}), need one that answers. "
                "Resume from the last checkpoint, or start again."
            ) from error

    def _read_states(self) -> np.ndarray:
        """Read the states through memory that the host sees: ten times faster than to_numpy."""
        encoder = self.gpu.create_command_encoder()
        encoder.copy_buffer(self.seen, 0, self.buffers["states"], 0, 2 * STATE.itemsize)
        self._send(encoder)
        self.gpu.wait()
        return self.seen.to_numpy()

    def _read(self, name: str) -> np.ndarray:
        return self.buffers[name].to_numpy()

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
        values = self._field_order(self._download("means" if mean else "values"))
        for parameter, value in zip(self.field.parameters(), values, strict=True):
            parameter.copy_(value * factor)

    def state(self) -> dict[str, torch.Tensor]:
        """Return everything that a restart needs besides the recipe, by name.

        Names and shapes are those of ``TorchEngine.state``, so that either can go on.
        """
        now = self.state_now
        state = {"rng": self.rng.get_state(), "skipped": torch.tensor(now.skipped),
                 "threads": torch.tensor(1)}  # fmt: skip
        state["gpu.steps"] = torch.tensor([now.step, now.applied, now.good, now.skipped])
        state["gpu.scale"] = torch.tensor(now.scale)
        names = [f"field.{name}" for name, _ in self.field.named_parameters()]
        state |= dict(zip(names, self._field_order(self._download("values")), strict=True))
        state |= self._optimizer_state()
        if self.training.average > 0:
            means = self._field_order(self._download("means"))
            state |= {f"average.{i}": mean for i, mean in enumerate(means)}
            state["average.count"] = torch.tensor(float(now.applied))
        return state

    def _optimizer_state(self) -> dict[str, torch.Tensor]:
        state: dict[str, torch.Tensor] = {}
        applied = torch.tensor(float(self.state_now.applied))
        first, second = self._download("moments", 0), self._download("moments", 1)
        for group, half in enumerate(("network", "encoding")):
            for i, (m, v) in enumerate(zip(first[half], second[half], strict=True)):
                at = f"optimizer.{group}.{i}."
                state |= {at + "exp_avg": m, at + "exp_avg_sq": v}
                if not (self.training.touched and half == "encoding"):
                    state[at + "step"] = applied
        if self.training.touched:
            hits = self._read("hits").view(np.uint32)
            for i, (first_entry, count, shape) in enumerate(self._cells()):
                counted = torch.from_numpy(
                    hits[first_entry : first_entry + count].astype(np.float32)
                )
                state[f"optimizer.1.{i}.count"] = counted.reshape(shape)
        return state

    def _cells(self) -> list[tuple[int, int, list[int]]]:
        """Return first entry, entries, and the shape of their counts, for every grid level."""
        cells, first = [], 0
        parameters = self.field.encoding.parameters()
        for table, parameter in zip(self.field.encoding.tables(), parameters, strict=True):
            shape = list(parameter.shape)
            shape[0 if parameter.dim() == 3 else 1] = 1
            cells.append((first, table.entries, shape))
            first += table.entries
        return cells

    def _download(self, name: str, part: int = 0) -> dict[str, list[torch.Tensor]]:
        """Return the numbers of a buffer in the shapes of both halves' parameters."""

        def numbers(of: Numbers) -> np.ndarray:
            raw = getattr(of, name).to_numpy().view(np.float32)
            return raw[part * of.count : (part + 1) * of.count]

        grid = torch.from_numpy(numbers(self.grid).copy())
        return {"network": self.layout.unflatten(numbers(self.network)),
                "encoding": self.field.encoding.unflatten(grid)}  # fmt: skip

    @staticmethod
    def _field_order(halves: dict[str, list[torch.Tensor]]) -> list[torch.Tensor]:
        return [*halves["encoding"], *halves["network"]]

    def load_state(self, state: dict[str, torch.Tensor]) -> None:
        """Take over what ``state`` returned once, here or on the other engine."""
        self.rng.set_state(state["rng"])
        names = [name for name, _ in self.field.named_parameters()]
        self._upload("values", [state[f"field.{name}"] for name in names])
        if self.training.average > 0:
            self._upload("means", [state[f"average.{i}"] for i in range(len(names))])
        self._load_optimizers(state)
        applied = int(state["optimizer.0.0.step"])
        skipped = int(state["skipped"])
        steps = state.get("gpu.steps", torch.tensor([applied + skipped, applied, 0, skipped]))
        scale = float(state.get("gpu.scale", torch.tensor(self.state_now.scale)))
        step, applied, good, skipped = (int(number) for number in steps)
        self.state_now = StepState(step, applied, good, skipped, scale)
        self._next_step = step
        self._write("states", self.state_now.pair())
        self._round()

    def _load_optimizers(self, state: dict[str, torch.Tensor]) -> None:
        counts = (len(list(self.field.encoding.parameters())),
                  len(list(self.field.network.parameters())))  # fmt: skip
        order = [(1, i) for i in range(counts[0])] + [(0, i) for i in range(counts[1])]
        for part, name in enumerate(("exp_avg", "exp_avg_sq")):
            self._upload("moments", [state[f"optimizer.{g}.{i}.{name}"] for g, i in order], part)
        if self.training.touched:
            hits = [state[f"optimizer.1.{i}.count"].reshape(-1) for i in range(counts[0])]
            self._write("hits", torch.cat(hits).numpy().astype(np.uint32))

    def _upload(self, name: str, values: Sequence[torch.Tensor], part: int = 0) -> None:
        """Write numbers shaped like the field's parameters into a buffer of both halves."""
        grids = len(list(self.field.encoding.parameters()))
        flats = (self.field.encoding.flatten(list(values[:grids])).numpy(),
                 self.layout.flatten(values[grids:]))  # fmt: skip
        for of, flat in zip((self.grid, self.network), flats, strict=True):
            encoder = self.gpu.create_command_encoder()
            if flat.size:
                encoder.upload_buffer_data(getattr(of, name), 4 * part * of.count, flat)
            self._send(encoder)

    def _write(self, name: str, values: np.ndarray) -> None:
        encoder = self.gpu.create_command_encoder()
        raw = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
        encoder.upload_buffer_data(self.buffers[name], 0, raw)
        self._send(encoder)

    def close(self) -> None:
        """Give the device back; nothing else may be asked afterwards."""
        self.gpu.close()
