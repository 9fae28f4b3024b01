"""Levels of a filter beside those that were trained."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Protocol

from neuralshade.kinds.mipmaps.asset import stored_level
from neuralshade.measure.levels_beside import LevelsBeside
from neuralshade.measure.plane.mip_filters import Maps, box_chain


class Chain(Protocol):
    """What an opened asset has of its levels."""

    @property
    def chain(self) -> Sequence[Maps]: ...
    @property
    def weighted(self) -> bool: ...
    @property
    def memory_bytes(self) -> int: ...


def box_levels(opened: Chain) -> list[LevelsBeside]:
    """Return the means of level 0 in 8 bits, in as many levels as the asset has."""
    first = opened.chain[0]
    base = first if opened.weighted else dataclasses.replace(first, opacity=None)
    levels = [first, *box_chain(base, len(opened.chain) - 1)]
    about = f"box filter, {opened.memory_bytes:,} bytes in a GPU"
    return [LevelsBeside("Box filter", about, tuple(map(stored_level, levels)))]
