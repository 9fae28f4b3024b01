"""GPU training engine of a cloud of Gaussians, in Slang."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.engine.kernels.step.step_state import StepState
from neuralshade.engine.step_queue import StepQueue
from neuralshade.gpu.gpu import Dispatch, Gpu, Steps, run_steps, write_once
from neuralshade.kinds.splats.kernels import (
    RANGE,
    THREADS,
    VIEW,
    SplatBuffers,
    SplatForm,
    layout_for,
)
from neuralshade.model.gaussian import COLOR

MOST_LEVELS = 2**20  # of an attribute, in a checkpoint: as of centers in a file
ENTRIES = ("train_tile", "draw_tile", "project_splats", "list_cells", "update_splats", "weigh_tile")
SUBMITTED_STEPS = 256  # recorded while the GPU runs those before
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class SplatTraining:
    """Training parameters of a cloud."""

    betas: tuple[float, float] = (0.9, 0.99)
    epsilon: float = 1e-8
    tiles_share: float = 1.0  # of the picture's tiles, per step


class SplatEngine:
    """Runs steps on the GPU: list, draw, loss, backward, Adam, in three dispatches.

    ``values`` float32 [A, N] are the Gaussians; see ``model/gaussian.py`` for the rows.
    """

    resized = ("values", "moments", "ages", "schedule")  # state that grows with the count

    def __init__(
        self,
        gpu: Gpu,
        form: SplatForm,
        training: SplatTraining,
        pixels: npt.NDArray[Any],
        values: Floats,
        capacity: int,
        background: Floats,
    ):
        self.gpu, self.form, self.training = gpu, form, training
        self.height, self.width, self.channels = pixels.shape
        self.layout = layout_for(self.width, self.height, capacity)
        self.trained_tiles = max(1, round(training.tiles_share * self.layout.tiles))
        adam = {"beta1": training.betas[0], "beta2": training.betas[1],
                "epsilon": training.epsilon}  # fmt: skip
        self.background = background
        self.buffers = SplatBuffers(
            gpu, form, capacity, self.layout, pixels, self.trained_tiles, adam, background
        )
        self.bound = self.buffers.bound
        self.capacity, self.count = capacity, 0
        self.tile_pixels = self.width * self.height / self.layout.tiles
        self.ranges = np.zeros(form.attributes, RANGE)
        self.queue = StepQueue(gpu, self.bound["states"], self.buffers.rate_ring, SUBMITTED_STEPS)
        self._kernels = self.buffers.kernels(ENTRIES)
        self._ssim = self.buffers.ssim()
        self.set_cloud(values)

    def set_cloud(
        self, values: Floats, moments: Floats | None = None, ages: npt.NDArray[Any] | None = None
    ) -> None:
        """Replace the Gaussians: ``values`` [A, N], N <= capacity, ``moments`` [2, A, N]."""
        count = values.shape[1]
        numbers, capacity = self.form.attributes, self.capacity
        room = np.zeros((2, numbers, capacity), np.float32)
        grown = np.zeros(capacity, np.uint32)
        if moments is not None and ages is not None:
            room[:, :, :count] = moments
            grown[:count] = ages
        self._put(values)
        self._write("moments", room)
        self._write("ages", grown)
        self.count = count
        self._show_all()
        self._prepare()

    def set_ranges(self, ranges: npt.NDArray[Any]) -> None:
        """Set limits, levels and step sizes of the attributes: RANGE [A]."""
        self.ranges = ranges.copy()
        self._write("ranges", self.ranges)
        self._project()

    def _show_all(self) -> None:
        view = np.zeros(1, VIEW)
        view["magnified"], view["size_px"], view["count"] = 1, (self.width, self.height), self.count
        self._write("views", view)

    def _prepare(self) -> None:
        """Record the dispatches for the current count of Gaussians."""
        groups = -(-self.count // THREADS)
        listing: Dispatch = (self._kernels["list_cells"], self.layout.cells)
        all_tiles: Dispatch = (self._kernels["draw_tile"], self.layout.tiles)
        self._step = self.gpu.steps([
            listing,
            *([all_tiles, *self._ssim] if self._ssim else []),
            (self._kernels["train_tile"], self.trained_tiles),
            (self._kernels["update_splats"], groups + 1),  # the last one ends the step
        ])  # fmt: skip
        self._draw = self.gpu.steps([listing, all_tiles])
        self._weigh = self.gpu.steps([listing, (self._kernels["weigh_tile"], self.layout.tiles)])
        self._all = self.gpu.steps([(self._kernels["project_splats"], groups)])
        self._project()

    def _project(self) -> None:
        run_steps(self.gpu, self._all)

    def advance(self, rate_factors: Sequence[float]) -> float:
        """Run one step per factor of the step size; return the last step's mean loss."""
        return self.queue.advance(rate_factors, partial(self.queue.send, self._step)).loss

    @property
    def state_now(self) -> StepState:
        """Return the loss and the count of the last finished step."""
        return self.queue.state

    @property
    def skipped(self) -> int:
        """Return how often a Gaussian's gradient was not finite."""
        return int(self.bound["broken"].read().view(np.uint32)[0])

    def draw(self) -> Floats:
        """Return the picture of the Gaussians as they are stored: float32 [H, W, C]."""
        return self._picture(self._draw)

    def picture_of(self, values: Floats) -> Floats:
        """Return the picture of other numbers [A, N], as many as there are; nothing changes."""
        mine, ranges = self.values(), self.ranges
        free = ranges.copy()
        free["levels"], free["low"], free["high"] = 0, -np.inf, np.inf
        try:
            self._put(values)
            self.set_ranges(free)
            return self.draw()
        finally:
            self._put(mine)
            self.set_ranges(ranges)

    def _put(self, values: Floats) -> None:
        room = np.zeros((self.form.attributes, self.capacity), np.float32)
        room[:, : values.shape[1]] = values
        self._write("values", room)

    def _picture(self, steps: Steps) -> Floats:
        run_steps(self.gpu, steps)
        drawn = self.bound["drawn"].read().view(np.float32)
        shape = (self.height, self.width, self.channels)
        return drawn[: self.height * self.width * self.channels].reshape(shape)

    def weights(self) -> Floats:
        """Return each Gaussian's sum of weights over all pixels: float32 [N]."""
        commands = self.gpu.commands()
        commands.clear(self.bound["gradients"])
        commands.run(self._weigh)
        commands.submit()
        sums = self.bound["gradients"].read().view(np.float32).reshape(-1, self.form.stride)
        counted = sums[: self.count, COLOR].copy()
        commands = self.gpu.commands()
        commands.clear(self.bound["gradients"])
        commands.submit()
        return counted

    def values(self) -> Floats:
        """Return the trained numbers: float32 [A, N]."""
        raw = self.bound["values"].read().view(np.float32)
        return (
            raw[: self.form.attributes * self.capacity]
            .reshape(-1, self.capacity)[:, : self.count]
            .copy()
        )

    def levels(self, ranges: npt.NDArray[Any] | None = None) -> npt.NDArray[np.int32]:
        """Return the levels of the numbers, in ``ranges`` or those in use.

        int32 [A, N].
        """
        ranges = self.ranges if ranges is None else ranges
        low, high = ranges["low"][:, None], ranges["high"][:, None]
        steps = np.maximum((high - low) / np.maximum(ranges["levels"][:, None] - 1, 1), 1e-20)
        return np.rint((self.values().clip(low, high) - low) / steps).astype(np.int32)

    def replace(self, kept: npt.NDArray[np.int64], added: Floats, *, first: bool = False) -> None:
        """Keep the Gaussians ``kept`` and insert ``added`` [A, M], in front or behind."""
        numbers = self.form.attributes
        raw = self.bound["moments"].read().view(np.float32)[: 2 * numbers * self.capacity]
        moments = raw.reshape(2, numbers, self.capacity)[:, :, kept]
        ages = self.bound["ages"].read().view(np.uint32)[kept]
        fresh = np.zeros((2, *added.shape), np.float32)
        born = np.zeros(added.shape[1], np.uint32)
        old = self.values()[:, kept]
        order = slice(None, None, -1) if first else slice(None)
        self.set_cloud(
            np.concatenate([old, added][order], axis=1),
            np.concatenate([moments, fresh][order], axis=2),
            np.concatenate([ages, born][order]),
        )

    def state(self) -> dict[str, torch.Tensor]:
        """Return everything that a restart needs besides the recipe, by name."""
        numbers, capacity = self.form.attributes, self.capacity
        moments = self.bound["moments"].read().view(np.float32)[: 2 * numbers * capacity]
        ages = self.bound["ages"].read().view(np.uint32)[: self.count]
        kept = moments.reshape(2, numbers, capacity)[:, :, : self.count]
        return {
            "values": torch.from_numpy(self.values()),
            "moments": torch.from_numpy(kept.copy()),
            "ages": torch.from_numpy(ages.astype(np.int64)),
            "ranges": torch.from_numpy(self.ranges.view(np.float32).reshape(-1, 4).copy()),
            "step": torch.tensor([self.state_now.step, self.state_now.applied, self.skipped]),
        }

    def load_state(self, state: dict[str, torch.Tensor]) -> None:
        """Load what ``state`` returned; ValueError where its Gaussians do not fit."""
        count = state["values"].shape[1]
        numbers = self.form.attributes
        shapes = {"values": (numbers, count), "moments": (2, numbers, count), "ages": (count,)}
        if not 1 <= count <= self.capacity:
            raise ValueError(f"got {count} Gaussians, need 1 to {self.capacity}")
        for name, shape in shapes.items():
            if tuple(state[name].shape) != shape:
                raise ValueError(f"{name}: got {tuple(state[name].shape)}, need {shape}")
        ranges = state["ranges"].numpy().astype(np.float32).view(RANGE).reshape(-1)
        levels = ranges["levels"]
        if (ranges["low"] > ranges["high"]).any() or (levels != levels.round()).any():
            raise ValueError("ranges: got some without numbers in them")
        if levels.min() < 0 or levels.max() > MOST_LEVELS:
            raise ValueError(f"ranges: got {levels.min():g} to {levels.max():g} levels")
        step, applied, skipped = (int(number) for number in state["step"])
        self._write("broken", np.array([skipped], np.uint32))
        self.queue.restart(StepState(step, applied, 0, 0, 1.0))
        self.set_ranges(ranges)
        self.set_cloud(
            state["values"].numpy(), state["moments"].numpy(),
            state["ages"].numpy().astype(np.uint32),
        )  # fmt: skip

    def _write(self, name: str, values: npt.NDArray[Any]) -> None:
        write_once(self.gpu, self.bound[name], values)
