"""A user's defaults of fits: a TOML file in the folder where the system keeps settings.

    [image]
    bpp = 2.0
    engine = "gpu"

A table for each kind, with what a --recipe file of its fit takes.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import platformdirs

from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import named, plain_name, shown
from neuralshade.errors import ConfigError
from neuralshade.fitting.recipe import read_toml

NAME = "defaults.toml"


def defaults_path() -> Path:
    """Return where the file is, or would be."""
    return Path(platformdirs.user_config_dir("neuralshade", appauthor=False)) / NAME


def default_tables(verbs: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return what the file says, by verb of ``fit``; nothing where there is none.

    What a table holds is not looked at. ``verbs``: those there are.

    Raises: ConfigError for a file that is no TOML, or has anything but tables of these verbs.
    """
    path = defaults_path()
    if not os.path.exists(path):
        return {}
    told = read_toml(path)
    for name, table in told.items():
        if not isinstance(table, dict):
            raise ConfigError(f"{path}: got {named(name)} outside of a table, need it in one of a "
                              "kind. Write [image] above it.")  # fmt: skip
        if name not in verbs:
            near = did_you_mean(name, verbs) or f" Write [{verbs[0]}] for example."
            raise ConfigError(f"{path}: got a table [{plain_name(name)}], need one of "
                              f"{list(verbs)}.{near}")  # fmt: skip
    return told


def user_defaults(
    tables: Mapping[str, dict[str, Any]], kind: str, known: Collection[str]
) -> dict[str, Any]:
    """Return what the file's tables say of fits of a kind, by the names of flags with _ for -.

    ``known``: names that it may have. Raises: ConfigError for another name.
    """
    found = tables.get(kind, {})
    for name in found:
        if name not in known:
            raise ConfigError(f"{defaults_path()}: got {shown(name)} in [{kind}], need the name of "
                              f"a flag of fit {kind}.{did_you_mean(name, known)}")  # fmt: skip
    return found
