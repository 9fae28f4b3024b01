"""Recipes as data: frozen dataclasses to and from plain dicts and TOML files, checked."""

import dataclasses
import math
import numbers
import sys
import typing
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from neuralshade.base.did_you_mean import nearest
from neuralshade.base.message_text import named, shown, unread
from neuralshade.base.regular_file import check_regular
from neuralshade.errors import ConfigError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

R = TypeVar("R")

Field: TypeAlias = "dataclasses.Field[Any]"


def setting(
    default: Any,
    about: str,
    *,
    choices: tuple[str, ...] = (),
    limits: tuple[float, float] | None = None,
    form: str | None = None,
) -> Any:
    """Declare a recipe field: its default, one line about it with the unit, what it may be.

    ``form``: how a string is written, for the command line's help.
    """
    metadata = {"about": about, "choices": choices, "limits": limits, "form": form}
    return dataclasses.field(default=default, metadata=metadata)


def type_of(field: Field) -> type:
    """Return str, int, float or bool: what the field holds besides None."""
    kinds = [kind for kind in typing.get_args(field.type) if kind is not type(None)]
    found: type = kinds[0] if kinds else field.type  # type: ignore[assignment]
    return found


def from_dict(kind: type[R], values: dict[str, Any]) -> R:
    """Build a recipe; ConfigError for an unknown field (with the nearest) or a bad value."""
    known = {f.name: f for f in dataclasses.fields(kind)}  # type: ignore[arg-type]
    checked = {}
    for name, value in values.items():
        if name not in known:
            near, all_ = nearest(name, known), ", ".join(known)
            listed = f".{near} There are {all_}." if near else f", need one of {all_}."
            raise ConfigError(f"{kind.__name__}.{named(name)}: unknown setting{listed}")
        checked[name] = _check(kind.__name__, known[name], value)
    return kind(**checked)


def check_end(recipe: Any) -> None:
    """Raise ConfigError where neither steps nor seconds nor target_psnr ends a fit."""
    if recipe.steps is None and recipe.seconds is None and recipe.target_psnr is None:
        raise ConfigError(f"{type(recipe).__name__}.steps: got None with no seconds and no "
                          "target_psnr, need an end. Set one of the three.")  # fmt: skip


def to_dict(recipe: Any) -> dict[str, Any]:
    """Return the recipe as a dict of strings, numbers, booleans and None."""
    return dataclasses.asdict(recipe)


def read_toml(path: str | Path) -> dict[str, Any]:
    """Return the settings of a TOML recipe file; ConfigError names the file and the reason."""
    try:
        check_regular(path)
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: got {unread(error)}, need a TOML file of recipe settings. "
                          "Check the path.") from error  # fmt: skip
    # ValueError: no UTF-8, no TOML, or a number of thousands of digits; nesting may be too deep
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: got {error}, need a TOML file of recipe settings. "
                          "Write lines such as hidden_width = 32.") from error  # fmt: skip


def _check(place: str, field: Field, value: Any) -> Any:
    """Return ``value`` in the field's type; ConfigError where it is no such value."""
    place, wanted = f"{place}.{field.name}", type_of(field)
    if value is None and type(None) in typing.get_args(field.type):
        return None
    value = _python_number(value, wanted)
    if type(value) is not wanted:
        raise ConfigError(f"{place}: got {shown(value)}, need {wanted.__name__}. "
                          f"The default is {field.default!r}.")  # fmt: skip
    choices, limits = field.metadata["choices"], field.metadata["limits"]
    if choices and value not in choices:
        raise ConfigError(f"{place}: got {shown(value)}, need one of {list(choices)}."
                          f"{nearest(str(value), choices)}")  # fmt: skip
    if limits and not limits[0] <= value <= limits[1]:
        low, high = map(_plain, limits)
        raise ConfigError(f"{place}: got {shown(value)}, need {low} to {high}. "
                          f"The default is {field.default!r}.")  # fmt: skip
    if isinstance(value, float) and not math.isfinite(value):
        raise ConfigError(f"{place}: got {value!r}, need a finite number. "
                          f"The default is {field.default!r}.")  # fmt: skip
    return value


def _python_number(value: Any, wanted: type) -> Any:
    """Return a number, such as one of NumPy's, as the int or float that it is; else ``value``."""
    if isinstance(value, bool):
        return value
    if wanted is int and isinstance(value, numbers.Integral):
        return int(value)
    if wanted is float and isinstance(value, numbers.Real):
        try:
            return float(value)
        except OverflowError:  # which is refused, as no float
            return value
    return value


def _plain(limit: float) -> str:
    """Return a limit without an exponent where it is a whole number."""
    return str(int(limit)) if limit == int(limit) else f"{limit:g}"
