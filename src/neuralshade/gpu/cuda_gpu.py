"""CUDA implementation of Gpu: Slang emitted as CUDA text, compiled by NVRTC."""

from __future__ import annotations

import pathlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.gpu.cuda_builds import KernelBuilds
from neuralshade.gpu.cuda_compiler import architecture
from neuralshade.gpu.cuda_context import CudaContext
from neuralshade.gpu.cuda_launch import CudaKernel, CudaSteps
from neuralshade.gpu.cuda_memory import (
    STAGED_BYTES,
    CudaBuffer,
    CudaReader,
    CudaRing,
    CudaView,
    Staging,
)
from neuralshade.gpu.cuda_packages import driver
from neuralshade.gpu.device import NVIDIA_VENDOR_ID, AdapterInfo
from neuralshade.gpu.gpu import Dispatch, KernelText, raw_bytes

WAVE = 32  # threads, on every NVIDIA GPU
MOST_GROUPS = 2**31 - 1  # of a launch along x, on all that this package takes
BFLOAT16_SINCE = (8, 0)  # compute capability
FEATURES = ("atomic_float", "atomic_int64", "half", "wave_ops")  # on every GPU that NVRTC supports


class CudaStamps:
    """Stamps of events."""

    def __init__(self, context: CudaContext, count: int):
        flags = driver().CUevent_flags.CU_EVENT_DEFAULT
        context.enter()
        self.context = context
        self.events = [context.checked(driver().cuEventCreate(flags)) for _ in range(count)]

    def __del__(self) -> None:
        for event in self.events:
            driver().cuEventDestroy(event)

    def seconds(self, count: int) -> npt.NDArray[np.float64]:
        """Wait and return the first ``count`` times, from the first one on."""
        self.context.wait()
        elapsed, check = driver().cuEventElapsedTime, self.context.checked
        first = self.events[0]
        return np.array([check(elapsed(first, event)) * 1e-3 for event in self.events[:count]])


class CudaCommands:
    """Commands, put on the stream immediately."""

    def __init__(self, context: CudaContext):
        self.context, self._staging = context, Staging(context)

    def upload(self, buffer: Any, first_byte: int, values: npt.NDArray[Any]) -> None:
        """Copy an array into ``buffer`` from that byte on."""
        if values.nbytes <= STAGED_BYTES:
            self._staging.upload(buffer, first_byte, raw_bytes(values))
        else:
            buffer.write(first_byte, values)

    def clear(self, buffer: Any) -> None:
        """Fill a buffer with zeros."""
        context = self.context
        context.checked(driver().cuMemsetD8Async(buffer.memory, 0, buffer.size, context.stream))

    def run(self, steps: Any, times: int = 1) -> None:
        """Launch all dispatches of ``steps``, ``times`` times."""
        steps.run(times)

    def stamp(self, stamps: Any, index: int) -> None:
        """Record the time when all work before this is done."""
        context = self.context
        context.checked(driver().cuEventRecord(stamps.events[index], context.stream))

    def submit(self) -> None:
        """Do nothing: everything was sent immediately."""


class CudaGpu:
    """A Gpu: CUDA device ``index``, with a stream of its own.

    Raises: DeviceError where a package, the driver or the device is missing, or too old.
    """

    api = "cuda"

    def __init__(self, index: int = 0, builds: KernelBuilds | None = None):
        """``builds``: those of another object for this device, which outlives this one."""
        self.context, self._index = CudaContext(index), index
        self.name = self.context.name
        self.multiprocessors: int | None = self.context.multiprocessors
        self.most_groups = MOST_GROUPS
        self.architecture = architecture(self.context.capability)
        self.adapter = _adapter(self.context)
        self._commands = CudaCommands(self.context)
        self._builds = KernelBuilds(self.architecture) if builds is None else builds
        self._owns_builds = builds is None

    def beside(self) -> CudaGpu:
        """Return the same device with a stream of its own."""
        return CudaGpu(self._index, self._builds)

    def buffer(self, values: npt.NDArray[Any] | None = None, *, size: int = 0) -> CudaBuffer:
        """Return a buffer with ``values``, or of ``size`` bytes of zeros; never an empty one."""
        return CudaBuffer(self.context, values, size)

    def wrap(self, array: Any) -> CudaView:
        """Return the memory of a CUDA array, such as a torch tensor, as a buffer, uncopied.

        Raises: ShapeError for an array that is not contiguous.
        """
        return CudaView(self.context, array)

    def ring(self, dtype: npt.DTypeLike, count: int) -> CudaRing:
        """Return a ring of ``count`` zeros."""
        return CudaRing(self.context, dtype, count)

    def reader(self, buffer: Any, size: int) -> CudaReader:
        """Return a reader of the first ``size`` bytes of ``buffer``."""
        return CudaReader(self.context, buffer, size)

    # Docstrings are in Gpu; mypy compares the two.
    def kernel(
        self,
        text: str,
        entry: str,
        variables: Mapping[str, Any],
        *,
        shared_bytes: int = 0,
        fast_math: bool = False,
        folder: pathlib.Path | None = None,
    ) -> CudaKernel:
        """Compile an entry point of Slang text and bind its variables for good."""
        bound = {name: getattr(value, "buffer", value) for name, value in variables.items()}
        built = self._builds.built(KernelText(text, entry, fast_math, folder))
        return CudaKernel(self.context, built, bound, shared_bytes)

    def prepare(self, kernels: Sequence[KernelText]) -> None:
        """Begin to compile entry points in the background, in order of need."""
        self._builds.begin(kernels)

    def occupancy(self, kernel: Any) -> int:
        """Return how many groups of ``kernel`` a multiprocessor runs at once."""
        return int(kernel.occupancy())

    def steps(self, dispatches: Sequence[Dispatch]) -> CudaSteps:
        """Return ``dispatches`` prepared for running; empty ones are left out."""
        return CudaSteps(self.context, dispatches)

    def stamps(self, count: int) -> CudaStamps:
        """Return room for ``count`` times."""
        return CudaStamps(self.context, count)

    def commands(self) -> CudaCommands:
        """Return commands for the stream, to be used in this thread."""
        self.context.enter()
        return self._commands

    def wait(self) -> None:
        """Wait until all submitted work is done; DeviceError where it failed."""
        self.context.wait()

    def close(self) -> None:
        """Free resources on the device, and release it; pending builds are dropped."""
        if self._owns_builds:
            self._builds.close()
        self.context.close()


def cuda_adapters() -> list[AdapterInfo]:
    """Return the features of each CUDA device, in the driver's order.

    Raises: DeviceError where a package, the driver or every device is missing, or too old.
    """
    api = driver()
    found = []
    for index in range(max(1, api.cuDeviceGetCount()[1])):
        gpu = CudaGpu(index)
        found.append(gpu.adapter)
        gpu.close()
    return found


def _adapter(context: CudaContext) -> AdapterInfo:
    features = FEATURES + (("bfloat16",) if context.capability >= BFLOAT16_SINCE else ())
    major, minor = context.capability
    return AdapterInfo(
        context.name, "cuda", False, tuple(sorted(features)), NVIDIA_VENDOR_ID, (WAVE, WAVE),
        f"sm_{major}{minor}", context.capability, context.multiprocessors,
        context.shared_bytes,
    )  # fmt: skip
