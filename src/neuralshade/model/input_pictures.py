"""Pictures that a user's Slang module reads. Device half: trainable.texels.slang."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.errors import ConfigError, PictureError, ShapeError
from neuralshade.source.image_file import load_picture
from neuralshade.source.picture import Picture


def load_input_picture(value: Any, channels: int, where: str) -> Picture:
    """Return the picture of a member: from a path, or anything ``load_picture`` takes.

    Raises: PictureError for the file; ConfigError where it has other than ``channels``
        channels, or is no picture.
    """
    try:
        picture = load_picture(value)
    except (PictureError, ShapeError) as error:
        if isinstance(value, (str, os.PathLike)):  # named in its own errors
            raise
        raise ConfigError(f"{where}: {str(error).removeprefix('picture: ')}") from error
    if picture.channels != channels:
        raise ConfigError(f"{where}: got {picture.name} with {picture.channels} channels, need "
                          f"{channels}. Change the member's type, or convert the "
                          "picture.")  # fmt: skip
    return picture


def packed_pictures(
    pictures: Mapping[str, npt.NDArray[np.float32]],
) -> tuple[dict[str, tuple[int, int, int]], npt.NDArray[np.float32]]:
    """Return the start of each picture with its width and height, and all their numbers."""
    places, first = {}, 0
    for name, picture in pictures.items():
        height, width, _ = picture.shape
        places[name] = (first, width, height)
        first += picture.size
    parts = [picture.reshape(-1) for picture in pictures.values()]
    return places, np.concatenate(parts) if parts else np.zeros(1, np.float32)
