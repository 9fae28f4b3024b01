"""A user's defaults, each table of which is of a verb of ``fit``."""

from __future__ import annotations

from typing import Any

from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import plain_name
from neuralshade.errors import ConfigError
from neuralshade.fitting.defaults import default_tables, defaults_path
from neuralshade.kinds import fit_verb, fit_verbs


def checked_tables() -> dict[str, dict[str, Any]]:
    """Return what the user's defaults say, by verb of ``fit``; nothing where there are none.

    What a table holds is not looked at.

    Raises: ConfigError for a table that is of no verb, and what ``default_tables`` raises.
    """
    tables = default_tables()
    for table in tables:
        kind = fit_verb(table)
        if kind is None or kind.fits is None:
            known = fit_verbs()
            near = did_you_mean(table, known) or f" Write [{known[0]}] for example."
            raise ConfigError(f"{defaults_path()}: got a table [{plain_name(table)}], need one of "
                              f"{known}.{near}")  # fmt: skip
    return tables
