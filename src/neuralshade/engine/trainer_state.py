"""Restart state of a NetworkTrainer: numbers between the device and named tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch

from neuralshade.engine.kernels.step.step_state import StepState
from neuralshade.engine.kernels.step.update import Floats, Numbers, Write
from neuralshade.engine.layout import NetworkLayout
from neuralshade.gpu.gpu import Buffer
from neuralshade.model.field import Field

if TYPE_CHECKING:  # a fit without latents loads none
    from neuralshade.engine.kernels.step.latent_words import LatentNumbers

Halves = dict[str, list[torch.Tensor]]  # "network" and "encoding"
MOMENTS = ("exp_avg", "exp_avg_sq")
OF_NETWORK = "optimizer.0."  # prefix of the optimizer's state of the network


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
        grid: Numbers | LatentNumbers,
        hits: Buffer | None,
        average: bool,
    ):
        self.field, self.layout = field, layout
        self.network, self.grid = network, grid
        self.hits, self.average = hits, average
        self.frozen: Floats | None = None  # grid numbers, which the device may store coarser

    def freeze_grid(self, values: Sequence[torch.Tensor], write: Write) -> None:
        """Upload the encoding's numbers, ``values`` shaped like its parameters.

        They no longer change there, and ``named`` returns them as they are here.
        """
        self.frozen = self.field.encoding.flatten(values).numpy()
        self.grid.write("values", [self.frozen], write)

    def numbers(self, name: str) -> list[torch.Tensor]:
        """Return "values" or "means" in the order and shapes of the field's parameters."""
        halves = self._download(name)
        return [*halves["encoding"], *halves["network"]]

    def network_values(self) -> list[torch.Tensor]:
        """Return the network's weights, shaped like its parameters."""
        return self.layout.unflatten(self.network.read("values"))

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
        axes = self.network.axes().items()
        state |= {f"{OF_NETWORK}{name}": value for name, value in axes}
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
        """Return the numbers of a buffer, shaped like the parameters of network and encoding."""
        numbers = self.frozen if name == "values" else None
        if numbers is None:
            numbers = self.grid.read(name, part)
        grid = torch.from_numpy(numbers)
        return {"network": self.layout.unflatten(self.network.read(name, part)),
                "encoding": self.field.encoding.unflatten(grid)}  # fmt: skip

    def load(self, state: dict[str, torch.Tensor], scale: float, write: Write) -> StepState:
        """Upload the result of ``named`` or of the other engine, through ``write``.

        Returns the step's state, with ``scale`` where the other engine, which names no loss
        scale, saved it; its caller writes that.
        """
        names = [name for name, _ in self.field.named_parameters()]
        self._upload("values", [[state[f"field.{name}"] for name in names]], write)
        if self.average:
            self._upload("means", [[state[f"average.{i}"] for i in range(len(names))]], write)
        self._load_optimizers(state, write)
        applied = int(state["optimizer.0.0.step"])
        skipped = int(state["skipped"])
        steps = state.get("gpu.steps", torch.tensor([applied + skipped, applied, 0, skipped]))
        scale = float(state.get("gpu.scale", torch.tensor(scale)))
        step, applied, good, skipped = (int(number) for number in steps)
        return StepState(step, applied, good, skipped, scale)

    def load_optimizer(self, state: Mapping[str, torch.Tensor], write: Write) -> None:
        """Upload an optimizer's state of the network, by its names."""
        count = len(list(self.field.network.parameters()))
        moments = [[state[f"{i}.{name}"].cpu() for i in range(count)] for name in MOMENTS]
        self.network.write("moments", [self.layout.flatten(part) for part in moments], write)
        self.network.write_axes(state, write)

    def _load_optimizers(self, state: dict[str, torch.Tensor], write: Write) -> None:
        self.load_optimizer(network_optimizer_state(state), write)
        grids = range(len(list(self.field.encoding.parameters())))
        moments = [[state[f"optimizer.1.{i}.{name}"] for i in grids] for name in MOMENTS]
        self._upload_grid("moments", moments, write)
        if self.hits is not None:
            hits = [state[f"optimizer.1.{i}.count"].reshape(-1) for i in grids]
            write(self.hits, torch.cat(hits).numpy().astype(np.uint32))

    def _upload(self, name: str, parts: Sequence[list[torch.Tensor]], write: Write) -> None:
        """Write numbers into the buffers of network and encoding, in the parameters' shapes."""
        grids = len(list(self.field.encoding.parameters()))
        if name == "values" and self.frozen is not None:
            self.freeze_grid(parts[0][:grids], write)
        else:
            self._upload_grid(name, [part[:grids] for part in parts], write)
        self.network.write(name, [self.layout.flatten(part[grids:]) for part in parts], write)

    def _upload_grid(self, name: str, parts: Sequence[list[torch.Tensor]], write: Write) -> None:
        """Write numbers into a buffer of the encoding; each part is shaped like its parameters."""
        if self.grid.count:
            flats = [self.field.encoding.flatten(part).numpy() for part in parts]
            self.grid.write(name, flats, write)


def network_optimizer_state(state: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Return the optimizer's state of the network, by its own names, from a trainer's state."""
    return {name.removeprefix(OF_NETWORK): value for name, value in state.items()
            if name.startswith(OF_NETWORK)}  # fmt: skip
