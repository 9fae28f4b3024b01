"""Recipe fields as command-line flags, and flags with a form of their own."""

import dataclasses
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from neuralshade.errors import ConfigError
from neuralshade.fitting.recipe import type_of

SETTING = re.compile(r"(?:\w+Recipe|live)\.(\w+): ")  # how an error's message names one
TERMINAL = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
Command = Callable[..., Any]
ENDLESS = 10**6  # a limit from which on it is there to catch a typing error, and not told
VALUES = click.option("--set", "pairs", multiple=True, metavar="NAME=VALUE", help="A member's "
                      "number or picture, or where a trained one begins (numbers with commas "
                      "between); NAME.size=WxH of a texture, NAME.rate of a trained one. May come "
                      "more than once.")  # fmt: skip
GIVEN = click.option("--set", "pairs", multiple=True, metavar="NAME=VALUE", help="Of an asset that "
                     "fit shader made: a member's number or picture, in place of what it has. May "
                     "come more than once.")  # fmt: skip
if TYPE_CHECKING:
    ParamType = click.ParamType[Any]
else:  # no generic class before click 8.4
    ParamType = click.ParamType


def recipe_flags(kind: type) -> Callable[[Command], Command]:
    """Return a decorator that adds one flag per field of a recipe; unset flags are None."""

    def add(command: Command) -> Command:
        for field in reversed(dataclasses.fields(kind)):
            command = _flag(field)(command)
        return command

    return add


def _flag(field: "dataclasses.Field[Any]") -> Callable[[Command], Command]:
    name, choices = field.name.replace("_", "-"), field.metadata["choices"]
    about = field.metadata["about"]
    about = about[0].upper() + about[1:]
    if choices:
        about += f": {', '.join(choices)}"
    default = "none" if field.default is None else field.default
    limits = field.metadata["limits"]
    told = f"{_range(*limits)}; " if limits else ""
    about += f". [{told}default: {str(default).lower()}]"
    if type_of(field) is bool:
        return click.option(f"--{name}/--no-{name}", field.name, default=None, help=about)
    shown = field.metadata["form"] or {int: "N", float: "X", str: "NAME"}[type_of(field)]
    return click.option(f"--{name}", field.name, type=type_of(field), metavar=shown, help=about)


def in_flags(message: str, arguments: Sequence[str]) -> str:
    """Return an error's message with the flag in place of the setting that it begins with.

    A setting that a --recipe file may have is named as it is there.
    """
    found = SETTING.match(message)
    if found is None:
        return message
    flag = f"--{found.group(1).replace('_', '-')}"
    if _among(arguments, "--recipe") and not _among(arguments, flag):
        return message
    return f"{flag}: {message[found.end() :]}"


def _among(arguments: Sequence[str], flag: str) -> bool:
    return any(word == flag or word.startswith(f"{flag}=") for word in arguments)


def _range(low: float, high: float) -> str:
    return f"{low:g} or more" if high >= ENDLESS else f"{low:g} to {high:g}"


def recipe_settings(
    preset: str | None, recipe_file: str | None, flags: dict[str, Any]
) -> tuple[str | None, dict[str, Any]]:
    """Return preset and settings: the file's, overridden by the flags that were given."""
    settings: dict[str, Any] = {}
    if recipe_file is not None:
        settings = _read_recipe(recipe_file)
        from_file = settings.pop("preset", None)
        if not isinstance(from_file, (str, type(None))):
            raise ConfigError(f"{recipe_file}: got preset={from_file!r}, need the name of a "
                              'preset. Write for example preset = "grid".')  # fmt: skip
        preset = from_file if preset is None else preset
    return preset, settings | {k: v for k, v in flags.items() if v is not None}


def _read_recipe(path: str) -> dict[str, Any]:
    if Path(path).suffix == ".json":
        from neuralshade.kinds.image.tiny_cuda_nn import read_tiny_cuda_nn

        return read_tiny_cuda_nn(path)
    if Path(path).suffix == ".toml":
        from neuralshade.fitting.recipe import read_toml

        return read_toml(path)
    raise ConfigError(f"{path}: got suffix {Path(path).suffix!r}, need .toml or .json. "
                      "Rename the recipe.")  # fmt: skip


class _Size(ParamType):
    """WxH, in pixels."""

    name = "size"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        sides = str(value).lower().split("x")
        if len(sides) != 2 or not all(side.isdecimal() for side in sides):
            self.fail(f"got {value!r}, need WxH in pixels, such as 1920x1080.", param, ctx)
        return tuple(int(side) for side in sides)


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


size_type, crop_type = _Size(), _Crop()
