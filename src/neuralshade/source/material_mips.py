"""The mip levels of a surface's maps: what latent textures learn at every size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from neuralshade.errors import ConfigError
from neuralshade.source.color import linear_to_srgb, srgb_to_linear
from neuralshade.source.halving import halved, halved_along

if TYPE_CHECKING:
    from neuralshade.source.material_map import MaterialMap

Floats = npt.NDArray[np.float32]

ROWS = 64  # decoded at a time, so that level 0 is never held in linear light as a whole
SHORTEST = 1e-6  # mean normal that still has a direction


def mip_sizes(width: int, height: int, count: int | None = None) -> list[tuple[int, int]]:
    """Return (width, height) of the levels, halves rounded down, at least 1, from level 0 on.

    Args:
        count: of levels; None for all, down to 1 x 1.

    Raises: ConfigError for sizes below 1, or a count that is not 1 to what there is.
    """
    if width < 1 or height < 1:
        raise ConfigError(f"mips: got maps of {width} x {height}, need 1 x 1 or more. "
                          "Check the maps.")  # fmt: skip
    most = max(width, height).bit_length()
    if count is not None and not 1 <= count <= most:
        raise ConfigError(f"mips: got {count} levels of {width} x {height}, need 1 to {most}. "
                          f"Leave it out for all of them.")  # fmt: skip
    levels = range(most if count is None else count)
    return [(max(1, width >> level), max(1, height >> level)) for level in levels]


def mip_levels(one: MaterialMap, count: int | None = None) -> list[Floats]:
    """Return the levels of a map: float32 [h, w, C], sizes as ``mip_sizes`` has them.

    Level 0 is ``one.values`` itself. Each other level is the mean of the texels above that it
    covers, by area where sizes are odd. "srgb" is averaged in linear light and coded again;
    "normal" averaged as vectors, level by level, and made unit only then, with (0, 0, 1) where
    nothing is left.

    Args:
        count: of levels; None for all, down to 1 x 1.

    Raises: ConfigError for a count that is not 1 to what there is.
    """
    height, width = one.values.shape[:2]
    count = len(mip_sizes(width, height, count))
    levels = [one.values]
    mean: Floats = one.values
    for level in range(1, count):
        coded = level == 1 and one.meaning == "srgb"
        mean = _halved_light(mean) if coded else halved(mean)
        levels.append(_stored(mean, one.meaning))
    return levels


def _halved_light(color_srgb: Floats) -> Floats:
    """Return display-coded [H, W, C] at half the size, in linear light."""
    height, width = color_srgb.shape[:2]
    narrow = np.empty((height, max(1, width // 2), color_srgb.shape[2]), np.float32)
    for top in range(0, height, ROWS):
        rows = slice(top, top + ROWS)
        narrow[rows] = halved_along(srgb_to_linear(color_srgb[rows]), 1)
    return halved_along(narrow, 0)


def _stored(mean: Floats, meaning: str) -> Floats:
    """Return the mean of a level as maps of that meaning are kept."""
    if meaning == "srgb":
        return linear_to_srgb(mean).clip(0, 1)
    if meaning == "normal":
        return _unit(mean)
    return mean


def _unit(mean: Floats) -> Floats:
    length = np.sqrt(np.square(mean).sum(axis=-1, keepdims=True))
    straight_up = np.array([0, 0, 1], np.float32)
    return np.where(length > SHORTEST, mean / np.maximum(length, SHORTEST), straight_up)
