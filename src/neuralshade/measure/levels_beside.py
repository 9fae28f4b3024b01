"""Levels that a web page shows beside those of an asset of maps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
CHANNELS = "channels"  # all that a decoder returns


@dataclass(frozen=True)
class LevelsBeside:
    """Levels in the form of the asset's own: its decoded channels, or its textures."""

    title: str
    about: str  # with their size
    levels: tuple[Mapping[str, Bytes], ...]  # uint8 [h, w, C] by texture, or as CHANNELS
