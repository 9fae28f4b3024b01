"""Encodings of other packages, loaded by name and checked before use."""

import functools
import inspect
from collections.abc import Iterable
from typing import Any

from neuralshade.base.message_text import shown
from neuralshade.base.plugins import Plugin, plugin_named
from neuralshade.gpu.foreign_slang import register_package
from neuralshade.model.encoding import AxisEncoding, Encoding, settings_of


def foreign_encoding(kind: str, ours: Iterable[str]) -> type[Encoding] | None:
    """Return the encoding of an installed package; None where none has that name.

    Registers its Slang half for kernels.

    Raises: ConfigError where several have it, where it does not load, or where it is no encoding
        whose settings are whole numbers with defaults within limits.
    """
    plugin = plugin_named("encoding", kind, ours)
    return None if plugin is None else _checked(plugin)


@functools.cache
def _checked(plugin: Plugin) -> type[Encoding]:
    found: Any = plugin.load()
    if not (isinstance(found, type) and issubclass(found, Encoding)):
        raise plugin.unfit(type(found).__name__ if not isinstance(found, type) else found.__name__,
                           "a class derived from neuralshade.model.encoding.Encoding")  # fmt: skip
    for name, default in settings_of(found).items():
        limits = found.limits.get(name)
        if not _within(default, limits):
            raise plugin.unfit(f"setting {name} with default {shown(default)}, limits {limits!r}",
                               "a whole number within its two limits")  # fmt: skip
    if issubclass(found, AxisEncoding) and "dimensions" not in inspect.signature(found).parameters:
        raise plugin.unfit("an AxisEncoding without dimensions=2", "that in its constructor")
    register_package(found, f"encoding {plugin.name} of {plugin.source}")
    return found


def _within(default: Any, limits: Any) -> bool:
    """Return whether a default is a whole number within two limits."""
    valid = isinstance(limits, tuple) and len(limits) == 2
    numbers = (default, *limits) if valid else ()
    return valid and all(type(n) is int for n in numbers) and limits[0] <= default <= limits[1]
