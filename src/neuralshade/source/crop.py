"""Crop of a picture, and the check of a pixel size."""

from numbers import Integral
from typing import Any

from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError

Crop = tuple[float, float, float, float]  # u0, v0, u1, v1: u to the right, v down
WHOLE: Crop = (0.0, 0.0, 1.0, 1.0)


def check_pixels(width: Any, height: Any) -> None:
    """Raise ConfigError unless a picture of that size can be drawn."""
    for side in (width, height):
        if isinstance(side, bool) or not isinstance(side, Integral) or side < 1:
            raise ConfigError(f"draw: got {shown(width)} x {shown(height)}, need whole numbers of "
                              "pixels, 1 or more. Give width and height.")  # fmt: skip
