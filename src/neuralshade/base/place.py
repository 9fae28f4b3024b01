"""What lies at "module:name", loaded when it is asked for."""

import importlib
from typing import Annotated, Any, ForwardRef


def loaded(place: str) -> Any:
    """Return what lies at "module:name"."""
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)


def later(place: str) -> Any:
    """Return what hints may name for the type at "module:name".

    It is loaded where ``typing.get_type_hints`` reads them, not before.
    """
    return Annotated[ForwardRef(f"loaded({place!r})", module=__name__), place]  # takes | in 3.10
