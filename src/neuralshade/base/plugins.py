"""Plug-ins: encodings, losses and kinds of other packages, by Python's entry points.

Nothing of it is read before a name is asked for that is not one of ours, or names are listed;
nothing of a package is loaded before one of its names is used. Light on purpose.
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
NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")  # as a recipe's text, a flag and a file can hold it
PLACE = re.compile(r"[\w.]+:\w+")
LOADED: dict[tuple[str, str], Plugin] = {}  # by what and name: what this process has used


@dataclass(frozen=True)
class Plugin:
    """One name that an installed package brings."""

    what: str  # a key of GROUPS
    name: str
    package: str  # of the index it was installed from, not what is imported
    version: str
    place: str  # "module:name"

    @property
    def source(self) -> str:
        """Return the package and its version, for people."""
        return plain_name(f"{self.package} {self.version}")

    def load(self) -> Any:
        """Return what the package has there: its code runs.

        Raises: ConfigError where it does not load, whatever the reason.
        """
        try:
            found = import_object(self.place)
        except (Exception, SystemExit) as error:
            raise ConfigError(f"{self.what} {self.name}: got {self.source}, which does not load "
                              f"({one_line_error(error)}), need a package that does. Upgrade or "
                              "uninstall it.") from error  # fmt: skip
        LOADED[self.what, self.name] = self
        return found

    def unfit(self, got: str, need: str) -> ConfigError:
        """Return what to raise where that is not what it should be."""
        return ConfigError(f"{self.what} {self.name}: got {got} from {self.source}, need {need}. "
                           "Tell its authors.")  # fmt: skip


def one_line_error(error: BaseException) -> str:
    """Return an error of another package's on one line."""
    words = str(error).partition("\n")[0][:200]
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def plugin_named(what: str, name: str, ours: Iterable[str]) -> Plugin | None:
    """Return what an installed package brings under ``name``; None where none does.

    Raises: ConfigError where several packages do. A name of ``ours`` is never another's.
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
    """Return all names, ours first, then those of packages that collide with no other."""
    own = list(ours)
    return own + [plugin.name for plugin, fault in checked_plugins(what, own) if fault is None]


def checked_plugins(what: str, ours: Iterable[str]) -> Iterator[tuple[Plugin, str | None]]:
    """Yield each plug-in with what is wrong about its name or place; None where nothing is."""
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
    """Return what is wrong about its name or place; None where nothing is."""
    if not NAME.fullmatch(plugin.name):
        return "refused: a name has lower case letters, digits and _, a letter first"
    if not PLACE.fullmatch(plugin.place):
        return f"refused: it lies at {shown(plugin.place)}, which is no module:name"
    return None


def plugins(what: str) -> tuple[Plugin, ...]:
    """Return what installed packages bring of ``what``, by name and then package.

    What lies in the working folder was not installed: whoever sends an asset may have put it there.
    """
    here = os.path.realpath(".")
    folders = [folder for folder in sys.path if folder and os.path.realpath(folder) != here]
    return tuple(plugin for plugin in _installed(tuple(folders)) if plugin.what == what)


@functools.cache
def _installed(folders: tuple[str, ...]) -> tuple[Plugin, ...]:
    """Return what the packages in these folders bring, from their metadata alone."""
    from importlib.metadata import distributions  # takes some hundredths of a second itself

    hidden, found = set[str](), list[Plugin]()
    for distribution in distributions(path=list(folders)):
        own = list(_of_one(distribution))
        # what comes first on the path hides a later installation of the same package
        found += [plugin for plugin in own if plugin.package not in hidden]
        hidden |= {plugin.package for plugin in own}
    return tuple(sorted(found, key=lambda p: (p.name, p.package)))


def _of_one(distribution: Any) -> Iterator[Plugin]:
    try:
        package, version = distribution.metadata["Name"], distribution.version
        points = [point for point in distribution.entry_points if point.group in _WHATS]
    except Exception:  # metadata of an installation that broke may be anything
        return
    for point in points:
        if package is not None:
            yield Plugin(_WHATS[point.group], point.name, package, version or "?", point.value)


_WHATS = {group: what for what, group in GROUPS.items()}
