"""Parameter types of flags, and flags in error messages."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from neuralshade.errors import ConfigError

# a setting's name at the start of an error message
SETTING = re.compile(r"(?:(?:\w+Recipe|live)\.|(?=preset: ))(\w+): ")
LISTED = re.compile(r"(?<= one of )\[('[\w.+-]+'|\d+)(, ('[\w.+-]+'|\d+))*\]")
TERMINAL = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
VALUES = click.option("--set", "pairs", multiple=True, metavar="NAME=VALUE", help="Value for an "
                     "input of the asset: a number or picture for a member of a fit "
                     "shader task, a number for an input of fit material --vary. "
                     "Can be repeated.")  # fmt: skip
TRUST = click.option("--trust", is_flag=True, help="Run Slang or MaterialX code that comes with "
                     "the input here, even if none of your fits had it.")  # fmt: skip
SPEED = click.option("--speed", is_flag=True, help="For materials: time the network and the "
                     "original material on this GPU.")  # fmt: skip
if TYPE_CHECKING:
    ParamType = click.ParamType[Any]
else:  # no generic class before click 8.4
    ParamType = click.ParamType


def in_flags(message: str, arguments: Sequence[str]) -> str:
    """Return an error's message with the flag in place of the setting that it begins with.

    A setting of a --recipe file keeps its name, after the file. Lists lose their quotes.
    """
    message = LISTED.sub(_in_words, message)
    found = SETTING.match(message)
    if found is None:
        return message
    name, rest = found.group(1), message[found.end() :]
    flag = f"--{name.replace('_', '-')}"
    in_file = name == "recipe" or not _among(arguments, flag)  # no setting has that name
    if _among(arguments, "--recipe") and in_file:
        file = _recipe_with(name, arguments)
        return message if file is None else f"{file}: {name}: {rest}"
    return message if name == "preset" else f"{flag}: {rest}"


def _in_words(found: re.Match[str]) -> str:
    return found[0].strip("[]").replace("'", "")


def _recipe_with(name: str, arguments: Sequence[str]) -> str | None:
    """Return the TOML file of --recipe if it has a setting; None otherwise."""
    from neuralshade.base.toml_file import read_toml  # few messages refer to such a file

    behind = [word for flag, word in itertools.pairwise(arguments) if flag == "--recipe"]
    behind += [word.partition("=")[2] for word in arguments if word.startswith("--recipe=")]
    path = behind[-1] if behind else ""
    try:
        return path if path.endswith(".toml") and name in read_toml(path) else None
    except ConfigError:  # which was reported earlier
        return None


def is_misuse(error: Exception, message: str, arguments: Sequence[str]) -> bool:
    """Return whether an error is about a flag's typed value; ``message`` names it."""
    place = message.partition(":")[0].removeprefix("--").replace("_", "-")
    return isinstance(error, ConfigError) and _among(arguments, f"--{place}")


def _among(arguments: Sequence[str], flag: str) -> bool:
    return any(word == flag or word.startswith(f"{flag}=") for word in arguments)


class _Stops(ParamType):
    """A number of stops, or auto."""

    name = "stops"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        try:
            return value if value == "auto" else float(value)
        except ValueError:
            self.fail(f"got {value!r}, need stops such as -1.5, or auto.", param, ctx)


class _Crop(ParamType):
    """u0,v0,u1,v1 in [0, 1]."""

    name = "crop"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        try:
            edges = tuple(float(edge) for edge in str(value).split(","))
        except ValueError:
            edges = ()
        if len(edges) != 4:
            self.fail(f"got {value!r}, need four numbers such as 0,0,0.5,0.5.", param, ctx)
        return edges


class _Numbers(ParamType):
    """Numbers with commas between."""

    name = "numbers"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        try:
            return tuple(float(number) for number in str(value).split(","))
        except ValueError:
            self.fail(f"got {value!r}, need numbers with commas, such as 1,1,1.", param, ctx)


class _Region(ParamType):
    """x,y,w,h in texels."""

    name = "region"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        sides = str(value).split(",")
        if len(sides) != 4 or not all(side.isdecimal() for side in sides):
            self.fail(f"got {value!r}, need X,Y,W,H in texels, such as 0,0,256,256.", param, ctx)
        return tuple(int(side) for side in sides)


class _Size(ParamType):
    """A size that may keep the aspect: N, WxH, Wx or xH."""

    name = "size"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        sides = str(value).lower().split("x")
        known = all(not side or side.isdecimal() for side in sides)
        if not known or not any(sides) or len(sides) > 2:
            self.fail(f"got {value!r}, need pixels: N for the longer side, or WxH, Wx or xH, such "
                      "as 1920x1080.", param, ctx)  # fmt: skip
        if len(sides) == 1:
            return int(sides[0])
        return tuple(int(side) if side else None for side in sides)


size_type, crop_type, region_type, stops_type = _Size(), _Crop(), _Region(), _Stops()
numbers_type = _Numbers()
