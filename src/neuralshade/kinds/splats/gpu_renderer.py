"""GPU renderer of a cloud of Gaussians, at any resolution."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.gpu.gpu import Gpu, Steps, run_steps, write_once
from neuralshade.kinds.splats.draw import Cloud
from neuralshade.kinds.splats.kernels import (
    RANGE,
    THREADS,
    VIEW,
    SplatBuffers,
    SplatForm,
    layout_for,
)
from neuralshade.source.crop import WHOLE, Crop

FREE = np.float32(1e30)  # no limit
BLOCK_PX = 4096  # largest side drawn at once


class SplatRenderer:
    """Draws ``cloud`` through ``gpu``; keeps the buffers of the last size."""

    def __init__(self, gpu: Gpu, cloud: Cloud, *, naive: bool = False):
        self.gpu, self.cloud = gpu, cloud
        together = cloud.compositing
        self.form = SplatForm(
            len(cloud.background), together.kind, together.strongest, together.cutoff, naive=naive
        )
        self._size = (0, 0)

    def picture(self, width: int, height: int, crop: Crop = WHOLE) -> npt.NDArray[np.float32]:
        """Return the cloud at the centres of width x height pixels that cover ``crop``.

        float32 [height, width, channels], not clamped.
        """
        picture = np.empty((height, width, self.form.channels), np.float32)
        for top in range(0, height, BLOCK_PX):
            for left in range(0, width, BLOCK_PX):
                cols, rows = min(BLOCK_PX, width - left), min(BLOCK_PX, height - top)
                u = _part(crop[0], crop[2], left, cols, width)
                v = _part(crop[1], crop[3], top, rows, height)
                run_steps(self.gpu, self.steps(cols, rows, (u[0], v[0], u[1], v[1])))
                drawn = self.buffers.bound["drawn"].read().view(np.float32)
                block = drawn[: rows * cols * self.form.channels].reshape(rows, cols, -1)
                picture[top : top + rows, left : left + cols] = block
        return picture

    def steps(self, width: int, height: int, crop: Crop = WHOLE) -> Steps:
        """Return the dispatches that draw ``crop`` at width x height pixels into ``drawn``."""
        if self._size != (width, height):
            self._prepare(width, height)
        u0, v0, u1, v1 = crop
        fitted = np.array([self.cloud.width, self.cloud.height], np.float64)
        view = np.zeros(1, VIEW)
        view["first_px"] = fitted * (u0, v0)
        view["magnified"] = (width, height) / (fitted * (u1 - u0, v1 - v0))
        view["size_px"], view["count"] = (width, height), self.cloud.values.shape[1]
        self._write("views", view)
        return self._steps

    def _prepare(self, width: int, height: int) -> None:
        count = self.cloud.values.shape[1]
        layout = layout_for(width, height, count)
        self.buffers = SplatBuffers(
            self.gpu, self.form, count, layout, None, 1,
            {"beta1": 0.0, "beta2": 0.0, "epsilon": 0.0}, self.cloud.background.numpy(),
        )  # fmt: skip
        ranges = np.zeros(self.form.attributes, RANGE)
        ranges["low"], ranges["high"] = -FREE, FREE
        self._write("ranges", ranges)
        self._write("values", self.cloud.values.numpy())
        groups = {"project_splats": -(-count // THREADS), "list_cells": layout.cells,
                  "draw_tile": layout.tiles}  # fmt: skip
        kernels = self.buffers.kernels(list(groups))
        self._steps = self.gpu.steps([(kernels[entry], count) for entry, count in groups.items()])
        self._size = (width, height)

    def _write(self, name: str, values: npt.NDArray[Any]) -> None:
        write_once(self.gpu, self.buffers.bound[name], values)


def _part(first: float, last: float, begin: int, count: int, whole: int) -> tuple[float, float]:
    """Return the start and end of ``count`` of ``whole`` parts from part ``begin`` on."""
    step = (last - first) / whole
    return first + begin * step, first + (begin + count) * step
