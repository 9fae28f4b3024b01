"""Compiled entry points, and how to run them many times for little host time."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from neuralshade.errors import DeviceError, KernelError

if TYPE_CHECKING:
    import slangpy


def load_text(device: slangpy.Device, text: str) -> slangpy.SlangModule:
    """Compile Slang text as a module; equal text gives the module that was compiled before.

    Raises: KernelError with all that the compiler said.
    """
    import slangpy as spy

    name = "neuralshade_" + hashlib.sha256(text.encode()).hexdigest()[:16]
    try:
        return device.load_module_from_source(name, text)  # a name may stand for one text only
    except spy.SlangCompileError as error:
        raise KernelError(f"{name}: got Slang text that does not compile, need one that does. "
                          f"The compiler says:\n{error}") from error  # fmt: skip


def device_buffer(
    device: slangpy.Device, values: npt.NDArray[Any] | None = None, *, size: int = 0
) -> slangpy.Buffer:
    """Return a buffer with ``values``, or of ``size`` bytes of zeros; never an empty one.

    Raises: DeviceError where the device has not so much memory.
    """
    import slangpy as spy

    usage = spy.BufferUsage.shader_resource | spy.BufferUsage.unordered_access
    count = max(16, size if values is None else values.nbytes)
    padded = np.zeros((count + 3) // 4 * 4, np.uint8)
    if values is not None:
        padded[: values.nbytes] = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
    try:
        return device.create_buffer(data=padded, usage=usage)
    except RuntimeError as error:
        megabytes, name = len(padded) / 2**20, device.info.adapter_name
        raise DeviceError(
            f"memory: got no {megabytes:.1f} MB on {name}, need them for this fit. "
            "Lower bpp, the grids or batch, or close what else uses the GPU."
        ) from error


def read_back_buffer(device: slangpy.Device, size: int) -> slangpy.Buffer:
    """Return ``size`` bytes that the device copies into and the host reads at once."""
    import slangpy as spy

    return device.create_buffer(
        size=size, usage=spy.BufferUsage.copy_destination, memory_type=spy.MemoryType.read_back
    )


class Kernel:
    """One entry point with its variables bound for good.

    Binding variables anew for each dispatch costs the host ten times the dispatch itself; so
    what changes from step to step is read from buffers.
    """

    def __init__(
        self,
        device: slangpy.Device,
        module: slangpy.SlangModule,
        entry: str,
        variables: Mapping[str, Any],
    ):
        import slangpy as spy

        program = device.link_program([module], [module.entry_point(entry)])
        self.pipeline = device.create_compute_pipeline(program)
        self.root = device.create_root_shader_object(program)
        cursor = spy.ShaderCursor(self.root)
        for name, value in variables.items():
            if cursor.has_field(name):
                _write(cursor[name], value)

    def record(self, into: slangpy.ComputePassEncoder, groups: Sequence[int]) -> None:
        """Add a dispatch of so many groups (x, y, z) to a pass."""
        into.bind_pipeline(self.pipeline, self.root)
        into.dispatch_compute([*groups, 1, 1][:3])


def _write(cursor: Any, value: Any) -> None:
    if isinstance(value, Mapping):
        for name, part in value.items():
            _write(cursor[name], part)
    else:
        cursor.write(value)
