"""A recipe as the TOML file that --recipe takes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from neuralshade.fitting.recipe import ENDS, fields_of, to_dict


def recipe_toml(recipe: Any, verb: str, flags: Mapping[str, Any] | None = None) -> str:
    """Return the fields of a recipe as TOML, which ``asked_recipe`` makes the same recipe of.

    TOML has no word for nothing: fields that are None are left out, and a fit that ends at
    neither steps nor seconds gets the most seconds that a recipe takes.

    Args:
        verb: that takes it, for people.
        flags: more lines of the file, which are no settings; and settings as they were asked
            for, beside which a comment says what they are in ``recipe``. None leaves a line out.
    """
    settings = to_dict(recipe)
    if all(settings[name] is None for name in ENDS):
        limits = {field.name: field.metadata["limits"] for field in fields_of(type(recipe))}
        settings["seconds"] = float(limits["seconds"][1])
    told = settings | dict(flags or {})
    lines = [f"{name} = {_value(value)}{_beside(settings.get(name, value), value)}"
             for name, value in told.items() if value is not None]  # fmt: skip
    return "\n".join([f"# neuralshade {verb} --recipe FILE.toml", *lines]) + "\n"


def _beside(found: Any, asked: Any) -> str:
    return "" if found == asked else f"  # of this one {_value(found)}"


def _value(value: Any) -> str:
    """Return text, a number, a truth value or a list of these as TOML has it."""
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, (bool, str)):  # which JSON writes alike, but for one character
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)
