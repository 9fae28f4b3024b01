"""Kernels and buffers of a cloud of Gaussians. Device half: kernels.cs.slang."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.engine.kernels.step.step_state import RATES, StepState
from neuralshade.errors import DeviceError
from neuralshade.gpu.device import AdapterInfo
from neuralshade.gpu.gpu import Dispatch, Gpu, Kernel, KernelText
from neuralshade.loss.pointwise import slang_loss
from neuralshade.loss.ssim import ssim_bytes, ssim_groups, ssim_text
from neuralshade.model.gaussian import LARGEST_OPACITY, LEAST_SUM, Compositing
from neuralshade.source.target import device_pixels, unit_of

TILE_PX = 16  # a side of a thread group's tile
PIXELS = 2  # of a thread
THREADS = TILE_PX**2 // PIXELS
LEAST_LANES, MOST_LANES = 4, 32
LIST_BYTES = 2**28  # of all cells' lists, at most
SSIM = ("ssim_forward", "ssim_backward")  # entry points
VIEW = np.dtype(
    [
        ("first_px", "<f4", 2),
        ("magnified", "<f4", 2),
        ("size_px", "<u4", 2),
        ("count", "<u4"),
        ("unused", "<u4"),
    ]
)
RANGE = np.dtype([("low", "<f4"), ("high", "<f4"), ("levels", "<f4"), ("rate", "<f4")])
TEXT = """{imports}#define OPACITY {opacity}
static const int CHANNELS = {channels};
static const int ATTRIBUTES = {attributes};
static const int STRIDE = {stride};
static const int TILE_PX = {tile_px};
static const uint PIXELS = {pixels};
static const int CELL_TILES = {cell_tiles};
static const int STRONGEST = {strongest};
static const uint LANES = {lanes};
static const int IN_STEP = {in_step};
static const int NAIVE = {naive};
static const int SSIM = {ssim};
static const int ALPHA_WEIGHTED = {alpha_weighted};
static const uint TILE_STRIDE = {tile_stride};
static const float CUTOFF = {cutoff!r}f;
static const float LARGEST_OPACITY = {largest_opacity!r}f;
static const float LEAST_SUM = {least_sum!r}f;
typealias Loss = {loss};
typealias Target = {target};
#include "neuralshade/kinds/splats/kernels.cs.slang"
"""


@dataclass(frozen=True)
class SplatForm:
    """Compile-time parameters of the kernels."""

    channels: int
    compositing: str = "sum"  # over, sum or normalized
    strongest: int = 10  # Gaussians per pixel in ``normalized``
    cutoff: float = 3.0  # standard deviations
    loss: str = "l2"
    ssim: float = 0.0  # weight of 1 - SSIM beside the loss
    naive: bool = False  # every pixel visits every Gaussian
    alpha_weighted: bool = False  # errors of color count by the last channel

    @property
    def opacity(self) -> int:
        return self.together.opacity

    @property
    def attributes(self) -> int:
        """Return the number of a Gaussian's trained numbers."""
        return 5 + self.channels + self.opacity

    @property
    def stride(self) -> int:
        """Return the distance between two Gaussians' gradients in the buffer."""
        return -(-self.attributes // 4) * 4

    @property
    def together(self) -> Compositing:
        """Return the compositing of the Python half."""
        return Compositing(self.compositing, self.strongest, self.cutoff)

    def text(self, cell_tiles: int, tile_stride: int, target: str, adapter: AdapterInfo) -> str:
        """Return the module's text."""
        compared = slang_loss(self.loss)
        return TEXT.format(
            imports="".join(f"import {module};\n" for module in sorted(compared.modules)),
            opacity=self.opacity,
            channels=self.channels,
            attributes=self.attributes,
            stride=self.stride,
            tile_px=TILE_PX,
            pixels=PIXELS,
            largest_opacity=LARGEST_OPACITY,
            least_sum=LEAST_SUM,
            cell_tiles=cell_tiles,
            strongest=self.strongest if self.compositing == "normalized" else 0,
            lanes=lanes_of(adapter),
            in_step=int(adapter.software),
            naive=int(self.naive),
            ssim=int(self.ssim > 0),
            alpha_weighted=int(self.alpha_weighted),
            tile_stride=tile_stride,
            cutoff=self.cutoff,
            loss=compared.type,
            target=target,
        )


@dataclass(frozen=True)
class Layout:
    """Division of a picture into tiles and cells."""

    width: int
    height: int
    cell_tiles: int

    @property
    def tiles(self) -> int:
        return _parts(self.width, TILE_PX) * _parts(self.height, TILE_PX)

    @property
    def cells(self) -> int:
        side = TILE_PX * self.cell_tiles
        return _parts(self.width, side) * _parts(self.height, side)


def _parts(length: int, part: int) -> int:
    return -(-length // part)


def layout_for(width: int, height: int, capacity: int) -> Layout:
    """Return cells small enough for short lists, and few enough for all lists to fit."""
    cell_tiles = 4
    while True:
        layout = Layout(width, height, cell_tiles)
        if layout.cells == 1 or 4 * layout.cells * capacity <= LIST_BYTES:
            return layout
        cell_tiles *= 2


def lanes_of(adapter: AdapterInfo) -> int:
    """Return how many lanes of a wave draw a part of a tile together: as many as each wave has.

    Raises: DeviceError where waves may be too small.
    """
    least = adapter.subgroup_size[0] or LEAST_LANES  # 0: unknown, and no API has smaller ones
    if least < LEAST_LANES:
        raise DeviceError(f"device: got {adapter.name} with waves of {least} lanes, need "
                          f"{LEAST_LANES} or more. Choose another device.")  # fmt: skip
    return min(least, MOST_LANES)


def tile_stride(tiles: int) -> int:
    """Return a stride coprime to ``tiles``, far from its simple fractions."""
    stride = max(1, round(tiles * 0.6180339887))
    while math.gcd(stride, tiles) != 1:
        stride += 1
    return stride


def counted_values(pixels: npt.NDArray[Any]) -> float:
    """Return how many values of a picture [H, W, C] count, weighted by alpha where errors are."""
    height, width, channels = pixels.shape
    opaque = float(pixels[..., -1].sum(dtype=np.float64)) * unit_of(pixels.dtype)
    return opaque * (channels - 1) + width * height


class SplatBuffers:
    """Buffers of one cloud's kernels."""

    def __init__(
        self,
        gpu: Gpu,
        form: SplatForm,
        capacity: int,
        layout: Layout,
        pixels: npt.NDArray[Any] | None,
        trained_tiles: int,
        adam: dict[str, float],
        background: npt.NDArray[Any],
    ):
        self.gpu, self.form, self.capacity, self.layout = gpu, form, capacity, layout
        channels = form.channels
        drawn_only = pixels is None
        if pixels is None:
            pixels = np.zeros((1, 1, channels), np.uint8)
        kind, _, words = device_pixels(pixels)
        height, width = pixels.shape[:2]
        self.ssim_text = ssim_text(channels, kind)
        # for drawing alone all sizes share kernels: only training has an order of tiles
        stride = 1 if drawn_only else tile_stride(layout.tiles)
        self.text = form.text(layout.cell_tiles, stride, kind, gpu.adapter)
        numbers = form.attributes * capacity
        shown = np.zeros(4, np.float32)
        shown[:channels] = background
        values = layout.width * layout.height * channels
        counted = counted_values(pixels) if form.alpha_weighted else values
        compared = ssim_bytes(layout.width, layout.height, channels) if form.ssim > 0 else {}
        losses = gpu.buffer(size=4 * max(1, trained_tiles))
        self.rate_ring = gpu.ring(np.float32, RATES)
        self.bound: dict[str, Any] = {
            "views": gpu.buffer(size=VIEW.itemsize),
            "boxes": gpu.buffer(size=16 * capacity),
            "splats": gpu.buffer(size=32 * capacity),
            "gradients": gpu.buffer(size=4 * form.stride * capacity),
            "cell_counts": gpu.buffer(size=4 * layout.cells),
            "cell_lists": gpu.buffer(size=4 * layout.cells * capacity),
            "ranges": gpu.buffer(size=RANGE.itemsize * form.attributes),
            "values": gpu.buffer(size=4 * numbers),
            "moments": gpu.buffer(size=8 * numbers),
            "ages": gpu.buffer(size=4 * capacity),
            "states": gpu.buffer(StepState(0, 0, 0, 0, 1.0).pair().view(np.uint8)),
            "broken": gpu.buffer(size=4),
            "drawn": gpu.buffer(size=4 * channels * layout.width * layout.height),
            "d_drawn": gpu.buffer(),  # of a picture, with SSIM
            **{name: gpu.buffer(size=size) for name, size in compared.items()},
            "ssim_scale": form.ssim,
            "losses": losses,
            "tile_losses": losses,
            "rate_ring": self.rate_ring,
            "capacity": capacity,
            "background": shown,
            "target": {"pixels": gpu.buffer(words), "size_px": np.array([width, height], np.int32)},
            "adam": {"rate": 1.0, **adam},
            "loss_scale": layout.tiles / (trained_tiles * counted),
            "trained_tiles": trained_tiles,
        }

    def ssim(self) -> list[Dispatch]:
        """Return the steps that write SSIM's gradient, where it has a weight."""
        if self.form.ssim == 0:
            return []
        groups = ssim_groups(self.layout.width, self.layout.height, self.form.channels)
        return [(self.gpu.kernel(self.ssim_text, entry, self.bound), groups) for entry in SSIM]

    def kernels(self, entries: Sequence[str]) -> dict[str, Kernel]:
        """Return bound entry points of kernels.cs.slang, by name."""
        own = {entry: entry in ("draw_tile", "train_tile") for entry in entries}  # fast math
        compared = [KernelText(self.ssim_text, entry) for entry in SSIM if self.form.ssim > 0]
        self.gpu.prepare([*(KernelText(self.text, *item) for item in own.items()), *compared])
        return {entry: self.gpu.kernel(self.text, entry, self.bound, fast_math=fast)
                for entry, fast in own.items()}  # fmt: skip
