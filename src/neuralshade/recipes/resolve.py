"""What a recipe's 'auto' means for one picture."""

import dataclasses

from neuralshade.kinds.image.budget import auto_batch, auto_encoding, auto_width
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.model.registry import format_encoding, parse_encoding
from neuralshade.source.picture import Picture


def resolve(recipe: ImageRecipe, picture: Picture) -> ImageRecipe:
    """Return the recipe with every 'auto' replaced by what it means for this picture."""
    width = recipe.hidden_width or auto_width(recipe, picture)
    recipe = dataclasses.replace(recipe, hidden_width=width)
    asked = recipe.encoding
    encoding = auto_encoding(recipe, picture) if asked == "auto" else asked
    return dataclasses.replace(
        recipe,
        encoding=format_encoding(parse_encoding(encoding)),
        loss=("relative_l2" if picture.hdr else "l2") if recipe.loss == "auto" else recipe.loss,
        batch=recipe.batch or auto_batch(picture),
    )
