"""Runner of exported CUDA, compiled by NVRTC, where NVIDIA's driver answers."""

from __future__ import annotations

import time
from collections.abc import Callable
from ctypes import c_int, c_void_p
from typing import Any

import numpy as np

from neuralshade.errors import DeviceError
from neuralshade.gpu.cuda_compiler import architecture, compile_cuda
from neuralshade.gpu.cuda_packages import driver, nvrtc, nvrtc_version
from neuralshade.gpu.gpu import Gpu
from neuralshade.gpu.nvidia_driver import has_nvidia_driver
from neuralshade.languages.harness import GROUP, Program
from neuralshade.languages.language import Printer
from neuralshade.model.shader_form import Golden
from neuralshade.verbs.export.check.timed_rows import ROWS, CheckRun, many_rows

OPTIONS = ("--fmad=false",)  # fused sums differ by a few units, as in C++


def run_cuda(
    gpu: Callable[..., Gpu], printer: Printer, program: Program, golden: Golden
) -> CheckRun:
    """Compile a program, and run it on ``gpu("cuda")``.

    Raises: KernelError where it does not compile; DeviceError without NVRTC, or without an
        NVIDIA GPU to run it.
    """
    version = ".".join(map(str, nvrtc_version()))
    if not has_nvidia_driver():
        _, known = nvrtc().nvrtcGetSupportedArchs()
        compile_cuda(program.text, f"sm_{min(known)}", options=OPTIONS)
        raise DeviceError(f"cuda: compiled by NVRTC {version}, but got no NVIDIA driver with a "
                          "GPU, need one. Check it on a machine that has one.")  # fmt: skip
    opened: Any = gpu("cuda")
    context, api = opened.context, driver()
    code = compile_cuda(program.text, architecture(context.capability), options=OPTIONS)
    context.enter()
    module = context.checked(api.cuModuleLoadData(code.cubin))
    try:
        entry = context.checked(api.cuModuleGetFunction(module, program.entry.encode()))
        rows, answers = opened.buffer(many_rows(golden)), opened.buffer(
            size=4 * ROWS * program.results)  # fmt: skip
        words = opened.buffer(printer.words) if printer.reads_words else None
        values = (words.pointer if words else 0, rows.pointer, answers.pointer, ROWS)
        arguments = (values, (c_void_p, c_void_p, c_void_p, c_int))
        least = float("inf")
        context.wait()
        for _ in range(4):
            begun = time.perf_counter()
            launched = api.cuLaunchKernel(entry, ROWS // GROUP, 1, 1, GROUP, 1, 1, 0,
                                          context.stream, arguments, 0)  # fmt: skip
            if launched[0]:
                context.checked(launched)
            context.wait()
            least = min(least, time.perf_counter() - begun)
        found = answers.read().view(np.float32)[: ROWS * program.results].reshape(ROWS, -1)
    finally:
        api.cuModuleUnload(module)
    return CheckRun(found[: len(golden.inputs)].copy(), least / ROWS * 1e9,
               f"{opened.name}, NVRTC {version}")  # fmt: skip
