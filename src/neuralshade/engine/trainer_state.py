"""What a restart of a NetworkTrainer needs: numbers between the device and named tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.engine.kernels.step.step_state import StepState
from neuralshade.engine.layout import NetworkLayout
from neuralshade.engine.step_kernels import Numbers
from neuralshade.gpu.gpu import Buffer
from neuralshade.model.field import Field

Halves = dict[str, list[torch.Tensor]]  # "network" and "encoding"
Write = Callable[[Buffer, int, npt.NDArray[Any]], None]  # from that byte on


class TrainerState:
    """A fit's numbers by the names and shapes of ``TorchEngine.state``.

    ``hits`` is None where Adam does not count the steps of each grid entry; ``average`` says
    whether mean weights are kept.
    """

    def __init__(
        self,
        field: Field,
        layout: NetworkLayout,
        network: Numbers,
        grid: Numbers,
        hits: Buffer | None,
        average: bool,
    ):
        self.field, self.layout = field, layout
        self.network, self.grid = network, grid
        self.hits, self.average = hits, average

    def numbers(self, name: str) -> list[torch.Tensor]:
        """Return "values" or "means" in the order and shapes of the field's parameters."""
        halves = self._download(name)
        return [*halves["encoding"], *halves["network"]]

    def named(self, now: StepState) -> dict[str, torch.Tensor]:
        """Return all but the generator's state, by name; ``now`` is the step's state."""
        state = {"skipped": torch.tensor(now.skipped), "threads": torch.tensor(1)}
        state["gpu.steps"] = torch.tensor([now.step, now.applied, now.good, now.skipped])
        state["gpu.scale"] = torch.tensor(now.scale)
        names = [f"field.{name}" for name, _ in self.field.named_parameters()]
        state |= dict(zip(names, self.numbers("values"), strict=True))
        state |= self._optimizers(now)
        if self.average:
            state |= {f"average.{i}": mean for i, mean in enumerate(self.numbers("means"))}
            state["average.count"] = torch.tensor(float(now.applied))
        return state

    def _optimizers(self, now: StepState) -> dict[str, torch.Tensor]:
        state: dict[str, torch.Tensor] = {}
        applied = torch.tensor(float(now.applied))
        first, second = self._download("moments", 0), self._download("moments", 1)
        for group, half in enumerate(("network", "encoding")):
            for i, (m, v) in enumerate(zip(first[half], second[half], strict=True)):
                at = f"optimizer.{group}.{i}."
                state |= {at + "exp_avg": m, at + "exp_avg_sq": v}
                if self.hits is None or half == "network":
                    state[at + "step"] = applied
        if self.hits is not None:
            hits = self.hits.read().view(np.uint32)
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

    def _download(self, name: str, part: int = 0) -> Halves:
        """Return the numbers of a buffer in the shapes of both halves' parameters."""
        grid = torch.from_numpy(self.grid.read(name, part).copy())
        return {"network": self.layout.unflatten(self.network.read(name, part)),
                "encoding": self.field.encoding.unflatten(grid)}  # fmt: skip

    def load(self, state: dict[str, torch.Tensor], scale: float, write: Write) -> StepState:
        """Put what ``named`` or the other engine returned on the device, through ``write``.

        Returns the step's state, with ``scale`` where the other engine, which names no loss
        scale, saved it; its caller writes that.
        """
        names = [name for name, _ in self.field.named_parameters()]
        self._upload("values", [state[f"field.{name}"] for name in names], write)
        if self.average:
            self._upload("means", [state[f"average.{i}"] for i in range(len(names))], write)
        self._load_optimizers(state, write)
        applied = int(state["optimizer.0.0.step"])
        skipped = int(state["skipped"])
        steps = state.get("gpu.steps", torch.tensor([applied + skipped, applied, 0, skipped]))
        scale = float(state.get("gpu.scale", torch.tensor(scale)))
        step, applied, good, skipped = (int(number) for number in steps)
        return StepState(step, applied, good, skipped, scale)

    def _load_optimizers(self, state: dict[str, torch.Tensor], write: Write) -> None:
        counts = (len(list(self.field.encoding.parameters())),
                  len(list(self.field.network.parameters())))  # fmt: skip
        order = [(1, i) for i in range(counts[0])] + [(0, i) for i in range(counts[1])]
        for part, name in enumerate(("exp_avg", "exp_avg_sq")):
            moments = [state[f"optimizer.{g}.{i}.{name}"] for g, i in order]
            self._upload("moments", moments, write, part)
        if self.hits is not None:
            hits = [state[f"optimizer.1.{i}.count"].reshape(-1) for i in range(counts[0])]
            write(self.hits, 0, torch.cat(hits).numpy().astype(np.uint32))

    def _upload(
        self, name: str, values: Sequence[torch.Tensor], write: Write, part: int = 0
    ) -> None:
        """Write numbers shaped like the field's parameters into a buffer of both halves."""
        grids = len(list(self.field.encoding.parameters()))
        flats = (self.field.encoding.flatten(list(values[:grids])).numpy(),
                 self.layout.flatten(values[grids:]))  # fmt: skip
        for of, flat in zip((self.grid, self.network), flats, strict=True):
            if flat.size:
                write(getattr(of, name), 4 * part * of.count, flat)
