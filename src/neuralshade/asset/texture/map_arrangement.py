"""Arrangement of maps for engines: DirectX normals, channel packing, alpha."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from neuralshade.asset.texture.map_chain import Floats, MapChain
from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError

CONVENTIONS = ("opengl", "directx")  # of normals: green points up, or down
LETTERS = {"a": "ao", "o": "ao", "r": "roughness", "m": "metallic",
           "h": "displacement", "d": "displacement"}  # fmt: skip
USUAL = {"ao": 1.0, "metallic": 0.0}  # of what a set does not have
COLOR, OPACITY = "albedo", "opacity"
FEWEST_PACKED, MOST_PACKED = 2, 4

log = logging.getLogger("neuralshade")


@dataclass(frozen=True)
class Arrangement:
    """Changes to maps before they are written.

    ``convention``: of normals, one of CONVENTIONS; ``packs``: words such as "orm", whose letters
    name the maps of red, green, blue and alpha; ``alpha``: opacity goes into albedo's alpha.
    """

    convention: str = "opengl"
    packs: tuple[str, ...] = ()
    alpha: bool = False

    def check(self, container: str) -> None:
        """Raise ConfigError for unknown settings, or those that ``container`` cannot hold."""
        if self.convention not in CONVENTIONS:
            raise ConfigError(f"normal_convention: got {shown(self.convention)}, need one of "
                              f"{', '.join(CONVENTIONS)}."
                              f"{did_you_mean(str(self.convention), CONVENTIONS)}")  # fmt: skip
        taken = set[str]()
        for word in self.packs:
            maps = packed_maps(word)
            if len(maps) == MOST_PACKED and container == "exr":
                raise ConfigError(f"pack: got {word} for exr, whose fourth channel is alpha that "
                                  "colors are multiplied by, need dds, ktx2 or png. Choose "
                                  "another.")  # fmt: skip
            if twice := sorted(taken & set(maps)):
                raise ConfigError(f"pack: got {twice[0]} in two files, need it in one. Leave one "
                                  "out.")  # fmt: skip
            taken |= set(maps)
        if self.alpha and container == "exr":
            raise ConfigError("alpha: got it for exr, whose colors are multiplied by alpha, need "
                              "dds, ktx2 or png. Choose another format.")  # fmt: skip

    @property
    def is_plain(self) -> bool:
        """Return whether all maps are written unchanged."""
        return self == Arrangement()

    @property
    def joins(self) -> bool:
        """Return whether several maps become one."""
        return bool(self.packs) or self.alpha

    def arranged(
        self, chains: Iterator[MapChain], maps: Sequence[str] | None
    ) -> Iterator[MapChain]:
        """Yield the maps to write, joined ones last.

        Args:
            chains: all maps of an asset, or, where none are joined, those of ``maps``.
            maps: which are written by themselves; what is joined with others is not among them.

        Raises: ConfigError for an unknown name in ``maps``, and for missing maps.
        """
        held: dict[str, MapChain] = {}
        joined = {name for word in self.packs for name in packed_maps(word)}
        joined |= {COLOR, OPACITY} if self.alpha else set()
        seen = list[str]()
        for one in chains:
            seen.append(one.name)
            if one.name in joined:
                held[one.name] = one
            elif maps is None or one.name in maps:
                yield self._turned(one)
        for name in maps or ():
            if name not in seen:
                raise ConfigError(f"maps: got {shown(name)}, need one of {', '.join(seen)}."
                                  f"{did_you_mean(name, seen)}")  # fmt: skip
        if self.alpha:
            yield _with_alpha(held)
        for word in self.packs:
            yield _packed(word, held)

    def _turned(self, one: MapChain) -> MapChain:
        if one.meaning != "normal" or self.convention == "opengl":
            return one
        down = np.array([1, -1, 1], np.float32)
        return replace(one, levels=[level * down for level in one.levels])


def packed_maps(word: str) -> tuple[str, ...]:
    """Return the maps of a file's channels, from red on: "orm" is ao, roughness and metallic.

    Raises: ConfigError for a word of other letters, too many or too few, or one map twice.
    """
    maps = tuple(LETTERS.get(letter, "") for letter in word.lower())
    if not FEWEST_PACKED <= len(maps) <= MOST_PACKED or "" in maps or len({*maps}) < len(maps):
        known = ", ".join(f"{letter} {name}" for letter, name in LETTERS.items())
        raise ConfigError(f"pack: got {shown(word)}, need 2 to 4 letters, each for another map: "
                          f"{known}. Write such as orm or mra.")  # fmt: skip
    return maps


def _packed(word: str, held: dict[str, MapChain]) -> MapChain:
    """Return the map whose channels are the maps that a word names."""
    maps = packed_maps(word)
    there = [held[name] for name in maps if name in held]
    absent = [name for name in maps if name not in held]
    needed = [name for name in absent if name not in USUAL]
    if needed or not there:
        raise ConfigError(f"pack: got {word} for a set without {(needed or absent)[0]}, need "
                          "it. Leave its letter out.")  # fmt: skip
    for name in absent:
        log.warning("%s: the set has no %s; it is %g everywhere.", word, name, USUAL[name])
    channels = [held[name].levels if name in held else
                [np.full_like(level[..., :1], USUAL[name]) for level in there[0].levels]
                for name in maps]  # fmt: skip
    levels = [np.concatenate([level[..., :1] for level in each], axis=2)
              for each in zip(*channels, strict=True)]  # fmt: skip
    bits, wide = max(one.bits for one in there), any(one.wide for one in there)
    return MapChain(word, levels, "data", bits, wide)


def _with_alpha(held: dict[str, MapChain]) -> MapChain:
    """Return colors with opacity behind them; they are not multiplied by it."""
    for name in (COLOR, OPACITY):
        if name not in held:
            raise ConfigError(f"alpha: got a set without {name}, need it. Leave alpha out.")
    color, opacity = held[COLOR], held[OPACITY]
    if opacity.wide:
        raise ConfigError("alpha: got opacity beyond 1, need it in [0, 1]. Leave alpha out.")
    levels = [_joined(*each) for each in zip(color.levels, opacity.levels, strict=True)]
    return replace(color, levels=levels)


def _joined(color: Floats, opacity: Floats) -> Floats:
    three = np.repeat(color, 3, axis=2) if color.shape[2] == 1 else color
    return np.concatenate([three, opacity[..., :1]], axis=2)
