"""Entries of a manifest or a folder as jobs: kinds, names, settings and paths checked."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Protocol

from neuralshade.baking.job import Job
from neuralshade.baking.plans.faults import Faults
from neuralshade.baking.plans.output_names import OutputNames, default_name
from neuralshade.baking.plans.settings import (
    FILE_FORMS,
    KindSettings,
    Recipes,
    baked_kinds,
    check_kind,
    settings_of,
)
from neuralshade.baking.stores.sources import absolute, checked_sources
from neuralshade.baking.stores.store import is_url
from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import named, shown
from neuralshade.errors import ConfigError, NeuralShadeError

OWN = ("name", "kind", "input")  # keys of an entry that are no settings


class Places(Protocol):
    """Where entries and defaults stand, for messages."""

    def entry(self, index: int, key: str | None = None) -> str: ...
    def default(self, key: str | None = None) -> str: ...


class JobBuilder:
    """Makes jobs of entries, and notes what is wrong with them.

    Values and whole sets of settings are checked once each: of many entries most are alike.
    """

    def __init__(self, faults: Faults, places: Places, base: str, recipes: Recipes):
        """``base``: the absolute folder that paths are relative to."""
        self.faults, self.places, self.base = faults, places, base
        self.recipes = recipes
        self.kind: Any = None  # of entries that name none
        self._kind_noted = False  # as wrong
        self._defaults: dict[str, Any] = {}
        self._over: dict[str, Any] = {}  # the caller's, over the defaults
        self._of_kind: dict[str, dict[str, Any]] = {}  # checked defaults
        self._values: dict[tuple[str, str, str], Any] = {}
        self._names = OutputNames()
        self._jobs: list[Job] = []

    def finished(self) -> tuple[Job, ...]:
        """Return all jobs, after a last check of their outputs."""
        for job, other in self._names.nested():
            self.faults.add(job.place, f"name: got {shown(job.name)}, whose folder is the file "
                            f"{other.output} of {other.place}, need another. Change one of the "
                            "names.")  # fmt: skip
        return tuple(self._jobs)

    def set_defaults(self, defaults: Mapping[str, Any], kind: str | None,
                     settings: Mapping[str, Any]) -> None:  # fmt: skip
        """Set what holds for entries that say nothing else; ``settings`` come from the caller."""
        self.kind = kind if kind is not None else defaults.get("kind")
        values = {name: value for name, value in defaults.items() if name != "kind"}
        known = {name for other in baked_kinds() for name in settings_of(other).names}
        for each, place in ((values, self.places.default), (settings, _caller)):
            for name in [name for name in each if name not in known]:
                self.faults.add(place(name), f"{named(name)}: unknown setting of all kinds."
                                f"{did_you_mean(name, known)}")  # fmt: skip
        self._defaults = {name: value for name, value in values.items() if name in known}
        self._over = {name: value for name, value in settings.items() if name in known}

    def add(self, index: int, values: Mapping[str, Any]) -> None:
        """Add the job of an entry, or note what is wrong with it."""
        before = self.faults.count
        kind = values.get("kind", self.kind)
        if kind is None:
            self.faults.add(self.places.entry(index), "got no kind, need one of "
                            f"{', '.join(baked_kinds())}. Add for example kind = "
                            '"textures" here or in [defaults].')  # fmt: skip
            return
        try:
            check_kind(kind)
        except ConfigError as error:
            if "kind" in values:
                self.faults.add(self.places.entry(index, "kind"), error)
            elif not self._kind_noted:
                self._kind_noted = True
                self.faults.add(self.places.default("kind"), error)
            return
        known = settings_of(kind)
        settings = self._settings(known, index, values)
        subject = self._sources(known, index, values.get("input"))
        if self.faults.count > before:
            return
        name = self._name(index, values.get("name", default_name(subject[0])))
        if name is None:
            return
        job = Job(name, kind, subject, f"{name}.nsh", settings, self.places.entry(index))
        if (other := self._names.add(job)) is not None:
            why = "" if other.name == job.name else ", which some file systems take for the same"
            self.faults.add(self.places.entry(index, "name"), f"name: got {shown(name)}, and "
                            f"{other.place} writes {other.output}{why}, need different names. Add "
                            "name to one of them.")  # fmt: skip
            return
        self._jobs.append(job)

    def _name(self, index: int, name: Any) -> str | None:
        try:
            return self._names.checked(name)
        except ConfigError as error:
            self.faults.add(self.places.entry(index, "name"), error)
            return None

    def _sources(self, known: KindSettings, index: int, values: Any) -> tuple[str, ...]:
        try:
            return checked_sources(values, self.base, known.kind.subject.several)
        except ConfigError as error:
            self.faults.add(self.places.entry(index, "input"), error)
            return ()

    def _settings(self, known: KindSettings, index: int, values: Mapping[str, Any]
                  ) -> dict[str, Any]:  # fmt: skip
        """Return the settings of an entry over the defaults, checked."""
        before, defaults, own = self.faults.count, self._defaults_of(known), {}
        for name, value in values.items():
            if name not in OWN:
                fault, checked = self._checked(known, name, value)
                if fault is not None:
                    self.faults.add(self.places.entry(index, name), fault)
                own[name] = checked
        settings = known.under(defaults, own) if own else defaults
        if self.faults.count == before:
            with self.faults.noted(self.places.entry(index)):
                self.recipes.of(known, settings)
        return settings

    def _defaults_of(self, known: KindSettings) -> dict[str, Any]:
        """Return the defaults that a kind takes, checked; faults are noted once a kind."""
        kind = known.kind.name
        if kind not in self._of_kind:
            parts: list[dict[str, Any]] = []
            sources = ((self._defaults, self.places.default), (self._over, _caller))
            for unchecked, place in sources:
                parts.append({})
                for name in filter(known.knows, unchecked):
                    fault, parts[-1][name] = self._checked(known, name, unchecked[name])
                    if fault is not None:
                        self.faults.add(place(name), fault)
                        del parts[-1][name]
            self._of_kind[kind] = known.under(*parts)
        return self._of_kind[kind]

    def _checked(self, known: KindSettings, name: str, value: Any) -> tuple[str | None, Any]:
        """Return what is wrong with a value, None where nothing is; and the value of a job."""
        key = (known.kind.name, name, repr(value))
        if key not in self._values:
            try:
                self._values[key] = None, self._resolved(known, name, known.checked(name, value))
            except NeuralShadeError as error:
                self._values[key] = str(error), None
        return self._values[key]

    def _resolved(self, known: KindSettings, name: str, value: Any) -> Any:
        """Return a value with paths made absolute."""
        flag = known.flags.get(name)
        if flag is not None and flag.form in FILE_FORMS:
            path = absolute(value, self.base)
            if is_url(path):
                raise ConfigError(f"{name}: got {shown(value)}, need a path: of a URL only inputs "
                                  "are read. Copy the file here.")  # fmt: skip
            return path
        if flag is not None and flag.form == "NAME=VALUE":
            return [_resolved_pair(pair, self.base) for pair in value]
        return value


def _resolved_pair(pair: str, base: str) -> str:
    """Return NAME=VALUE with the path of a file that exists made absolute."""
    name, equals, value = pair.partition("=")
    if not value or "://" in value:
        return pair
    path = absolute(value, base)
    return f"{name}{equals}{path}" if os.path.isfile(path) else pair


def _caller(name: str | None = None) -> str:
    return "settings"
