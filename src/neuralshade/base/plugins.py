"""Plug-ins: encodings, losses and kinds of other packages, by Python's entry points.

Metadata is read only for an unknown name or a list of names, and a package is imported only
when one of its names is used. Kept light on purpose.
"""

from __future__ import annotations

import functools
import os
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from neuralshade.base.lazy_import import import_object
from neuralshade.base.message_text import plain_name, shown
from neuralshade.errors import ConfigError

GROUPS = {
    "encoding": "neuralshade.encodings",
    "loss": "neuralshade.losses",
    "kind": "neuralshade.kinds",
}
PREFIX = "neuralshade."  # of every group
NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")  # valid in a recipe's text, as a flag and as a file name
PLACE = re.compile(r"[\w.]+:\w+")
LOADED: dict[tuple[str, str], Plugin] = {}  # by group and name: those that this process has used


@dataclass(frozen=True)
class Plugin:
    """One name that an installed package provides."""

    what: str  # a key of GROUPS
    name: str
    package: str  # its name in the package index, not that of the module
    version: str
    place: str  # "module:name"

    @property
    def source(self) -> str:
        """Return the package and its version, for messages."""
        return plain_name(f"{self.package} {self.version}")

    def load(self) -> Any:
        """Import and return the package's object: its code runs.

        Raises: ConfigError where the import fails, for whatever reason.
        """
        from neuralshade.base.deferred_modules import load_deferred  # few packages have plug-ins

        load_deferred()
        try:
            found = import_object(self.place)
        except (Exception, SystemExit) as error:
            raise ConfigError(f"{self.what} {self.name}: got {self.source}, which does not load "
                              f"({one_line_error(error)}), need a package that does. Upgrade or "
                              "uninstall it.") from error  # fmt: skip
        LOADED[self.what, self.name] = self
        return found

    def unfit(self, got: str, need: str) -> ConfigError:
        """Return the error for an unsuitable plug-in."""
        return ConfigError(f"{self.what} {self.name}: got {got} from {self.source}, need {need}. "
                           "Tell its authors.")  # fmt: skip


def one_line_error(error: BaseException) -> str:
    """Return the error of another package on one line."""
    words = str(error).partition("\n")[0][:200]
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def plugin_named(what: str, name: str, ours: Iterable[str]) -> Plugin | None:
    """Return the plug-in called ``name``; None where no installed package has it.

    Raises: ConfigError where several packages have it. Names of ``ours`` are never plug-ins.
    """
    if name in ours:
        return None
    several = [p for p in plugins(what) if p.name == name and _misnamed(p) is None]
    if len(several) > 1:
        both = " and ".join(plugin.source for plugin in several)
        raise ConfigError(f"{what}: got {name!r} from {both}, need it from one package. "
                          "Uninstall the others.")  # fmt: skip
    return several[0] if several else None


def names(what: str, ours: Iterable[str]) -> list[str]:
    """Return all names: ours, then those of packages without a collision."""
    own = list(ours)
    return own + [plugin.name for plugin, fault in checked_plugins(what, own) if fault is None]


def checked_plugins(what: str, ours: Iterable[str]) -> Iterator[tuple[Plugin, str | None]]:
    """Yield each plug-in with the fault of its name or place; None without a fault."""
    own, all_ = set(ours), plugins(what)
    for plugin in all_:
        others = [other.source for other in all_ if other.name == plugin.name and other != plugin]
        if plugin.name in own:
            yield plugin, "refused: neuralshade itself has one of that name"
        elif others:
            yield plugin, f"refused: {' and '.join(others)} has one of that name, too"
        else:
            yield plugin, _misnamed(plugin)


def _misnamed(plugin: Plugin) -> str | None:
    """Return the fault of its name or place; None without one."""
    if not NAME.fullmatch(plugin.name):
        return "refused: a name has lower case letters, digits and _, a letter first"
    if not PLACE.fullmatch(plugin.place):
        return f"refused: it lies at {shown(plugin.place)}, which is no module:name"
    return None


def plugins(what: str) -> tuple[Plugin, ...]:
    """Return the plug-ins of group ``what``, by name and then package.

    Packages in the working folder do not count: the sender of an asset may have put them there.
    """
    folders = _elsewhere(os.getcwd(), tuple(sys.path))
    return tuple(plugin for plugin in _installed(folders) if plugin.what == what)


@functools.lru_cache(1)
def _elsewhere(here: str, path: tuple[str, ...]) -> tuple[str, ...]:
    """Return the folders of ``sys.path`` that are not ``here``."""
    own = os.path.realpath(here)
    return tuple(folder for folder in path if folder and os.path.realpath(folder) != own)


@functools.cache
def _installed(folders: tuple[str, ...]) -> tuple[Plugin, ...]:
    """Return the plug-ins of the packages in these folders, from their metadata alone."""
    from importlib.metadata import distributions  # this import takes some hundredths of a second

    hidden, found = set[str](), list[Plugin]()
    for distribution in distributions(path=list(folders)):
        own = list(_of_one(distribution))
        # the first one on the path hides later installations of the same package
        found += [plugin for plugin in own if plugin.package not in hidden]
        hidden |= {plugin.package for plugin in own}
    return tuple(sorted(found, key=lambda p: (p.name, p.package)))


def _of_one(distribution: Any) -> Iterator[Plugin]:
    try:
        # most have none of ours: their metadata, which takes ten times as long, is not read
        if PREFIX not in (distribution.read_text("entry_points.txt") or ""):
            return
        package, version = distribution.metadata["Name"], distribution.version
        points = [point for point in distribution.entry_points if point.group in _WHATS]
    except Exception:  # metadata of a broken installation may be anything
        return
    for point in points:
        if package is not None:
            yield Plugin(_WHATS[point.group], point.name, package, version or "?", point.value)


_WHATS = {group: what for what, group in GROUPS.items()}
