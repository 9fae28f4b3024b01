"""Parts of PyTorch that no fit uses, loaded when something asks for them.

``import torch`` took 1.7 s on a machine with an H200, a third of it for what its compiler and its
export need. Only a process of our own defers that: a command, or a worker of bakes.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import threading
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

META = "torch._meta_registrations"  # what the compiler and the meta device know of operators
PARTS = (META, "torch.export")
COMPILER = "torch._dynamo"  # needs them, and asks for no name
PLACES = "torch._library.utils"  # tells where an operator was registered
# Classes of generators: of PyTorch from 2.14 on, and of 2.13. Older ones set theirs at once.
GENERATORS = (("torch._custom_class_base", "CustomClassBaseMeta"),
              ("torch._opaque_base", "OpaqueBaseMeta"))  # fmt: skip


class _Deferred(ModuleType):
    """Stands for a module until one of its names is used."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__path__":  # Python looks for those itself
            raise AttributeError(name)
        return getattr(_FINDER.load(self.__name__), name)


class _Finder:
    """Finds the modules that it defers; it is the first that Python asks."""

    def __init__(self) -> None:
        self._deferred = set[str]()
        self._places_named = False
        self._lock = threading.RLock()  # a module may ask for another that is deferred

    def defer(self, names: Sequence[str]) -> None:
        """Let modules that are not loaded yet wait until they are used."""
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)
        self._deferred |= {name for name in names if name not in sys.modules}

    def load(self, name: str) -> ModuleType:
        """Return a module that was deferred."""
        with self._lock:
            if name in self._deferred:
                self._deferred.discard(name)
                sys.modules.pop(name, None)
        return importlib.import_module(name)

    def load_all(self) -> None:
        """Load what is deferred; what was not imported yet is deferred no longer."""
        for name in sorted(self._deferred):
            if name in sys.modules:
                self.load(name)
        self._deferred.clear()

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Return a stand-in's place for a module that is deferred, as Python's import asks."""
        if name == COMPILER:
            self.load_all()
        if not self._places_named:
            self._places_named = _name_places_at_once()
        if name == META and name in self._deferred and not _generators_work():
            self._deferred.discard(name)
        loader: Any = self  # importlib.abc, which names what it lacks, takes 25 ms to load
        return ModuleSpec(name, loader) if name in self._deferred else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module's stand-in."""
        return ModuleType(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Load it by its names from now on; Python has looked some up itself before."""
        module.__class__ = _Deferred


def _name_places_at_once() -> bool:
    """Name places where operators are registered as PyTorch does, but without its search.

    It looks for the line among the sources of all modules, and drops it: 0.04 s. Returns whether
    that could be done: PyTorch's function is there early, before it registers any.
    """
    places: Any = sys.modules.get(PLACES)
    if hasattr(places, "get_source"):
        places.get_source = _place
        return True
    return False


def _place(stacklevel: int) -> str:
    frame = sys._getframe(stacklevel)
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def _generators_work() -> bool:
    """Return whether random generators can be made without ``META``.

    PyTorch sets their metaclass deep in its imports, and makes none before. Where it has another
    than ``GENERATORS``, all of it is loaded.
    """
    c_module: Any = sys.modules["torch._C"]
    try:
        if hasattr(c_module, "_set_generator_metaclass"):
            place, name = next(each for each in GENERATORS if importlib.util.find_spec(each[0]))
            metaclass = getattr(importlib.import_module(place), name)
            c_module._set_generator_metaclass(metaclass)
        c_module.Generator()
    except (AttributeError, ImportError, RuntimeError, StopIteration):
        return False
    return True


_FINDER = _Finder()


def defer_parts_of_pytorch() -> None:
    """Let PyTorch, if it is not loaded yet, leave out what fits do not use until it is used."""
    defer(PARTS)


def defer(names: Sequence[str]) -> None:
    """Let modules that are not loaded yet wait until one of their names is used."""
    _FINDER.defer(names)


def load_deferred() -> None:
    """Load all that was left out, for code of others."""
    _FINDER.load_all()
