"""CUDA context of an open device: its stream and its resources."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from neuralshade.base.ahead import run_beside
from neuralshade.errors import DeviceError
from neuralshade.gpu.cuda_compiler import check_driver, check_known
from neuralshade.gpu.cuda_packages import driver
from neuralshade.gpu.device_wait import is_stuck, wait_until
from neuralshade.gpu.gpu import lost_device


class CudaContext:
    """The primary context of device ``index``, shared with PyTorch, and a stream.

    Raises: DeviceError where a package, the driver or the device is missing, or too old.
    """

    def __init__(self, index: int = 0):
        api = driver()
        self.device = _opened(api.cuDeviceGet(index))
        self.name = _opened(api.cuDeviceGetName(256, self.device)).split(b"\0")[0].decode()
        check_driver(self.name, _opened(api.cuDriverGetVersion()))
        attribute = api.CUdevice_attribute
        self.capability = (
            self.attribute(attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
            self.attribute(attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
        )
        check_known(self.name, self.capability)
        self.multiprocessors = self.attribute(attribute.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
        self.shared_bytes = self.attribute(
            attribute.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
        )
        self.handle = _opened(api.cuDevicePrimaryCtxRetain(self.device))
        self._set_current = api.cuCtxSetCurrent
        self.enter()
        self.stream = self.checked(api.cuStreamCreate(api.CUstream_flags.CU_STREAM_NON_BLOCKING))
        self._owned: weakref.WeakSet[CudaResource] = weakref.WeakSet()
        self._leave = weakref.finalize(self, _leave, self.name, self.handle, self.stream,
                                       self.device)  # fmt: skip

    def attribute(self, attribute: Any) -> int:
        """Return an attribute of the device."""
        return int(_opened(driver().cuDeviceGetAttribute(attribute, self.device)))

    def enter(self) -> None:
        """Make this the thread's current context."""
        self._set_current(self.handle)

    def checked(self, answer: Any) -> Any:
        """Return the results of a driver call without its error code; DeviceError if it failed."""
        if answer[0]:
            raise lost_device(self.name, error_name(answer[0]))
        return answer[1] if len(answer) == 2 else answer[1:]

    def wait(self) -> None:
        """Wait for the stream; DeviceError where something on it failed."""
        api = driver()
        self.enter()

        def is_done() -> bool:
            answer = api.cuStreamQuery(self.stream)
            if answer[0] == api.CUresult.CUDA_ERROR_NOT_READY:
                return False
            self.checked(answer)
            return True

        wait_until(is_done, self.name)

    def register(self, thing: CudaResource) -> None:
        """Free ``thing`` when this is closed, at the latest."""
        self._owned.add(thing)

    def close(self) -> None:
        """Free all resources, and release the device, which takes the driver 0.07 s."""
        for thing in list(self._owned):
            thing.free()
        run_beside(self._leave)
        self._set_current = _closed


class CudaResource:
    """A resource on a device, freed with this object, or earlier by ``free``."""

    def __init__(self, context: CudaContext, release: Callable[..., object], *handles: Any):
        self.context = context
        # the finalizer holds the context, so that it outlives its resources
        self.free = weakref.finalize(self, _release, context, release, *handles)
        context.register(self)


def error_name(error: Any) -> str:
    """Return the driver's name of an error."""
    failed, name = driver().cuGetErrorName(error)
    return str(error) if failed else name.decode()


def _opened(answer: Any) -> Any:
    if answer[0]:
        raise DeviceError(f"device: got {error_name(answer[0])} from NVIDIA's driver, need a CUDA "
                          "device. Install NVIDIA's driver, or use vulkan.")  # fmt: skip
    return answer[1] if len(answer) == 2 else answer[1:]


def _closed(handle: object) -> None:
    raise DeviceError("device: got work for a CUDA device that was closed, need an open one. "
                      "Open it again.")  # fmt: skip


def _release(context: CudaContext, release: Callable[..., object], *handles: Any) -> None:
    if is_stuck(context.name):  # freed when the process ends
        return
    driver().cuCtxSetCurrent(context.handle)
    driver().cuStreamSynchronize(context.stream)  # it may be in use
    release(*handles)  # after a failure every call fails: no error is raised


def _leave(name: str, handle: Any, stream: Any, device: Any) -> None:
    if is_stuck(name):
        return
    api = driver()
    api.cuCtxSetCurrent(handle)
    api.cuStreamDestroy(stream)
    api.cuDevicePrimaryCtxRelease(device)
