"""Checks of Python arguments where they are first used: paths, values, whole numbers."""

import numbers
import os
from collections.abc import Mapping
from typing import Any

from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError, NeuralShadeError, OutputError


def check_path(name: str, value: Any, error: type[NeuralShadeError] = ConfigError) -> None:
    """Raise ``error`` unless the argument ``name`` is a path: PathLike, or text for a file name."""
    text = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(text, str) or not may_be_name(text):
        raise error(f"{name}: got {shown(value)}, need a path. Give the name of a file or a folder "
                    "as text.")  # fmt: skip


def may_be_name(text: str) -> bool:
    """Return whether a file can have that name: no NUL and no lone surrogate in it."""
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def check_values(value: Any) -> None:
    """Raise ConfigError unless ``values`` of an asset's inputs is a mapping by name, or None."""
    if value is not None and not isinstance(value, Mapping):
        raise ConfigError(f"values: got {shown(value)}, need them by name, such as "
                          "{'wetness': 0.5}. Leave it out for what it has.")  # fmt: skip


def is_whole(value: Any) -> bool:
    """Return whether an argument is an integer, Python's or NumPy's, and no bool."""
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def check_output(value: Any) -> None:
    """Raise OutputError where ``output`` is neither None nor a path."""
    if value is not None:
        check_path("output", value, OutputError)
