"""Inference of a field at any position. Device half: infer.cs.slang."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.engine.kernel_path import KernelPath
from neuralshade.engine.kernels.infer.infer_text import ENCODING, InferPlan, infer_text
from neuralshade.engine.kernels.infer.infer_view import VIEW, listed_view, pixels_view
from neuralshade.engine.kernels.wgmma.wgmma import WgmmaPlan
from neuralshade.engine.layout import NetworkLayout
from neuralshade.gpu.gpu import (
    Buffer,
    Commands,
    Dispatch,
    Gpu,
    Kernel,
    KernelText,
    Steps,
    bound_kernel,
    run_once,
    run_steps,
)
from neuralshade.gpu.slangpy_gpu import slangpy_gpu
from neuralshade.model.field import Field
from neuralshade.model.mlp import MLP
from neuralshade.source.crop import WHOLE, Crop

if TYPE_CHECKING:
    import slangpy

    from neuralshade.model.stepped_codes import SteppedCodes

INFER_THREADS = 64  # of a group
TEXTURE_TILE_PX = 8  # a group's side, drawing into a texture
BLOCK_PIXELS = 2**24  # of a picture, evaluated at once
KEPT_POSITIONS = 2**20  # larger buffers are not kept for the next call


@dataclass(frozen=True)
class _Canvas:
    """An entry point with buffers for ``count`` results."""

    kernel: Kernel
    view: Buffer
    drawn: Buffer
    positions: Buffer
    count: int


class Inference:
    """Evaluates a field whose rounded numbers lie on the device.

    ``network`` has the order of ``layout``, ``grid`` that of the encoding; both are float16
    where ``halves``, else float32. ``vectors``: by cooperative vectors, which only SlangPy has,
    and whose layout of the weights ``refresh`` makes after the numbers have changed. ``plan``: by
    products of warpgroups or of warps, which only CUDA has; ``layout`` is the plan's and numbers
    are float16. ``codes``: whose words ``grid`` holds in place of numbers.

    Raises: DeviceError for ``vectors`` on a GPU without SlangPy.
    """

    def __init__(
        self,
        gpu: Gpu,
        field: Field,
        layout: NetworkLayout,
        network: Buffer,
        grid: Buffer,
        *,
        halves: bool,
        vectors: bool,
        plan: InferPlan | None = None,
        codes: SteppedCodes | None = None,
    ):
        self.gpu, self.field, self.network = gpu, field, network
        self.vectors, self.plan, self.layout, self.codes = vectors, plan, layout, codes
        self.outputs = field.network.members[-1].weight.shape[0]
        self.weights = cooperative_weights(gpu, field, layout) if vectors else None
        encoding = field.encoding.sized_slang(ENCODING)
        self.text = infer_text(field, layout, halves, self.weights, plan, codes, encoding)
        self.bound: dict[str, Any] = {
            "network": network, "network_words": network, "grid_numbers": grid,
        }  # fmt: skip
        fixed = field.encoding.fixed_buffers(ENCODING)
        self.bound |= {name: gpu.buffer(values) for name, values in fixed.items()}
        self.bound |= encoding.uniforms
        if self.weights is not None:
            self.bound |= {"network": self.weights.buffer, "offsets": self.weights.offsets()}
        self._kept: _Canvas | None = None

    @property
    def path(self) -> KernelPath:
        """Return the kernel path of the network."""
        if self.plan is not None:
            return "wgmma" if isinstance(self.plan, WgmmaPlan) else "matrix"
        return "vector" if self.vectors else "fma"

    def refresh(self, commands: Commands) -> None:
        """Record the conversion of the weights to the layout of vectors."""
        if self.weights is not None:
            recorder: Any = commands  # SlangPy's, as the weights are
            portable: Any = self.network
            self.weights.load(recorder.encoder, portable.native)

    def at_positions(self, positions: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the field at ``positions`` float32 [N, D] in [0, 1]: float32 [N, C].

        Raises: ShapeError for another shape.
        """
        count, most = len(positions), self._most
        if count <= most:
            steps, drawn = self.positions_steps(positions)
            run_steps(self.gpu, steps)
            return self._numbers(drawn, count)
        parts = [positions[first : first + most] for first in range(0, count, most)]
        return np.concatenate([self.at_positions(part) for part in parts])

    @property
    def _most(self) -> int:
        """Return the most positions or pixels per dispatch."""
        return min(BLOCK_PIXELS, self.gpu.most_groups * INFER_THREADS)

    def positions_steps(self, positions: npt.NDArray[Any]) -> tuple[Steps, Buffer]:
        """Upload ``positions``; return the steps that evaluate them, and the result's buffer.

        Raises: ShapeError for another shape than float32 [N, D].
        """
        self.field.check_positions("at_positions", positions.shape)
        canvas = self._positions_canvas(len(positions))
        commands = self.gpu.commands()
        commands.upload(canvas.positions, 0, np.ascontiguousarray(positions, np.float32))
        commands.submit()
        return self._listed_steps(canvas, len(positions)), canvas.drawn

    def steps_between(self, positions: Buffer, drawn: Buffer, count: int) -> Steps:
        """Return steps that evaluate ``count`` positions float32 [count, D] in place, into
        ``drawn``, float32 [count, C], which begins at a multiple of 16 bytes.
        """
        return self.steps_on(positions, drawn, count)(count)

    def dispatch_between(self, positions: Buffer, drawn: Buffer, count: int) -> Dispatch:
        """Return the same as a dispatch within a training step."""
        on_device = self.gpu.buffer(size=VIEW.itemsize)
        canvas = self._bind("draw_positions", on_device, drawn, positions, count)
        return self._dispatch(canvas, listed_view(count))

    def steps_on(self, positions: Buffer, drawn: Buffer, most: int) -> Callable[[int], Steps]:
        """Return a function of a count, for ``steps_between`` of the first of ``most`` positions.

        The steps must run before its next call.
        """
        on_device = self.gpu.buffer(size=VIEW.itemsize)
        canvas = self._bind("draw_positions", on_device, drawn, positions, most)

        def steps(count: int) -> Steps:
            return self._listed_steps(canvas, count)

        return steps

    def _positions_canvas(self, count: int) -> _Canvas:
        """Return a canvas for ``count`` positions: the last one if it is large enough."""
        if self._kept is not None and self._kept.count >= count:
            return self._kept
        canvas = self._canvas("draw_positions", count, positions=count)
        if count <= KEPT_POSITIONS:
            self._kept = canvas
        return canvas

    def picture(self, width: int, height: int, crop: Crop = WHOLE) -> npt.NDArray[Any]:
        """Return the field at the centres of width x height pixels that cover ``crop``.

        float32 [height, width, C], not clamped.

        Raises: ShapeError where the field's positions are not (u, v).
        """
        picture = np.empty((height * width, self.outputs), np.float32)
        for begin, part in self.picture_parts(width, height, crop):
            picture[begin : begin + len(part)] = part
        return picture.reshape(height, width, self.outputs)

    def picture_parts(
        self, width: int, height: int, crop: Crop = WHOLE
    ) -> Iterator[tuple[int, npt.NDArray[np.float32]]]:
        """Yield the pixels of ``picture``, some at a time: how many came before, and float32
        [n, C]. What it raises comes with the first ones.
        """
        self.field.check_drawn("picture.field")
        most = min(self._most, height * width)
        canvas = self._canvas("draw_pixels", most)
        for begin in range(0, height * width, most):
            view = pixels_view(width, height, crop)
            view["begin"], view["count"] = begin, min(most, height * width - begin)
            run_steps(self.gpu, self._steps(canvas, view))
            yield begin, self._numbers(canvas.drawn, int(view["count"][0]))

    def into_texture(self, texture: slangpy.Texture, crop: Crop = WHOLE) -> None:
        """Draw ``crop`` over all of a texture of this device that takes unordered access.

        Raises: DeviceError for a GPU that is not SlangPy's; ShapeError as ``picture``.
        """
        self.field.check_drawn("into_texture.field")
        gpu = slangpy_gpu(self.gpu, "textures")
        view = gpu.buffer(pixels_view(texture.width, texture.height, crop))
        kernel = gpu.kernel(
            self.text, "draw_texture", {**self.bound, "canvas": texture, "views": view}
        )
        across, down = (-(-size // TEXTURE_TILE_PX) for size in (texture.width, texture.height))
        run_once(gpu, [(kernel, (across, down))])

    def _canvas(self, entry: str, count: int, *, positions: int = 0) -> _Canvas:
        gpu = self.gpu
        view = gpu.buffer(size=VIEW.itemsize)
        drawn = gpu.buffer(size=4 * count * self.outputs)
        places = gpu.buffer(size=4 * positions * self.field.dimensions)
        return self._bind(entry, view, drawn, places, count)

    def _bind(
        self, entry: str, view: Buffer, drawn: Buffer, positions: Buffer, count: int
    ) -> _Canvas:
        bound = {**self.bound, "views": view, "drawn": drawn, "positions": positions}
        shared = self.plan.infer_shared_bytes if self.plan else 0
        kernel = bound_kernel(self.gpu, self.text_of(entry), bound, shared_bytes=shared)
        return _Canvas(kernel, view, drawn, positions, count)

    def text_of(self, entry: str) -> KernelText:
        """Return the kernel text of an entry point."""
        products = self.plan is not None  # in float16, so fast math is accurate enough
        return KernelText(self.text, entry, products)

    def _steps(self, canvas: _Canvas, view: npt.NDArray[Any]) -> Steps:
        """Upload ``view``; return its steps."""
        return self.gpu.steps([self._dispatch(canvas, view)])

    def _listed_steps(self, canvas: _Canvas, count: int) -> Steps:
        """Return the steps that evaluate the canvas's first ``count`` positions."""
        plan = self.plan
        if not isinstance(plan, WgmmaPlan) or self.codes is not None:
            return self._steps(canvas, listed_view(count))  # and loads nothing of the rest
        from neuralshade.engine.kernels.infer.level_inference import LevelInference
        from neuralshade.engine.kernels.levels.levels import LEAST_POSITIONS, takes_levels

        if not takes_levels(self.gpu, plan, self.field.encoding, count, LEAST_POSITIONS):
            return self._steps(canvas, listed_view(count))
        levels = LevelInference(self.gpu, self.field, self.layout, plan, self.bound, count)

        def draw(kernel: KernelText, bound: dict[str, Any], some: int) -> Dispatch:
            view = self.gpu.buffer(size=VIEW.itemsize)
            bound = {**bound, "views": view}
            drawer = bound_kernel(self.gpu, kernel, bound, shared_bytes=plan.infer_shared_bytes)
            return self._dispatch(replace(canvas, kernel=drawer, view=view), listed_view(some))

        return self.gpu.steps(levels.dispatches(canvas.positions, canvas.drawn, draw))

    def _dispatch(self, canvas: _Canvas, view: npt.NDArray[Any]) -> Dispatch:
        groups = self._groups(canvas, int(view["count"][0]))
        view["groups"] = groups
        commands = self.gpu.commands()
        commands.upload(canvas.view, 0, view)
        commands.submit()
        return canvas.kernel, groups

    def _groups(self, canvas: _Canvas, count: int) -> int:
        """Return the groups that evaluate ``count`` positions."""
        if self.plan is None:
            return -(-count // INFER_THREADS)
        at_once = self.gpu.occupancy(canvas.kernel) or 1
        needed = -(-count // self.plan.infer_samples)
        return min(needed, at_once * (self.gpu.multiprocessors or 1))

    def _numbers(self, drawn: Buffer, count: int) -> npt.NDArray[Any]:
        raw = drawn.read(4 * count * self.outputs).view(np.float32)
        return raw.reshape(count, self.outputs)


def cooperative_weights(gpu: Gpu, field: Field, layout: NetworkLayout) -> Any:
    """Return the weights of ``field``, sides filled up as in ``layout``, for vectors."""
    device = slangpy_gpu(gpu, "cooperative vectors").device
    from neuralshade.model.mlp_cooperative import CooperativeWeights  # imports slangpy

    first, last = layout.layers[0], layout.layers[-1]
    kinds, layers = field.network.kinds, len(layout.layers) - 1
    with torch.device("meta"):
        padded = MLP(first.padded_cols, last.padded_rows, layers, first.padded_rows,
                     kinds[0], kinds[-1], rng=None)  # fmt: skip
    return CooperativeWeights(device, padded)
