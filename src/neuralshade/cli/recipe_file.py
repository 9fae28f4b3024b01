"""Flags in a --recipe file or in the user's defaults, besides settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click
from click.core import ParameterSource

from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import shown
from neuralshade.base.toml_file import read_toml
from neuralshade.errors import ConfigError
from neuralshade.fitting.defaults import default_tables, defaults_path, user_defaults
from neuralshade.fitting.recipe import fields_of, make_recipe
from neuralshade.kinds import fit_verbs
from neuralshade.kinds.kind import Kind

OWN = ("recipe", "preset")  # the file itself, and what is read with the settings


def file_flags(kind: Kind, path: str, parameters: list[click.Parameter]) -> dict[str, Any]:
    """Return the values of flags in a TOML file, by the names of their parameters.

    Settings of the recipe and unknown names are handled elsewhere.

    Raises: ConfigError for invalid TOML, or an invalid value of a flag.
    """
    return _flag_values(read_toml(path), path, flags_of(kind, parameters))


def default_flags(kind: Kind, parameters: list[click.Parameter]) -> dict[str, Any]:
    """Return the flags among the user's defaults."""
    flags = flags_of(kind, parameters)
    return _flag_values(kind_defaults(kind, parameters), str(defaults_path()), flags)


def default_settings(kind: Kind, parameters: list[click.Parameter]) -> dict[str, Any]:
    """Return the recipe's settings, and possibly ``preset``, among the user's defaults."""
    flags = flags_of(kind, parameters)
    values = kind_defaults(kind, parameters)
    return {name: value for name, value in values.items() if name not in flags}


def kind_defaults(kind: Kind, parameters: list[click.Parameter]) -> dict[str, Any]:
    """Return the user's defaults for a kind; ConfigError for other names."""
    tables = default_tables(fit_verbs)
    preset = ["preset"] if kind.presets else []
    settings = [field.name for field in fields_of(kind.recipe)]
    return user_defaults(tables, kind.name, [*flags_of(kind, parameters), *settings, *preset])


def check_table(kind: Kind, verb: str, parameters: list[click.Parameter]) -> None:
    """Raise ConfigError where a fit would refuse the user's defaults of a verb."""
    default_flags(kind, parameters)
    values = default_settings(kind, parameters)
    preset = values.pop("preset", None)
    if preset is not None and preset not in kind.presets:
        raise ConfigError(f"{defaults_path()}: got preset={shown(preset)} in [{verb}], need one of "
                          f"{', '.join(kind.presets)}."
                          f"{did_you_mean(str(preset), kind.presets)}")  # fmt: skip
    try:
        make_recipe(kind.recipe, values)
    except ConfigError as error:
        raise ConfigError(f"{defaults_path()}: in [{verb}]: {error}") from error


def is_by_default(ctx: click.Context, name: str, value: Any) -> bool:
    """Return whether a flag has ``value`` from a file, not from the command line."""
    by_file = ctx.get_parameter_source(name) is ParameterSource.DEFAULT_MAP
    held = ctx.params.get(name)
    return by_file and (list(held) if isinstance(held, tuple) else held) == value


def _flag_values(
    values: Mapping[str, Any], path: str, flags: Mapping[str, click.Option]
) -> dict[str, Any]:
    found = {}
    for name in values.keys() & flags.keys():
        option = flags[name]
        need = _need(option)
        if not _is(values[name], need):
            raise ConfigError(f"{path}: got {name}={shown(values[name])}, need {need}. It is what "
                              f"--{name.replace('_', '-')} takes.")  # fmt: skip
        found[str(option.name)] = values[name]
    return found


def flags_of(kind: Kind, parameters: list[click.Parameter]) -> dict[str, click.Option]:
    """Return the flags that are not settings of the recipe, by their names in a file."""
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
