"""Memory that a CUDA device reads: device buffers and pinned host memory."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.errors import ShapeError
from neuralshade.gpu.cuda_context import CudaContext, CudaResource
from neuralshade.gpu.cuda_packages import driver
from neuralshade.gpu.gpu import no_memory, padded_size, raw_bytes

STAGING_BYTES = 2**20
STAGED_BYTES = 2**14  # of one upload, at most
STAGING_ALIGN = 64  # bytes, a line of the host's cache


class CudaBuffer(CudaResource):
    """A Buffer in the device's memory; PyTorch takes it by ``__cuda_array_interface__``.

    Work that PyTorch does on its memory is on another stream: ``CudaGpu.wait`` before, and
    ``torch.cuda.synchronize`` after.
    """

    def __init__(self, context: CudaContext, values: npt.NDArray[Any] | None, size: int):
        api = driver()
        self.size = padded_size(size if values is None else values.nbytes)
        context.enter()
        error, memory = api.cuMemAlloc(self.size)
        if error == api.CUresult.CUDA_ERROR_OUT_OF_MEMORY:
            free, _ = context.checked(api.cuMemGetInfo())
            raise no_memory(context.name, self.size, free)
        context.checked((error, memory))
        self.memory, self.pointer = memory, int(memory)
        super().__init__(context, api.cuMemFree, memory)
        context.checked(api.cuMemsetD8Async(memory, 0, self.size, context.stream))
        if values is not None:
            self.write(0, values)

    def write(self, first_byte: int, values: npt.NDArray[Any]) -> None:
        """Copy an array here from that byte on, in the order of the stream."""
        raw = raw_bytes(values)
        self.copy(first_byte, raw.ctypes.data, raw.size)

    def copy(self, first_byte: int, address: int, size: int) -> None:
        """Copy so many bytes at an address of the host here, in the order of the stream."""
        assert first_byte + size <= self.size, (first_byte, size, self.size)
        if size:
            copied = driver().cuMemcpyHtoDAsync(
                self.pointer + first_byte, address, size, self.context.stream
            )
            self.context.checked(copied)

    def read(self, size: int | None = None) -> npt.NDArray[np.uint8]:
        """Wait for the GPU and return a copy of the first ``size`` bytes, else of all."""
        return read_memory(self.context, self.pointer, self.size if size is None else size)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {"shape": (self.size,), "typestr": "|u1", "data": (self.pointer, False),
                "strides": None, "version": 3}  # fmt: skip


class CudaView:
    """A Buffer that is another library's memory, such as a torch tensor's; it stays that's."""

    def __init__(self, context: CudaContext, array: Any):
        about = array.__cuda_array_interface__
        if about.get("strides") is not None:
            raise ShapeError("wrap.array: got an array with gaps, need a contiguous one. "
                             "Call contiguous() on it.")  # fmt: skip
        self.context, self.array = context, array
        self.pointer = int(about["data"][0])
        self.size = int(np.prod(about["shape"])) * np.dtype(about["typestr"]).itemsize

    def read(self, size: int | None = None) -> npt.NDArray[np.uint8]:
        """Wait for the GPU and return a copy of the first ``size`` bytes, else of all."""
        return read_memory(self.context, self.pointer, self.size if size is None else size)


class HostMemory(CudaResource):
    """Memory of the host at a fixed place; ``numbers`` shows it, ``pointer`` is the device's."""

    def __init__(self, context: CudaContext, dtype: npt.DTypeLike, count: int):
        api = driver()
        self.size = np.dtype(dtype).itemsize * count
        context.enter()
        address = context.checked(api.cuMemHostAlloc(self.size, api.CU_MEMHOSTALLOC_DEVICEMAP))
        self.address = int(address)
        super().__init__(context, api.cuMemFreeHost, self.address)
        self.pointer = int(context.checked(api.cuMemHostGetDevicePointer(self.address, 0)))
        raw: Any = (ctypes.c_uint8 * self.size).from_address(self.address)
        self.numbers = np.frombuffer(raw, np.uint8).view(dtype)
        self.numbers[:] = 0

    def read(self, size: int | None = None) -> npt.NDArray[np.uint8]:
        """Wait for the GPU and return a copy of the first ``size`` bytes, else of all."""
        self.context.wait()
        return raw_bytes(self.numbers)[:size].copy()


class Staging:
    """Where small uploads wait for the device: from elsewhere the driver copies only after all
    work before is done.
    """

    def __init__(self, context: CudaContext):
        self.context, self.memory = context, HostMemory(context, np.uint8, STAGING_BYTES)
        self._next = 0

    def upload(self, buffer: CudaBuffer, first_byte: int, raw: npt.NDArray[np.uint8]) -> None:
        """Copy at most STAGED_BYTES into ``buffer``, without waiting."""
        if self._next + raw.size > STAGING_BYTES:
            self.context.wait()  # what lies at the beginning is copied then
            self._next = 0
        self.memory.numbers[self._next : self._next + raw.size] = raw
        buffer.copy(first_byte, self.memory.address + self._next, raw.size)
        self._next += -(-raw.size // STAGING_ALIGN) * STAGING_ALIGN


class CudaRing:
    """A Ring in host memory that the device reads directly.

    Each read goes over the bus: one thread should read it, not all.
    """

    def __init__(self, context: CudaContext, dtype: npt.DTypeLike, count: int):
        self.buffer, self.count = HostMemory(context, dtype, count), count

    def write(self, commands: object, first: int, values: Any) -> None:
        """Store ``values`` from ``first`` on, immediately."""
        start, numbers = first % self.count, self.buffer.numbers
        split = self.count - start
        if len(values) <= split:
            numbers[start : start + len(values)] = values
        else:
            numbers[start:] = values[:split]
            numbers[: len(values) - split] = values[split:]


class CudaReader:
    """A Reader through memory of the host that the device writes directly."""

    def __init__(self, context: CudaContext, buffer: CudaBuffer, size: int):
        self.context, self.buffer = context, buffer
        self.seen = HostMemory(context, np.uint8, size)

    def read(self) -> npt.NDArray[np.uint8]:
        """Copy the bytes, wait, and return them."""
        context, seen = self.context, self.seen
        context.enter()
        copied = driver().cuMemcpyDtoHAsync(
            seen.address, self.buffer.pointer, seen.size, context.stream
        )
        context.checked(copied)
        context.wait()
        return seen.numbers


def read_memory(context: CudaContext, pointer: int, size: int) -> npt.NDArray[np.uint8]:
    """Wait for the device and return a copy of its memory: uint8 [size]."""
    raw = np.empty(size, np.uint8)
    context.wait()  # without this, the driver waits inside the copy, deaf to signals
    copied = driver().cuMemcpyDtoHAsync(raw.ctypes.data, pointer, size, context.stream)
    context.checked(copied)
    context.wait()
    return raw
