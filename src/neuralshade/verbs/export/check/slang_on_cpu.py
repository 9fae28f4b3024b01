"""Runner of exported Slang on the CPU, where cooperative vectors are loops."""

from __future__ import annotations

import shutil
from contextlib import closing

import numpy as np
import numpy.typing as npt

from neuralshade.errors import DeviceError, KernelError
from neuralshade.languages.harness import Program
from neuralshade.languages.language import Printer
from neuralshade.model.shader_form import Golden
from neuralshade.verbs.export.check.timed_rows import CheckRun

COMPILERS = ("g++", "clang++", "cl")  # Slang calls one of them


def run_on_cpu(printer: Printer, program: Program, golden: Golden) -> CheckRun:
    """Run a program of Slang for its golden rows alone, untimed.

    Raises: DeviceError where slangpy or a C++ compiler is missing; KernelError where the text does
        not compile.
    """
    if not any(map(shutil.which, COMPILERS)):
        raise DeviceError("Slang on the CPU: got no C++ compiler, need g++ or clang++. Install "
                          "one, or check on a GPU with cooperative vectors.")  # fmt: skip
    try:
        import slangpy as spy
    except ImportError as error:
        raise DeviceError("Slang on the CPU: got no slangpy, need it. pip install slangpy") from (
            error
        )
    with closing(spy.create_device(type=spy.DeviceType.cpu)) as device:

        def buffer(values: npt.NDArray[np.float32 | np.uint32]) -> spy.Buffer:
            usage = spy.BufferUsage.shader_resource | spy.BufferUsage.unordered_access
            return device.create_buffer(usage=usage, data=np.ascontiguousarray(values))

        rows = len(golden.inputs)
        answers = buffer(np.zeros((rows, program.results), np.float32))
        bound = {"rows": buffer(golden.inputs), "answers": answers}
        if printer.reads_words:
            bound[f"{printer.form.name}_words"] = buffer(printer.words)
        try:
            module = device.load_module_from_source("exported", program.text)
            entry = module.entry_point(program.entry)
            kernel = device.create_compute_kernel(device.link_program([module], [entry]))
        except RuntimeError as error:
            raise KernelError(str(error)) from error
        kernel.dispatch(thread_count=[rows, 1, 1], vars=bound)
        found = answers.to_numpy().view(np.float32).reshape(rows, -1)
        return CheckRun(found.copy(), None, "Slang on the CPU")
