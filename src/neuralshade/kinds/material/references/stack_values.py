"""Values of a stack in TOML as Slang expressions, each checked with its own message.

A value is a number, a color, a picture, or a mix of two by a mask.
Device half: stack_values.slang.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import named, plain, shown
from neuralshade.errors import ConfigError
from neuralshade.kinds.material.references.pictures import Lookup
from neuralshade.kinds.material.varied import Input
from neuralshade.source.image_file import load_picture

HEX = re.compile(r"#[0-9a-fA-F]{6}")
INVERTED = "!"
VARIED = "varied_"  # prefix of the variables of inputs
MIXED = ("mix", "by")


@dataclass(frozen=True)
class Value:
    """An expression of ``uv`` and the masks m_NAME; ``varies``: not constant over the surface."""

    text: str
    varies: bool


@dataclass
class Pictures:
    """Pictures of a stack; ``folder`` is the base of their paths."""

    folder: Path
    lookups: list[Lookup] = field(default_factory=list)
    inputs: dict[str, Input] = field(default_factory=dict)  # numbers of [vary], by name

    def expression(self, where: str, text: str, channels: str) -> str:
        """Return the look-up of a picture; ``channels``: r, or rgb of a color in linear light."""
        path = self.folder / text
        try:
            is_there = os.path.isfile(path)
        except OSError:  # of an invalid file name
            is_there = False
        if not is_there:
            raise ConfigError(f"{where}: got {shown(text)}, which is not there, need a picture. "
                              f"Looked for {plain(str(path))}.")  # fmt: skip
        found = f"looked_up(picture_words, {self.name(path, channels == 'rgb')}, uv).{channels}"
        encoded = channels == "rgb" and load_picture(path).color_space == "srgb"
        return f"linear_of({found})" if encoded else found

    def name(self, path: Path, colors: bool = False) -> str:
        """Return the name of a picture's variable; ``colors``: apply its color tags."""
        for one in self.lookups:
            if (one.path, one.colors) == (path, colors):
                return one.name
        self.lookups.append(Lookup(f"picture_{len(self.lookups)}", path, colors=colors))
        return self.lookups[-1].name


class Entries:
    """One table of a stack with the ``known`` keys; ``where`` begins each message.

    The name of one of ``pictures.inputs`` in place of a number means that input.
    """

    def __init__(self, where: str, values: object, known: Iterable[str], pictures: Pictures,
                 masks: Iterable[str] = ()):  # fmt: skip
        if not isinstance(values, Mapping):
            raise ConfigError(f"{where}: got {shown(values)}, need a table. Write its keys below "
                              "its name in brackets.")  # fmt: skip
        self.where, self.values, self.pictures = where, values, pictures
        self.known, self.masks = list(known), list(masks)
        for key in values:
            if key not in self.known:
                raise ConfigError(f"{where}: got key {named(key)}, need one of "
                                  f"{', '.join(self.known)}."
                                  f"{did_you_mean(key, self.known)}")  # fmt: skip

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def choice(self, key: str, known: Iterable[str]) -> str:
        """Return one of the ``known`` words."""
        value, words = self.values.get(key), list(known)
        if value not in words or not isinstance(value, str):
            got = "nothing" if value is None else shown(value)
            raise ConfigError(f"{self.where}.{key}: got {got}, need one of {', '.join(words)}."
                              f"{did_you_mean(str(value), words)}")  # fmt: skip
        return value

    def truth(self, key: str) -> bool:
        """Return a boolean, by default False."""
        value = self.values.get(key, False)
        if not isinstance(value, bool):
            raise self.error(key, value, "true or false")
        return value

    def number(self, key: str, usual: float, low: float, high: float) -> float:
        """Return a number within limits."""
        return self._within(key, self.values.get(key, usual), low, high)

    def whole(self, key: str, usual: int, low: int, high: int) -> int:
        """Return a whole number within limits."""
        found = self.number(key, usual, low, high)
        if found != int(found):
            raise self.error(key, found, "a whole number")
        return int(found)

    def pair(self, key: str, usual: float, low: float, high: float) -> tuple[float, float]:
        """Return a pair; one number stands for both."""
        value = self.values.get(key, usual)
        both = value if isinstance(value, list) else [value, value]
        if len(both) != 2:
            raise self.error(key, value, "a number, or two")
        first, second = (self._within(key, one, low, high) for one in both)
        return first, second

    def error(self, key: str, value: object, need: str) -> ConfigError:
        """Return the error for a value."""
        got = "nothing" if value is None else shown(value)
        return ConfigError(f"{self.where}.{key}: got {got}, need {need}. Change it.")

    def mask(self, key: str) -> str:
        """Return a product of masks, "!" inverts one; 1 without masks."""
        value = self.values.get(key, [])
        found = []
        for one in value if isinstance(value, list) else [value]:
            name = one.removeprefix(INVERTED) if isinstance(one, str) else one
            if self.names_input(one):
                found.append(self.varied(key, one, 0, 1))
                continue
            if name not in self.masks or not isinstance(one, str):
                known = ", ".join(self.masks) or "none: there is no [mask.NAME]"
                raise ConfigError(f"{self.where}.{key}: got {shown(one)}, need masks among {known}."
                                  f"{did_you_mean(str(name), self.masks)}")  # fmt: skip
            found.append(f"(1.0f - m_{name})" if one.startswith(INVERTED) else f"m_{name}")
        return " * ".join(found) or "1.0f"

    def scalar(self, key: str, usual: float, low: float, high: float) -> Value:
        """Return a number: a constant, a picture's red, or a mix."""
        return self._value(key, self.values.get(key, usual),
                           lambda value: self.text(key, value, low, high), "r")  # fmt: skip

    def two(self, key: str, usual: float, low: float, high: float) -> Value:
        """Return a float2 of one number or of two, otherwise like ``scalar``."""

        def constant(value: Any) -> str:
            both = value if isinstance(value, list) else [value, value]
            if len(both) != 2:
                raise self.error(key, value, "a number, or two: along u and along v")
            return f"float2({', '.join(self.text(key, x, low, high) for x in both)})"

        return self._value(key, self.values.get(key, usual), constant, "rr")

    def color(self, key: str, usual: object) -> Value:
        """Return a color in linear light: three numbers, "#rrggbb" in sRGB, a picture, or a mix."""
        return self._value(key, self.values.get(key, usual), lambda v: self._color(key, v), "rgb")

    def _color(self, key: str, value: object) -> str:
        need = 'three numbers from 0 to 1, "#rrggbb", a picture\'s path, or a mix'
        if isinstance(value, str) and HEX.fullmatch(value):
            parts = [_linear(int(value[i : i + 2], 16) / 255) for i in (1, 3, 5)]
        elif isinstance(value, list) and len(value) == 3:
            parts = [self._within(key, one, 0, 1) for one in value]
        else:
            raise self.error(key, value, need)
        return f"float3({', '.join(map(slang, parts))})"

    def _value(self, key: str, value: Any, constant: Any, channels: str) -> Value:
        if isinstance(value, Mapping):
            inner = Entries(f"{self.where}.{key}", value, MIXED, self.pictures, self.masks)
            ends = value.get("mix")
            if not isinstance(ends, list) or len(ends) != 2 or "by" not in value:
                raise self.error(key, value, '{ mix = [A, B], by = "MASK" }')
            low, high = (self._value(key, one, constant, channels).text for one in ends)
            return Value(f"lerp({low}, {high}, {inner.mask('by')})", True)
        if self.names_input(value) and channels != "rgb":
            return Value(constant(value), True)
        if isinstance(value, str) and not value.startswith("#"):
            where = f"{self.where}.{key}"
            return Value(self.pictures.expression(where, value, channels), True)
        text = constant(value)
        return Value(text, VARIED in text)

    def text(self, key: str, value: Any, low: float, high: float) -> str:
        """Return a number within limits, or an input, as Slang text."""
        if self.names_input(value):
            return self.varied(key, value, low, high)
        return slang(self._within(key, value, low, high))

    def names_input(self, value: Any) -> bool:
        """Return whether a value is the name of an input."""
        return isinstance(value, str) and value.removeprefix(INVERTED) in self.pictures.inputs

    def varied(self, key: str, text: str, low: float, high: float) -> str:
        """Return an input, "!" inverts it; limits apply to its range."""
        name, inputs = text.removeprefix(INVERTED), self.pictures.inputs
        ends = (1 - high, 1 - low) if text.startswith(INVERTED) else (low, high)
        before = inputs[name]
        if not ends[0] <= before.default <= ends[1]:
            raise ConfigError(f"{self.where}.{key}: got {text}, which is {before.default:g}, need "
                              f"an input from {ends[0]:g} to {ends[1]:g}. Change its default in "
                              "[vary].")  # fmt: skip
        inputs[name] = replace(before, least=max(before.least, ends[0]),
                               most=min(before.most, ends[1]))  # fmt: skip
        return f"(1.0f - {before.variable})" if text.startswith(INVERTED) else before.variable

    def _within(self, key: str, value: Any, low: float, high: float) -> float:
        good = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not good or not low <= value <= high:
            raise self.error(key, value, f"a number from {low:g} to {high:g}")
        return float(value)


def slang(number: float) -> str:
    """Return a number as Slang text."""
    return f"{number:.9g}f" if not math.isclose(number, round(number)) else f"{round(number)}.0f"


def _linear(share: float) -> float:
    return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4
