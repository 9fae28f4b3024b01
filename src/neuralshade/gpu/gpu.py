"""GPU interface of the engine, the same for CUDA and SlangPy."""

from __future__ import annotations

import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from neuralshade.errors import DeviceError
from neuralshade.gpu.device import AdapterInfo


class Buffer(Protocol):
    """GPU memory; freed with this object and the kernels that it is bound to."""

    @property
    def size(self) -> int:
        """Return the size in bytes."""

    def read(self, size: int | None = None) -> npt.NDArray[np.uint8]:
        """Wait for the GPU and return a copy of the first ``size`` bytes, else of all: uint8."""


# Line of a text that runs for short: CUDA compiles it in half the time, to code that may be slower.
QUICK = "// CUDA: compiled quickly\n"


@dataclass(frozen=True)
class KernelText:
    """An entry point of Slang text with its compile options; see ``Gpu.kernel``."""

    text: str
    entry: str
    fast_math: bool = False
    folder: pathlib.Path | None = None


class Kernel(Protocol):
    """One entry point with bound variables."""


Groups = int | tuple[int, int]  # along x, or along x and y
Dispatch = tuple[Kernel, Groups]


class Steps(Protocol):
    """A sequence of dispatches, prepared for repeated runs."""


class Ring(Protocol):
    """Numbers that the host writes and kernels read, in a ring buffer.

    Number ``i`` lies at ``i % count``. Overwritten numbers must no longer be in use.
    """

    @property
    def buffer(self) -> Buffer:
        """Return the buffer to bind to kernels."""

    def write(self, commands: Commands, first: int, values: npt.ArrayLike) -> None:
        """Store ``values`` from ``first`` on, for ``commands`` that run after this."""


class Reader(Protocol):
    """The first bytes of a buffer, for frequent cheap downloads."""

    def read(self) -> npt.NDArray[np.uint8]:
        """Wait for the GPU and return the bytes; the next call overwrites them."""


class Stamps(Protocol):
    """Times of the GPU's own clock."""

    def seconds(self, count: int) -> npt.NDArray[np.float64]:
        """Wait for the GPU and return the first ``count`` times, from any one beginning."""


class Commands(Protocol):
    """Work for the GPU, executed in the order of the calls, started by ``submit``."""

    def upload(self, buffer: Buffer, first_byte: int, values: npt.NDArray[Any]) -> None:
        """Copy an array into ``buffer`` from that byte on."""

    def clear(self, buffer: Buffer) -> None:
        """Fill a buffer with zeros."""

    def run(self, steps: Steps, times: int = 1) -> None:
        """Run all dispatches of ``steps``, ``times`` times."""

    def stamp(self, stamps: Stamps, index: int) -> None:
        """Record the time when all work before this is done."""

    def submit(self) -> None:
        """Send what was recorded; DeviceError where the device no longer answers."""


class Gpu(Protocol):
    """An open GPU, for use by one thread at a time; several may be open."""

    @property
    def name(self) -> str:
        """Return the adapter's name, from its driver."""

    @property
    def api(self) -> str:
        """Return one of APIS of ``neuralshade.gpu.device``."""

    @property
    def adapter(self) -> AdapterInfo:
        """Return the adapter's features."""

    @property
    def multiprocessors(self) -> int | None:
        """Return the number of multiprocessors; None where the driver does not report it."""

    @property
    def most_groups(self) -> int:
        """Return how many groups a dispatch may have along x."""

    def buffer(self, values: npt.NDArray[Any] | None = None, *, size: int = 0) -> Buffer:
        """Return a buffer with ``values``, or of ``size`` bytes of zeros; never an empty one.

        Raises: DeviceError where the memory is too small, or the size cannot be bound to
            kernels.
        """

    def ring(self, dtype: npt.DTypeLike, count: int) -> Ring:
        """Return a ring of ``count`` zeros."""

    def reader(self, buffer: Buffer, size: int) -> Reader:
        """Return a reader of the first ``size`` bytes of ``buffer``."""

    def kernel(
        self,
        text: str,
        entry: str,
        variables: Mapping[str, Any],
        *,
        shared_bytes: int = 0,
        fast_math: bool = False,
        folder: pathlib.Path | None = None,
    ) -> Kernel:
        """Compile an entry point of Slang text and bind its variables.

        Args:
            variables: by name a Buffer, a Ring, a number, an array, or for a struct a dict of
                these; names that the text does not declare are ignored.
            shared_bytes: of group-shared memory whose size the text leaves open, which only
                CUDA has; elsewhere the text declares its own, and this is ignored.
            fast_math: on CUDA, float32 sines, exponentials and quotients may be as coarse as
                float16; elsewhere the driver decides.
            folder: folder of the text's own files, besides this package's; their content must
                not change.

        Raises: KernelError with the compiler's whole log.
        """

    def prepare(self, kernels: Sequence[KernelText]) -> None:
        """Begin to compile entry points in the background, where that saves time, and return.

        Builds begin in this order, after those of earlier calls, one per core at a time;
        ``kernel`` waits for the one it needs, and raises its errors. A text that has begun
        already is skipped.
        """

    def occupancy(self, kernel: Kernel) -> int | None:
        """Return how many groups of ``kernel`` a multiprocessor runs at once; None if unknown."""

    def steps(self, dispatches: Sequence[Dispatch]) -> Steps:
        """Return ``dispatches`` prepared for running; empty ones are left out.

        Raises: DeviceError for more than ``most_groups``.
        """

    def stamps(self, count: int) -> Stamps:
        """Return room for ``count`` times."""

    def commands(self) -> Commands:
        """Return a new list of work, empty."""

    def wait(self) -> None:
        """Wait until all submitted work is done; DeviceError where it failed."""

    def beside(self) -> Gpu | None:
        """Return the same device for another thread, whose work waits for none of this one's.

        It has what is compiled here, and is to be closed before this. None where an API can't.
        Raises: DeviceError where the memory is too small.
        """

    def close(self) -> None:
        """Free resources on the device, and close it if it was opened for this object."""


def bound_kernel(
    gpu: Gpu, kernel: KernelText, variables: Mapping[str, Any], *, shared_bytes: int = 0
) -> Kernel:
    """Return ``Gpu.kernel`` of a text that may have been prepared."""
    return gpu.kernel(kernel.text, kernel.entry, variables, shared_bytes=shared_bytes,
                      fast_math=kernel.fast_math, folder=kernel.folder)  # fmt: skip


def run_steps(gpu: Gpu, steps: Steps) -> None:
    """Run all dispatches of ``steps`` once."""
    commands = gpu.commands()
    commands.run(steps)
    commands.submit()


def run_once(gpu: Gpu, dispatches: Sequence[Dispatch]) -> None:
    """Run dispatches one after the other."""
    run_steps(gpu, gpu.steps(dispatches))


def write_once(gpu: Gpu, into: Buffer, values: npt.NDArray[Any], first_byte: int = 0) -> None:
    """Upload an array's bytes, row-major, into a buffer from ``first_byte`` on."""
    commands = gpu.commands()
    commands.upload(into, first_byte, raw_bytes(values))
    commands.submit()


def launches(dispatches: Sequence[Dispatch]) -> list[tuple[Any, tuple[int, int]]]:
    """Return kernels with their groups along x and y, without empty ones."""
    sides = [
        (kernel, (groups, 1) if isinstance(groups, int) else groups)
        for kernel, groups in dispatches
    ]
    return [(kernel, groups) for kernel, groups in sides if all(groups)]


def raw_bytes(values: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    """Return the bytes of an array, row-major: uint8 [bytes]."""
    return np.ascontiguousarray(values).reshape(-1).view(np.uint8)


def padded_size(size: int) -> int:
    """Return the size of a buffer for ``size`` bytes: never 0, a multiple of 4."""
    return (max(16, size) + 3) // 4 * 4


def too_many_groups(name: str, groups: int, most: int) -> DeviceError:
    """Return the error for a dispatch that is too large for a device."""
    return DeviceError(f"dispatch: got {groups} groups, need {most} or fewer on {name}. "
                       "Take a smaller size, bpp or grids.")  # fmt: skip


def lost_device(name: str, reason: object) -> DeviceError:
    """Return the error for a device that failed while it ran."""
    return DeviceError(
        f"device: got an error from {name} ({reason}), need one that answers. "
        "Resume from the last checkpoint, or start again."
    )


def no_memory(name: str, size: int, free: int | None = None) -> DeviceError:
    """Return the error for a failed allocation of ``size`` bytes; ``free``: available bytes."""
    amount = f"{size / 2**20:.1f} MB"
    remedy = "Take a smaller picture, size, bpp, grids or batch, or close what else uses the GPU."
    if free is None:
        return DeviceError(f"memory: got no {amount} on {name}, need them for this fit. {remedy}")
    return DeviceError(f"memory: got {free / 2**20:.1f} MB free on {name}, need {amount} more "
                       f"for this fit. {remedy}")  # fmt: skip
