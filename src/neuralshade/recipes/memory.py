"""What a fit will need of the machine's memory, asked before it starts."""

import psutil

from neuralshade.errors import ConfigError
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.model.registry import parameter_count
from neuralshade.source.picture import Picture

COPIES = 6  # of every parameter: value, gradient, two moments, and two while they are rounded
BASE_BYTES = 400 * 2**20  # PyTorch itself
BYTES_PER_SAMPLE_NUMBER = 8  # kept for the backward pass, and its gradient


def needed_bytes(recipe: ImageRecipe, picture: Picture) -> int:
    """Return about how many bytes a fit of a resolved recipe takes at its peak.

    An estimate from sizes, compared with one measurement only: see docs/performance.md.
    """
    grids = parameter_count(recipe.encoding)
    sample_numbers = recipe.hidden_width * (recipe.hidden_layers + 1) * 2
    return (
        BASE_BYTES
        + 2 * picture.pixels.nbytes
        + COPIES * 4 * grids
        + BYTES_PER_SAMPLE_NUMBER * sample_numbers * recipe.batch
    )


def check_memory(recipe: ImageRecipe, picture: Picture) -> None:
    """Raise ConfigError where the fit would not fit into the memory that is free."""
    needed, free = needed_bytes(recipe, picture), psutil.virtual_memory().available
    if needed > free:
        raise ConfigError(f"memory: got {free / 2**30:.1f} GB free, need about "
                          f"{needed / 2**30:.1f} GB for this recipe and picture. "
                          "Lower bpp, the grids or batch, or free memory.")  # fmt: skip
