"""Memory check of a texture set's fit, before it starts."""

from __future__ import annotations

import psutil

from neuralshade.errors import ConfigError
from neuralshade.source.material_set import MaterialSet

# Bytes per number of a varying map, besides the four of the map itself: mips, texels of 16 bits,
# and evaluation. Measured at 2048 and 4096 texels a side, three maps, on a CPU: 15.7.
NUMBER_BYTES = 16


def check_memory(textures: MaterialSet) -> None:
    """Raise ConfigError where a fit of these maps needs more memory than is free."""
    free = psutil.virtual_memory().available
    if NUMBER_BYTES * sum(one.values.size for one in textures.maps) <= free:
        return  # even if all maps vary
    varying = [one.values.size for one in textures.maps if not one.constant]
    if (needed := NUMBER_BYTES * sum(varying)) > free:
        raise ConfigError(f"memory: got {free / 2**30:.1f} GB free, need about "
                          f"{needed / 2**30:.1f} GB more for a fit of {len(varying)} maps of "
                          f"{textures.width} x {textures.height} texels. Scale the maps down, or "
                          "fit fewer at once.")  # fmt: skip
