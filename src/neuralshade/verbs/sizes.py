"""Size of a drawing, from the requested and the fitted size."""

from __future__ import annotations

import numbers
from typing import Any, TypeAlias

import numpy as np

from neuralshade.base.argument_checks import is_whole
from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError
from neuralshade.source.resize import same_shape

LARGEST_SIDE = 65_536
Size: TypeAlias = int | tuple[int | None, int | None]


def drawn_size(size: Size | None, scale: float | None, fitted: tuple[float, float], *,
               any_aspect: bool) -> tuple[int, int]:  # fmt: skip
    """Return width and height in pixels.

    Args:
        size: the longer side, or width and height, one of which may be None to keep the aspect.
        scale: of ``fitted``, instead.
        fitted: width and height in pixels of the drawn part, as fitted; fractions count, or a
            small part would get another aspect.
        any_aspect: allow a size with another aspect.

    Raises: ConfigError for both, for an invalid size, or another aspect.
    """
    if size is not None and scale is not None:
        raise ConfigError(f"scale: got {shown(scale)} beside size={shown(size)}, need one of the "
                          "two. Leave one out.")  # fmt: skip
    if scale is not None:
        return _scaled(scale, fitted)
    if size is None:
        return whole_pixels(*fitted)
    width, height = _sides(size, fitted)
    if not any_aspect and not same_shape((height, width), (fitted[1], fitted[0])):
        near = width, max(1, round(width * fitted[1] / fitted[0]))
        raise ConfigError(f"size: got {width}x{height} for a picture of "
                          f"{fitted[0]:.6g}x{fitted[1]:.6g}, "
                          f"need its aspect, such as {near[0]}x{near[1]}. Write {width}x or "
                          f"x{height} to keep it, or add --stretch.")  # fmt: skip
    return width, height


def whole_pixels(across: float, down: float) -> tuple[int, int]:
    """Return the nearest whole numbers, at least 1."""
    return max(1, round(across)), max(1, round(down))


def _scaled(scale: Any, fitted: tuple[float, float]) -> tuple[int, int]:
    number = isinstance(scale, numbers.Real) and not isinstance(scale, bool)
    if not number or not 0 < float(scale) < np.inf:
        raise ConfigError(f"scale: got {shown(scale)}, need a number above 0. 2 doubles both "
                          "sides.")  # fmt: skip
    across, down = (side * float(scale) for side in fitted)
    if max(across, down) > LARGEST_SIDE:
        raise ConfigError(f"scale: got {shown(scale)}, which makes {across:.6g}x{down:.6g}, need "
                          f"1 to {LARGEST_SIDE} pixels a side. Take a smaller one.")  # fmt: skip
    return whole_pixels(across, down)


def _sides(size: Any, fitted: tuple[float, float]) -> tuple[int, int]:
    """Return width and height; a missing one follows from the aspect of ``fitted``."""
    if is_whole(size):
        size = (size, None) if fitted[0] >= fitted[1] else (None, size)
    pair = isinstance(size, (tuple, list, np.ndarray)) and len(size) == 2
    if not pair or not all(n is None or is_whole(n) for n in size) or all(n is None for n in size):
        raise ConfigError(f"size: got {shown(size)}, need 2 numbers: width and height in whole "
                          "pixels, or the longer side alone. Leave it out for the whole picture "
                          "as it was fitted.")  # fmt: skip
    width, height = (None if n is None else int(n) for n in size)
    _within(tuple(n for n in (width, height) if n is not None))
    if width is None:
        assert height is not None
        width = max(1, round(height * fitted[0] / fitted[1]))
    if height is None:
        height = max(1, round(width * fitted[1] / fitted[0]))
    _within((width, height))
    return width, height


def _within(sides: tuple[int, ...]) -> None:
    if not all(1 <= side <= LARGEST_SIDE for side in sides):
        raise ConfigError(f"size: got {'x'.join(map(str, sides))}, need 1 to {LARGEST_SIDE} pixels "
                          "a side. Write for example 1920x1080.")  # fmt: skip
