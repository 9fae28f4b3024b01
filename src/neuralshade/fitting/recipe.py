"""Recipes as data: frozen dataclasses to and from plain dicts, checked."""

import dataclasses
import functools
import math
import numbers
import sys
import typing
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, TypedDict, TypeVar

from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import named, shown
from neuralshade.base.plugins import names, plugin_named
from neuralshade.errors import ConfigError

if sys.version_info >= (3, 11):
    from typing import Unpack as Unpack  # type hints of fits' settings
else:
    from typing_extensions import Unpack as Unpack

R = TypeVar("R")

Field: TypeAlias = "dataclasses.Field[Any]"

# Names that recipes of several kinds may use. Not from the registries, which load PyTorch: a
# command that only prints its help must not. A test holds the two equal.
LOSSES = ("l1", "l2", "huber", "log_l2", "relative_l2", "log_l1", "smape")
SCHEDULES = ("constant", "cosine", "exponential")
ENDS = ("steps", "seconds")  # they replace each other; target_psnr is a further end


def setting(
    default: Any,
    about: str,
    *,
    choices: tuple[str, ...] = (),
    limits: tuple[float, float] | None = None,
    form: str | None = None,
    group: str = "model",
    plugins: str | None = None,
    older: Any = None,
    unset: str | None = None,
) -> Any:
    """Declare a recipe field: its default, one line about it with the unit, allowed values.

    ``plugins``: key of GROUPS in base/plugins.py, for choices that installed packages may add.
    ``form``: placeholder of a string; ``group``: its heading, one of GROUPS in fitting/command.py;
    ``unset``: what an empty default means; all for help. ``older``: value for files written before
    the setting existed, where that is not its default.
    """
    metadata = {"about": about, "choices": choices, "limits": limits, "form": form, "group": group,
                "plugins": plugins, "older": older, "unset": unset}  # fmt: skip
    return dataclasses.field(default=default, metadata=metadata)


training = functools.partial(setting, group="training")  # of the training, not of the result
ending = functools.partial(setting, group="ends")


def changed(kind: type, name: str, default: Any, about: str | None = None) -> Any:
    """Return field ``name`` of a base recipe with another default, described by ``about``."""
    known = {field.name: field.metadata for field in dataclasses.fields(kind)}[name]
    return dataclasses.field(default=default, metadata={**known, "about": about or known["about"]})


@dataclass(frozen=True)
class TrainingRecipe:
    """Settings of all kinds' recipes: Adam, step-size schedule, ends, seed.

    A class may define, for warnings of few steps: ``usual_steps`` of a whole fit, where ``steps``
    has no default; ``finds_plateau``, where it may end at a plateau.
    """

    beta1: float = training(0.9, "Adam's decay of the mean gradient", limits=(0, 0.9999))
    beta2: float = training(0.99, "Adam's decay of the squared gradient", limits=(0, 0.999999))
    epsilon: float = training(1e-8, "Adam's term that prevents a division by zero", limits=(0, 1))
    schedule: str = training("cosine", "learning-rate schedule", choices=SCHEDULES)
    rate_final: float = training(0.01, "learning rate at the end, as a share of the one at the "
                                 "start", limits=(1e-6, 1))  # fmt: skip
    warmup: int = training(0, "steps over which the learning rate rises to its full value",
                           limits=(0, 1_000_000))  # fmt: skip
    steps: int | None = ending(None, "stop after this many steps", limits=(1, 10**9))
    seconds: float | None = ending(20.0, "stop after this many seconds; compiling comes on top",
                                   limits=(0.01, 10**7))  # fmt: skip
    seed: int = training(0, "random seed", limits=(0, 2**63 - 1))

    def __post_init__(self) -> None:
        """Refuse a fit without an end; kinds check more."""
        target = getattr(self, "target_psnr", None)
        if self.steps is None and self.seconds is None and target is None:
            raise ConfigError(f"{type(self).__name__}.steps: got None with no seconds and no "
                              "target_psnr, need an end. Set one of the three.")  # fmt: skip


@dataclass(frozen=True)
class PictureRecipe(TrainingRecipe):
    """Settings of recipes whose result is compared with a picture."""

    target_psnr: float | None = ending(None, "stop when the PSNR reaches this many dB",
                                       limits=(0, 200))  # fmt: skip
    keep_hidden_color: bool = setting(False, "fit colors under alpha 0 like all others",
                                      group="fitted", older=True)  # fmt: skip


class TrainingSettings(TypedDict, total=False):
    """Fields of TrainingRecipe by keyword, typed for editors; all optional."""

    beta1: float
    beta2: float
    epsilon: float
    schedule: str
    rate_final: float
    warmup: int
    steps: int | None
    seconds: float | None
    seed: int


class PictureSettings(TrainingSettings, total=False):
    """Fields of PictureRecipe; all optional."""

    target_psnr: float | None
    keep_hidden_color: bool


def type_of(field: Field) -> type:
    """Return str, int, float or bool: the field's type besides None."""
    return _types(field)[0]


def _types(field: Field) -> tuple[type, bool]:
    """Return the type of a field besides None, and whether it may be None."""
    hint: Any = field.type  # mypy takes a type for something without a hash
    return _types_of(hint)


@functools.cache  # a bake checks a hundred thousand settings
def _types_of(hint: Any) -> tuple[type, bool]:
    kinds = [kind for kind in typing.get_args(hint) if kind is not type(None)]
    return (kinds[0] if kinds else hint), type(None) in typing.get_args(hint)


def check_names(kind: type, names: Iterable[str]) -> Mapping[str, Field]:
    """Return the fields of a recipe by name; ConfigError for an unknown name."""
    known = _fields_by_name(kind)
    for name in names:
        if name not in known:
            near, all_ = did_you_mean(name, known), ", ".join(known)
            listed = f".{near} There are {all_}." if near else f", need one of {all_}."
            raise ConfigError(f"{kind.__name__}.{named(name)}: unknown setting{listed}")
    return known


def from_dict(kind: type[R], values: dict[str, Any], missing: Collection[str] = ()) -> R:
    """Build a recipe; ConfigError for an unknown field (with the nearest) or a bad value.

    ``missing``: names from plugins that need not be installed.
    """
    return kind(**check_settings(kind, values, missing))


def stored_recipe(kind: type[R], values: Mapping[str, Any], missing: Collection[str] = ()) -> R:
    """Build the recipe of an asset or a checkpoint, which may be older than some settings.

    ``missing``: as in from_dict.
    """
    older = {field.name: field.metadata["older"] for field in fields_of(kind)}
    lacking = {name: value for name, value in older.items() if value is not None}
    return from_dict(kind, {**lacking, **values}, missing)


def check_settings(
    kind: type, values: dict[str, Any], missing: Collection[str] = ()
) -> dict[str, Any]:
    """Return settings in their fields' types, each checked on its own, as in from_dict.

    Raises: ConfigError for an unknown field (with the nearest) or a bad value.
    """
    known = check_names(kind, values)
    return {n: _check(kind.__name__, known[n], value, missing) for n, value in values.items()}


def make_recipe(kind: type[R], settings: dict[str, Any]) -> R:
    """Return the recipe of ``settings``; steps or seconds among them replace the default end.

    Raises: ConfigError for unknown or impossible ones.
    """
    replaced = any(settings.get(name) is not None for name in ENDS)
    return from_dict(kind, (dict.fromkeys(ENDS) if replaced else {}) | settings)


def under(defaults: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings over defaults: a requested end replaces all default ones."""
    ends = (*ENDS, "target_psnr")
    replaced = any(settings.get(name) is not None for name in ends)
    kept = {k: v for k, v in defaults.items() if not (replaced and k in ends)}
    return kept | dict(settings)


def resumed_ends(kept: dict[str, Any], settings: dict[str, Any]) -> dict[str, Any]:
    """Return overrides of the ``kept`` ends of a resumed fit, under its new ``settings``.

    Another number of steps or seconds replaces both, as in ``make_recipe``.
    """
    anew = any(settings.get(name) not in (None, kept[name]) for name in ENDS)
    return dict.fromkeys(ENDS) if anew else {}


def resumed_with(kind: type[R], settings: dict[str, Any]) -> Callable[[dict[str, Any]], R]:
    """Return a function from kept settings to a resumed recipe, under new ``settings``."""
    return lambda kept: from_dict(kind, kept | resumed_ends(kept, settings) | settings)


def flag_of(preset: str | None, settings: Collection[str]) -> Callable[[str], str]:
    """Return a function from a field to the flag that set it."""
    return lambda name: name if preset is None or name in settings else "preset"


def check_preset(name: str, presets: Collection[str]) -> None:
    """Raise ConfigError for an unknown preset; the first one is the default."""
    if name not in presets:
        near = did_you_mean(name, presets) or f" Leave it out for {next(iter(presets))}."
        raise ConfigError(f"preset: got {name!r}, need one of {list(presets)}.{near}")


def to_dict(recipe: Any) -> dict[str, Any]:
    """Return the recipe as a dict of strings, numbers, booleans and None."""
    return {field.name: getattr(recipe, field.name) for field in fields_of(type(recipe))}


def names_of_ends(recipe: type) -> set[str]:
    """Return the names of a recipe's fields that define when a fit ends."""
    return {field.name for field in fields_of(recipe) if field.metadata["group"] == "ends"}


def fields_of(recipe: type) -> list[Field]:
    """Return the fields of a recipe: its own first, then the shared ones."""
    return list(_fields_by_name(recipe).values())


@functools.cache
def _fields_by_name(recipe: type) -> dict[str, Field]:
    shared = {field.name for field in dataclasses.fields(PictureRecipe)}
    fields = sorted(dataclasses.fields(recipe), key=lambda field: field.name in shared)
    return {field.name: field for field in fields}


def _check(place: str, field: Field, value: Any, missing: Collection[str]) -> Any:
    """Return ``value`` in the field's type; ConfigError where it is invalid."""
    place, (expected, optional) = f"{place}.{field.name}", _types(field)
    if value is None and optional:
        return None
    value = _python_number(value, expected)
    if type(value) is not expected:
        raise ConfigError(f"{place}: got {shown(value)}, need {expected.__name__}. "
                          f"The default is {field.default!r}.")  # fmt: skip
    choices, limits = field.metadata["choices"], field.metadata["limits"]
    if choices and value not in choices:
        _check_plugin(place, field, value, missing)
    if limits and not limits[0] <= value <= limits[1]:
        low, high = map(_plain, limits)
        raise ConfigError(f"{place}: got {shown(value)}, need {low} to {high}. "
                          f"The default is {field.default!r}.")  # fmt: skip
    if isinstance(value, float) and not math.isfinite(value):
        raise ConfigError(f"{place}: got {value!r}, need a finite number. "
                          f"The default is {field.default!r}.")  # fmt: skip
    return value


def _check_plugin(place: str, field: Field, value: Any, missing: Collection[str]) -> None:
    """Raise ConfigError for a name that is neither a choice nor an installed plugin's."""
    choices, what = field.metadata["choices"], field.metadata["plugins"]
    if what is not None and (value in missing or plugin_named(what, str(value), choices)):
        return
    known = list(choices) if what is None else names(what, choices)
    raise ConfigError(f"{place}: got {shown(value)}, need one of {known}."
                      f"{did_you_mean(str(value), known)}")  # fmt: skip


def _python_number(value: Any, expected: type) -> Any:
    """Return a number, such as NumPy's, as Python's int or float; otherwise ``value``."""
    if isinstance(value, bool):
        return value
    if expected is int and isinstance(value, numbers.Integral):
        return int(value)
    if expected is float and isinstance(value, numbers.Real):
        try:
            return float(value)
        except OverflowError:  # refused later, as not a float
            return value
    return value


def _plain(limit: float) -> str:
    """Return a limit without an exponent where it is a whole number."""
    return str(int(limit)) if limit == int(limit) else f"{limit:g}"
