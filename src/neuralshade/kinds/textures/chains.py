"""Maps of a fitted set with their levels, on their way into files."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt
import psutil

from neuralshade.asset.texture.map_chain import MapChain
from neuralshade.errors import ConfigError
from neuralshade.kinds.textures.channels import MapCoding
from neuralshade.kinds.textures.engine import BLOCK_TEXELS
from neuralshade.kinds.textures.texels import PEAK, words_of
from neuralshade.source.region import Region, Size

Floats = npt.NDArray[np.float32]
Words = npt.NDArray[np.uint16]
# (level, numbers of its texels, row by row: int64 [n]) -> trained channels [n, C]
Decode = Callable[[int, npt.NDArray[np.int64]], Floats]

# Bytes that writing a texel takes for each channel of a map: floats, as they are stored, blocks.
WRITTEN_BYTES = 12


def map_chains(
    decode: Decode,
    sizes: Sequence[Size],
    codings: Sequence[MapCoding],
    regions: Sequence[Region],
) -> Iterator[MapChain]:
    """Yield maps with their levels, of which ``regions`` are asked.

    The network gives all channels at once, so it is run once for each texel; kept are those of
    the maps that are asked for, in 16 bits as they were trained: 4K with 8 channels and all
    levels takes 360 MB, and what is written of one map at a time as much again.

    Raises: ConfigError where that is more than there is; what ``decode`` raises.
    """
    _check_memory(codings, regions)
    levels = []
    for level, region in enumerate(regions):
        across = sizes[level][0]
        levels.append(level_words(partial(decode, level), across, region, codings))
    for coding in codings:
        yield MapChain(
            coding.name,
            [_decoded(coding, words, region)
             for words, region in zip(levels, regions, strict=True)],
            coding.meaning,
            coding.bits,
            coding.is_wide,
        )  # fmt: skip
        for words in levels:
            words.pop(coding.name, None)


def level_words(
    decode: Callable[[npt.NDArray[np.int64]], Floats],
    across: int,
    region: Region,
    codings: Sequence[MapCoding],
) -> dict[str, Words]:
    """Return the trained channels of maps by name: uint16 [height, width, count] of [0, 1].

    ``across``: texels in a row of the level.
    """
    x, y, width, height = region
    varying = [coding for coding in codings if coding.count]
    words = {one.name: np.empty((height, width, one.count), np.uint16) for one in varying}
    rows = max(1, BLOCK_TEXELS // width)
    for top in range(0, height if varying else 0, rows):
        lines = np.arange(top, min(top + rows, height))
        index = ((y + lines[:, None]) * across + np.arange(x, x + width)).reshape(-1)
        block = words_of(decode(index).clip(0, 1)[None]).reshape(len(lines), width, -1)
        for one in varying:
            words[one.name][lines] = block[..., one.first : one.first + one.count]
    return words


def _decoded(coding: MapCoding, words: dict[str, Words], region: Region) -> Floats:
    """Return the values of a map: float32 [height, width, channels]."""
    if coding.constant is not None:
        return coding.decoded(np.broadcast_to(np.float32(0), (region[3], region[2], 1)))
    alone = dataclasses.replace(coding, first=0)
    return alone.decoded(words[coding.name].astype(np.float32) / np.float32(PEAK))


def _check_memory(codings: Sequence[MapCoding], regions: Sequence[Region]) -> None:
    texels = sum(width * height for _, _, width, height in regions)
    kept = 2 * sum(coding.count for coding in codings)
    written = WRITTEN_BYTES * max(coding.channels for coding in codings)
    needed, free = texels * (kept + written), psutil.virtual_memory().available
    if needed > free:
        raise ConfigError(f"levels: got {len(regions)} of {regions[0][2]} x {regions[0][3]} texels,"
                          f" need about {needed / 2**30:.1f} GB of memory for them where "
                          f"{free / 2**30:.1f} GB are free. Decode fewer maps at once, or parts "
                          "by region.")  # fmt: skip
