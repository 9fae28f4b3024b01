"""Runner of cooperative vectors on Vulkan, with row-major and with optimal matrices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from neuralshade.errors import DeviceError
from neuralshade.gpu.gpu import Gpu
from neuralshade.gpu.slangpy_gpu import SlangpyBuffer, slangpy_gpu
from neuralshade.languages.coopvec import CoopVecSlang
from neuralshade.languages.harness import Program
from neuralshade.model.shader_form import Golden
from neuralshade.verbs.export.check.slang_on_gpu import run_slang
from neuralshade.verbs.export.check.timed_rows import CheckRun

BEST = "#define {name}_LAYOUT InferencingOptimal\n"


def run_vectors(gpu: Gpu, printer: CoopVecSlang, program: Program, golden: Golden) -> CheckRun:
    """Run a program with both layouts; return the worse of each number, and the shorter time.

    Raises: DeviceError where the device's layout needs more room than row-major; KernelError.
    """
    rows = run_slang(gpu, printer, program, golden)
    if not any(printer.matrices):
        return rows
    best = replace(program, text=BEST.format(name=printer.form.name) + program.text)
    found = run_slang(gpu, printer, best, golden, converted(gpu, printer))
    worse = np.abs(rows.results - golden.outputs) > np.abs(found.results - golden.outputs)
    return replace(found, results=np.where(worse, rows.results, found.results))


def converted(gpu: Gpu, printer: CoopVecSlang) -> SlangpyBuffer:
    """Return the printer's words with matrices in the device's optimal layout, in place.

    Raises: DeviceError where that takes more bytes than a matrix has in the file.
    """
    import slangpy as spy

    opened = slangpy_gpu(gpu, "cooperative vectors")
    device, half = opened.device, spy.DataType.float16
    usage = (spy.BufferUsage.shader_resource | spy.BufferUsage.unordered_access
             | spy.BufferUsage.copy_source | spy.BufferUsage.copy_destination)  # fmt: skip
    source, to = (device.create_buffer(data=printer.words, usage=usage) for _ in range(2))
    matrices = [one for placed in printer.matrices for one in placed]
    into, of = ([device.create_coop_vec_matrix_desc(one.rows, one.columns, layout, half,
                                                    one.weight_at) for one in matrices]
                for layout in (spy.CoopVecMatrixLayout.inferencing_optimal,
                               spy.CoopVecMatrixLayout.row_major))  # fmt: skip
    for one, best in zip(matrices, into, strict=True):
        if best.size > one.room:
            raise DeviceError(f"coopvec: {gpu.name} needs {best.size} bytes for a matrix of "
                              f"{one.rows} x {one.columns}, got {one.room} in the file. Use the "
                              "row-major layout there.")  # fmt: skip
    encoder = device.create_command_encoder()
    encoder.global_barrier()  # SlangPy's own barriers do not cover conversion
    encoder.convert_coop_vec_matrices(to, into, source, of)
    encoder.global_barrier()
    device.submit_command_buffer(encoder.finish())
    device.wait()
    return SlangpyBuffer(opened, to)
