"""Layout of a network on the device: offsets of its numbers, and its sizes in Slang."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.model.activation import slang_name
from neuralshade.model.mlp import MLP

ROW = np.dtype([("first", "<u4"), ("columns", "<u4"), ("live", "<u4"), ("bits", "<u4")])
SIZES = """
typealias Hidden = {hidden};
typealias Output = {output};
static const int INPUTS = {inputs};
static const int OUTPUTS = {outputs};
static const int HIDDEN_LAYERS = {layers};
static const int HIDDEN_WIDTH = {width};
"""


@dataclass(frozen=True)
class Layer:
    """One layer: row-major weights from ``first``, then its biases; sides may be filled up."""

    first: int
    rows: int
    cols: int
    padded_rows: int
    padded_cols: int
    bias: bool
    bits: int

    @property
    def first_bias(self) -> int:
        return self.first + self.padded_rows * self.padded_cols

    @property
    def end(self) -> int:
        return self.first_bias + self.padded_rows


class NetworkLayout:
    """The portable layout: layer by layer row-major weights, then biases (zeros without bias).

    Sides are filled up with zeros to multiples of ``align``, as matrix units need it.
    """

    def __init__(self, network: MLP, align: int = 1):
        self.layers: list[Layer] = []
        first = 0
        for linear in network.members:
            rows, cols = linear.weight.shape
            padded_rows, padded_cols = (-(-side // align) * align for side in (rows, cols))
            bias = linear.bias is not None
            layer = Layer(first, rows, cols, padded_rows, padded_cols, bias, linear.bits)
            self.layers.append(layer)
            first = layer.end
        self.size = first

    def rows(self, first: int = 0) -> npt.NDArray[Any]:
        """Return a table of ROW: every row of weights and each layer's biases, from layer first."""
        table = []
        for at in self.layers[first:]:
            table += [
                (at.first + row * at.padded_cols, at.padded_cols, at.cols, at.bits)
                for row in range(at.rows)
            ]
            if at.bias:
                table.append((at.first_bias, at.padded_rows, at.rows, max(at.bits, 16)))
        return np.array(table, ROW)

    def weights(self) -> list[tuple[int, Layer]]:
        """Return each layer, and where its weights are among the network's parameters."""
        indices = accumulate((1 + at.bias for at in self.layers[:-1]), initial=0)
        return list(zip(indices, self.layers, strict=True))

    def flatten(self, values: Sequence[torch.Tensor]) -> npt.NDArray[Any]:
        """Return tensors shaped like the network's parameters as one float32 array."""
        flat = np.zeros(self.size, np.float32)
        tensors = iter(values)
        for at in self.layers:
            weights = flat[at.first : at.first_bias].reshape(at.padded_rows, at.padded_cols)
            weights[: at.rows, : at.cols] = next(tensors).detach().cpu().numpy()
            if at.bias:
                flat[at.first_bias : at.first_bias + at.rows] = next(tensors).detach().cpu().numpy()
        return flat

    def unflatten(self, flat: npt.NDArray[Any]) -> list[torch.Tensor]:
        """Return the tensors that ``flatten`` takes."""
        values = []
        for at in self.layers:
            weights = flat[at.first : at.first_bias].reshape(at.padded_rows, at.padded_cols)
            values.append(torch.from_numpy(weights[: at.rows, : at.cols].copy()))
            if at.bias:
                biases = flat[at.first_bias : at.first_bias + at.rows]
                values.append(torch.from_numpy(biases.copy()))
        return values


def sizes_text(network: MLP) -> str:
    """Return the network's sizes and activations as Slang constants."""
    first, last = network.members[0].weight, network.members[-1].weight
    layers = len(network.members) - 1
    return SIZES.format(
        hidden=slang_name(network.kinds[0] if layers else "none"),
        output=slang_name(network.kinds[-1]),
        inputs=first.shape[1],
        outputs=last.shape[0],
        layers=layers,
        width=first.shape[0],
    )
