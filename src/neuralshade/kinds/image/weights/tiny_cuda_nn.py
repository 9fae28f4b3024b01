"""Reader of tiny-cuda-nn's parameters, with the configuration that they were trained under."""

from __future__ import annotations

import logging
import os
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from neuralshade.asset.weights.foreign_bytes import (
    LARGEST_BYTES,
    Array,
    check_finite,
    damaged,
    read_bytes,
    too_large,
)
from neuralshade.asset.weights.msgpack import unpacked
from neuralshade.asset.weights.weight_file import SUFFIXES, read_tensors
from neuralshade.base.message_text import named, shown
from neuralshade.base.strict_json import strict_json
from neuralshade.errors import AssetError, ConfigError
from neuralshade.kinds.image.config_file import read_config
from neuralshade.kinds.image.config_section import Section
from neuralshade.kinds.image.tiny_cuda_nn import ACTIVATION_NAMES, NETWORK_TYPES
from neuralshade.kinds.image.weights.foreign_network import (
    ForeignNetwork,
    check_channels,
    check_layers,
    named_layers,
    recipe_of,
)
from neuralshade.kinds.image.weights.tiny_cuda_nn_layout import (
    ALIGNMENT,
    EncodingPart,
    encoding_parts,
    filled_columns,
)

log = logging.getLogger("neuralshade")

SOURCE = "tiny-cuda-nn"
USUAL_CHANNELS = 3
ELSEWHERE = ("ELU", "Softplus")  # ELU is not theirs; their softplus is steeper by 10
ACTIVATIONS = {name: ours for name, ours in ACTIVATION_NAMES.items() if name not in ELSEWHERE}
TYPES = {"float": "<f4", "__half": "<f2"}  # of a snapshot's parameters
TRAINING = ("loss", "optimizer")  # sections without effect on the trained network


@dataclass(frozen=True)
class ParameterLayout:
    """Layout of the parameter vector, from a configuration."""

    parts: list[EncodingPart]
    channels: int
    hidden_layers: int
    hidden_width: int
    activation: str
    output_activation: str

    @property
    def encoding(self) -> str:
        return " + ".join(part.text for part in self.parts)

    def shapes(self) -> list[tuple[int, int]]:
        """Return rows and columns of every matrix in the vector."""
        outputs = -(-self.channels // ALIGNMENT) * ALIGNMENT
        hidden = [self.hidden_width] * self.hidden_layers
        rows = [*hidden, outputs]
        return list(zip(rows, [filled_columns(self.parts)[-1][0], *hidden], strict=True))

    @property
    def network_count(self) -> int:
        return sum(rows * columns for rows, columns in self.shapes())

    @property
    def grid_count(self) -> int:
        return sum(entries * part.features for part in self.parts for entries in part.entries)


def read_tiny_cuda_nn(
    path: str | os.PathLike[str],
    config: Any,
    channels: int | None = None,
    tensor: str | None = None,
) -> ForeignNetwork:
    """Return the network of a file of parameters, or of a snapshot.

    Args:
        path: the vector ``params`` as safetensors, npz, npy or pt; or a snapshot of
            ``trainer->serialize`` as MessagePack or JSON.
        config: their JSON configuration, a file or a dict; None where a snapshot has it.
        channels: outputs, where the configuration has no n_output_dims.
        tensor: the name of the vector, where the file holds several.

    Raises: AssetError; ConfigError naming what no image asset holds.
    """
    found: Any = None
    if Path(path).suffix.lower() in SUFFIXES:
        vector = _vector(path, tensor)
    else:
        found = read_snapshot(path)
        vector = _snapshot_vector(path, found)
    if config is not None:
        is_file = isinstance(config, (str, os.PathLike))
        layout = layout_of(read_config(config) if is_file else config, channels)
    elif isinstance(found, dict) and "encoding" in found:
        layout = layout_of({name: found[name] for name in ("encoding", "network", "n_input_dims",
                                                       "n_output_dims") if name in found},
                       channels)  # fmt: skip
    else:
        raise ConfigError(f"config: got none for {path}, need the JSON configuration of "
                          "tiny-cuda-nn. Give --config FILE.json, or --recipe FILE.toml for a "
                          "state dict of PyTorch.")  # fmt: skip
    return network_of(layout, vector, str(path))


def _vector(path: str | os.PathLike[str], tensor: str | None) -> Array:
    tensors = read_tensors(path)
    name = tensor or ("params" if "params" in tensors else None)
    if name is None and len(tensors) == 1:
        name = next(iter(tensors))
    if name not in tensors:
        listed = ", ".join(f"{named(key)} {list(v.shape)}" for key, v in list(tensors.items())[:8])
        got = "no float tensor" if not tensors else f"tensors {listed}"
        need = "one called params" if tensor is None else shown(tensor)
        raise AssetError(f"{path}: got {got}, need {need}. Name the vector by --tensor, or save "
                         "module.params alone.")  # fmt: skip
    return tensors[name].ravel()


def read_snapshot(path: str | os.PathLike[str]) -> Any:
    """Return the data of a JSON or MessagePack file; the latter may be compressed (.ingp)."""
    data = read_bytes(path)
    try:
        if data[:1] in b"{ \n\r\t":
            return strict_json(data)
        if data[:2] == b"\x1f\x8b" or data[:1] == b"\x78":
            inflating = zlib.decompressobj(47)  # either header
            data = inflating.decompress(data, LARGEST_BYTES)
            if inflating.unconsumed_tail:
                raise too_large(path, LARGEST_BYTES + 1)
            if not inflating.eof:
                raise ValueError("a cut file")
        return unpacked(data)
    except AssetError:  # a ValueError with its message already
        raise
    except (ValueError, zlib.error, RecursionError) as error:
        raise damaged(path, error, "safetensors, npz, npy or pt by its suffix, an RTXNS network, "
                      "or a snapshot of tiny-cuda-nn") from error  # fmt: skip


def _snapshot_vector(path: object, found: Any) -> Array:
    """Return the parameters of ``trainer->serialize``, or of instant-ngp's snapshot around it."""
    held = found.get("snapshot", found) if isinstance(found, dict) else None
    if not isinstance(held, dict) or "params_binary" not in held:
        got = "a configuration without parameters" if _is_config(found) else "no params_binary"
        raise AssetError(f"{path}: got {got}, need a snapshot of tiny-cuda-nn. Give the file of "
                         "the parameters, and this one as --config.")  # fmt: skip
    kind, binary = held.get("params_type", "__half"), held["params_binary"]
    if kind not in TYPES:
        raise AssetError(f"{path}: got params_type {shown(kind)}, need one of {list(TYPES)}. "
                         "Save it again.")  # fmt: skip
    if isinstance(binary, dict) and isinstance(binary.get("bytes"), list):
        try:
            binary = bytes(binary["bytes"])
        except (TypeError, ValueError) as error:
            raise damaged(path, error, "bytes of 0 to 255 in params_binary") from error
    if not isinstance(binary, bytes) or len(binary) % np.dtype(TYPES[kind]).itemsize:
        raise AssetError(f"{path}: got {shown(binary)} for params_binary, need the bytes of whole "
                         "numbers. Save it again.")  # fmt: skip
    vector = np.frombuffer(binary, TYPES[kind])
    stated = held.get("n_params", len(vector))
    if stated != len(vector):
        raise AssetError(f"{path}: got {len(vector):,} numbers where n_params is {shown(stated)}, "
                         "need as many. Save it again.")  # fmt: skip
    check_finite(str(path), vector, " in params_binary")
    return vector


def _is_config(found: Any) -> bool:
    return isinstance(found, dict) and ("encoding" in found or "network" in found)


def layout_of(config: Any, channels: int | None = None) -> ParameterLayout:
    """Return the layout of a parsed configuration; ConfigError for what no image asset holds."""
    top = Section("config", config)
    for name in TRAINING:
        top.take(name, None)
    inputs = top.number("n_input_dims", 2)
    if inputs != 2:
        raise ConfigError(f"config.n_input_dims: got {shown(inputs)}, need 2: an image asset is a "
                          "function of (u, v). Train a network of two inputs.")  # fmt: skip
    outputs = _outputs(top, channels)
    encoding = Section("config.encoding", top.take("encoding", {"otype": "Identity"}))
    parts = encoding_parts(encoding)
    encoding.finish()
    network = Section("config.network", top.take("network", {}))
    kind = network.choice("otype", {**NETWORK_TYPES, "MLP": "", "MegakernelMLP": ""}, "MLP")
    assert kind == ""
    network.take("feedback_alignment", None)
    layers, width = network.number("n_hidden_layers", 5), network.number("n_neurons", 128)
    check_layers(network.place, layers, width)
    layout = ParameterLayout(
        parts, outputs, layers, width, _activation(network, "activation", "ReLU"),
        _activation(network, "output_activation", "None"),
    )  # fmt: skip
    network.finish()
    top.finish()
    return layout


def _activation(network: Section, key: str, default: str) -> str:
    found = network.left.get(key)
    if isinstance(found, str) and found.lower() in ("softplus", "squareplus"):
        raise ConfigError(f"{network.place}.{key}: got {shown(found)}, need one of "
                          f"{list(ACTIVATIONS)}: theirs is another function than any here. Train "
                          "with one of those.")  # fmt: skip
    return network.choice(key, ACTIVATIONS, default)


def _outputs(top: Section, channels: int | None) -> int:
    stated = top.take("n_output_dims", None)
    if stated is None and channels is None:
        log.warning("config.n_output_dims: got none, taken as %d: red, green and blue. For "
                    "another count give --channels.", USUAL_CHANNELS)  # fmt: skip
        return USUAL_CHANNELS
    if stated is not None and channels not in (None, stated):
        raise ConfigError(f"channels: got {shown(channels)} where config.n_output_dims is "
                          f"{shown(stated)}, need the same. Leave it out.")  # fmt: skip
    return check_channels("config.n_output_dims", channels if stated is None else stated)


def network_of(layout: ParameterLayout, vector: Array, place: str) -> ForeignNetwork:
    """Return the network whose parameters are ``vector``, float16 or float32 [n_params].

    Raises: AssetError naming ``place`` where its length differs from the layout's.
    """
    need = layout.network_count + layout.grid_count
    if len(vector) != need:
        raise AssetError(f"{place}: got {len(vector):,} numbers, need {need:,} as the config says: "
                         f"network {layout.network_count:,}, encoding {layout.grid_count:,}. Give "
                         "the config that it was trained with.")  # fmt: skip
    matrices, start = list[Array](), 0
    for rows, columns in layout.shapes():
        matrices.append(vector[start : start + rows * columns].reshape(rows, columns))
        start += rows * columns
    matrices[-1] = matrices[-1][: layout.channels]
    matrices[0], bias = _first_layer(layout, matrices[0])
    biases = None
    if bias is not None:
        biases = [bias, *(np.zeros(len(one), np.float32) for one in matrices[1:])]
    numbers = named_layers(matrices, biases) | _grids(layout, vector, start)
    recipe = recipe_of(layout.encoding, numbers, layout.activation, layout.output_activation)
    return ForeignNetwork(SOURCE, recipe, layout.channels, numbers)


def _first_layer(layout: ParameterLayout, matrix: Array) -> tuple[Array, Array | None]:
    """Return the first layer's weights for our columns; its bias, None where there is none.

    The bias collects the constants: padding columns, and offsets of the identity.
    """
    places = filled_columns(layout.parts)
    taken, bias, changed = [], np.zeros(len(matrix)), False
    for part, (start, end), (after, _) in zip(layout.parts, places, places[1:], strict=False):
        own = matrix[:, start:end]
        taken.append(own if part.scale == 1 else own.astype(np.float64) * part.scale)
        filling = matrix[:, end:after].astype(np.float64).sum(1) * part.filled
        shift = own.astype(np.float64).sum(1) * part.offset
        bias += filling + shift
        changed |= part.filled * (after - end) != 0 or part.offset != 0
    weights = np.concatenate(taken, axis=1)
    if weights.dtype == np.float64:
        weights = weights.astype(np.float32)
    return weights, bias.astype(np.float32) if changed else None


def _grids(layout: ParameterLayout, vector: Array, start: int) -> dict[str, Array]:
    """Return the levels of all grids by their names in an asset."""
    found: dict[str, Array] = {}
    for index, part in enumerate(layout.parts):
        for level, entries in enumerate(part.entries):
            end = start + entries * part.features
            name = f"encoding.parts.{index}.vertices.{level}"
            found[name] = vector[start:end].reshape(entries, part.features)
            start = end
    assert start == len(vector), (start, len(vector))
    return found
