"""Imported network: the recipe and the numbers that every format's reader returns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.asset.weights.foreign_bytes import Tensors
from neuralshade.base.message_text import shown
from neuralshade.errors import AssetError, ConfigError
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.model.registry import build_encoding

Array = npt.NDArray[Any]
CHANNELS = (1, 2, 3, 4)  # of a picture
WIDTHS = (8, 256)  # of hidden layers that an asset may have
MOST_LAYERS = 8


@dataclass(frozen=True)
class ForeignNetwork:
    """A network that another program trained.

    ``numbers`` has every parameter of the recipe's field by name, float16 or float32: all grids
    have one dtype, and so have all weights.
    """

    source: str  # the program, as shown to users: "tiny-cuda-nn"
    recipe: ImageRecipe
    channels: int
    numbers: Tensors


def named_layers(weights: Sequence[Array], biases: Sequence[Array] | None) -> Tensors:
    """Return the parameters of a network by their names in an asset."""
    found = {f"network.layers.{i}.weight": weight for i, weight in enumerate(weights)}
    if biases is not None:
        found |= {f"network.layers.{i}.bias": bias for i, bias in enumerate(biases)}
    return found


def recipe_of(
    encoding: str, numbers: Tensors, activation: str, output_activation: str
) -> ImageRecipe:
    """Return the recipe of an encoding and layers, with the bits of ``numbers``."""
    layers = [values for name, values in numbers.items() if name.startswith("network.")]
    grids = [values for name, values in numbers.items() if not name.startswith("network.")]
    weights = [values for values in layers if values.ndim == 2]
    return ImageRecipe(
        encoding=encoding,
        hidden_layers=len(weights) - 1,
        hidden_width=len(weights[0]) if len(weights) > 1 else WIDTHS[0],
        activation=activation,
        output_activation=output_activation,
        bias=len(layers) > len(weights),
        loss="l2",
        grid_bits=_bits(grids),
        network_bits=_bits(layers),
    )


def _bits(arrays: Sequence[Array]) -> int:
    return 16 if all(values.dtype == np.float16 for values in arrays) else 32


def check_layers(place: str, count: int, width: int) -> None:
    """Raise ConfigError for more or wider hidden layers than an asset holds."""
    if not 0 <= count <= MOST_LAYERS:
        raise ConfigError(f"{place}: got {count} hidden layers, need 0 to {MOST_LAYERS}: an image "
                          "asset holds no more. Train a smaller network.")  # fmt: skip
    if count and not WIDTHS[0] <= width <= WIDTHS[1]:
        raise ConfigError(f"{place}: got {width} neurons a hidden layer, need {WIDTHS[0]} to "
                          f"{WIDTHS[1]}: an image asset holds no others. Train another "
                          "network.")  # fmt: skip


def check_channels(place: str, channels: Any) -> int:
    """Return a picture's count of channels; AssetError for another count of outputs."""
    if isinstance(channels, bool) or channels not in CHANNELS:
        raise AssetError(f"{place}: got {shown(channels)} outputs, need 1 to {CHANNELS[-1]}: the "
                         "channels of a picture. Train a network for a picture.")  # fmt: skip
    return int(channels)


def encoding_width(text: str) -> int:
    """Return how many numbers an encoding outputs, without allocating its grids."""
    import torch

    with torch.device("meta"):
        return build_encoding(text, None).width
