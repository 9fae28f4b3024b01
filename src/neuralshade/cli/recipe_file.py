"""Flags of a fit that a --recipe file holds beside the recipe's own settings."""

from __future__ import annotations

from typing import Any

import click

from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError
from neuralshade.fitting.recipe import fields_of, read_toml
from neuralshade.kinds.kind import Kind

OWN = ("recipe", "preset")  # the file itself, and what is read with the settings


def told_flags(kind: Kind, path: str, parameters: list[click.Parameter]) -> dict[str, Any]:
    """Return the values of flags in a TOML file, by the names of their parameters.

    What is no flag, or a setting of the recipe, is left to who reads that.

    Raises: ConfigError for a file that is no TOML, or a value that no such flag can have.
    """
    told, flags = read_toml(path), flags_of(kind, parameters)
    found = {}
    for name in told.keys() & flags.keys():
        option = flags[name]
        need = _need(option)
        if not _is(told[name], need):
            raise ConfigError(f"{path}: got {name}={shown(told[name])}, need {need}. It is what "
                              f"--{name.replace('_', '-')} takes.")  # fmt: skip
        found[str(option.name)] = told[name]
    return found


def flags_of(kind: Kind, parameters: list[click.Parameter]) -> dict[str, click.Option]:
    """Return the flags that are no settings of the recipe, by their names in a file."""
    settings = {field.name for field in fields_of(kind.recipe)} | {*OWN}
    options = [p for p in parameters if isinstance(p, click.Option) and not p.hidden]
    named = {_long(option).lstrip("-").replace("-", "_"): option for option in options}
    return {name: option for name, option in named.items() if name not in settings}


def _long(option: click.Option) -> str:
    return next(name for name in option.opts if name.startswith("--"))


def _need(option: click.Option) -> str:
    if option.is_flag:
        return "true or false"
    if option.multiple:
        return "a list of strings"
    return "a whole number" if option.type is click.INT else "a string"


def _is(value: Any, need: str) -> bool:
    if need == "a list of strings":
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    kinds = {"true or false": bool, "a whole number": int, "a string": str}
    return type(value) is kinds[need]
