"""What lies at "module:name", loaded when it is asked for."""

import importlib
from typing import Any


def loaded(place: str) -> Any:
    """Return what lies at "module:name"."""
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)
