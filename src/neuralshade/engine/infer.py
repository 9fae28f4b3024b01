"""A field at any position on the device. Device half: infer.cs.slang."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.engine.draw import Crop
from neuralshade.engine.fused import sizes_text
from neuralshade.engine.layout import NetworkLayout
from neuralshade.errors import ShapeError
from neuralshade.gpu.kernel import Kernel, device_buffer, load_text
from neuralshade.model.field import Field
from neuralshade.model.mlp import MLP

if TYPE_CHECKING:
    import slangpy

INFER_THREADS = 64  # of a group
TEXTURE_TILE_PX = 8  # a group's side, drawing into a texture
BLOCK_PIXELS = 2**24  # of a picture, evaluated at once
VIEW = np.dtype(
    [
        ("first", "<f4", 2),
        ("extent", "<f4", 2),
        ("size_px", "<u4", 2),
        ("count", "<u4"),
        ("begin", "<u4"),
    ]
)
TEXT = """
typealias Encoding = {encoding};
static const int NETWORK_INPUTS = {inputs};
static const int NETWORK_OUTPUTS = {outputs};
StructuredBuffer<{number}> grid_numbers;

{parameters} grid()
{{
    return {{ grid_numbers }};
}}
"""
LOOPS = """
typealias Network = MLP<
    NETWORK_INPUTS, NETWORK_OUTPUTS, HIDDEN_LAYERS, {width}, true, Hidden, Output>;
StructuredBuffer<{number}> network;

float[NETWORK_OUTPUTS] run_network(float x[NETWORK_INPUTS])
{{
    {parameters} weights = {{ network }};
    return Network.eval(x, weights);
}}
"""
VECTORS = """
typealias Network = {type};
ByteAddressBuffer network;
uniform CooperativeOffsets offsets;

float[NETWORK_OUTPUTS] run_network(float x[NETWORK_INPUTS])
{{
    return Network.eval(x, network, offsets);
}}
"""


class Inference:
    """Evaluates a field whose rounded numbers lie on the device.

    ``network`` has the order of ``layout``, ``grid`` that of the encoding; both are float16
    where ``halves``, else float32. ``vectors``: by cooperative vectors, whose layout of the
    weights ``refresh`` makes after the numbers have changed.
    """

    def __init__(
        self,
        device: slangpy.Device,
        field: Field,
        layout: NetworkLayout,
        network: slangpy.Buffer,
        grid: slangpy.Buffer,
        *,
        halves: bool,
        vectors: bool,
    ):
        self.device, self.network, self.vectors = device, network, vectors
        self.outputs = field.network.members[-1].weight.shape[0]
        self.weights = cooperative_weights(device, field, layout) if vectors else None
        text = infer_text(field, layout, halves, self.weights)
        self.module = load_text(device, text)
        self.bound: dict[str, Any] = {"network": network, "grid_numbers": grid}
        if self.weights is not None:
            self.bound |= {"network": self.weights.buffer, "offsets": self.weights.offsets()}

    def refresh(self, encoder: slangpy.CommandEncoder) -> None:
        """Record what brings the weights into the layout that vectors want."""
        if self.weights is not None:
            self.weights.load(encoder, self.network)

    def at_positions(self, uv: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the field at ``uv`` float32 [N, 2] in [0, 1]: float32 [N, C].

        Raises: ShapeError for another shape.
        """
        kernel, groups, drawn = self.positions_kernel(uv)
        self._run(kernel, groups)
        return self._numbers(drawn, len(uv))

    def positions_kernel(self, uv: npt.NDArray[Any]) -> tuple[Kernel, int, slangpy.Buffer]:
        """Return what evaluates ``uv``: the kernel, its groups, and where the result comes.

        Raises: ShapeError for another shape than float32 [N, 2].
        """
        if uv.ndim != 2 or uv.shape[1] != 2:
            raise ShapeError(f"at_positions.uv: got shape {list(uv.shape)}, need [N, 2]. "
                             "Put u and v of one position into one row.")  # fmt: skip
        drawn = device_buffer(self.device, size=4 * len(uv) * self.outputs)
        view = np.zeros(1, VIEW)
        view["count"] = len(uv)
        positions = device_buffer(self.device, np.ascontiguousarray(uv, np.float32))
        kernel = self._kernel("draw_positions", view, positions=positions, drawn=drawn)
        return kernel, -(-len(uv) // INFER_THREADS), drawn

    def picture(
        self, width: int, height: int, crop: Crop = (0.0, 0.0, 1.0, 1.0)
    ) -> npt.NDArray[Any]:
        """Return the field at the centres of width x height pixels that cover ``crop``.

        float32 [height, width, C], not clamped.
        """
        picture = np.empty((height * width, self.outputs), np.float32)
        most = min(BLOCK_PIXELS, height * width)
        drawn = device_buffer(self.device, size=4 * most * self.outputs)
        for begin in range(0, height * width, most):
            view = _view(width, height, crop)
            view["begin"], view["count"] = begin, min(most, height * width - begin)
            count = int(view["count"][0])
            kernel = self._kernel("draw_pixels", view, drawn=drawn)
            self._run(kernel, -(-count // INFER_THREADS))
            picture[begin : begin + count] = self._numbers(drawn, count)
        return picture.reshape(height, width, self.outputs)

    def into_texture(self, texture: slangpy.Texture, crop: Crop = (0.0, 0.0, 1.0, 1.0)) -> None:
        """Draw ``crop`` over all of a texture of this device that takes unordered access."""
        view = _view(texture.width, texture.height, crop)
        groups = [-(-size // TEXTURE_TILE_PX) for size in (texture.width, texture.height)]
        self._run(self._kernel("draw_texture", view, canvas=texture), *groups)

    def _kernel(self, entry: str, view: npt.NDArray[Any], **variables: Any) -> Kernel:
        bound = {**self.bound, **variables, "views": device_buffer(self.device, view)}
        return Kernel(self.device, self.module, entry, bound)

    def _run(self, kernel: Kernel, *groups: int) -> None:
        encoder = self.device.create_command_encoder()
        with encoder.begin_compute_pass() as into:
            kernel.record(into, groups)
        self.device.submit_command_buffer(encoder.finish())

    def _numbers(self, drawn: slangpy.Buffer, count: int) -> npt.NDArray[Any]:
        raw = drawn.to_numpy().view(np.float32)
        return raw[: count * self.outputs].reshape(count, self.outputs)


def infer_text(field: Field, layout: NetworkLayout, halves: bool, weights: Any) -> str:
    """Return the module that evaluates ``field``; ``weights`` are those of vectors, or None."""
    first, last = layout.layers[0], layout.layers[-1]
    encoding = field.encoding.slang("Drawn")
    kinds = {"number": "uint" if halves else "float",
             "parameters": "PackedParameters" if halves else "FloatParameters"}  # fmt: skip
    modules = {"model.activation", "model.encoding", "model.parameters",
               "model.mlp_cooperative" if weights else "model.mlp"}  # fmt: skip
    inputs, outputs = first.padded_cols, last.padded_rows
    network = LOOPS.format(width=first.padded_rows, **kinds)
    if weights is not None:
        network = VECTORS.format(type=weights.slang().type)
    return "".join([
        *_imports(encoding.modules | {f"neuralshade.{name}" for name in modules}),
        encoding.declarations,
        sizes_text(field),
        TEXT.format(encoding=encoding.type, inputs=inputs, outputs=outputs, **kinds),
        network,
        '#include "neuralshade/engine/infer.cs.slang"\n',
    ])  # fmt: skip


def cooperative_weights(device: slangpy.Device, field: Field, layout: NetworkLayout) -> Any:
    """Return the weights of ``field``, sides filled up as in ``layout``, for vectors."""
    from neuralshade.model.mlp_cooperative import CooperativeWeights  # imports slangpy

    first, last = layout.layers[0], layout.layers[-1]
    kinds, layers = field.network.kinds, len(layout.layers) - 1
    with torch.device("meta"):
        padded = MLP(first.padded_cols, last.padded_rows, layers, first.padded_rows,
                     kinds[0], kinds[-1], rng=None)  # fmt: skip
    return CooperativeWeights(device, padded)


def _imports(names: Iterable[str]) -> list[str]:
    return [f"import {name};\n" for name in sorted(names)]


def _view(width: int, height: int, crop: Crop) -> npt.NDArray[Any]:
    view = np.zeros(1, VIEW)
    u0, v0, u1, v1 = crop
    view["first"], view["extent"], view["size_px"] = (u0, v0), (u1 - u0, v1 - v0), (width, height)
    view["count"] = width * height
    return view
