"""Signatures of fits with each of their settings by name, for completion and help."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from typing import Any

from neuralshade.fitting.recipe import fields_of

UNPACKED = re.compile(r"Unpack\[(\w+)Settings\]$")


def with_settings(fit: Callable[..., Any]) -> None:
    """Extend the signature of ``fit`` by its ``**settings``, with their defaults.

    Read by IPython, help() and editors that query a running program. Fits without such settings are
    unchanged.
    """
    signature = inspect.signature(fit)
    *named, last = signature.parameters.values()
    found = UNPACKED.search(str(last.annotation)) if last.kind is last.VAR_KEYWORD else None
    if found is None:
        return
    settings = fit.__globals__[f"{found[1]}Settings"]
    recipe = getattr(sys.modules[settings.__module__], f"{found[1]}Recipe")
    taken = {parameter.name for parameter in named}
    own = [
        inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default,
                          annotation=field.type)
        for field in fields_of(recipe) if field.name not in taken
    ]  # fmt: skip
    fit.__signature__ = signature.replace(parameters=[*named, *own])  # type: ignore[attr-defined]
