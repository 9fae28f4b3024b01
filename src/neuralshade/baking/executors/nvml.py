"""GPU memory of processes, by NVIDIA's management library."""

from __future__ import annotations

import ctypes
import functools
import os
import sys
from typing import Any

LIBRARY = "nvml.dll" if sys.platform == "win32" else "libnvidia-ml.so.1"
# of CUDA, and of Vulkan; a process that does both is in both, each time with all of its memory
LISTS = (
    "nvmlDeviceGetComputeRunningProcesses_v3",
    "nvmlDeviceGetGraphicsRunningProcesses_v3",
)
MOST_PROCESSES = 1024  # of a GPU
UNKNOWN = 2**64 - 1  # NVML_VALUE_NOT_AVAILABLE
FIRST_NAMESPACE = 0xEFFFFFFC  # of processes, in Linux: the number of its file


class _Process(ctypes.Structure):
    """nvmlProcessInfo_t of nvml.h."""

    _fields_ = (
        ("pid", ctypes.c_uint),
        ("used", ctypes.c_ulonglong),
        ("gpu_instance", ctypes.c_uint),
        ("compute_instance", ctypes.c_uint),
    )


def is_known() -> bool:
    """Return whether ``process_bytes`` may tell anything here."""
    return _library() is not None


def process_bytes(pid: int) -> int | None:
    """Return the memory that a process has on all GPUs now; None where that is not known.

    That is so without an NVIDIA GPU, before it uses one, and in containers: the library names
    processes by numbers that they have outside.
    """
    library = _library()
    if library is None:
        return None
    count, total = ctypes.c_uint(), 0
    if library.nvmlDeviceGetCount_v2(ctypes.byref(count)):
        return None
    for index in range(count.value):
        gpu = ctypes.c_void_p()
        if not library.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(gpu)):
            total += max(_used(getattr(library, name), gpu, pid) for name in LISTS)
    return total or None


@functools.cache
def _library() -> Any:
    """Return the library, initialized; None where it is missing, too old or of no use."""
    if not _has_true_numbers():
        return None
    try:
        library = ctypes.CDLL(LIBRARY)
        for name in LISTS:
            getattr(library, name)
        return None if library.nvmlInit_v2() else library
    except (OSError, AttributeError):
        return None


def _has_true_numbers() -> bool:
    """Return whether this process has the number that it has outside of containers."""
    try:
        return os.stat("/proc/self/ns/pid").st_ino == FIRST_NAMESPACE
    except OSError:  # not Linux
        return True


def _used(listed: Any, gpu: ctypes.c_void_p, pid: int) -> int:
    """Return what one of LISTS has of a process."""
    size, found = ctypes.c_uint(MOST_PROCESSES), (_Process * MOST_PROCESSES)()
    if listed(gpu, ctypes.byref(size), found):
        return 0
    return sum(each.used for each in found[: size.value] if each.pid == pid and each.used < UNKNOWN)
