"""Parallel map over the cores of this machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

BAND_TEXELS = 2**16  # of a picture, for a core at a time: they stay in its cache
LIMIT = "OMP_NUM_THREADS"  # limits the threads of numerical libraries; this package follows it


def core_count() -> int:
    """Return the number of cores that this process may use, LIMIT at most."""
    affinity = getattr(os, "sched_getaffinity", None)  # of Linux
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    limit = os.environ.get(LIMIT, "")
    return min(cores, max(1, int(limit))) if limit.isdecimal() else cores


def map_on_cores(
    do: Callable[[T], R], items: Sequence[T], most: int | None = None
) -> Iterator[R]:  # fmt: skip
    """Yield ``do(item)`` of each item in order, with one thread per core, ``most`` at most.

    For work that releases Python's lock. Short calls wait for it in turn: few threads do more then.
    """
    workers = min(core_count(), len(items), most or len(items))
    if workers <= 1:
        yield from map(do, items)
        return
    pool = ThreadPoolExecutor(workers, "neuralshade")
    try:
        yield from pool.map(do, items)
    finally:  # also where the caller stops early
        pool.shutdown(cancel_futures=True)


def rows_on_cores(do: Callable[[slice], object], height: int, width: int) -> None:
    """Call ``do`` with slices that cover the rows of a picture, as ``map_on_cores`` does."""
    rows = max(1, BAND_TEXELS // width)
    for _ in map_on_cores(do, [slice(row, row + rows) for row in range(0, height, rows)]):
        pass
