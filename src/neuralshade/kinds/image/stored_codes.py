"""Stored grid codes of a picture, in the form that shaders read."""

from __future__ import annotations

from neuralshade.asset.tensors import stored_levels, stored_parameters
from neuralshade.kinds.image.field import Tensors, meta_field
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.model.stepped_codes import SteppedCodes, takes_codes


def stored_codes(recipe: ImageRecipe, tensors: Tensors, channels: int, place: str
                 ) -> SteppedCodes | None:  # fmt: skip
    """Return the encoding's codes as the file has them; None where shaders cannot read them so.

    That is where ``grid_bits`` is 16 or 32, and where the encoding has numbers besides grids.

    Raises: AssetError naming ``place`` where tensors do not fit.
    """
    field = meta_field(recipe, channels)
    if not takes_codes(field.encoding, recipe.grid_bits):
        return None
    kept = [one for one in stored_parameters(field) if one.grid]
    found = [stored_levels(one, tensors, place) for one in kept]
    codes = [one.slices_first(levels) for one, (levels, _) in zip(kept, found, strict=True)]
    return SteppedCodes(field.encoding, codes, [step for _, step in found], recipe.grid_bits)
