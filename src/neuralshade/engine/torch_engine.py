"""Training steps in PyTorch, on any torch device."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy.typing as npt
import torch

from neuralshade.engine.draw import Crop, draw_field
from neuralshade.engine.heap import keep_heap
from neuralshade.engine.threads import Threads
from neuralshade.loss.pointwise import LOSSES
from neuralshade.model.field import Field
from neuralshade.optimizer.adam import Optimizer
from neuralshade.optimizer.average import WeightAverage
from neuralshade.sampler.draw import Sampler
from neuralshade.sampler.sample import PixelLattice, Pixels, Sample
from neuralshade.source.target import Target

HOLD_STEPS = 12  # run and undone to choose a number of threads for a repeatable fit
TABLE_LIMIT = 2**24  # prepared numbers kept per axis (64 MB); above it each step prepares its own


@dataclass
class TorchEngine:
    """Runs steps: draw, encode, forward, loss, backward, optimizers.

    ``compute`` is the dtype of the network's products. With float16 the loss gradient is
    multiplied by ``loss_scale`` on its way back, so that small gradients do not vanish.
    A step whose gradient is not finite is skipped and counted in ``skipped``.
    """

    field: Field
    target: Target
    sampler: Sampler
    loss: str
    optimizers: Sequence[Optimizer]
    rng: torch.Generator
    compute: torch.dtype = torch.float32
    loss_scale: float = 1024.0
    average: WeightAverage | None = None
    repeatable: bool = False  # hold on to one number of threads, for equal bits
    skipped: int = 0
    _tables: tuple[torch.Tensor, torch.Tensor] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.device = self.target.planes.device
        self.parameters = list(self.field.parameters())
        self.threads = Threads(torch.get_num_threads() if self.device.type == "cpu" else 1)
        if self.device.type == "cpu":
            keep_heap()
        self.scale = self.loss_scale if self.compute == torch.float16 else 1.0
        height, width = self.target.height, self.target.width
        if max(self._table_size(0, width), self._table_size(1, height)) <= TABLE_LIMIT:
            self._tables = (self._along(0, width), self._along(1, height))

    def advance(self, rate_factors: Sequence[float]) -> float:
        """Run one step per factor of the step size; return the last step's mean loss."""
        if self.repeatable and not self.threads.held:
            self._hold_threads()
        factors, losses = iter(rate_factors), []
        self.threads.run(len(rate_factors), lambda: losses.append(self._step(next(factors))))
        return float(losses[-1])

    def _hold_threads(self) -> None:
        """Choose the number of threads for good, by steps that are undone again."""
        before = {name: value.clone() for name, value in self.state().items()}
        self.threads.run(HOLD_STEPS, lambda: self._step(0.0))
        self.load_state({**before, "threads": torch.tensor(self.threads.count)})

    def _step(self, rate_factor: float) -> torch.Tensor:
        predicted, wanted = self.ask(self.sampler(self.rng))
        loss, d_predicted = LOSSES[self.loss](predicted.detach().float(), wanted)
        for p in self.parameters:
            p.grad = None
        predicted.backward(d_predicted.mul_(self.scale / d_predicted.numel()).to(predicted.dtype))
        if self._gradients_are_finite():
            self._unscale()
            for optimizer in self.optimizers:
                optimizer.step(rate_factor)
            if self.average is not None:
                self.average.update()
        else:
            self.skipped += 1
        return loss.mean()

    def ask(self, sample: Sample) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the field's and the picture's channels at a sample, as columns."""
        if isinstance(sample, PixelLattice):
            along_u, along_v = self._prepared(sample)
            predicted = self.field.combine(along_u, along_v, self.compute)
            return predicted, self.target.at_lattice(sample.rows, sample.cols)
        if isinstance(sample, Pixels):
            row, col = sample.row.to(self.device), sample.col.to(self.device)
            uv = torch.stack([self._centers(col, 0), self._centers(row, 1)], dim=1)
            return self.field.on_samples(uv, self.compute), self.target.at_pixels(row, col)
        uv = sample.uv.to(self.device)
        return self.field.on_samples(uv, self.compute), self.target.at_positions(uv)

    @torch.no_grad()
    def glance(self, lattice: PixelLattice) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the averaged field's and the picture's channels at a lattice, as columns."""
        with self.averaged():
            return self.ask(lattice)

    def draw(self, width: int, height: int, crop: Crop) -> npt.NDArray[Any]:
        """Return the averaged field as ``draw_field`` does."""
        with self.averaged():
            return draw_field(self.field, width, height, crop)

    def close(self) -> None:
        """Give nothing back: memory goes with the engine."""

    def _prepared(self, sample: PixelLattice) -> tuple[torch.Tensor, torch.Tensor]:
        if self._tables is not None:
            return self._tables[0][sample.cols], self._tables[1][sample.rows]
        along = self.field.encoding.along
        cols, rows = sample.cols.to(self.device), sample.rows.to(self.device)
        return along(0, self._centers(cols, 0)), along(1, self._centers(rows, 1))

    def _table_size(self, axis: int, count: int) -> int:
        probe = self.field.encoding.along(axis, torch.zeros(1, device=self.device))
        return count * probe.shape[1]

    def _along(self, axis: int, count: int) -> torch.Tensor:
        index = torch.arange(count, device=self.device)
        return self.field.encoding.along(axis, self._centers(index, axis))

    def _centers(self, index: torch.Tensor, axis: int) -> torch.Tensor:
        """Return the positions of pixel centres in [0, 1]."""
        return (index + 0.5) / (self.target.width, self.target.height)[axis]

    def _gradients_are_finite(self) -> bool:
        gradients = [p.grad for p in self.parameters if p.grad is not None]
        return bool(torch.nn.utils.get_total_norm(gradients).isfinite())

    def _unscale(self) -> None:
        if self.scale != 1.0:
            gradients = [p.grad for p in self.parameters if p.grad is not None]
            torch._foreach_mul_(gradients, 1.0 / self.scale)

    @contextmanager
    def averaged(self) -> Iterator[None]:
        """Let the field have the averaged weights, where there are any, inside the block."""
        if self.average is None:
            yield
            return
        trained = [p.detach().clone() for p in self.parameters]
        self._set_parameters(self.average.values())
        try:
            yield
        finally:
            self._set_parameters(trained)

    @torch.no_grad()
    def _set_parameters(self, values: Sequence[torch.Tensor]) -> None:
        for p, value in zip(self.parameters, values, strict=True):
            p.copy_(value)

    def state(self) -> dict[str, torch.Tensor]:
        """Return everything that a restart needs besides the recipe, by name."""
        state = {"rng": self.rng.get_state(), "skipped": torch.tensor(self.skipped)}
        state["threads"] = torch.tensor(self.threads.count)
        state |= {f"field.{name}": p.detach() for name, p in self.field.named_parameters()}
        for index, optimizer in enumerate(self.optimizers):
            state |= {f"optimizer.{index}.{k}": v for k, v in optimizer.state().items()}
        if self.average is not None:
            state |= {f"average.{k}": v for k, v in self.average.state().items()}
        return state

    @torch.no_grad()
    def load_state(self, state: dict[str, torch.Tensor]) -> None:
        """Take over what ``state`` returned once; the next step is as if nothing stopped."""
        self.rng.set_state(state["rng"])
        self.skipped = int(state["skipped"])
        if self.repeatable:
            self.threads.hold(int(state["threads"]))
        for name, p in self.field.named_parameters():
            p.copy_(state[f"field.{name}"])
        for index, optimizer in enumerate(self.optimizers):
            optimizer.load_state(_below(state, f"optimizer.{index}."))
        if self.average is not None:
            self.average.load_state(_below(state, "average."))


def _below(state: dict[str, torch.Tensor], prefix: str) -> dict[str, torch.Tensor]:
    return {k.removeprefix(prefix): v for k, v in state.items() if k.startswith(prefix)}
