"""NVIDIA's driver before a device opens: whether it answers, and its start in the background.

On an H200's host it takes 0.4 s to initialize and 0.1 to 0.3 s to make a context, in C without
Python's lock. The command of a fit begins both in a thread, while PyTorch loads.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

LIBRARY = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
FIRST = 0  # index of the device that fits open
CALLS = ("cuInit", "cuDeviceGet", "cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease_v2")


class DriverStart:
    """Thread that initializes the driver and retains the primary context of its first device.

    That is the context which ``CudaContext`` takes: the driver counts how often it is retained.
    Errors are ignored: opening the device raises them, too. The thread imports nothing, so that it
    and the main thread never wait for each other's imports.
    """

    def __init__(self, driver: Any):
        self.initialized, self.ended = threading.Event(), threading.Event()
        self._driver, self._device = driver, ctypes.c_int()
        self._lock = threading.Lock()  # of the next two
        self._retained = self._dropped = False
        threading.Thread(target=self._run, name="neuralshade driver", daemon=True).start()

    def release(self) -> None:
        """Release the context, at once or as soon as the thread has it."""
        with self._lock:
            retained, self._retained, self._dropped = self._retained, False, True
        if retained:
            self._driver.cuDevicePrimaryCtxRelease_v2(self._device)

    def _run(self) -> None:
        try:
            failed = self._driver.cuInit(0)
            self.initialized.set()
            if not failed and not self._dropped:
                self._retain()
        finally:
            self.initialized.set()
            self.ended.set()

    def _retain(self) -> None:
        driver, context = self._driver, ctypes.c_void_p()
        if driver.cuDeviceGet(ctypes.byref(self._device), FIRST):
            return
        if driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), self._device):
            return
        with self._lock:
            dropped, self._retained = self._dropped, not self._dropped
        if dropped:
            driver.cuDevicePrimaryCtxRelease_v2(self._device)


_start: DriverStart | None = None  # of the fit that the command line runs


@contextmanager
def driver_started() -> Iterator[None]:
    """Context in which the driver starts in the background; nothing happens without a driver.

    Its end waits for the thread, which must not be in the driver while the process ends; after
    Ctrl-C it does not, as the process then ends at once.
    """
    global _start
    driver = load_driver()
    if driver is None or not all(hasattr(driver, name) for name in CALLS):
        yield
        return
    started = _start = DriverStart(driver)
    interrupted = False
    try:
        yield
    except KeyboardInterrupt:
        interrupted = True
        raise
    finally:
        _start = None
        started.release()
        if not interrupted:
            started.ended.wait()


@contextmanager
def started_context() -> Iterator[None]:
    """Context in which a CUDA device opens: what was started is there, and is released after."""
    started = _start
    if started is None:
        yield
        return
    started.ended.wait()
    try:
        yield
    finally:
        started.release()


def initialized_driver() -> Any:
    """Return NVIDIA's driver, initialized; None where it is missing or has no GPU."""
    if _start is not None:
        _start.initialized.wait()
    driver = load_driver()
    return driver if driver is not None and driver.cuInit(0) == 0 else None


def has_nvidia_driver() -> bool:
    """Return whether NVIDIA's driver is there and has a GPU; loads nothing else."""
    return initialized_driver() is not None


def load_driver() -> Any:
    """Return the library of NVIDIA's driver; None where it is missing."""
    try:
        return ctypes.CDLL(LIBRARY)
    except OSError:
        return None
