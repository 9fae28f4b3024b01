"""Trained mip levels for export into other file formats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from neuralshade.asset.texture.map_chain import MapChain
from neuralshade.source.region import Region

MEANINGS = {"albedo": "srgb", "normal": "normal"}  # all others: data

Bytes = npt.NDArray[np.uint8]


def level_chains(
    levels: Sequence[Mapping[str, Bytes]], names: Sequence[str], regions: Sequence[Region]
) -> Iterator[MapChain]:
    """Yield maps with their levels, stored like ``stored_level``, cropped to ``regions``."""
    for name in names:
        meaning = MEANINGS.get(name, "data")
        chain = []
        for level, (x, y, width, height) in zip(levels, regions, strict=False):
            values = level[name][y : y + height, x : x + width] / np.float32(255)
            chain.append(values * 2 - 1 if meaning == "normal" else values)
        yield MapChain(name, chain, meaning)
