"""Cutouts: sets whose opacity hides texels of the other maps, which count by it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from neuralshade.source.material_mips import covered_levels, filled_map, mip_levels
from neuralshade.source.material_set import MaterialSet

Floats = npt.NDArray[np.float32]
OPACITY = "opacity"


def visible_set(textures: MaterialSet) -> MaterialSet:
    """Return a set whose texels count by its opacity, those of opacity 0 filled from visible ones.

    As it is where it has no opacity, one that is 1 everywhere, or one that hides all.
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

    Of a set that ``visible_set`` returned, texels count by opacity, whose own levels keep their
    coverage.
    """
    one = textures[name]
    if textures.original is None:
        return mip_levels(one, count)
    if name == OPACITY:
        return covered_levels(one, count)
    return mip_levels(one, count, textures[OPACITY].values[..., 0].clip(0))
