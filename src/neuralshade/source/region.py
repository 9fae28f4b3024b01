"""Selections of maps with levels: names, number of levels, rectangle of texels."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError

Region = tuple[int, int, int, int]  # x, y, width, height; x to the right, y down
Size = tuple[int, int]  # width, height


def checked_region(region: Any, step: int = 1) -> Region:
    """Return a region of multiples of ``step``; ConfigError for anything else."""
    whole = isinstance(region, (tuple, list, np.ndarray)) and len(region) == 4
    if not whole or not all(isinstance(n, (int, np.integer)) and n is not True for n in region):
        raise ConfigError(f"region: got {shown(region)}, need x, y, width and height in whole "
                          "texels. Leave it out for whole maps.")  # fmt: skip
    x, y, width, height = map(int, region)
    if any(number % step for number in (x, y, width, height)):
        raise ConfigError(f"region: got {x},{y},{width},{height}, need multiples of {step}: blocks "
                          "are so large. Move it, or leave blocks out.")  # fmt: skip
    return x, y, width, height


def level_regions(sizes: Sequence[Size], levels: Any, region: Region | None) -> list[Region]:
    """Return the region of each requested level, level 0 first: all of it, or only ``region``.

    Args:
        sizes: of the existing levels.
        levels: how many; None: all.

    Raises: ConfigError for more levels than exist, a region beside several, or one outside.
    """
    most = 1 if region is not None else len(sizes)
    count = most if levels is None else levels
    if type(count) is not int or not 1 <= count <= most:
        need = f"1 to {most}" if region is None else "1: a region is one of level 0"
        raise ConfigError(f"levels: got {shown(levels)}, need {need}. Leave it out.")
    if region is None:
        return [(0, 0, *size) for size in sizes[:count]]
    (x, y, width, height), (across, down) = region, sizes[0]
    if not (0 <= x < x + width <= across and 0 <= y < y + height <= down):
        raise ConfigError(f"region: got {x},{y},{width},{height}, need a part of the {across} x "
                          f"{down} texels of level 0. Write for example 0,0,{min(4, across)},"
                          f"{min(4, down)}.")  # fmt: skip
    return [region]


def chosen_names(requested: Sequence[str] | None, names: Sequence[str]) -> list[str]:
    """Return the requested maps, each once, in the order of ``names``; all where None.

    Raises: ConfigError for an unknown name, with the nearest one, and for an empty list.
    """
    if requested is None:
        return list(names)
    chosen = [requested] if isinstance(requested, str) else list(requested)
    for name in chosen or [""]:
        if name not in names:
            raise ConfigError(f"map: got {shown(name)}, need one of {list(names)}."
                              f"{did_you_mean(str(name), names)}")  # fmt: skip
    return [name for name in names if name in chosen]
