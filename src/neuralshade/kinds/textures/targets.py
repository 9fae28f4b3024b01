"""Quality targets of a set's maps in dB, in place of a size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError

MOST_DB = 99.0  # the PSNR of equal maps
Quality = Mapping[str, float]  # PSNR in dB of mip 0 by map


@dataclass(frozen=True)
class Targets:
    """Targets for the PSNR of mip 0, in dB: ``mean`` over the maps, ``maps`` by name."""

    mean: float | None = None
    maps: Quality = field(default_factory=dict)

    @classmethod
    def of(cls, mean: float | str | None, maps: str | Quality | None) -> Targets | None:
        """Return the targets, None without any; ConfigError for invalid numbers.

        ``maps``: as in albedo=35,normal=34, or a mapping.
        """
        pairs: Iterable[tuple[str, object]] = ()
        if isinstance(maps, str):
            pairs = [_pair(item) for item in maps.split(",") if item.strip()]
        elif maps is not None:
            pairs = maps.items()
        by_name: dict[str, float] = {}
        for name, value in pairs:
            if name in by_name:
                raise ConfigError(f"target: got {name} twice, need it once. Leave one out.")
            by_name[name] = _decibels(f"target: got {name}=", value, "albedo=35")
        if maps is not None and not by_name:
            raise ConfigError("target: got no map, need MAP=DB. Write for example albedo=35.")
        if mean is None:
            return cls(None, by_name) if by_name else None
        return cls(_decibels("target_psnr: got ", mean, "35"), by_name)

    def check_maps(self, names: Iterable[str]) -> None:
        """Raise ConfigError for a map that is not among ``names``, those that vary."""
        known = list(names)
        for name in self.maps:
            if name not in known:
                raise ConfigError(f"target: got {shown(name)}, need a map that varies: "
                                  f"{', '.join(known)}.{did_you_mean(name, known)} Leave it "
                                  "out.")  # fmt: skip

    def spare(self, quality: Quality) -> float:
        """Return the least distance in dB of the quality above a target."""
        found = [quality[name] - target for name, target in self.maps.items()]
        if self.mean is not None:
            found.append(mean_of(quality) - self.mean)
        return min(found)

    def missed(self, quality: Quality) -> str:
        """Return what is missed, as in "34.21 of 35 dB"; empty where all is reached."""
        said = [f"{name} {quality[name]:.2f} of {target:g}" for name, target in self.maps.items()
                if quality[name] < target]  # fmt: skip
        if self.mean is not None and mean_of(quality) < self.mean:
            said.insert(0, f"the mean {mean_of(quality):.2f} of {self.mean:g}")
        return f"{', '.join(said)} dB" if said else ""


def mean_of(quality: Quality) -> float:
    """Return the mean over the maps, in dB."""
    return float(np.mean(list(quality.values())))


def _pair(item: str) -> tuple[str, str]:
    name, _, value = (piece.strip() for piece in item.partition("="))
    if not name or not value:
        raise ConfigError(f"target: got {shown(item.strip())}, need MAP=DB. Write for example "
                          "albedo=35.")  # fmt: skip
    return name, value


def _decibels(place: str, value: object, example: str) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]  # other types are refused below
    except (TypeError, ValueError):
        number = -1.0
    if not 0 < number <= MOST_DB:  # NaN fails, too
        raise ConfigError(f"{place}{shown(value)}, need dB above 0, {MOST_DB:g} at most. Write "
                          f"for example {example}.")  # fmt: skip
    return number
