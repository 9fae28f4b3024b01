"""Members of a user's task, trained numbers and inputs. Device half: trainable.slang."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.errors import ConfigError
from neuralshade.gpu.slang_reflection import Field
from neuralshade.model.torch_counterparts import counterpart_of

Floats = npt.NDArray[np.float32]
FREE = 3.4e38  # a limit that no float32 meets
NUMBERS = re.compile(r"(float|vector<float,(\d)>|matrix<float,(\d),(\d)>)((?:\[\d+\])*)")
TEXELS = re.compile(r"(Texture|Picture)<(?:float|vector<float,(\d)>)>")
SHORT = re.compile(r"(?:vector|matrix)<(\w+),([\d,]+)>")
PLAIN = ("float", "int", "uint", "bool")
ATTRIBUTES = ("Trainable", "Range", "Start", "Size")
# buffers of the device half that kernels of a task bind
PARAMETERS = ("trained_numbers", "trained_gradients", "input_numbers", "faults", "encoding_levels")
# types that are bound, not copied: textures, buffers, samplers, blocks
RESOURCE = re.compile(r"(?:RW|RasterizerOrdered|Append|Consume)?(?:Texture|Buffer|Structured|Byte|"
                      r"Constant|ParameterBlock|Raytracing)")  # fmt: skip
TEXTURE = re.compile(r"_?(?:RW)?Texture\w*<(float|vector<float,\d>)")
MOST_NUMBERS = 2**28  # trained in all: moments of more do not fit into one buffer
MOST_PLAIN = 256  # of these in floats, vectors, matrices and arrays: each thread has all of them


@dataclass(frozen=True)
class Member:
    """Trained numbers ``first`` ... ``first + size - 1``: one member of a task.

    ``kind`` is numbers, texture, network or encoding; ``shape`` that of the numbers as an array:
    a texture's is [height, width, channels]. ``levels``: see ``TorchCounterpart``.
    """

    name: str
    kind: str
    type: str
    shape: tuple[int, ...]
    first: int
    rate: float
    low: float
    high: float
    start: float
    levels: tuple[tuple[int, int, int], ...] = ()

    @property
    def size(self) -> int:
        """Return how many numbers it has."""
        return prod(self.shape)


@dataclass(frozen=True)
class InputMember:
    """A member that is not trained: a number, or a picture of ``channels``."""

    name: str
    type: str
    channels: int | None  # None: a number
    has_default: bool  # the module has a value for it


def members_of(
    fields: Sequence[Field], sizes: dict[str, tuple[int, int]], place: str
) -> tuple[list[Member], list[InputMember]]:
    """Return the trained members, one after the other, and the inputs.

    Args:
        fields: the task's, from reflection.
        sizes: width and height of textures by name, which override [Size].
        place: the file, for errors.

    Raises: ConfigError for a member of a type that can be neither trained nor an input, or for
        a task without a trained member.
    """
    trained: list[Member] = []
    inputs: list[InputMember] = []
    for field in fields:
        where = f"{place}: Task.{field.name}"
        _check_attributes(field, where)
        if "Trainable" in field.attributes:
            first = trained[-1].first + trained[-1].size if trained else 0
            trained.append(_member(field, first, sizes, where))
        else:
            inputs.append(_input_member(field, where))
    if not trained:
        raise ConfigError(f"{place}: got a Task without a trained member, need one or more. "
                          "Mark what is to be trained with [Trainable(rate)].")  # fmt: skip
    _check_counts(trained, place)
    return trained, inputs


def short_type(of_type: str) -> str:
    """Return a type in its usual spelling: ``float3`` for ``vector<float,3>``."""
    return SHORT.sub(lambda found: found.group(1) + "x".join(found.group(2).split(",")), of_type)


def _check_attributes(field: Field, where: str) -> None:
    for attribute in field.attributes:
        if attribute not in ATTRIBUTES:
            raise ConfigError(
                f"{where}: got attribute [{attribute}], need one of "
                f"{', '.join(ATTRIBUTES)}.{did_you_mean(attribute, ATTRIBUTES)}"
            )
        if "Trainable" not in field.attributes:
            raise ConfigError(f"{where}: got [{attribute}] without [Trainable(rate)], need both. "
                              "Add the other, or leave it out.")  # fmt: skip
    if "Size" in field.attributes and not field.type.startswith("Texture<"):
        raise ConfigError(f"{where}: got [Size] on type {short_type(field.type)}, need a Texture "
                          "for it. Leave it out.")  # fmt: skip


def _check_counts(trained: Sequence[Member], place: str) -> None:
    count = sum(member.size for member in trained)
    plain = sum(member.size for member in trained if member.kind == "numbers")
    if count > MOST_NUMBERS:
        raise ConfigError(f"{place}: got {count} trained numbers, need {MOST_NUMBERS} or fewer. "
                          "Make textures or grids smaller.")  # fmt: skip
    if plain > MOST_PLAIN:
        raise ConfigError(
            f"{place}: got {plain} trained numbers in floats, vectors, matrices and arrays, which "
            f"every thread has all of, need {MOST_PLAIN} or fewer. Make an array a Texture and "
            "read it with load."
        )


def _member(field: Field, first: int, sizes: dict[str, tuple[int, int]], where: str) -> Member:
    kind, shape, levels = _kind_and_shape(field, sizes, where)
    (rate,) = field.attributes["Trainable"]
    low, high = field.attributes.get("Range", (-FREE, FREE))
    if not rate > 0:
        raise ConfigError(f"{where}: got rate {rate:g}, need one above 0. "
                          "Write for example [Trainable(0.01)].")  # fmt: skip
    if not low <= high:
        raise ConfigError(f"{where}: got range {low:g} ... {high:g}, need the lower limit first. "
                          "Swap them.")  # fmt: skip
    start = field.attributes.get("Start", (field.default or 0.0,))[0]
    if field.has_default and field.default is None:
        raise ConfigError(
            f"{where}: got a value behind = that is no single number, need [Start(0.5)] in its "
            f"place. Give others with --set {field.name}=1,0,0."
        )
    has_start = "Start" in field.attributes or field.has_default  # else nearest to 0
    if has_start and not np.float32(low) <= np.float32(start) <= np.float32(high):
        raise ConfigError(f"{where}: got a start of {start:g}, need {low:g} ... {high:g}, its "
                          "[Range]. Change one of the two.")  # fmt: skip
    return Member(field.name, kind, field.type, shape, first, rate, low, high, start, levels)


def _kind_and_shape(
    field: Field, sizes: dict[str, tuple[int, int]], where: str
) -> tuple[str, tuple[int, ...], tuple[tuple[int, int, int], ...]]:
    numbers = NUMBERS.fullmatch(field.type)
    if numbers:
        sides = [int(side) for side in numbers.group(2, 3, 4) if side]
        # Slang writes the innermost array first
        lengths = [int(length) for length in re.findall(r"\d+", numbers.group(5))][::-1]
        return "numbers", (*lengths, *sides), ()
    texels = TEXELS.fullmatch(field.type)
    if texels and texels.group(1) == "Texture":
        named = field.attributes.get("Size")
        size = sizes.get(field.name) or (named and (int(named[0]), int(named[1])))
        if not size or min(size) < 1:
            raise ConfigError(f"{where}: got no size, need width and height of the texture. Write "
                              f"[Size(256, 256)] or --set {field.name}.size=256x256.")  # fmt: skip
        return "texture", (size[1], size[0], int(texels.group(2) or 1)), ()
    half = counterpart_of(field.type, None, where)
    pixel = TEXTURE.match(field.type)
    if half is None and pixel is not None:
        raise ConfigError(f"{where}: got type {short_type(field.type)}, need Texture to train. "
                          f"Write Texture<{short_type(pixel[1])}>, with "
                          "[Size(256, 256)].")  # fmt: skip
    if half is None:
        raise ConfigError(
            f"{where}: got type {short_type(field.type)}, need float, its vectors, matrices and "
            "arrays, Texture, Network, GridEncoding or HashEncoding to train. Leave [Trainable] "
            "out."
        )
    if "Start" in field.attributes:
        raise ConfigError(f"{where}: got [Start] on type {field.type}, which begins at random, "
                          "need none. Leave it out.")  # fmt: skip
    return half.kind, (half.size,), half.levels


def _input_member(field: Field, where: str) -> InputMember:
    texels = TEXELS.fullmatch(field.type)
    if texels and texels.group(1) == "Picture":
        return InputMember(field.name, field.type, int(texels.group(2) or 1), False)
    if field.type in PLAIN:
        return InputMember(field.name, field.type, None, field.has_default)
    raise ConfigError(f"{where}: got type {short_type(field.type)} without [Trainable(rate)], need "
                      "that, or float, int, uint, bool or Picture. "
                      f"{_instead(field)}")  # fmt: skip


def _instead(field: Field) -> str:
    """Return advice for a member whose type cannot be an input."""
    pixel = TEXTURE.match(field.type)
    if pixel is not None:
        return (f"Write Picture<{short_type(pixel[1])}> {field.name}; with --set "
                f"{field.name}=a.png, and read it with sample(uv) or load(int2).")  # fmt: skip
    if field.type.startswith("Sampler"):
        return "Leave it out: a Picture has sample(uv)."
    if RESOURCE.match(field.type):
        return "Write a table as a Picture, or as a static const array out of Task."
    return "Mark it, or write it as static const out of Task."


def first_numbers(members: Sequence[Member], seed: int) -> Floats:
    """Return all trained numbers at the start: float32 [size of all].

    Networks and encodings are drawn at random, the others are equal to ``start``; ranges are kept.
    """
    rng = torch.Generator().manual_seed(seed)
    parts = []
    for member in members:
        half = counterpart_of(member.type, rng, member.name)
        numbers = np.full(member.size, member.start, np.float32) if half is None else half.numbers()
        parts.append(numbers.clip(member.low, member.high))
    return np.concatenate(parts)


def arrays_of(members: Sequence[Member], numbers: Floats) -> dict[str, npt.NDArray[Any]]:
    """Return the members' numbers by name, each in its shape."""
    return {m.name: numbers[m.first : m.first + m.size].reshape(m.shape).copy() for m in members}
