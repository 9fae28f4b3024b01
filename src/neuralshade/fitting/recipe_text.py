"""TOML text of a recipe, as --recipe reads it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from neuralshade.fitting.recipe import ENDS, fields_of, to_dict


def recipe_toml(recipe: Any, verb: str, flags: Mapping[str, Any] | None = None) -> str:
    """Return the fields of a recipe as TOML, from which ``make_recipe`` makes the same recipe.

    TOML has no null: fields that are None are left out, and a fit without steps and seconds gets
    the most seconds that a recipe allows.

    Args:
        verb: command that reads it, for the comment.
        flags: further lines that are not settings; and settings as requested, with a comment on
            their value in ``recipe``. None leaves a line out.
    """
    settings = to_dict(recipe)
    if all(settings[name] is None for name in ENDS):
        limits = {field.name: field.metadata["limits"] for field in fields_of(type(recipe))}
        settings["seconds"] = float(limits["seconds"][1])
    values = settings | dict(flags or {})
    lines = [f"{name} = {_value(value)}{_beside(settings.get(name, value), value)}"
             for name, value in values.items() if value is not None]  # fmt: skip
    return "\n".join([f"# neuralshade {verb} --recipe FILE.toml", *lines]) + "\n"


def _beside(found: Any, requested: Any) -> str:
    return "" if found == requested else f"  # of this one {_value(found)}"


def _value(value: Any) -> str:
    """Return text, a number, a boolean or a list of these as TOML."""
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, (bool, str)):  # JSON writes these alike, but for one character
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)
