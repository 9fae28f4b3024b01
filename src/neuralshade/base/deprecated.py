"""Old names that still work, with one warning each."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Any

_WARNED: set[str] = set()


def warn_renamed(old: str, new: str, stacklevel: int = 3) -> None:
    """Warn once in a process that ``old`` is called ``new`` now."""
    if old not in _WARNED:
        _WARNED.add(old)
        warnings.warn(f"{old} is now {new}", DeprecationWarning, stacklevel=stacklevel)


def renamed_names(module: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a ``__getattr__`` for ``module`` that finds renamed things by their old names."""

    def find(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        warn_renamed(f"{module}.{name}", f"{module}.{names[name]}")
        return getattr(sys.modules[module], names[name])

    return find
