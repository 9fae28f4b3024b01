"""Memory check of a material's fit, whose feature map may be gigabytes."""

from __future__ import annotations

import psutil

from neuralshade.errors import ConfigError
from neuralshade.kinds.material.recipe import MaterialRecipe

BASE_BYTES = 3 * 2**28  # for any map: PyTorch, samples, measuring
# For each number of the map: value, gradient and two moments, and most of that again for mip
# levels, which have a third as many; then the stored levels in float32, twice: for training the
# sampler and for measuring. Measured at 4096 x 4096 texels on a CPU: 54.
NUMBER_BYTES = 56


def needed_bytes(size: int, features: int) -> int:
    """Return the approximate peak memory of a fit with a map of ``size`` x ``size`` texels."""
    return BASE_BYTES + NUMBER_BYTES * features * size**2


def check_memory(recipe: MaterialRecipe) -> None:
    """Raise ConfigError if a fit would not fit into the free memory."""
    needed = needed_bytes(recipe.size, recipe.features)
    free = psutil.virtual_memory().available
    if needed - BASE_BYTES <= free:  # Python has taken the rest by now
        return
    fits = recipe.size // 2
    while fits > 1 and needed_bytes(fits, recipe.features) > free:
        fits //= 2
    raise ConfigError(f"size: got {recipe.size} and {free / 2**30:.1f} GB of memory free, need "
                      f"about {needed / 2**30:.1f} GB for that many texels a side. Take --size "
                      f"{fits}, or free memory.")  # fmt: skip
