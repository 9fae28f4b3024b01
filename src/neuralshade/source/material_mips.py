"""Mip levels of a surface's maps: averaged, normalised, weighted by opacity."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from neuralshade.base.cores import rows_on_cores
from neuralshade.errors import ConfigError
from neuralshade.source.color import linear_to_srgb, srgb_to_linear
from neuralshade.source.halving import halved, halved_along, halved_by_weight
from neuralshade.source.normal_map import squared_length

if TYPE_CHECKING:
    from neuralshade.source.material_map import MaterialMap

Floats = npt.NDArray[np.float32]

SHORTEST = 1e-6  # length of a mean normal that still has a direction
SAME = 1e-5  # relative; float32 rounds by less, as levels are made and scaled
ALPHA_TEST = 0.5  # least opacity of a drawn texel in a cutout
CUTOUT_SHARE = 0.5  # share of texels at 0 or 1 from which on an opacity is a cutout


def mip_sizes(width: int, height: int, count: int | None = None) -> list[tuple[int, int]]:
    """Return (width, height) of the levels, halves rounded down, at least 1, from level 0 on.

    Args:
        count: of levels; None for all, down to 1 x 1.

    Raises: ConfigError for sizes below 1, or a count outside of 1 to all.
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


def mip_levels(
    one: MaterialMap, count: int | None = None, weights: Floats | None = None
) -> list[Floats]:
    """Return the levels of a map: float32 [h, w, C], with the sizes of ``mip_sizes``.

    Level 0 is ``one.values`` itself. Each other level is the mean of the covered texels of the one
    before, by area where sizes are odd. "srgb" is averaged in linear light and encoded again;
    "normal" is averaged as vectors, level by level, and normalised at the end, to (0, 0, 1) for
    zero vectors.

    Args:
        count: of levels; None for all, down to 1 x 1.
        weights: float32 [H, W], >= 0, of texels of level 0; all equal where None.

    Raises: ConfigError for a count outside of 1 to all.
    """
    height, width = one.values.shape[:2]
    count = len(mip_sizes(width, height, count))
    levels = [one.values]
    mean: Floats = one.values
    if weights is not None:
        mean = srgb_to_linear(mean) if one.meaning == "srgb" and count > 1 else mean
        for _ in range(1, count):
            mean, weights = halved_by_weight(mean, weights)
            levels.append(_stored(mean, one.meaning))
        return levels
    for level in range(1, count):
        coded = level == 1 and one.meaning == "srgb"
        mean = _halved_light(mean) if coded else halved(mean)
        levels.append(_stored(mean, one.meaning))
    return levels


def filled_map(one: MaterialMap, opacity: Floats) -> MaterialMap:
    """Return a map with texels of ``opacity`` [H, W] 0 filled from visible neighbors."""
    from neuralshade.source.hidden_color import filled  # few sets have such texels

    values = filled(one.values, opacity.clip(0))
    if one.meaning == "normal":
        values = np.where((opacity > 0)[..., None], values, unit(values))
    return replace(one, values=values)


def covered_levels(one: MaterialMap, count: int | None = None) -> list[Floats]:
    """Return the levels of an opacity, scaled so that the alpha test's coverage is preserved.

    The test is ``ALPHA_TEST`` or more. Levels of other opacities than cutouts are plain means.

    Source: Castano 2010, Computing Alpha Mipmaps; by sorting instead of a search.
    """
    levels = mip_levels(one, count)
    values = one.values
    if not is_cutout(values):
        return levels
    share = float((values >= ALPHA_TEST).mean())
    return [values, *(_covered(level, share) for level in levels[1:])]


def is_cutout(opacity: Floats) -> bool:
    """Return whether at least half of an opacity's texels are 0 or 1."""
    return bool(((opacity == 0) | (opacity == 1)).mean() >= CUTOUT_SHARE)


def _covered(level: Floats, share: float) -> Floats:
    """Return opacities [h, w, 1] scaled so that about ``share`` of them pass the test."""
    falling = -np.sort(-level, axis=None)
    counts = np.arange(len(falling) + 1)
    ends = np.concatenate([[np.inf], falling]), np.concatenate([falling, [0.0]])
    # ones that differ by rounding pass together, as equal ones do, and 0 never passes
    apart = (ends[0] > ends[1] * (1 + SAME)) & (ends[0] > 0)
    off = np.where(apart, np.abs(counts - share * len(falling)), np.inf)
    passing = int(off.argmin())
    unscaled = abs(int((falling >= ALPHA_TEST).sum()) - share * len(falling))
    if unscaled <= off[passing]:
        return level
    least, next_ = float(ends[0][passing]), float(ends[1][passing])
    middle = next_ * (1 + 1e-4) if passing == 0 else max(0.5 * (least + next_), least * 0.75)
    return (level * np.float32(ALPHA_TEST / middle)).clip(0, 1)


def _halved_light(color_srgb: Floats) -> Floats:
    """Return display-coded [H, W, C] at half the size, averaged in linear light."""
    height, width = color_srgb.shape[:2]
    narrow = np.empty((height, max(1, width // 2), color_srgb.shape[2]), np.float32)

    def decode(rows: slice) -> None:  # level 0 as a whole would take too much memory
        narrow[rows] = halved_along(srgb_to_linear(color_srgb[rows]), 1)

    rows_on_cores(decode, height, width)
    return halved_along(narrow, 0)


def _stored(mean: Floats, meaning: str) -> Floats:
    """Return the mean of a level in the stored form of its meaning."""
    if meaning == "srgb":
        return linear_to_srgb(mean).clip(0, 1)
    if meaning == "normal":
        return unit(mean)
    return mean


def unit(mean: Floats) -> Floats:
    """Return vectors [..., 3] normalised; straight up for zero vectors."""
    length = np.sqrt(squared_length(mean))
    found = np.empty_like(mean)
    for component, up in enumerate((0, 0, 1)):  # long runs instead of three numbers
        quotient = mean[..., component] / np.maximum(length, SHORTEST)
        found[..., component] = np.where(length > SHORTEST, quotient, np.float32(up))
    return found
