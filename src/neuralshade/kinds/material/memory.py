"""Whether a machine's memory takes a fit, whose feature map may be gigabytes."""

from __future__ import annotations

import psutil

from neuralshade.errors import ConfigError
from neuralshade.kinds.material.recipe import MaterialRecipe

BASE_BYTES = 3 * 2**28  # whatever the map: PyTorch, samples, what is measured
# Of a number of the map: itself, its gradient and two moments, and most of that of mip levels, a
# third as many; then what is stored of all levels, in float32, twice: the sampler is trained on
# it, and it is measured. 54 were measured at 4096 x 4096 texels on a CPU.
NUMBER_BYTES = 56


def needed_bytes(size: int, features: int) -> int:
    """Return about how many bytes a fit takes at its peak, of a map ``size`` texels a side."""
    return BASE_BYTES + NUMBER_BYTES * features * size**2


def check_memory(recipe: MaterialRecipe) -> None:
    """Raise ConfigError where a fit would not fit into the memory that is free."""
    needed = needed_bytes(recipe.size, recipe.features)
    free = psutil.virtual_memory().available
    if needed - BASE_BYTES <= free:  # the rest is about what Python has taken by now
        return
    fits = recipe.size // 2
    while fits > 1 and needed_bytes(fits, recipe.features) > free:
        fits //= 2
    raise ConfigError(f"size: got {recipe.size} and {free / 2**30:.1f} GB of memory free, need "
                      f"about {needed / 2**30:.1f} GB for that many texels a side. Take --size "
                      f"{fits}, or free memory.")  # fmt: skip
