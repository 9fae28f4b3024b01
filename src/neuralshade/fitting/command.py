"""A fit as it is typed: what its command takes, what was given, and the call that comes of it.

A kind says the first and may make the last; ``cli/`` has click do the rest. As light as
``kinds/kind.py``.
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
    """One flag of a fit's command that is no field of its recipe and no option of all fits."""

    name: str  # as typed, without the dashes
    about: str
    form: str = ""  # what its value looks like, [a|b] of a choice; without one it takes no value
    default: str | None = None
    several: bool = False  # it may come more than once
    hidden: bool = False  # told nowhere, and refused with a word on what there is in its place
    group: str = "fitted"  # the heading it stands under


@dataclass(frozen=True)
class Subject:
    """What a fit is given to fit: the argument of its command."""

    name: str
    about: str = ""  # how messages name several
    example: str = ""  # what stands in its place in a command that is shown
    what: str = ""  # what it is, for people: a folder of maps
    picture: bool = False  # it is a picture
    several: bool = False  # there may be none of them, or many
    maps: str = ""  # what finds them in a folder of maps, as "module:name"; of others nothing
    documents: tuple[str, ...] = ()  # suffixes of text files that pages may send, with pictures
    received: str = ""  # what makes arguments of a fit of such ones, as "module:name"


A_PICTURE = Subject("picture", picture=True)


@dataclass(frozen=True)
class CommandLine:
    """What was typed behind ``fit NAME``: for a kind's ``calls``, which returns a ``FitCall``."""

    subject: Any  # text; of several a tuple
    output: str | None
    flags: dict[str, Any]  # of the kind's own, by name with _ for -
    preset: str | None
    settings: dict[str, Any]  # of the recipe, those given
    given: Mapping[str, Any]  # of the recipe, as flags; None where they were not given
    options: Mapping[str, Any]


def named_sources(words: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Return the sources among ``words``, and what those such as "arm=packed.png" name.

    A file or a folder that is called so is a source. Raises: ConfigError for two of one name.
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
    """A fit and what it is called with."""

    fit: Callable[..., Any]
    subject: tuple[Any, ...]
    named: dict[str, Any]
