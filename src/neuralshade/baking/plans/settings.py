"""Settings of a job, by kind: which names it takes, what each may be, and where each belongs."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.lazy_import import import_object
from neuralshade.base.message_text import named, shown
from neuralshade.errors import ConfigError, NeuralShadeError
from neuralshade.fitting.command import Flag
from neuralshade.fitting.estimate import Estimate
from neuralshade.fitting.recipe import check_settings, fields_of, make_recipe, under
from neuralshade.kinds import fit_verb, fit_verbs
from neuralshade.kinds.kind import Kind

# Options of a fit that a job may set: those that name no other file. A bake watches by itself.
OPTIONS = ("engine", "device", "kernels", "deterministic")
FILE_FORMS = ("FILE", "ASSET")  # placeholders of flags whose value is a path
TORCH_DEVICE = re.compile(r"(cpu|mps)|(cuda|xpu|hpu)(:\d{1,3})?")
FLAG = re.compile(r"(?<![\w-])--([a-z][a-z\d-]*)")
# Types of recipes in messages, as whoever writes a manifest calls their values.
TYPE = re.compile(r"(?<=, need )(int|float|str|bool)(?=\.)")
TYPES = {"int": "a whole number", "float": "a number", "str": "a text", "bool": "true or false"}
ASSET = "ASSET"  # placeholder of the output of kinds that write one file


@dataclass(frozen=True)
class Parts:
    """Settings of a job, sorted by what they belong to."""

    preset: str | None
    recipe: dict[str, Any]
    flags: dict[str, Any]
    options: dict[str, Any]


@dataclass(frozen=True)
class KindSettings:
    """Names that jobs of one kind may set."""

    kind: Kind
    fields: frozenset[str]  # of the recipe
    flags: Mapping[str, Flag]  # by key
    options: tuple[str, ...]

    @property
    def names(self) -> Iterator[str]:
        """Yield all names, the recipe's first."""
        yield from (field.name for field in fields_of(self.kind.recipe))
        yield from self.flags
        yield from self.options
        if self.kind.presets:
            yield "preset"

    def knows(self, name: str) -> bool:
        """Return whether a job may set ``name``."""
        return (name in self.fields or name in self.flags or name in self.options
                or (name == "preset" and bool(self.kind.presets)))  # fmt: skip

    def checked(self, name: str, value: Any) -> Any:
        """Return a value as a fit takes it; ConfigError for an unknown name or a bad value."""
        if name in self.fields:
            try:
                return check_settings(self.kind.recipe, {name: value})[name]
            except ConfigError as error:
                raise self._worded(error) from error
        if name in self.flags:
            return _flag_value(self.flags[name], value)
        if name in self.options:
            return _option_value(name, value)
        if not self.knows(name):
            raise self._unknown(name)
        if not isinstance(value, str):
            raise _unfit(name, value, f"a preset such as {self.kind.presets[0]}")
        self.kind.check_preset(value)
        return value

    def _unknown(self, name: str) -> ConfigError:
        stops = {flag.key for flag in self.kind.flags if flag.stops}
        if name in stops or name in self.kind.takes:
            return ConfigError(f"{name}: got it for a single asset, need settings of its fit: a "
                               "bake watches by itself. Leave it out.")  # fmt: skip
        return ConfigError(f"{named(name)}: unknown setting of {self.kind.name}."
                           f"{did_you_mean(name, self.names)} See neuralshade fit "
                           f"{self.kind.name} --help for all.")  # fmt: skip

    def recipe(self, settings: Mapping[str, Any]) -> Any:
        """Return the recipe of checked settings; ConfigError where they contradict each other."""
        parts = self.split(settings)
        try:
            if self.estimate is None:  # a preset's own settings are not known
                return make_recipe(self.kind.recipe, parts.recipe)
            return self.estimate.recipe(parts.preset, parts.recipe)
        except ConfigError as error:
            raise self._worded(error) from error

    def _worded(self, error: ConfigError) -> ConfigError:
        return ConfigError(manifest_words(self.kind, str(error)))

    @functools.cached_property
    def estimate(self) -> Estimate | None:
        """Return the estimate of the kind's fits; None where it has none."""
        found = self.kind.estimates
        return None if found is None else import_object(found)

    def under(self, defaults: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return checked settings over checked defaults: an end replaces all default ones."""
        of_recipe = self.split(settings).recipe
        if not of_recipe:
            return {**defaults, **settings}
        others = {k: v for k, v in {**defaults, **settings}.items() if k not in self.fields}
        return under(self.split(defaults).recipe, of_recipe) | others

    def split(self, settings: Mapping[str, Any]) -> Parts:
        """Return checked settings by what they belong to."""
        recipe: dict[str, Any] = {}
        flags: dict[str, Any] = {}
        options: dict[str, Any] = {}
        for name, value in settings.items():
            if name in self.fields:
                recipe[name] = value
            elif name in self.flags:
                flags[name] = value
            elif name in self.options:
                options[name] = value
        return Parts(settings.get("preset"), recipe, flags, options)


def manifest_words(kind: Kind, message: str) -> str:
    """Return a message of a fit with a manifest's names alone: no class, type or flag."""
    known = settings_of(kind.name)

    def named(flag: re.Match[str]) -> str:
        name = flag[1].replace("-", "_")
        return name if known.knows(name) else flag[0]

    text = re.sub(rf"\b{re.escape(kind.recipe.__name__)}\.(?=\w)", "", message)
    text = FLAG.sub(named, text)
    return TYPE.sub(lambda found: TYPES[found[0]], text).replace(" The default is None.", "")


class Recipes:
    """Recipes of settings, each made once: most jobs of a bake have the same."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, str], Any] = {}

    def of(self, known: KindSettings, settings: Mapping[str, Any]) -> Any:
        """Return the recipe; ConfigError where checked settings contradict each other."""
        key = known.kind.name, repr(settings)
        if key not in self._made:
            try:
                self._made[key] = known.recipe(settings)
            except NeuralShadeError as error:
                self._made[key] = error
        if isinstance(self._made[key], NeuralShadeError):
            raise self._made[key]
        return self._made[key]


@functools.cache
def settings_of(kind: str) -> KindSettings:
    """Return the settings of a kind that ``check_kind`` accepts."""
    found = fit_verb(kind)
    assert found is not None, kind
    fields = frozenset(field.name for field in fields_of(found.recipe))
    flags = {flag.key: flag for flag in found.flags if not flag.stops}
    options = tuple(name for name in OPTIONS if name in found.takes)
    return KindSettings(found, fields, flags, options)


@functools.cache
def baked_kinds() -> tuple[str, ...]:
    """Return the kinds that a bake makes: those whose fit writes one asset."""
    return tuple(name for name in fit_verbs()
                 if (kind := fit_verb(name)) is not None and kind.output_form == ASSET)  # fmt: skip


def check_kind(kind: Any) -> None:
    """Raise ConfigError for what is no kind that a bake makes."""
    if not isinstance(kind, str) or kind not in baked_kinds():
        raise ConfigError(f"kind: got {shown(kind)}, need one of {', '.join(baked_kinds())}."
                          f"{did_you_mean(kind, baked_kinds())}")  # fmt: skip


def _flag_value(flag: Flag, value: Any) -> Any:
    """Return the value of a flag as its command line would have it."""
    if not flag.form:
        if not isinstance(value, bool):
            raise _unfit(flag.key, value, "true or false")
        return value
    if flag.several:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise _unfit(flag.key, value, "a list of texts")
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        value = repr(value)
    if not isinstance(value, str):
        raise _unfit(flag.key, value, "a text or a number")
    choices = flag.form.strip("[]").split("|")
    if len(choices) > 1 and value not in choices:
        raise ConfigError(f"{flag.key}: got {shown(value)}, need one of {', '.join(choices)}."
                          f"{did_you_mean(value, choices)}")  # fmt: skip
    return value


def _option_value(name: str, value: Any) -> Any:
    if name == "deterministic":
        if not isinstance(value, bool):
            raise _unfit(name, value, "true or false")
    elif not isinstance(value, str):
        raise _unfit(name, value, "a text")
    elif name == "device":
        from neuralshade.gpu.open import APIS

        if value not in APIS and not TORCH_DEVICE.fullmatch(value):
            need = f"one of {', '.join(APIS)}, or PyTorch's, as in cpu or cuda:0"
            raise _unfit(name, value, need, did_you_mean(value, (*APIS, "cpu")))
    else:
        from neuralshade.engine.engine_choice import check_engine, check_kernels  # loads PyTorch

        (check_engine if name == "engine" else check_kernels)(value)
    return value


def _unfit(name: str, value: Any, need: str, near: str = "") -> ConfigError:
    return ConfigError(f"{name}: got {shown(value)}, need {need}.{near} It is what "
                       f"--{name.replace('_', '-')} takes.")  # fmt: skip
