"""Reader of PyTorch state dicts: linear layers in order, grids by their names in an asset."""

from __future__ import annotations

import os
import re

from neuralshade.asset.weights.foreign_bytes import Array, Tensors
from neuralshade.asset.weights.weight_file import read_tensors
from neuralshade.base.message_text import named
from neuralshade.errors import AssetError, ConfigError
from neuralshade.kinds.image.weights.foreign_network import ForeignNetwork
from neuralshade.kinds.image.weights.layers import NetworkSettings, network_of_layers

SOURCE = "PyTorch"
MOST_LISTED = 8  # tensors in a message
SUFFIXES = (".weight", ".bias")


def read_state_dict(
    path: str | os.PathLike[str], settings: NetworkSettings | None
) -> ForeignNetwork:
    """Return the network of a file: NAME.weight [outputs, inputs] and NAME.bias of each layer.

    Layers are sorted by name, numbers by value: 0, 2, 10. Grids of the encoding have their names
    in an asset: encoding.parts.0.texels.0.

    Raises: AssetError that lists tensors which are missing or unexpected; ConfigError for no
        recipe.
    """
    if settings is None:
        raise ConfigError(f"recipe: got none for {path}, need the encoding and activations that it "
                          "was trained with. Give --recipe FILE.toml.")  # fmt: skip
    tensors = read_tensors(path)
    grids = _grids(str(path), tensors, settings.encoding)
    layers = {name: values for name, values in tensors.items() if name not in grids}
    weights, biases = _layers(str(path), layers)
    return network_of_layers(str(path), SOURCE, weights, biases, settings, settings, grids)


def grid_shapes(encoding: str) -> dict[str, tuple[int, ...]]:
    """Return the shapes of an encoding's parameters by their names in an asset."""
    import torch

    from neuralshade.model.registry import build_encoding

    with torch.device("meta"):
        built = build_encoding(encoding, None)
    return {f"encoding.{name}": tuple(p.shape) for name, p in built.named_parameters()}


def _grids(place: str, tensors: Tensors, encoding: str) -> Tensors:
    needed = grid_shapes(encoding)
    found = {name: tensors[name] for name in needed if name in tensors}
    if all(name in found and found[name].shape == shape for name, shape in needed.items()):
        return found
    missing = [f"{named(name)} {list(shape)}" for name, shape in needed.items()
               if name not in found or found[name].shape != shape]  # fmt: skip
    others = {name: values for name, values in tensors.items()
              if name not in needed or values.shape != needed[name]}  # fmt: skip
    raise AssetError(f"{place}: got tensors {listed(others)}, need {_shortened(missing)} of the "
                     "recipe's encoding. Rename or reshape them.")  # fmt: skip


def _layers(place: str, tensors: Tensors) -> tuple[list[Array], list[Array] | None]:
    """Return weights and biases in the order of their names."""
    stems = sorted({name.removesuffix(".weight") for name in tensors if name.endswith(".weight")},
                   key=_natural)  # fmt: skip
    weights = [tensors[f"{stem}.weight"] for stem in stems]
    biases = [tensors[f"{stem}.bias"] for stem in stems if f"{stem}.bias" in tensors]
    known = {f"{stem}{suffix}" for stem in stems for suffix in SUFFIXES}
    unexpected = {name: values for name, values in tensors.items() if name not in known}
    if not weights or unexpected:
        raise AssetError(f"{place}: got tensors {listed(unexpected)}, need NAME.weight and "
                         "NAME.bias of linear layers alone. Save the network by "
                         "itself.")  # fmt: skip
    if biases and len(biases) < len(weights):
        lacking = next(stem for stem in stems if f"{stem}.bias" not in tensors)
        rows = weights[stems.index(lacking)].shape[:1]
        raise AssetError(f"{place}: got no {named(f'{lacking}.bias')}, need it, {list(rows)}, as "
                         "other layers have one. Save a zero one.")  # fmt: skip
    for stem, weight in zip(stems, weights, strict=True):
        bias = tensors.get(f"{stem}.bias")
        if (
            weight.ndim != 2
            or 0 in weight.shape
            or (bias is not None and bias.shape != weight.shape[:1])
        ):
            shapes = {f"{stem}{s}": tensors[f"{stem}{s}"] for s in SUFFIXES
                      if f"{stem}{s}" in tensors}  # fmt: skip
            raise AssetError(f"{place}: got tensors {listed(shapes)}, need a linear layer: "
                             "[outputs, inputs] and [outputs]. Save such layers.")  # fmt: skip
    return weights, biases or None


def _natural(name: str) -> list[tuple[int, int, str]]:
    """Return a key that sorts numbers in names by value."""
    parts = re.findall(r"[0-9]{1,18}|[^0-9]+|[0-9]+", name)
    return [(0, int(part), "") if part.isdigit() and len(part) <= 18 else (1, 0, part)
            for part in parts]  # fmt: skip


def listed(tensors: Tensors) -> str:
    """Return names and shapes for a message."""
    return _shortened([f"{named(name)} {list(v.shape)}" for name, v in tensors.items()]) or "none"


def _shortened(texts: list[str]) -> str:
    more = len(texts) - MOST_LISTED
    return ", ".join(texts[:MOST_LISTED]) + (f" and {more} more" if more > 0 else "")
