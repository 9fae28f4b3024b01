"""Checks of Python arguments where they are first used: paths, values, whole numbers."""

import numbers
import os
from collections.abc import Mapping
from typing import Any

from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError, NeuralShadeError, OutputError


def check_path(name: str, given: Any, error: type[NeuralShadeError] = ConfigError) -> None:
    """Raise ``error`` where the argument ``name`` is no path: no text, or text that no name has."""
    text = os.fspath(given) if isinstance(given, os.PathLike) else given
    if not isinstance(text, str) or not may_be_name(text):
        raise error(f"{name}: got {shown(given)}, need a path. Give the name of a file or a folder "
                    "as text.")  # fmt: skip


def may_be_name(text: str) -> bool:
    """Return whether a file may have that name: no NUL in it, and no half of a surrogate pair."""
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def check_values(given: Any) -> None:
    """Raise ConfigError where ``values`` of an asset's inputs are given, and not by name."""
    if given is not None and not isinstance(given, Mapping):
        raise ConfigError(f"values: got {shown(given)}, need them by name, such as "
                          "{'wetness': 0.5}. Leave it out for what it has.")  # fmt: skip


def is_whole(given: Any) -> bool:
    """Return whether an argument is a whole number: Python's or NumPy's, and not a truth value."""
    return isinstance(given, numbers.Integral) and not isinstance(given, bool)


def check_output(given: Any) -> None:
    """Raise OutputError where ``output`` is given, not None, and is no path."""
    if given is not None:
        check_path("output", given, OutputError)
