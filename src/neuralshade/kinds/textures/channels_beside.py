"""Channels of a set's source, and of its blocks at half size, as the asset's own ones are coded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from neuralshade.errors import AssetError
from neuralshade.kinds.textures.channels import trained_levels
from neuralshade.kinds.textures.reference import (
    Floats,
    TexturesAsset,
    byte_maps,
    is_fitted,
    reference_set,
    varying,
)
from neuralshade.measure.baselines import to_uint8
from neuralshade.measure.levels_beside import CHANNELS, Bytes, LevelsBeside
from neuralshade.measure.texture_rivals import half_size_levels


def channels_beside(opened: TexturesAsset, source: Any) -> list[LevelsBeside]:
    """Return the source's levels in the asset's channels, and those of blocks at half size.

    The blocks are there for sets of two levels or more. ``source``: None gives none of them.

    Raises: AssetError for other maps than those that were fitted; DeviceError without etcpak.
    """
    if source is None:
        return []
    textures = reference_set(opened, source)
    if not is_fitted(opened, textures):
        raise AssetError(f"{opened.path}: got maps of other numbers beside it, need those that it "
                         "was fitted to. Give their folder.")  # fmt: skip
    coded = varying(opened.codings)
    width, height = opened.sizes[0]
    levels = trained_levels(textures, coded, len(opened.sizes))
    found = [LevelsBeside("Source", f"source, {width} x {height} texels", _listed(levels))]
    if len(opened.sizes) < 2:
        return found
    rival, halves = half_size_levels(byte_maps(opened, textures))
    channels = [
        np.concatenate([one.trained(one.straight(halves[one.name][level])) for one in coded], 2)
        for level in range(len(opened.sizes) - 1)
    ]
    about = f"{rival.name}, {rival.disk_bytes:,} bytes, {rival.mean_psnr_db:.2f} dB"
    return [*found, LevelsBeside(rival.name, about, _listed(channels))]


def _listed(levels: Sequence[Floats]) -> tuple[Mapping[str, Bytes], ...]:
    return tuple({CHANNELS: to_uint8(one)} for one in levels)
