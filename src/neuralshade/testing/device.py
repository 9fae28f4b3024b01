"""GPU for a check."""

from collections.abc import Iterator
from contextlib import contextmanager

from neuralshade.gpu.gpu import Gpu
from neuralshade.gpu.open import open_gpu


@contextmanager
def some_gpu(gpu: Gpu | None) -> Iterator[Gpu]:
    """Yield ``gpu``, which stays open, or a new one that is closed after the block."""
    if gpu is not None:
        yield gpu
        return
    opened = open_gpu()
    try:
        yield opened
    finally:
        opened.close()
