"""Networks in the dialect: numbers in the text, or loops over rows of a buffer.

Layers in float16 read half4, and add a few products of them in float16: float32 has the sums of
these, biases and activations.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from neuralshade.languages.activations import activated, repeats
from neuralshade.languages.numbers import fours, lane, vector
from neuralshade.model.shader_form import Function, Layer, Network, Parameter

Doubles = npt.NDArray[np.float64]
Words = npt.NDArray[np.uint32]
KINDS = {False: "float4", True: "half4"}
GROUPS, LEAST = 4, 8  # sums of a layer in float16: at most so many, of at least so many products
WORDS_OF_ROW = 4  # of a buffer; two rows of halves lie in one


def straight_lines(network: Network, asset: str) -> list[str]:
    """Return a network with numbers in the text: a line for each four outputs.

    It calls ``activation_functions`` with the asset's name.
    """
    lines, inputs = list[str](), list(network.inputs)
    for index, layer in enumerate(network.layers):
        prefix = _prefix(network, index)
        outputs = len(layer.bias)
        lines.append(_about(index, layer))
        if layer.half and index == 0:
            name = f"{network.result}_in"
            lines += [f"const half4 {name}{four} = to_half({_four(inputs, four)});"
                      for four in range(fours(len(inputs)))]  # fmt: skip
            inputs = [lane(name, i) for i in range(len(inputs))]
        bias, weight = _filled(layer)
        for four in range(fours(outputs)):
            own = slice(4 * four, 4 * four + 4)
            terms = [f"{x} * {vector(weight[own, i], layer.half)}" for i, x in enumerate(inputs)]
            if layer.half:
                group = max(LEAST, -(-len(terms) // GROUPS))
                terms = [f"to_float({' + '.join(terms[at : at + group])})"
                         for at in range(0, len(terms), group)]  # fmt: skip
            sum_ = " + ".join([vector(bias[own]), *terms])
            value = sum_
            if repeats(layer.activation):
                value = f"{asset}_{layer.activation}({sum_})"
            elif layer.activation != "none":
                value = activated(layer.activation, f"({sum_})")
            lines.append(_kept(network, index, f"{prefix}{four}", _unwrapped(value)))
        inputs = [lane(prefix, output) for output in range(outputs)]
    return lines


def activation_functions(networks: Sequence[Network], asset: str) -> list[Function]:
    """Return activations of four numbers whose text reads its argument more than once."""
    used = {layer.activation: None for network in networks for layer in network.layers}
    return [Function("float4", f"{asset}_{name}", (Parameter("float4", "x"),),
                     (f"return {activated(name, 'x')};",))
            for name in used if repeats(name)]  # fmt: skip


def loops(network: Network, first: int, asset: str) -> list[str]:
    """Return a network that reads its numbers from row ``first`` on.

    It calls ``ASSET_row`` and, in float16, ``ASSET_half_row``: a row holds two of those.
    """
    source, half = f"{network.result}_in", network.layers[0].half
    lines = [f"{KINDS[half]} {source}[{fours(len(network.inputs))}];"]
    for four in range(fours(len(network.inputs))):
        value = _four(network.inputs, four)
        lines.append(f"{source}[{four}] = {f'to_half({value})' if half else value};")
    for index, layer in enumerate(network.layers):
        outputs, inputs = layer.weight.shape
        across, down = fours(inputs), fours(outputs)
        name, next_half = f"{_prefix(network, index).rstrip('_')}_out", _feeds_half(network, index)
        row, x = f"{asset}{'_half' * layer.half}_row", f"{source}[i]"
        sum_ = f"{x}.x * {row}(w) + {x}.y * {row}(w + 1) + {x}.z * {row}(w + 2)"
        sum_ = _widened(f"{sum_} + {x}.w * {row}(w + 3)", layer.half)
        value = activated(layer.activation, "s")
        lines += [
            _about(index, layer),
            f"{KINDS[next_half]} {name}[{down}];",
            f"for (int o = 0; o < {down}; ++o)",
            "{",
            f"const int at = {first * (1 + layer.half)} + o * {4 * across + 1};",
            f"float4 s = {_widened(f'{row}(at)', layer.half)};",
            f"for (int i = 0; i < {across}; ++i)",
            "{",
            "const int w = at + 4 * i + 1;",
            f"s += {sum_};",
            "}",
            f"{name}[o] = {f'to_half({value})' if next_half else value};",
            "}",
        ]
        first += layer_rows(layer)
        source = name
    for number in range(fours(len(network.layers[-1].bias))):
        lines.append(f"const float4 {network.result}{number} = {source}[{number}];")
    return lines


def words_of(networks: Sequence[Network]) -> Words:
    """Return the rows that ``loops`` reads: uint32 words, four of a row.

    Layer by layer, for each four outputs their biases, then for each input its four
    weights; padded with 0 to fours, and to whole rows of halves.
    """
    words = [np.zeros(0, np.uint32)]
    for network in networks:
        for layer in network.layers:
            bias, weight = _filled(layer)
            rows = [
                part
                for first in range(0, len(bias), 4)
                for part in (bias[None, first : first + 4], weight[first : first + 4].T)
            ]
            numbers = np.concatenate(rows).astype(np.float16 if layer.half else np.float32)
            its = numbers.ravel().view(np.uint32)
            words.append(np.pad(its, (0, -len(its) % WORDS_OF_ROW)))
    return np.concatenate(words)


def row_count(network: Network) -> int:
    """Return how many rows a network has."""
    return sum(map(layer_rows, network.layers))


def layer_rows(layer: Layer) -> int:
    """Return how many rows a layer has."""
    fours_ = fours(len(layer.bias)) * (4 * fours(layer.weight.shape[1]) + 1)
    return -(-fours_ // (1 + layer.half))


def _about(index: int, layer: Layer) -> str:
    kind = ", float16" if layer.half else ""
    outputs, inputs = layer.weight.shape
    return f"// Layer {index + 1}: {inputs} to {outputs}, {layer.activation}{kind}."


def _four(inputs: Sequence[str], four: int) -> str:
    own = [*inputs[4 * four : 4 * four + 4], "0.0", "0.0", "0.0"][:4]
    return f"float4({', '.join(own)})"


def _prefix(network: Network, index: int) -> str:
    last = index == len(network.layers) - 1
    return network.result if last else f"{network.result}_h{index + 1}_"


def _filled(layer: Layer) -> tuple[Doubles, Doubles]:
    """Return bias and weight with outputs and inputs padded to fours by 0."""
    outputs, inputs = layer.weight.shape
    bias = np.zeros(4 * fours(outputs))
    weight = np.zeros((4 * fours(outputs), 4 * fours(inputs)))
    bias[:outputs], weight[:outputs, :inputs] = layer.bias, layer.weight
    return bias, weight


def _feeds_half(network: Network, index: int) -> bool:
    """Return whether the next layer reads float16."""
    return any(layer.half for layer in network.layers[index + 1 : index + 2])


def _kept(network: Network, index: int, name: str, value: str) -> str:
    """Return the line that stores four outputs of a layer as the next one reads them."""
    if _feeds_half(network, index):
        return f"const half4 {name} = to_half({value});"
    return f"const float4 {name} = {value};"


def _widened(value: str, half: bool) -> str:
    return f"to_float({value})" if half else value


def _unwrapped(text: str) -> str:
    """Return text without parentheses that enclose all of it."""
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and place < len(text) - 1:
            return text
    return text[1:-1]
