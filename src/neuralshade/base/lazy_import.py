"""Imports by "module:name", on first use."""

import importlib
from types import ModuleType
from typing import Annotated, Any, ForwardRef

from neuralshade.base.garbage import freeze_loaded, no_collection


def import_object(place: str) -> Any:
    """Return the object at "module:name"."""
    module, _, name = place.partition(":")
    # what modules make stays: looking for garbage took a tenth of the time of loading PyTorch
    with no_collection():
        found = getattr(importlib.import_module(module), name)
        freeze_loaded()
    return found


class _LazyModule(ModuleType):
    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(self.__name__), name)


def lazy_module(name: str) -> Any:
    """Return a stand-in for a module, which imports it when one of its names is first used."""
    return _LazyModule(name)


def lazy_type(place: str) -> Any:
    """Return a type hint for the type at "module:name".

    ``typing.get_type_hints`` imports it, nothing before.
    """
    # Annotated: takes | in 3.10
    return Annotated[ForwardRef(f"import_object({place!r})", module=__name__), place]
