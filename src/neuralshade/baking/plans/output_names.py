"""Names of a bake's assets: relative paths that stay in its folder and differ from each other."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator
from typing import Any

from neuralshade.baking.job import Job
from neuralshade.baking.stores.sources import path_of
from neuralshade.baking.stores.store import OWN, SUFFIX
from neuralshade.base.argument_checks import may_be_name
from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError

# the ledger and the pages of a bake, beside its assets
RESERVED = (OWN, "bake.html", "bake.csv", "bake.parquet")
LONGEST_PART, LONGEST = 200, 1000  # bytes: most file systems take 255 of a part
DEVICES = {
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{port}{n}" for port in ("com", "lpt") for n in range(10)),
}
REFUSED = frozenset('<>:"|?*\\')  # by Windows; the last divides folders there


def default_name(source: str) -> str:
    """Return the name of an asset by its source: the last part, without the suffix of a file."""
    last = path_of(source).partition("?")[0].rstrip("/").rsplit("/", 1)[-1]
    return os.path.splitext(os.path.basename(last))[0] or last


class OutputNames:
    """The assets of a bake by name, as file systems compare names that ignore case."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._folders: dict[str, Job] = {}  # a job in each folder

    def checked(self, name: Any) -> str:
        """Return a name without .nsh; ConfigError for one that is no relative path inside."""
        if not isinstance(name, str) or not may_be_name(name):
            raise ConfigError(f"name: got {shown(name)}, need a text such as rocks/wall. "
                              "Leave it out for the name of the input.")  # fmt: skip
        plain = name.removesuffix(SUFFIX)
        if why := _fault(plain):
            raise ConfigError(f"name: got {shown(name)}, {why}, need a path inside the output "
                              "folder. Write for example rocks/wall.")  # fmt: skip
        return plain

    def add(self, job: Job) -> Job | None:
        """Add a job; return another one of the same name instead, where there is one."""
        key = _key(job.output)
        if (other := self._jobs.get(key)) is not None:
            return other
        self._jobs[key] = job
        while "/" in key:
            key = key.rpartition("/")[0]
            if key in self._folders:
                break
            self._folders[key] = job
        return None

    def nested(self) -> Iterator[tuple[Job, Job]]:
        """Yield pairs of a job and another whose file would be the first one's folder."""
        for key in self._folders.keys() & self._jobs.keys():
            yield self._folders[key], self._jobs[key]


def _key(name: str) -> str:
    return (
        name if name.isascii() and name.islower() else unicodedata.normalize("NFC", name).casefold()
    )


def _fault(name: str) -> str:
    """Return what is wrong with a name; empty where nothing is."""
    parts = name.split("/")
    if name.startswith("/"):
        return "an absolute path"
    if ".." in parts:
        return "which leaves the folder"
    if not all(part.strip(". ") for part in parts):
        return "with an empty part"
    if not name.isprintable() or not REFUSED.isdisjoint(name):
        return "with characters that not all file systems take"
    if any(part != part.strip() or part.endswith(".") for part in parts):
        return "with a part that begins or ends with a space, or ends with a point"
    if any(part.partition(".")[0].casefold() in DEVICES for part in parts):
        return "with a part that is a device on Windows"
    if len(name.encode()) > LONGEST or any(len(part.encode()) > LONGEST_PART for part in parts):
        return "too long"
    if parts[0].casefold() in RESERVED:
        return "which a bake keeps for itself"
    return ""
