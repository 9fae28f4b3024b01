"""Decoded mip chains of a fitted set's maps, for writing to files."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from contextlib import closing

import numpy as np
import numpy.typing as npt
import psutil

from neuralshade.asset.texture.map_chain import MapChain, block_format
from neuralshade.asset.texture.mip_chain import shapes_of
from neuralshade.asset.texture.texture_format import TextureFormat
from neuralshade.base.progress_scope import counted
from neuralshade.errors import ConfigError
from neuralshade.kinds.kind import Notice, ignore
from neuralshade.kinds.textures.channels import MapCoding
from neuralshade.kinds.textures.decoding import Decoding
from neuralshade.kinds.textures.texels import PEAK
from neuralshade.source.region import Region

Floats = npt.NDArray[np.float32]
Words = npt.NDArray[np.uint16]

# Bytes per texel and channel while a map is written: floats, stored values, blocks.
WRITTEN_BYTES = 12


def map_chains(
    decoding: Decoding,
    codings: Sequence[MapCoding],
    regions: Sequence[Region],
    blocks: Sequence[str] = (),
    on_device: Notice = ignore,
) -> Iterator[MapChain]:
    """Yield maps with their levels in ``regions``; closes ``decoding``.

    The network outputs all channels at once, so it runs once per texel; the channels of the
    requested maps are kept, in 16 bits as trained: 4K with 8 channels and all levels takes 360 MB,
    and writing one map as much again. Where a GPU decodes and one of ``blocks`` suits a map, it
    also compresses it, and only blocks are read back.

    ``on_device`` is called with the device that ran the network.

    Raises: ConfigError where that exceeds the free memory; what ``Decoding.words`` raises.
    """
    _check_memory(codings, regions)
    suited = [(coding, form) for coding in codings
              if coding.count and (form := _block_of(coding, blocks)) is not None]  # fmt: skip
    levels: list[dict[str, Words]] = []
    compressed: list[dict[str, bytes]] = []
    with closing(decoding):
        if any(coding.count for coding in codings):
            decoding.expect(regions, len(suited))
            on_device(decoding.device)
        what = f"decoding levels on {decoding.device}"
        for level, region in enumerate(counted(what, regions, len(regions))):
            compressed.append(decoding.blocks(level, region, suited))
            others = [coding for coding in codings if coding.name not in compressed[-1]]
            levels.append(decoding.words(level, region, others))
    for coding in codings:
        known = [found.pop(coding.name) for found in compressed if coding.name in found]
        if known:
            shown = shapes_of([region[2:] for region in regions], coding.channels)
        else:
            shown = [decoded(coding, words, region)
                     for words, region in zip(levels, regions, strict=True)]  # fmt: skip
        yield MapChain(coding.name, shown, coding.meaning, coding.bits, coding.is_wide, known)
        for words in levels:
            words.pop(coding.name, None)


def _block_of(coding: MapCoding, blocks: Sequence[str]) -> TextureFormat | None:
    """Return the block format that a map is stored in; None for uncompressed ones."""
    return None if coding.is_wide else block_format(coding.meaning, coding.channels, blocks)


def decoded(coding: MapCoding, words: dict[str, Words], region: Region) -> Floats:
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
