"""Cutouts: sets whose opacity hides texels of the other maps and weights their errors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from neuralshade.source.material_mips import covered_levels, filled_map, mip_levels
from neuralshade.source.material_set import MaterialSet

Floats = npt.NDArray[np.float32]
OPACITY = "opacity"


def visible_set(textures: MaterialSet) -> MaterialSet:
    """Return a set weighted by its opacity, with hidden texels filled from visible ones.

    Unchanged without opacity, or with one that is 1 everywhere or hides everything.
    """
    if OPACITY not in textures.names or textures.original is not None:
        return textures
    opacity = textures[OPACITY].values[..., 0]
    if opacity.min() >= 1 or opacity.max() <= 0:
        return textures
    maps = tuple(one if one.name == OPACITY else filled_map(one, opacity) for one in textures.maps)
    return replace(textures, maps=maps, original=textures)


def level_list(textures: MaterialSet, name: str, count: int | None = None) -> list[Floats]:
    """Return the levels of a map of a set, see ``mip_levels``.

    In a set from ``visible_set`` texels are weighted by opacity, whose own levels keep their
    coverage.
    """
    one = textures[name]
    if textures.original is None:
        return mip_levels(one, count)
    if name == OPACITY:
        return covered_levels(one, count)
    return mip_levels(one, count, textures[OPACITY].values[..., 0].clip(0))
