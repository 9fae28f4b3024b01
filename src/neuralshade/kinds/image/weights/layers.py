"""Networks from plain layers: weights and biases under the encoding that a recipe names."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from neuralshade.asset.weights.foreign_bytes import Array, Tensors
from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import named, shown
from neuralshade.base.toml_file import read_toml
from neuralshade.errors import AssetError, ConfigError
from neuralshade.fitting.recipe import check_settings, to_dict
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.kinds.image.weights.foreign_network import (
    ForeignNetwork,
    check_channels,
    check_layers,
    encoding_width,
    named_layers,
    recipe_of,
)
from neuralshade.model.registry import format_encoding, parse_encoding

log = logging.getLogger("neuralshade")

STATED = ("encoding", "activation", "output_activation", "hidden_layers", "hidden_width", "bias")


@dataclass(frozen=True)
class NetworkSettings:
    """Settings of a network in a recipe; None where the file of numbers determines it."""

    encoding: str
    activation: str = "relu"
    output_activation: str = "none"
    hidden_layers: int | None = None
    hidden_width: int | None = None
    bias: bool | None = None


def network_settings(recipe: Any) -> NetworkSettings:
    """Return the settings of a recipe: a TOML file's path, a dict, or an ImageRecipe.

    Raises: ConfigError for a setting that is unknown, of training alone, or missing.
    """
    if isinstance(recipe, ImageRecipe):
        known = to_dict(recipe)
        place, values = "recipe", {name: known[name] for name in STATED}
    elif isinstance(recipe, Mapping):
        place, values = "recipe", dict(recipe)
    elif isinstance(recipe, (str, os.PathLike)):
        place = str(recipe)
        values = read_toml(Path(recipe), line='encoding = "frequency:octaves=6"')
    else:
        raise ConfigError(f"recipe: got {shown(recipe)}, need a TOML file or settings by name. "
                          'Write {"encoding": "frequency:octaves=6"}.')  # fmt: skip
    for name in values:
        if name not in STATED:
            raise ConfigError(f"{place}: got {named(str(name))}, need one of {', '.join(STATED)}: "
                              "the settings that an import reads."
                              f"{did_you_mean(str(name), STATED) or ' Leave it out.'}")  # fmt: skip
    checked = check_settings(ImageRecipe, values)
    text = checked.pop("encoding", "auto")
    if text == "auto":
        raise ConfigError(f"{place}: got no encoding, need the one that it was trained with. "
                          'Write encoding = "frequency:octaves=6".')  # fmt: skip
    if checked.get("output_activation") == "auto":
        checked["output_activation"] = "none"
    if isinstance(recipe, ImageRecipe) and not recipe.hidden_width:
        checked["hidden_width"] = None
    return NetworkSettings(format_encoding(parse_encoding(text)), **checked)


def network_of_layers(
    place: str,
    source: str,
    weights: Sequence[Array],
    biases: Sequence[Array] | None,
    settings: NetworkSettings | None,
    assumed: NetworkSettings,
    grids: Tensors | None = None,
) -> ForeignNetwork:
    """Return the network of layers, weights [outputs, inputs] and biases [outputs].

    ``settings`` None is ``assumed``, with a warning. ``grids``: parameters of the encoding.

    Raises: AssetError naming ``place`` for layers that do not fit each other or the encoding.
    """
    if settings is None:
        log.warning("%s: it says nothing of its encoding and activations, taken as %s, %s and %s "
                    "of the sample SimpleTraining. For others give --recipe.", place,
                    assumed.encoding, assumed.activation, assumed.output_activation)  # fmt: skip
        settings = assumed
    shapes = [list(weight.shape) for weight in weights]
    width = encoding_width(settings.encoding)
    if shapes[0][1] != width:
        raise AssetError(f"{place}: got {shapes[0][1]} inputs, need {width} of encoding "
                         f"{settings.encoding}. Name the one that it was trained with in "
                         "--recipe.")  # fmt: skip
    hidden = {rows for rows, _ in shapes[:-1]}
    chained = all(after[1] == before[0] for before, after in pairwise(shapes))
    if not chained or len(hidden) > 1:
        raise AssetError(f"{place}: got layers [outputs, inputs] of {shown(shapes)}, need hidden "
                         "layers of one width, each reading the one before. Train such a "
                         "network.")  # fmt: skip
    check_layers(place, len(shapes) - 1, next(iter(hidden), 0))
    channels = check_channels(place, shapes[-1][0])
    _check_settings(place, settings, len(shapes) - 1, next(iter(hidden), None), biases)
    numbers = named_layers(weights, biases) | (grids or {})
    recipe = recipe_of(settings.encoding, numbers, settings.activation,
                       settings.output_activation)  # fmt: skip
    return ForeignNetwork(source, recipe, channels, numbers)


def _check_settings(
    place: str,
    settings: NetworkSettings,
    layers: int,
    width: int | None,
    biases: Sequence[Array] | None,
) -> None:
    """Raise ConfigError where a recipe contradicts the file."""
    found = {"hidden_layers": layers, "hidden_width": width, "bias": biases is not None}
    for name, value in found.items():
        said = getattr(settings, name)
        if said is not None and value is not None and said != value:
            raise ConfigError(f"recipe: got {name}={shown(said)} where {place} has {value}, need "
                              "the same. Leave it out.")  # fmt: skip
