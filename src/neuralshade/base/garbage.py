"""Python's collector of garbage, switched off for a while, and told what stays."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_awaited: list[str] = []  # modules whose loading ends what stays


@contextmanager
def no_collection() -> Iterator[None]:
    """Let no garbage be collected; what was on before is on again afterwards."""
    collected = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collected:
            gc.enable()


def freeze_with(module: str) -> None:
    """Let collections skip, once and for all, what is there as soon as ``module`` is loaded.

    For a process of our own: PyTorch and what loads with it are 130,000 objects that stay, and
    looking through them twice takes 0.1 s, in which no thread runs.
    """
    _awaited.append(module)


def freeze_loaded() -> None:
    """Freeze what is there now, if a module of ``freeze_with`` was loaded since the last time."""
    loaded = [module for module in _awaited if module in sys.modules]
    if loaded:
        _awaited[:] = [module for module in _awaited if module not in loaded]
        gc.freeze()
