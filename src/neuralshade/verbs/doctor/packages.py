"""Required and optional packages from this package's metadata, and their installed versions."""

from __future__ import annotations

import importlib.metadata
import platform
import re
from dataclasses import dataclass

NEED = re.compile(r"([\w.-]+)\s*(?:\[[^\]]*\])?\s*\(?(?:>=\s*([\w.]+))?[^;]*(?:;\s*(.*))?")
EXTRA = re.compile(r"extra\s*==\s*[\"']([\w-]+)[\"']")
OWN = "neuralshade"
OLDER = re.compile(r"python_version\s*<\s*[\"']([\d.]+)[\"']")  # dependencies of older Pythons
FOR_WORK = "dev"  # the extra for developers of this package


@dataclass(frozen=True)
class Package:
    """A package and its installed version."""

    name: str
    least: str | None  # version
    found: str | None  # version; None where it is not installed
    extra: str | None  # extra that includes it; None for required packages
    marked: bool  # only for some systems or Pythons

    @property
    def enough(self) -> bool:
        """Return whether it is installed, and new enough."""
        return self.found is not None and not _older(self.found, self.least)

    @property
    def remedy(self) -> str:
        """Return the command that installs it."""
        return f'pip install "{self.name}>={self.least}"' if self.least else (
            f"pip install {self.name}")  # fmt: skip


def packages() -> list[Package]:
    """Return all packages except those for developers and for older Pythons.

    None where this package was never installed.
    """
    try:
        needs = importlib.metadata.requires(OWN) or []
    except Exception:  # broken installations may have any metadata
        return []
    found = [_package(need) for need in needs]
    return [package for package in found if package is not None and package.extra != FOR_WORK]


def _package(need: str) -> Package | None:
    read = NEED.match(need)
    if read is None:
        return None
    name, least, marker = read.groups()
    extra, older = EXTRA.search(marker or ""), OLDER.search(marker or "")
    if older is not None and not _older(platform.python_version(), older[1]):
        return None
    marked = bool(marker) and re.sub(EXTRA, "", marker or "").strip(" ()") != ""
    return Package(name, least, _version(name), extra[1] if extra else None, marked)


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name) or None
    except Exception:  # as above
        return None


def _older(found: str, least: str | None) -> bool:
    """Return whether the numbers of one version are below those of the other."""
    return _numbers(found) < _numbers(least or "0")


def _numbers(version: str) -> tuple[int, ...]:
    words = re.match(r"\d+(?:\.\d+)*", version)
    numbers = [int(word) for word in words[0].split(".")] if words else [0]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)
