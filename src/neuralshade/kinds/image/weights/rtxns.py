"""Reader of networks of NVIDIA's RTX Neural Shading SDK: .ns.bin files and JSON files.

Source: RTXNS, NetworkFileHeader of src/NeuralShading/NeuralNetwork.cpp and
NeuralNetworkTypes.h; encoding and activations are those of its sample SimpleTraining.
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from typing import Any

import numpy as np

from neuralshade.asset.weights.foreign_bytes import Array, check_finite, read_bytes
from neuralshade.base.message_text import shown
from neuralshade.errors import AssetError
from neuralshade.kinds.image.weights.foreign_network import ForeignNetwork, check_layers
from neuralshade.kinds.image.weights.layers import NetworkSettings, network_of_layers

SOURCE = "RTXNS"
VERSION = 0xA1C0DE01
MAGIC = struct.pack("<I", VERSION)
ARCHITECTURE = struct.Struct("<7I4x")  # version, layers, inputs, hidden, outputs, precisions
LAYER = struct.Struct("<IIQQII")  # inputs, outputs, bytes of weights and biases, their offsets
END = struct.Struct("<I4xQ")  # layout, bytes of the numbers
MOST_LAYERS = 8  # the header's capacity
LAYOUTS = ("RowMajor", "ColumnMajor", "InferencingOptimal", "TrainingOptimal")
PRECISIONS = ("<f2", "<f4")
HEADER_BYTES = ARCHITECTURE.size + MOST_LAYERS * LAYER.size + END.size
ASSUMED = NetworkSettings("frequency:octaves=3", "leaky_relu", "sigmoid")


@dataclass(frozen=True)
class LayerLayout:
    """Sizes of one layer, and the offsets of its numbers in bytes."""

    inputs: int
    outputs: int
    weights: int
    biases: int


def read_rtxns(path: str | os.PathLike[str], settings: NetworkSettings | None) -> ForeignNetwork:
    """Return the network of a .ns.bin file; None is ASSUMED, with a warning.

    Raises: AssetError for a damaged file, and for matrices in the layout of one GPU.
    """
    data = read_bytes(path)
    layout, precisions, places = _header(str(path), data)
    weights, biases = [], []
    for one in places:
        shape = (one.outputs, one.inputs) if layout == "RowMajor" else (one.inputs, one.outputs)
        found = _numbers(str(path), data, one.weights, one.inputs * one.outputs, precisions[0])
        matrix = found.reshape(shape)
        weights.append(matrix if layout == "RowMajor" else np.ascontiguousarray(matrix.T))
        biases.append(_numbers(str(path), data, one.biases, one.outputs, precisions[1]))
    return network_of_layers(str(path), SOURCE, weights, biases, settings, ASSUMED)


def is_rtxns(data: bytes) -> bool:
    """Return whether a file starts like one of the SDK."""
    return data.startswith(MAGIC)


def _header(place: str, data: bytes) -> tuple[str, tuple[str, str], list[LayerLayout]]:
    """Return layout, precisions and the layers; AssetError where these and the bytes differ."""
    if len(data) < HEADER_BYTES:
        raise AssetError(f"{place}: got {len(data):,} bytes, need at least {HEADER_BYTES} of an "
                         "RTXNS network. Copy it again.")  # fmt: skip
    version, hidden_layers, inputs, hidden, outputs, *kinds = ARCHITECTURE.unpack_from(data)
    if version != VERSION:
        raise AssetError(f"{place}: got version {version:#x}, need {VERSION:#x} of RTXNS. Write "
                         "it with a version of the SDK that has that.")  # fmt: skip
    layout, size = END.unpack_from(data, HEADER_BYTES - END.size)
    if size != len(data) - HEADER_BYTES:
        raise AssetError(f"{place}: got {len(data) - HEADER_BYTES:,} bytes of numbers, need "
                         f"{size:,} as its header says. Copy it again.")  # fmt: skip
    if layout not in (0, 1):
        got = LAYOUTS[layout] if layout < len(LAYOUTS) else shown(layout)
        raise AssetError(f"{place}: got matrix layout {got}, which one GPU's driver made, need "
                         "RowMajor or ColumnMajor. Write the host layout, as the SDK's "
                         "UpdateFromBufferToFile does.")  # fmt: skip
    if any(kind not in (0, 1) for kind in kinds):
        raise AssetError(f"{place}: got precisions {kinds}, need 0 (float16) or 1 (float32). "
                         "Copy it again.")  # fmt: skip
    count = hidden_layers + 1
    if count > MOST_LAYERS:
        raise AssetError(f"{place}: got {shown(count)} layers, need 1 to {MOST_LAYERS} as the SDK "
                         "has them. Copy it again.")  # fmt: skip
    check_layers(place, hidden_layers, hidden)
    precisions = (PRECISIONS[kinds[0]], PRECISIONS[kinds[1]])
    sizes = [inputs, *[hidden] * hidden_layers, outputs]
    places = [_layer(place, data, i, (sizes[i], sizes[i + 1]), precisions) for i in range(count)]
    return LAYOUTS[layout], precisions, places


def _layer(
    place: str, data: bytes, index: int, sizes: tuple[int, int], precisions: tuple[str, str]
) -> LayerLayout:
    begin = ARCHITECTURE.size + index * LAYER.size
    inputs, outputs, weight_bytes, bias_bytes, weights, biases = LAYER.unpack_from(data, begin)
    each, bias = (np.dtype(kind).itemsize for kind in precisions)
    need = (*sizes, sizes[0] * sizes[1] * each, sizes[1] * bias)
    if (inputs, outputs, weight_bytes, bias_bytes) != need or 0 in sizes:
        got = (inputs, outputs, weight_bytes, bias_bytes)
        raise AssetError(f"{place}: got inputs, outputs and bytes {list(got)} of layer {index}, "
                         f"need {list(need)} as its architecture says. Copy it again.")  # fmt: skip
    return LayerLayout(inputs, outputs, weights, biases)


def _numbers(place: str, data: bytes, first: int, count: int, kind: str) -> Array:
    begin, size = HEADER_BYTES + first, count * np.dtype(kind).itemsize
    if begin + size > len(data):
        raise AssetError(f"{place}: got a layer at bytes {first:,} to {first + size:,}, need it "
                         f"within {len(data) - HEADER_BYTES:,}. Copy it again.")  # fmt: skip
    values = np.frombuffer(data, kind, count, begin)
    check_finite(place, values, " in a layer")
    return values


def read_rtxns_json(
    path: str | os.PathLike[str], found: Any, settings: NetworkSettings | None
) -> ForeignNetwork:
    """Return the network of a parsed JSON file with ``layers``, as the SDK reads them."""
    layers = found["layers"]
    if not isinstance(layers, list) or not 1 <= len(layers) <= MOST_LAYERS + 1:
        raise AssetError(f"{path}: got {shown(layers)} for layers, need a list of 1 to "
                         f"{MOST_LAYERS + 1} layers. Copy it again.")  # fmt: skip
    weights, biases = [], []
    for index, layer in enumerate(layers):
        where = f"{path}: layers[{index}]"
        fields = layer if isinstance(layer, dict) else {}
        inputs, outputs = fields.get("num_inputs"), fields.get("num_outputs")
        if type(inputs) is not int or type(outputs) is not int or inputs < 1 or outputs < 1:
            raise AssetError(f"{where}: got num_inputs {shown(inputs)} and num_outputs "
                             f"{shown(outputs)}, need counts. Copy it again.")  # fmt: skip
        weights.append(_listed(where, fields, "weights", inputs * outputs))
        weights[-1] = weights[-1].reshape(outputs, inputs)
        biases.append(_listed(where, fields, "biases", outputs))
    return network_of_layers(str(path), SOURCE, weights, biases, settings, ASSUMED)


def _listed(where: str, layer: dict[str, Any], name: str, count: int) -> Array:
    values = layer.get(name)
    if not isinstance(values, list) or len(values) != count:
        got = len(values) if isinstance(values, list) else shown(values)
        raise AssetError(f"{where}.{name}: got {got} numbers, need {count:,}. "
                         "Copy it again.")  # fmt: skip
    if any(type(value) not in (int, float) for value in values):
        raise AssetError(f"{where}.{name}: got what is no number, need numbers. Copy it again.")
    with np.errstate(over="ignore"):
        found = np.array(values, np.float64).astype(np.float32)
    check_finite(where, found, f" in {name}")
    return found
