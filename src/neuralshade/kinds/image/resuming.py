"""Recipe of an interrupted picture fit, and what it chose for its picture."""

from __future__ import annotations

from typing import Any

import torch

from neuralshade.asset.checkpoint import Checkpoint
from neuralshade.asset.tensors import stored_buffers
from neuralshade.errors import ConfigError
from neuralshade.fitting.recipe import flag_of, from_dict, resumed_ends, to_dict
from neuralshade.fitting.resuming import resumed_recipe, unfit
from neuralshade.kinds.image.budget import resolve
from neuralshade.kinds.image.field import meta_field
from neuralshade.kinds.image.presets import ENDS, preset_recipe
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.source.picture import Picture
from neuralshade.source.transform import transform_picture

State = dict[str, torch.Tensor]


def resumed_fit(
    checkpoint: Checkpoint, place: Any, picture: Picture, preset: str | None, settings: Any
) -> tuple[ImageRecipe, State]:
    """Return the recipe of a checkpoint with new ends, and its field's tensors by name.

    Raises: ConfigError for other settings or another picture, AssetError for a state that does not
        fit the recipe.
    """

    def resumed(kept: dict[str, Any]) -> ImageRecipe:
        named = kept if preset is None else to_dict(preset_recipe(preset, settings))
        named |= {end: kept[end] for end in ENDS}  # the preset's ends may have been replaced
        ends = resumed_ends(kept, settings)
        if ends:  # as in a new fit: a named end replaces the plateau
            ends["until"] = "end"
        recipe = from_dict(ImageRecipe, named | ends | settings)
        return resolve(recipe, transform_picture(picture, recipe.transform))

    recipe = resumed_recipe(checkpoint, place, picture, ImageRecipe, resumed,
                            setting=flag_of(preset, settings))  # fmt: skip
    state = {name.removeprefix("field."): values for name, values in checkpoint.state.items()}
    if not _fits(state, recipe, picture.channels):  # checked before memory is allocated
        raise unfit(place)
    return recipe, state


def _fits(state: State, recipe: ImageRecipe, channels: int) -> bool:
    """Return whether a state has all that a recipe's field needs, in its shapes."""
    field = meta_field(recipe, channels)
    for name, parameter in field.named_parameters():
        if name not in state or state[name].shape != parameter.shape:
            return False
    try:
        for name, grid, own in stored_buffers(field):
            getattr(grid, f"set_{own}")(state[name])
    except (KeyError, ConfigError):
        return False
    return True
