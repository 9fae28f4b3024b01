"""Texture maps in memory as pictures, in the form that a map's file would have."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from neuralshade.errors import PictureError, ShapeError
from neuralshade.source.map_words import COLORS, EITHER
from neuralshade.source.pixels_in_memory import picture_from_memory

if TYPE_CHECKING:
    from neuralshade.source.picture import Picture


def map_from_memory(
    place: str, maps: Sequence[str | None], value: Any, *, colored: bool = False
) -> Picture | None:
    """Return a value in memory as the picture of ``maps``, one or one per channel.

    None for other types than NumPy array, PIL image, torch tensor and Picture.

    Integers are as in files: sRGB for colors, fractions of the maximum for others. Floats are sRGB
    in [0, 1] for colors (linear light as ``picture_from_array(..., "linear")``), numbers for
    others: normals in [0, 1] or, where some are below 0, directions in [-1, 1].

    Args:
        place: for errors.
        colored: whether a map of another name is a color.

    Raises: PictureError, ShapeError as ``picture_from_memory`` does, naming ``place``.
    """
    if not _is_in_memory(value):
        return None
    color = colored or (len(maps) == 1 and maps[0] in (*COLORS, *EITHER))
    try:
        return picture_from_memory(value, "srgb" if color else "linear")
    except (PictureError, ShapeError) as error:
        raise type(error)(str(error).replace("picture:", f"{place}:", 1)) from error


def _is_in_memory(value: Any) -> bool:
    """Return whether ``value`` is a NumPy array, a PIL image, a torch tensor or a Picture.

    Imports none of these libraries: one that is not imported yet has created no object.
    """
    kinds = (("numpy", "ndarray"), ("torch", "Tensor"), ("PIL.Image", "Image"),
             ("neuralshade.source.picture", "Picture"))  # fmt: skip
    return any(
        isinstance(value, getattr(sys.modules[module], name))
        for module, name in kinds
        if module in sys.modules
    )
