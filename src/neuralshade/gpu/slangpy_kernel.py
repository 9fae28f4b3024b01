"""Entry points that SlangPy compiled, and how to run them many times for little host time."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from neuralshade.errors import KernelError

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


class BoundKernel:
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
        into.dispatch_compute(list(groups))


def _write(cursor: Any, value: Any) -> None:
    if isinstance(value, Mapping):
        for name, part in value.items():
            _write(cursor[name], part)
    else:
        cursor.write(value)
