"""SlangPy implementation of Gpu: Vulkan, Metal, D3D12."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from neuralshade.errors import DeviceError
from neuralshade.gpu import kernel_dump
from neuralshade.gpu.device import AdapterInfo, describe_adapter, is_software, multiprocessors
from neuralshade.gpu.device_wait import StuckError, finishes_soon, is_stuck, leave_busy, wait_until
from neuralshade.gpu.foreign_slang import foreign_packages
from neuralshade.gpu.gpu import (
    Dispatch,
    KernelText,
    launches,
    lost_device,
    no_memory,
    padded_size,
    raw_bytes,
    too_many_groups,
)
from neuralshade.gpu.slangpy_kernel import BoundKernel, load_text, native, slang_session

if TYPE_CHECKING:
    import slangpy

MOST_BOUND_BYTES = 2**32 - 1  # of one buffer: Vulkan's maxStorageBufferRange is no larger


class SlangpyBuffer:
    """A Buffer; ``native`` is SlangPy's own."""

    def __init__(self, gpu: SlangpyGpu, native: slangpy.Buffer):
        self.gpu, self.native = gpu, native

    @property
    def size(self) -> int:
        """Return how many bytes there are."""
        return int(self.native.size)

    def read(self, size: int | None = None) -> npt.NDArray[np.uint8]:
        """Wait for the GPU and return a copy of the first ``size`` bytes, else of all."""
        self.gpu.wait()
        return self.native.to_numpy().view(np.uint8)[:size]


class SlangpySteps:
    """Dispatches, recorded anew each time: a command buffer can be submitted once only."""

    def __init__(self, dispatches: Sequence[Dispatch]):
        self.dispatches = [(kernel, [*groups, 1]) for kernel, groups in launches(dispatches)]


class SlangpyRing:
    """A Ring in device memory; the host's writes are uploads between dispatches."""

    def __init__(self, gpu: SlangpyGpu, dtype: npt.DTypeLike, count: int):
        self.dtype, self.count = np.dtype(dtype), count
        self.buffer = gpu.buffer(np.zeros(count, self.dtype))

    def write(self, commands: Any, first: int, values: npt.ArrayLike) -> None:
        """Record uploads of ``values``: two where they wrap around."""
        numbers, start = np.asarray(values, self.dtype), first % self.count
        split = min(len(numbers), self.count - start)
        commands.upload(self.buffer, start * self.dtype.itemsize, numbers[:split])
        if split < len(numbers):
            commands.upload(self.buffer, 0, numbers[split:])


class SlangpyReader:
    """A Reader through mapped memory: ten times faster than SlangPy's to_numpy."""

    def __init__(self, gpu: SlangpyGpu, buffer: SlangpyBuffer, size: int):
        import slangpy as spy

        self.gpu, self.buffer, self.size = gpu, buffer, size
        self.seen = gpu.device.create_buffer(
            size=size, usage=spy.BufferUsage.copy_destination, memory_type=spy.MemoryType.read_back
        )

    def read(self) -> npt.NDArray[np.uint8]:
        """Copy the bytes, wait, and return them."""
        commands = self.gpu.commands()
        commands.encoder.copy_buffer(self.seen, 0, self.buffer.native, 0, self.size)
        commands.submit()
        self.gpu.wait()
        return self.seen.to_numpy().view(np.uint8)


class SlangpyStamps:
    """Stamps of a query pool."""

    def __init__(self, gpu: SlangpyGpu, count: int):
        import slangpy as spy

        self.gpu = gpu
        self.pool = gpu.device.create_query_pool(type=spy.QueryType.timestamp, count=count)
        self.pool.reset()

    def seconds(self, count: int) -> npt.NDArray[np.float64]:
        """Wait, return the first ``count`` times, and free their slots."""
        self.gpu.wait()
        times = np.array(self.pool.get_timestamp_results(0, count))
        self.pool.reset()
        return times


class SlangpyCommands:
    """Commands in SlangPy's ``encoder``, to which SlangPy-only calls may be added."""

    def __init__(self, gpu: SlangpyGpu):
        self.gpu, self.encoder = gpu, gpu.device.create_command_encoder()

    def upload(self, buffer: Any, first_byte: int, values: npt.NDArray[Any]) -> None:
        """Copy an array into ``buffer`` from that byte on."""
        if values.size:
            self.encoder.upload_buffer_data(buffer.native, first_byte, raw_bytes(values))

    def clear(self, buffer: Any) -> None:
        """Fill a buffer with zeros."""
        self.encoder.clear_buffer(buffer.native)

    def run(self, steps: Any, times: int = 1) -> None:
        """Record all dispatches, ``times`` times."""
        with self.encoder.begin_compute_pass() as into:
            for kernel, groups in steps.dispatches * times:
                kernel.record(into, groups)

    def stamp(self, stamps: Any, index: int) -> None:
        """Record the time when all work before this is done."""
        self.encoder.write_timestamp(stamps.pool, index)

    def submit(self) -> None:
        """Send what was recorded; DeviceError where the device no longer answers."""
        try:
            with leave_busy(self.gpu.name):  # software compiles here, and signals wait for it
                sent = self.gpu.device.submit_command_buffer(self.encoder.finish())
                self.gpu.last_sent = sent
        except RuntimeError as error:
            raise lost_device(self.gpu.name, error) from error


class SlangpyGpu:
    """A Gpu on an open SlangPy ``device``, closed by ``close`` if ``owned``.

    The device needs this package's parent folder as an include path, as
    ``neuralshade.gpu.device.open_device`` sets it.
    """

    def __init__(self, device: slangpy.Device, *, owned: bool = True):
        self.device, self.owned = device, owned
        self.name: str = device.info.adapter_name
        self.api: str = device.info.type.name
        self.last_sent: int | None = None  # id of the last submission
        self._sessions: dict[tuple[Any, tuple[str, ...]], slangpy.SlangSession] = {}

    @cached_property
    def adapter(self) -> AdapterInfo:
        """Return the adapter's features."""
        return describe_adapter(self.device)

    @cached_property
    def multiprocessors(self) -> int | None:
        """Return the number of multiprocessors; None where the driver does not report it."""
        return multiprocessors(self.device)

    @cached_property
    def most_groups(self) -> int:
        """Return how many groups a dispatch may have along x."""
        return int(self.device.info.limits.max_compute_dispatch_thread_groups.x)

    def buffer(self, values: npt.NDArray[Any] | None = None, *, size: int = 0) -> SlangpyBuffer:
        """Return a buffer with ``values``, or of ``size`` bytes of zeros; never an empty one."""
        import slangpy as spy

        usage = spy.BufferUsage.shader_resource | spy.BufferUsage.unordered_access
        count = padded_size(size if values is None else values.nbytes)
        if count > MOST_BOUND_BYTES:
            raise DeviceError(
                f"memory: got {count / 2**20:.1f} MB for one buffer, need less than 4096 MB "
                f"through {self.api}. Use a smaller picture, or --device cuda."
            )
        padded = np.zeros(count, np.uint8)
        if values is not None:
            padded[: values.nbytes] = raw_bytes(values)
        try:
            return SlangpyBuffer(self, self.device.create_buffer(data=padded, usage=usage))
        except RuntimeError as error:
            raise no_memory(self.name, len(padded)) from error

    def ring(self, dtype: npt.DTypeLike, count: int) -> SlangpyRing:
        """Return a ring of ``count`` zeros."""
        return SlangpyRing(self, dtype, count)

    def reader(self, buffer: Any, size: int) -> SlangpyReader:
        """Return a reader of the first ``size`` bytes of ``buffer``."""
        return SlangpyReader(self, buffer, size)

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
    ) -> BoundKernel:
        """Compile an entry point of Slang text and bind its variables for good."""
        with self._compiling(text, entry, folder) as session:
            module = load_text(session, text, folder)
            return BoundKernel(self.device, module, entry, native(variables))

    def prepare(self, kernels: Sequence[KernelText]) -> None:
        """Do nothing: the driver makes machine code when a kernel first runs."""

    @contextmanager
    def _compiling(self, text: str, entry: str, folder: Any) -> Iterator[slangpy.SlangSession]:
        """Yield a session that compiles the text in the block; dumps its output where requested."""
        dumped = kernel_dump.begin(text, entry, self.api, folder)
        packages = foreign_packages(text)
        if dumped is None:
            yield self._session(folder, packages)
            return
        with dumped.intermediates() as beginning:
            yield slang_session(self.device, folder, beginning, packages)

    def _session(self, folder: Any, packages: tuple[str, ...]) -> slangpy.SlangSession:
        """Return a session for texts with files of ``folder``: each has its own module names."""
        key = (folder, packages)
        if key not in self._sessions:
            self._sessions[key] = slang_session(self.device, folder, None, packages)
        return self._sessions[key]

    def occupancy(self, kernel: object) -> None:
        """Return None: SlangPy does not report it."""

    def steps(self, dispatches: Sequence[Dispatch]) -> SlangpySteps:
        """Return ``dispatches`` prepared for running; empty ones are left out."""
        for _, (across, _) in launches(dispatches):
            if across > self.most_groups:
                raise too_many_groups(self.name, across, self.most_groups)
        return SlangpySteps(dispatches)

    def stamps(self, count: int) -> SlangpyStamps:
        """Return room for ``count`` times."""
        return SlangpyStamps(self, count)

    def commands(self) -> SlangpyCommands:
        """Return a new list of work, empty."""
        return SlangpyCommands(self)

    def wait(self) -> None:
        """Wait until all submitted work is done; DeviceError where it failed."""
        last = self.last_sent
        try:
            if last is not None:
                wait_until(lambda: self.device.is_submit_finished(last), self.name,
                           software=is_software(self.name))  # fmt: skip
            self.device.wait()
        except StuckError:
            raise
        except RuntimeError as error:
            raise lost_device(self.name, error) from error

    def beside(self) -> None:
        """Return None: SlangPy waits for a device with Python's lock held."""

    def close(self) -> None:
        """Close the device if this object owns it and its work ends."""
        if self.owned and not is_stuck(self.name) and self._ends():
            self.device.close()

    def _ends(self) -> bool:
        last = self.last_sent
        try:
            return last is None or finishes_soon(
                lambda: self.device.is_submit_finished(last), self.name,
                software=is_software(self.name))  # fmt: skip
        except RuntimeError:  # lost: there is no work any more
            return True


def slangpy_gpu(gpu: Any, feature: str) -> SlangpyGpu:
    """Return ``gpu`` if it is a SlangpyGpu.

    Raises: DeviceError naming the feature ``feature``, which only SlangPy has.
    """
    if not isinstance(gpu, SlangpyGpu):
        raise DeviceError(f"device: got {gpu.name} through {gpu.api}, need SlangPy for {feature}. "
                          "Open it with the API vulkan, metal or d3d12.")  # fmt: skip
    return gpu
