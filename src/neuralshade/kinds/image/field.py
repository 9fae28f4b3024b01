"""Field of a fitted picture: built from a recipe, or read back from stored tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.asset.schema import Form
from neuralshade.asset.tensors import packed_forms, unpack_field
from neuralshade.errors import ConfigError
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.model.dense_grid import DenseGrid
from neuralshade.model.field import Field
from neuralshade.model.mlp import MLP
from neuralshade.model.registry import build_encoding
from neuralshade.model.tile_grid import TileGrid

if TYPE_CHECKING:
    from neuralshade.model.stepped_codes import SteppedCodes

Tensors = dict[str, npt.NDArray[Any]]  # of an asset, by name

WORD_BYTES = 4  # that hold two halves
PREVIEW_SIDE = 256  # rows and columns compared by a preview while training, at most


def build_field(recipe: ImageRecipe, channels: int, rng: torch.Generator | None) -> Field:
    """Return the untrained field of a resolved recipe, initialised from ``rng``.

    None leaves the numbers as allocated, for a field on torch's meta device."""
    encoding = build_encoding(recipe.encoding, rng)
    network = MLP(
        encoding.width,
        channels,
        recipe.hidden_layers,
        recipe.hidden_width,
        recipe.activation,
        "none" if recipe.output_activation == "auto" else recipe.output_activation,
        recipe.bias,
        rng=rng,
    )
    field = Field(encoding, network)
    field.store_as(recipe.grid_bits, recipe.network_bits)
    return field


def stored_field(recipe: ImageRecipe, tensors: Tensors, channels: int, place: str) -> Field:
    """Return the field that ``tensors`` hold; AssetError naming ``place`` if they do not fit."""
    field = build_field(recipe, channels, torch.Generator())
    unpack_field(field, tensors, place)
    return field


def stored_forms(recipe: ImageRecipe, channels: int) -> dict[str, Form]:
    """Return the forms of the tensors that a recipe makes, without allocating them.

    Raises: ConfigError for a recipe whose sizes are not resolved: no fit writes such a one.
    """
    if not recipe.hidden_width:
        raise ConfigError("ImageRecipe.hidden_width: got 0 in an asset, need the width that was "
                          "chosen. Fit it again.")  # fmt: skip
    return packed_forms(meta_field(recipe, channels))


def meta_field(recipe: ImageRecipe, channels: int) -> Field:
    """Return the field of a resolved recipe on torch's meta device, without numbers."""
    with torch.device("meta"):
        return build_field(recipe, channels, None)


def is_same_network(one: Field, other: Field) -> bool:
    """Return whether fields differ in nothing but trained numbers."""
    shapes = [{name: p.shape for name, p in field.named_parameters()} for field in (one, other)]
    fixed = dict(other.named_buffers())
    return shapes[0] == shapes[1] and all(
        torch.equal(values.cpu(), fixed[name].cpu()) for name, values in one.named_buffers()
    )


def memory_bytes(field: Field, codes: SteppedCodes | None) -> int:
    """Return the bytes of a field in a GPU's memory, as the Slang library's examples hold it.

    Codes as in the file, with their steps; the rest as halves: what ``pack_halves`` returns.
    """
    numbers = sum(parameter.numel() for parameter in field.network.parameters())
    if codes is None:
        numbers += field.encoding.number_count()
    words = sum(len(table) for table in field.encoding.fixed_buffers("").values())
    return WORD_BYTES * (-(-numbers // 2) + words + (0 if codes is None else len(codes.words)))


def feature_grids(field: Field) -> list[npt.NDArray[Any]]:
    """Return every dense grid of the field as float32 [height, width, features], as stored.

    And what a tile grid is read as: its features and, last, how dense its texels are.
    """
    levels = [level.detach().cpu() for module in field.modules() for level in _levels_of(module)]
    return [np.ascontiguousarray(level.permute(1, 2, 0).numpy()) for level in levels]


def _levels_of(module: torch.nn.Module) -> list[torch.Tensor]:
    if isinstance(module, DenseGrid):
        return module.stored()
    return [module.drawn(PREVIEW_SIDE)] if isinstance(module, TileGrid) else []
