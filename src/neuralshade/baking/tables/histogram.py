"""Histograms of a bake's page: bars, and the ticks of both axes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from neuralshade.base.message_text import plural

MOST_BARS = 24
MOST_TICKS = 5  # of an axis
UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB")


@dataclass(frozen=True)
class Bar:
    """A bar: from ``low`` to below ``high``."""

    low: float
    high: float
    count: int
    share: float  # of the highest bar
    text: str  # all of it


@dataclass(frozen=True)
class Tick:
    """A label of an axis, at a share of its length."""

    share: float
    text: str


@dataclass(frozen=True)
class Histogram:
    """Counts of assets by a quantity, whose bars are equally wide."""

    title: str  # of the horizontal axis, with its unit
    bars: tuple[Bar, ...]
    across: tuple[Tick, ...]
    upward: tuple[Tick, ...]


def size_text(count: float) -> str:
    """Return a number of bytes with its unit: 1.25 MB."""
    power = 0 if count < 1000 else min(len(UNITS) - 1, int(math.log10(count) / 3))
    return f"{count / 1000**power:.3g} {UNITS[power]}"


def decibel_histogram(counts: Counter[int]) -> Histogram | None:
    """Return the histogram of dB; ``counts``: by whole dB. None without any."""
    bars = _bars(counts, float, lambda value: f"{value:g} dB")
    if not bars:
        return None
    low, high = bars[0].low, bars[-1].high
    step = _step((high - low) / MOST_TICKS)
    values = range(math.ceil(low / step) * step, math.floor(high) + 1, step)
    across = [Tick((value - low) / (high - low), f"{value}") for value in values]
    return Histogram("PSNR in dB", tuple(bars), tuple(across), _upward(bars))


def size_histogram(counts: Counter[int]) -> Histogram | None:
    """Return the histogram of bytes, whose axis is logarithmic; ``counts``: by half powers of two.

    None without any.
    """
    bars = _bars(counts, lambda step: 2 ** (step / 2), size_text)
    if not bars:
        return None
    low, high = bars[0].low, bars[-1].high
    values = [value for value in _decades(low, high) if low <= value <= high]
    if len(values) < 2:  # less than from 1 to 2
        values = [low, high]
    across = [Tick(math.log(value / low) / math.log(high / low), size_text(value))
              for value in values]  # fmt: skip
    return Histogram("Bytes of an asset", tuple(bars), tuple(across), _upward(bars))


def _bars(counts: Counter[int], edge: Callable[[int], float],
          written: Callable[[float], str]) -> list[Bar]:  # fmt: skip
    """Return a bar for each step between the least and the greatest, wider where they are many."""
    if not counts:
        return []
    least, greatest = min(counts), max(counts)
    width = math.ceil((greatest - least + 1) / MOST_BARS)
    sums = [sum(counts[step + each] for each in range(width))
            for step in range(least, greatest + 1, width)]  # fmt: skip
    most, bars = max(sums), []
    for index, count in enumerate(sums):
        low, high = (edge(least + each * width) for each in (index, index + 1))
        text = f"{written(low)} to {written(high)}: {plural(count, 'asset')}"
        bars.append(Bar(low, high, count, count / most, text))
    return bars


def _upward(bars: list[Bar]) -> tuple[Tick, ...]:
    """Return the ticks of the counts, from 0 on."""
    most = max(bar.count for bar in bars)
    step = _step(most / MOST_TICKS)
    return tuple(Tick(count / most, f"{count:,}") for count in range(0, most + 1, step))


def _step(least: float) -> int:
    """Return the least of 1, 2, 5, 10, 20, ... that is ``least`` or more."""
    power = 1
    while True:
        for digit in (1, 2, 5):
            if digit * power >= least:
                return digit * power
        power *= 10


def _decades(low: float, high: float) -> list[float]:
    """Return numbers to label a logarithmic axis with: 1, 2, 5, 10, ..., or fewer of them."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for digits in ((1, 2, 5), (1,)):
        values = [float(digit * 10**power) for power in powers for digit in digits]
        if sum(low <= value <= high for value in values) <= MOST_TICKS:
            return values
    step = math.ceil(len(powers) / MOST_TICKS)
    return [float(10**power) for power in powers[::step]]
