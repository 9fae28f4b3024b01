"""SlangPy entry points, bound once and run many times at little host cost."""

from __future__ import annotations

import hashlib
import pathlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from neuralshade.gpu.foreign_slang import folders_of
from neuralshade.gpu.slang_com import refusal

if TYPE_CHECKING:
    import slangpy


def slang_session(
    device: slangpy.Device,
    folder: pathlib.Path | None,
    intermediates: str | None = None,
    packages: Sequence[str] = (),
) -> slangpy.SlangSession:
    """Return the device's own session, or a new one with ``folder`` as include path.

    ``packages``: of others, whose Slang files are found. ``intermediates``: how the paths of files
    begin that the compiler leaves what it makes in. A beginning that is used once only keeps the
    device's cache from reference_kernel in its place.
    """
    if folder is None and intermediates is None and not packages:
        return device.slang_session
    options = device.slang_session.desc.compiler_options  # not a copy: the device's own
    names = ("include_paths", "dump_intermediates", "dump_intermediates_prefix")
    before = {name: getattr(options, name) for name in names}
    own = [] if folder is None else [folder]
    options.include_paths = [*own, *options.include_paths, *folders_of(packages)]
    if intermediates is not None:
        options.dump_intermediates = True
        options.dump_intermediates_prefix = intermediates
    try:
        return device.create_slang_session(options)
    finally:
        for name, value in before.items():
            setattr(options, name, value)


def load_text(
    session: slangpy.SlangSession, text: str, folder: pathlib.Path | None = None
) -> slangpy.SlangModule:
    """Compile Slang text as a module; equal text gives the same module.

    ``folder``: folder of its own files.

    Raises: KernelError with the compiler's whole log.
    """
    import slangpy as spy

    name = "neuralshade_" + hashlib.sha256(text.encode()).hexdigest()[:16]
    try:
        path = None if folder is None else folder / f"{name}.slang"
        return session.load_module_from_source(name, text, path)  # each name has only one text
    except spy.SlangCompileError as error:
        raise refusal(str(error), name) from error


def _pipeline(
    device: slangpy.Device, module: slangpy.SlangModule, entry: str
) -> tuple[Any, slangpy.ComputePipeline]:
    """Return an entry point's program and the driver's pipeline.

    Raises: KernelError: the compiler finds some errors only here, such as a constant index
        beyond an array's end.
    """
    try:
        program = module.session.link_program([module], [module.entry_point(entry)])
        return program, device.create_compute_pipeline(program)
    except RuntimeError as error:
        raise refusal(str(error), entry) from error


class BoundKernel:
    """One entry point with bound variables.

    Binding variables for each dispatch costs the host ten times the dispatch itself; so
    values that change from step to step are read from buffers.
    """

    def __init__(
        self,
        device: slangpy.Device,
        module: slangpy.SlangModule,
        entry: str,
        variables: Mapping[str, Any],
    ):
        import slangpy as spy

        program, self.pipeline = _pipeline(device, module, entry)
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
    elif isinstance(value, np.ndarray) and value.ndim > 1:  # SlangPy writes vectors, not arrays
        for index, part in enumerate(value):
            _write(cursor[index], part)
    else:
        cursor.write(value)


def native(variables: Mapping[str, Any]) -> dict[str, Any]:
    """Return variables with SlangPy's objects in place of this package's."""
    return {name: _native(value) for name, value in variables.items()}


def _native(value: Any) -> Any:
    if isinstance(value, Mapping):
        return native(value)
    value = getattr(value, "buffer", value)  # of a ring
    return getattr(value, "native", value)
