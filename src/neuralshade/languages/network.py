"""Networks as lines of the dialect: numbers in the text, or loops over rows of a buffer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from neuralshade.languages.activations import activated, repeats
from neuralshade.languages.numbers import fours, lane, vector
from neuralshade.model.shader_form import Function, Layer, Network, Parameter

Floats = npt.NDArray[np.float32]


def straight_lines(network: Network, asset: str) -> list[str]:
    """Return a network whose numbers stand in the text: a line for each four outputs.

    It calls ``activation_functions`` of the asset's name.
    """
    lines, inputs = [], list(network.inputs)
    for index, layer in enumerate(network.layers):
        prefix = _prefix(network, index)
        outputs = len(layer.bias)
        lines.append(f"// Layer {index + 1}: {len(inputs)} to {outputs}, {layer.activation}.")
        bias, weight = _filled(layer)
        for four in range(fours(outputs)):
            own = slice(4 * four, 4 * four + 4)
            terms = [vector(bias[own])]
            terms += [f"{x} * {vector(weight[own, i])}" for i, x in enumerate(inputs)]
            sum_ = " + ".join(terms)
            value = sum_
            if repeats(layer.activation):
                value = f"{asset}_{layer.activation}({sum_})"
            elif layer.activation != "none":
                value = activated(layer.activation, f"({sum_})")
            lines.append(f"const float4 {prefix}{four} = {_unwrapped(value)};")
        inputs = [lane(prefix, output) for output in range(outputs)]
    return lines


def activation_functions(networks: Sequence[Network], asset: str) -> list[Function]:
    """Return activations of four numbers whose text reads its argument more than once."""
    names = {layer.activation: None for network in networks for layer in network.layers}
    return [Function("float4", f"{asset}_{name}", (Parameter("float4", "x"),),
                     (f"return {activated(name, 'x')};",))
            for name in names if repeats(name)]  # fmt: skip


def loops(network: Network, first: int, row: str) -> list[str]:
    """Return a network that reads its numbers by calls of ``row``, from row ``first`` on."""
    last = len(network.layers) - 1
    source = f"{network.result}_in"
    lines = [f"float4 {source}[{fours(len(network.inputs))}];"]
    for four in range(fours(len(network.inputs))):
        own = [*network.inputs[4 * four : 4 * four + 4], "0.0", "0.0", "0.0"][:4]
        lines.append(f"{source}[{four}] = float4({', '.join(own)});")
    for index, layer in enumerate(network.layers):
        outputs, inputs = layer.weight.shape
        across, down = fours(inputs), fours(outputs)
        name = f"{_prefix(network, index).rstrip('_')}_out"
        lines += [
            f"// Layer {index + 1}: {inputs} to {outputs}, {layer.activation}.",
            f"float4 {name}[{down}];",
            f"for (int o = 0; o < {down}; ++o)",
            "{",
            f"const int at = {first} + o * {4 * across + 1};",
            f"float4 s = {row}(at);",
            f"for (int i = 0; i < {across}; ++i)",
            "{",
            "const int w = at + 4 * i + 1;",
            f"s += {source}[i].x * {row}(w) + {source}[i].y * {row}(w + 1)"
            f" + {source}[i].z * {row}(w + 2) + {source}[i].w * {row}(w + 3);",
            "}",
            f"{name}[o] = {activated(layer.activation, 's')};",
            "}",
        ]
        first += down * (4 * across + 1)
        source = name
    for four in range(fours(len(network.layers[last].bias))):
        lines.append(f"const float4 {network.result}{four} = {source}[{four}];")
    return lines


def rows_of(networks: Sequence[Network]) -> Floats:
    """Return the rows that ``loops`` reads: float32 [rows, 4].

    Layer by layer, and in it for each four outputs their biases, then for each input its four
    weights; what is missing to four is 0.
    """
    rows = [np.zeros((0, 4), np.float32)]
    for network in networks:
        for layer in network.layers:
            bias, weight = _filled(layer)
            for first in range(0, len(bias), 4):
                rows += [bias[None, first : first + 4], weight[first : first + 4].T]
    return np.concatenate(rows).astype(np.float32)


def row_count(network: Network) -> int:
    """Return how many rows a network has."""
    return sum(fours(len(one.bias)) * (4 * fours(one.weight.shape[1]) + 1)
               for one in network.layers)  # fmt: skip


def _prefix(network: Network, index: int) -> str:
    last = index == len(network.layers) - 1
    return network.result if last else f"{network.result}_h{index + 1}_"


def _filled(layer: Layer) -> tuple[Floats, Floats]:
    """Return bias and weight with outputs and inputs filled up to fours by 0."""
    outputs, inputs = layer.weight.shape
    bias = np.zeros(4 * fours(outputs), np.float32)
    weight = np.zeros((4 * fours(outputs), 4 * fours(inputs)), np.float32)
    bias[:outputs], weight[:outputs, :inputs] = layer.bias, layer.weight
    return bias, weight


def _unwrapped(text: str) -> str:
    """Return text without parentheses that hold all of it."""
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and place < len(text) - 1:
            return text
    return text[1:-1]
