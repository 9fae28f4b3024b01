"""Keeping freed memory for the next step instead of handing it back to the system."""

import ctypes
import functools
import sys

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # of mallopt(3)
MMAP_BYTES = 32 * 2**20  # the most that glibc takes
TRIM_BYTES = 256 * 2**20  # free memory at the end of the heap that stays with the process


@functools.cache
def keep_heap() -> None:
    """Ask glibc to serve buffers of up to 32 MB from its heap; elsewhere do nothing.

    By default every buffer of a batch is mapped afresh, and touching it costs a page fault
    per 4 KB: a quarter of a step's time when measured (2.44 ms against 1.89 ms). The setting
    holds for the process; at most 256 MB more stay with it.
    """
    if not sys.platform.startswith("linux"):
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # musl has none
    if mallopt is not None:
        mallopt(M_MMAP_THRESHOLD, MMAP_BYTES)
        mallopt(M_TRIM_THRESHOLD, TRIM_BYTES)
