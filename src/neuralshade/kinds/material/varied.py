"""Varied inputs: a material's inputs that stay inputs of the fit, ``--vary wetness=0..1``.

An input's share is its position in its range, from 0 to 1. Arrays of places have shares behind u
and v, a column for each input: float32 [n, 2 + inputs]. So code that passes places on needs no
change.
Keep this module light: recipes load it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import named, shown
from neuralshade.errors import AssetError, ConfigError

MOST_VARIED = 4  # inputs: a sample draws as many numbers for them
RANGE = re.compile(r"\s*([^=,]+?)\s*=\s*([^=,]+?)\s*\.\.\s*([^=,]+?)\s*")
EXAMPLE = "Write for example wetness=0..1."


@dataclass(frozen=True)
class Input:
    """A number of a material that may be varied, and its limits."""

    variable: str  # in the reference's text
    default: float
    least: float = -math.inf
    most: float = math.inf
    has_default: bool = True  # else the number of a range that is nearest to 0


@dataclass(frozen=True)
class Varied:
    """A varied input of a decoder: name, range and default."""

    name: str
    low: float
    high: float
    default: float

    def share(self, value: float) -> float:
        """Return the position of a value in the range: 0 to 1."""
        return (value - self.low) / (self.high - self.low)

    def value(self, share: float) -> float:
        """Return the value at a share of the range."""
        return self.low + (self.high - self.low) * share

    def facts(self) -> dict[str, Any]:
        """Return its entry of a header."""
        return {"name": self.name, "low": self.low, "high": self.high, "default": self.default}


def parse_ranges(text: str) -> list[tuple[str, float, float]]:
    """Return name, low and high of each part of "wetness=0..1,age=0..0.5".

    Raises: ConfigError for another form, an empty range, a name twice, and too many.
    """
    found: list[tuple[str, float, float]] = []
    for part in text.split(",") if text.strip() else []:
        read = RANGE.fullmatch(part)
        ends = [] if read is None else [_number(read[2]), _number(read[3])]
        if read is None or not all(map(math.isfinite, ends)):
            raise ConfigError(f"vary: got {shown(part.strip())}, need NAME=LOW..HIGH. {EXAMPLE}")
        if not ends[0] < ends[1]:
            raise ConfigError(f"vary: got {part.strip()}, an empty range, need its lower end "
                              f"first. {EXAMPLE}")  # fmt: skip
        if read[1] in [name for name, _, _ in found]:
            raise ConfigError(f"vary: got {read[1]} twice, need it once. Leave one out.")
        found.append((read[1], ends[0], ends[1]))
    if len(found) > MOST_VARIED:
        raise ConfigError(f"vary: got {len(found)} inputs, need {MOST_VARIED} at most. Leave "
                          "some out.")  # fmt: skip
    return found


def varied_of(text: str, inputs: Mapping[str, Input], owner: str) -> tuple[Varied, ...]:
    """Return the varied ones of a material's ``inputs``; ``owner`` is its name in messages.

    Raises: ConfigError for an unknown input, with the nearest name, a range that excludes the
        default or exceeds the limits; errors of ``parse_ranges``.
    """
    found = []
    for name, low, high in parse_ranges(text):
        if name not in inputs:
            known = f"one of {', '.join(inputs)}" if inputs else "a material that has inputs"
            raise ConfigError(f"vary: got {named(name)}, which {owner} has not, need {known}."
                              f"{did_you_mean(name, inputs)}")  # fmt: skip
        one = inputs[name]
        default = one.default if one.has_default else min(max(0.0, low), high)
        if not low <= default <= high:
            raise ConfigError(f"vary: got {name}={low:g}..{high:g}, need a range around its "
                              f"default, {default:g}. Widen it, or change the "
                              "default.")  # fmt: skip
        if low < one.least or high > one.most:
            raise ConfigError(f"vary: got {name}={low:g}..{high:g}, need a range within "
                              f"{one.least:g}..{one.most:g}, which {owner} takes. Narrow "
                              "it.")  # fmt: skip
        found.append(Varied(name, low, high, default))
    return tuple(found)


def values_of(varied: Sequence[Varied], settings: Mapping[str, Any], owner: str) -> list[float]:
    """Return the value of each input: from ``settings`` (numbers or text), or its default.

    Raises: ConfigError for an input that ``owner`` does not have, and for a value that is no number
        or out of range.
    """
    values = {one.name: one.default for one in varied}
    for name, typed in settings.items():
        if name not in values:
            known = f"one of {', '.join(values)}" if values else "an asset of fit material --vary"
            raise ConfigError(f"set: got {named(name)}, which {owner} has not, need {known}."
                              f"{did_you_mean(name, values)}")  # fmt: skip
        values[name] = _number(typed)
    for one in varied:
        if not one.low <= values[one.name] <= one.high:  # NaN, too
            raise ConfigError(f"set: got {one.name}={settings[one.name]}, need a number from "
                              f"{one.low:g} to {one.high:g}, which {owner} was fitted over. "
                              "Change it.")  # fmt: skip
    return [values[one.name] for one in varied]


def shares_of(varied: Sequence[Varied], settings: Mapping[str, Any], owner: str) -> list[float]:
    """Return the positions of ``values_of`` in their ranges. Raises as it does."""
    values = values_of(varied, settings, owner)
    return [one.share(value) for one, value in zip(varied, values, strict=True)]


def spread_shares(count: int, inputs: int) -> list[list[float]]:
    """Return ``count`` points in the inputs' ranges, evenly spread: shares [count][inputs].

    The first input takes ``count`` even steps, each next one another irrational step.
    Source: Roberts 2018, The Unreasonable Effectiveness of Quasirandom Sequences.
    """
    steps = [1 / count, *(math.sqrt(root) % 1 for root in (2, 3, 5))][:inputs]
    return [[(0.5 * steps[0] + number * step) % 1 for step in steps] for number in range(count)]


def read_varied(facts: Iterable[Mapping[str, Any]], ranges: str, path: str) -> tuple[Varied, ...]:
    """Return a header's varied inputs. AssetError if its recipe has others."""
    found = tuple(Varied(**each) for each in facts)
    same = [(one.name, one.low, one.high) for one in found] == parse_ranges(ranges)
    if not same or not all(one.low <= one.default <= one.high for one in found):
        raise AssetError(f"{path}: got varied inputs that are not its recipe's, need the same. "
                         "Fit it again.")  # fmt: skip
    return found


def _number(typed: Any) -> float:
    """Return a number, from a number or text; NaN for anything else."""
    try:
        return math.nan if isinstance(typed, bool) else float(typed)
    except (TypeError, ValueError):
        return math.nan
