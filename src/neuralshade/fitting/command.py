"""Command line of a fit: its flags and subject, the parsed arguments, and the resulting call.

A kind defines the first and may make the last; ``cli/`` leaves the rest to click. Imports as
little as ``kinds/kind.py``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from neuralshade.errors import ConfigError

# headings of a fit's --help, in their order: the groups of flags, of options and of settings
GROUPS = {
    "fitted": "What is fitted",
    "ends": "When it ends",
    "model": "Model",
    "training": "Training",
    "watching": "Watching",
    "running": "Running",
}


@dataclass(frozen=True)
class Flag:
    """Flag of a fit's command that is neither a recipe field nor an option of all fits."""

    name: str  # as typed, without the dashes
    about: str
    form: str = ""  # value's placeholder, [a|b] for a choice; empty: takes no value
    default: str | None = None
    several: bool = False  # it may be repeated
    group: str = "fitted"  # the heading it stands under
    stops: bool = False  # it prints something in place of a fit: not for a bake

    @property
    def key(self) -> str:
        """Return its name in TOML files and in Python."""
        return self.name.replace("-", "_")


@dataclass(frozen=True)
class Subject:
    """Source of a fit: the positional argument of its command."""

    name: str
    about: str = ""  # plural in messages
    example: str = ""  # placeholder in example commands
    what: str = ""  # short description: "a folder of maps"
    picture: bool = False  # it is a picture
    several: bool = False  # any number of them
    maps: str = ""  # "module:name" of the function that finds maps in a folder
    ahead: str = ""  # the same of one that begins to read a CommandLine's, while packages load
    documents: tuple[str, ...] = ()  # suffixes of text files that pages may upload, with pictures
    uploaded: str = ""  # "module:name" of the function that makes fit arguments of such uploads


A_PICTURE = Subject("picture", picture=True)


@dataclass(frozen=True)
class CommandLine:
    """Parsed arguments after ``fit NAME``: for a kind's ``calls``, which returns a ``FitCall``."""

    subject: Any  # text; a tuple where there may be several
    output: str | None
    flags: dict[str, Any]  # of the kind, by name with _ for -
    preset: str | None
    settings: dict[str, Any]  # of the recipe, where set
    requested: Mapping[str, Any]  # of the recipe, as flags; None where not set
    options: Mapping[str, Any]


def named_sources(words: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Return the sources among ``words``, and named ones such as "arm=packed.png".

    An existing file or folder of that name is a source. Raises: ConfigError for two of one name.
    """
    sources: list[str] = []
    named: dict[str, str] = {}
    for word in words:
        name, equals, path = word.partition("=")
        if equals and path and name.isidentifier() and not os.path.exists(word):
            if name in named:
                raise ConfigError(f"{name}: got it twice, {named[name]} and {path}, need it once. "
                                  "Leave one out.")  # fmt: skip
            named[name] = path
        else:
            sources.append(word)
    return sources, named


@dataclass(frozen=True)
class FitCall:
    """A fit function and its arguments."""

    fit: Callable[..., Any]
    subject: tuple[Any, ...]
    named: dict[str, Any]
