"""User defaults of fits: a TOML file in the system's configuration folder.

    [image]
    bpp = 2.0
    engine = "gpu"

A table for each kind, with the contents of a --recipe file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import platformdirs

from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import named, plain_name, shown
from neuralshade.base.toml_file import read_toml
from neuralshade.errors import ConfigError

NAME = "defaults.toml"


def defaults_path() -> Path:
    """Return the path of the file, which need not exist."""
    return Path(platformdirs.user_config_dir("neuralshade", appauthor=False)) / NAME


def default_tables(known_verbs: Callable[[], Sequence[str]]) -> dict[str, dict[str, Any]]:
    """Return the file's tables by verb of ``fit``; empty without a file.

    The tables' contents are not checked. ``known_verbs``: called where there is a file, as it takes
    a look at every installed package.

    Raises: ConfigError for invalid TOML, or anything but tables of these verbs.
    """
    path = defaults_path()
    if not os.path.exists(path):
        return {}
    tables_found, verbs = read_toml(path), known_verbs()
    for name, table in tables_found.items():
        if not isinstance(table, dict):
            raise ConfigError(f"{path}: got {named(name)} outside of a table, need it in one of a "
                              "kind. Write [image] above it.")  # fmt: skip
        if name not in verbs:
            near = did_you_mean(name, verbs) or f" Write [{verbs[0]}] for example."
            raise ConfigError(f"{path}: got a table [{plain_name(name)}], need one of "
                              f"{list(verbs)}.{near}")  # fmt: skip
    return tables_found


def user_defaults(
    tables: Mapping[str, dict[str, Any]], kind: str, known: Collection[str]
) -> dict[str, Any]:
    """Return the defaults of one kind, by the names of flags with _ for -.

    ``known``: allowed names. Raises: ConfigError for another name.
    """
    found = tables.get(kind, {})
    for name in found:
        if name not in known:
            raise ConfigError(f"{defaults_path()}: got {shown(name)} in [{kind}], need the name of "
                              f"a flag of fit {kind}.{did_you_mean(name, known)}")  # fmt: skip
    return found
