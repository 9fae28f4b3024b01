"""Sources of jobs: local paths made absolute, and URLs as they are."""

from __future__ import annotations

import os
from typing import Any

from neuralshade.baking.stores.store import is_url, local_path
from neuralshade.base.argument_checks import may_be_name
from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError

MOST_SOURCES = 64  # of one job: a set has 16 channels at most


def absolute(text: str, base: str) -> str:
    """Return a path, or that of a file:// URL, made absolute; another URL stays.

    Raises: ConfigError for a URL that no store reads.
    """
    if "://" in text:
        if is_url(text):
            return text
        text = local_path(text)
    return os.path.normpath(os.path.join(base, text))


def checked_sources(values: Any, base: str, several: bool) -> tuple[str, ...]:
    """Return the sources of an entry, absolute; named ones, such as "arm=packed.png", too.

    ``several``: the kind takes more than one.

    Raises: ConfigError for anything but a text, or a list of them where there may be several.
    """
    if isinstance(values, str):
        values = [values]
    need = "a path, a URL or a list of them" if several else "a path or a URL"
    if not isinstance(values, list) or not values or not all(_is_name(each) for each in values):
        raise ConfigError(f"input: got {shown(values)}, need {need}. Write for example "
                          'input = "textures/wall".')  # fmt: skip
    if len(values) > (MOST_SOURCES if several else 1):
        most = f"{MOST_SOURCES} at most" if several else "one: this kind takes no more"
        raise ConfigError(f"input: got {len(values)} sources, need {most}. Make several "
                          "assets.")  # fmt: skip
    return tuple(_source(each, base, several) for each in values)


def split_source(source: str) -> tuple[str, str]:
    """Return "name=" and the path or URL of a job's source; "" where it has no name."""
    name, equals, path = source.partition("=")
    return (f"{name}=", path) if equals and name.isidentifier() else ("", source)


def path_of(source: str) -> str:
    """Return the path or the URL of a source that may be named."""
    return split_source(source)[1]


def _source(text: str, base: str, several: bool) -> str:
    name, equals, path = text.partition("=")
    plain = absolute(text, base)
    if several and equals and path and name.isidentifier() and not os.path.exists(plain):
        return f"{name}={absolute(path, base)}"
    return plain


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and bool(value) and may_be_name(value)
