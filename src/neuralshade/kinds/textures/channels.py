"""Channel coding: each map of a set to trained channels in [0, 1] and back."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from neuralshade.base.cores import map_on_cores, rows_on_cores
from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError
from neuralshade.measure.map_psnr import with_z
from neuralshade.source.color import linear_to_srgb, srgb_to_linear

if TYPE_CHECKING:
    from neuralshade.source.material_set import MaterialMap, MaterialSet

Floats = npt.NDArray[np.float32]
Curve = Literal["none", "srgb", "log", "mask"]

MOST_CHANNELS = 16
MOST_MAPS = 64  # including constant ones
TEXEL = "texel of mip 0"  # the unit of bits per texel, for all maps and levels together
LONGEST_NAME = 64  # characters of a map's name
LARGEST = 1e30  # absolute value in a map: sums of four and ranges stay finite in float32
MASK_MARGIN = 0.1  # trained values up to here from the ends decode to 0 or 1
MASK_SHARE = 0.5  # share of an opacity's texels at 0 or 1 above which it is a mask
LEAST_RANGE = 1e-30  # of channels, so that the inverse is finite in float32


@dataclass(frozen=True)
class MapCoding:
    """Coding of one map.

    ``meaning`` and ``channels`` are the map's, see MaterialMap. ``count`` channels from ``first``
    on are trained: (curve(x) - low) / (high - low). The curve "srgb" encodes linear light up to 1
    for display, "log" is log(1 + x), for light beyond 1. For a normal x and y are trained, z is
    rebuilt. For a "mask", mostly 0 and 1, these are trained unchanged and values between are
    mapped to MASK_MARGIN ... 1 - MASK_MARGIN: smaller errors then still decode to 0 and 1. A map
    with equal texels is ``constant``, and not trained.
    """

    name: str
    meaning: str
    channels: int
    bits: int  # of a number in the file
    first: int
    curve: Curve
    low: float
    high: float
    constant: tuple[float, ...] | None = None

    @property
    def count(self) -> int:
        """Return the number of trained channels."""
        if self.constant is not None:
            return 0
        return 2 if self.meaning == "normal" else self.channels

    @property
    def is_wide(self) -> bool:
        """Return whether its numbers may lie beyond [0, 1], the usual range of files."""
        if self.meaning == "normal":
            return False
        return self.curve == "log" or self.low < 0 or self.high > 1

    @property
    def is_whole(self) -> bool:
        """Return whether its fields are consistent, which a stranger's file may violate."""
        needed = 3 if self.meaning == "normal" else self.channels
        present = self.channels if self.constant is None else len(self.constant)
        return self.high - self.low >= LEAST_RANGE and self.channels == needed == present

    def coded(self, values: Floats) -> Floats:
        """Return a map for measuring errors: float32 [..., channels] in [0, 1], normals with z."""
        found: Floats = _curved(self.curve, values)
        if (self.low, self.high) != (0, 1):
            found = (found - np.float32(self.low)) * np.float32(1 / (self.high - self.low))
        return found.clip(0, 1)

    def trained(self, values: Floats) -> Floats:
        """Return the trained channels of a map: float32 [..., count] in [0, 1]."""
        coded = self.coded(values)[..., : self.count]
        if self.curve != "mask":
            return coded
        inner = MASK_MARGIN + (1 - 2 * MASK_MARGIN) * coded
        return np.where((coded > 0) & (coded < 1), inner, coded).astype(np.float32)

    def shown(self, channels: Floats) -> Floats:
        """Return the map as ``coded`` does, from all trained channels [..., C] of the set."""
        if self.constant is not None:
            values = np.empty((*channels.shape[:-1], self.channels), np.float32)
            values[...] = self.constant
            return self.coded(values)
        own = channels[..., self.first : self.first + self.count]
        if self.curve == "mask":
            own = (own - np.float32(MASK_MARGIN)) / np.float32(1 - 2 * MASK_MARGIN)
        own = own.clip(0, 1)
        return with_z(own) if self.meaning == "normal" else own

    def decoded(self, channels: Floats) -> Floats:
        """Return the map's own values, as MaterialMap has them, from all trained channels."""
        return self.straight(self.shown(channels))

    def straight(self, coded: Floats) -> Floats:
        """Return the map's own values, from the result of ``coded``."""
        return _straight(self.curve, coded * np.float32(self.high - self.low) + self.low)

    def facts(self) -> dict[str, Any]:
        """Return it as plain data for a header."""
        values = dataclasses.asdict(self)
        return values | {"constant": None if self.constant is None else list(self.constant)}


def coding_of(facts: dict[str, Any]) -> MapCoding:
    """Return the coding of ``facts``, ignoring keys that a newer version may write."""
    known = {field.name: facts[field.name] for field in dataclasses.fields(MapCoding)}
    constant = known["constant"]
    return MapCoding(**known | {"constant": None if constant is None else tuple(constant)})


def codings_of(textures: MaterialSet) -> tuple[MapCoding, ...]:
    """Return the coding of each map of a set.

    Where all maps are constant, the one with the fewest channels is trained all the same: so
    latents and decoder have the usual form.

    Raises: ConfigError for more channels than the decoder has, and beyond a header's limits: too
        many maps, long names, large numbers.
    """
    if len(textures.maps) > MOST_MAPS:
        raise ConfigError(f"{textures.name}: got {len(textures.maps)} maps, need {MOST_MAPS} or "
                          "fewer. Leave maps out.")  # fmt: skip
    codings: list[MapCoding] = []
    for one in textures.maps:
        first = sum(coding.count for coding in codings)
        codings.append(_coding(one, first))
    if not any(coding.count for coding in codings):
        least = min(range(len(codings)), key=lambda at: codings[at].channels)
        codings[least] = dataclasses.replace(codings[least], constant=None)
        for at in range(least + 1, len(codings)):
            codings[at] = dataclasses.replace(codings[at], first=codings[least].count)
    count = sum(coding.count for coding in codings)
    if count > MOST_CHANNELS:
        listed = ", ".join(f"{coding.name} {coding.count}" for coding in codings if coding.count)
        raise ConfigError(f"{textures.name}: got {count} channels ({listed}), need "
                          f"{MOST_CHANNELS} or fewer. Leave maps out.")  # fmt: skip
    return tuple(codings)


def _coding(one: MaterialMap, first: int) -> MapCoding:
    """Return a map's coding; ConfigError for a name or numbers beyond a header's limits."""
    if len(one.name) > LONGEST_NAME:
        raise ConfigError(f"map: got the name {shown(one.name)}, need {LONGEST_NAME} characters at "
                          "most. Shorten it.")  # fmt: skip
    values = one.values
    low, high = _extremes(values)
    largest = float(max(high.max(), -low.min()))
    if largest > LARGEST:
        raise ConfigError(f"{one.name}: got numbers of {largest:.3g}, need {LARGEST:g} at most. "
                          "Scale the map.")  # fmt: skip
    curve: Curve = "none"
    bottom, top = 0.0, 1.0
    if one.meaning == "linear":
        curve = "log" if high.max() > 1 else "srgb"
        top = float(_curved(curve, high.max()))
    elif one.meaning == "normal":
        bottom = -1.0
    elif low.min() < 0 or high.max() > 1:
        bottom, top = float(low.min()), float(high.max())
    elif one.name == "opacity" and ((values == 0) | (values == 1)).mean() > MASK_SHARE:
        curve = "mask"  # costs PSNR, which matters more for other maps, such as metallic
    constant = None
    if np.array_equal(low, high):
        constant = tuple(map(float, low))
        top = top if top > bottom else bottom + max(1.0, abs(bottom))
    top = max(top, bottom + LEAST_RANGE)
    return MapCoding(one.name, one.meaning, values.shape[2], one.bits, first, curve, bottom, top,
                     constant)  # fmt: skip


def trained_levels(textures: MaterialSet, codings: Sequence[MapCoding], mips: int) -> list[Floats]:
    """Return the trained channels of every mip: float32 [h, w, C] in [0, 1]."""
    from neuralshade.source.cutout import level_list  # not needed for decoding

    def levels_of(at: int) -> list[Floats]:
        return [
            codings[at].trained(level) for level in level_list(textures, codings[at].name, mips)
        ]

    varying = [at for at, coding in enumerate(codings) if coding.count]
    of_maps = list(map_on_cores(levels_of, varying))
    return [_beside_each_other(levels) for levels in zip(*of_maps, strict=True)]


def _beside_each_other(maps: Sequence[Floats]) -> Floats:
    """Return the channels of maps [h, w, count] together: [h, w, C]."""
    channels = [one[..., channel] for one in maps for channel in range(one.shape[2])]
    found = np.empty((*channels[0].shape, len(channels)), np.float32)

    def fill(rows: slice) -> None:  # long runs instead of one to three numbers
        for index, channel in enumerate(channels):
            found[rows, :, index] = channel[rows]

    rows_on_cores(fill, *channels[0].shape)
    return found


def alpha_channel(textures: MaterialSet, codings: Sequence[MapCoding]) -> int | None:
    """Return the trained channel that weights the errors of all others; None without one."""
    if textures.original is None:
        return None
    return next((c.first for c in codings if c.name == "opacity" and c.count), None)


def _extremes(values: Floats) -> tuple[Floats, Floats]:
    """Return the least and the greatest number of each channel of [H, W, C]."""
    height, width, channels = values.shape
    rows = values.reshape(height, width * channels)  # long runs instead of C numbers
    low, high = (found.reshape(width, channels) for found in (rows.min(0), rows.max(0)))
    return low.min(0), high.max(0)


def _curved(curve: Curve, values: Any) -> Any:
    if curve == "srgb":
        return linear_to_srgb(np.asarray(values))
    return np.log1p(np.maximum(values, 0)) if curve == "log" else values


def _straight(curve: Curve, values: Floats) -> Floats:
    if curve == "srgb":
        return srgb_to_linear(values)
    return np.expm1(values) if curve == "log" else values
