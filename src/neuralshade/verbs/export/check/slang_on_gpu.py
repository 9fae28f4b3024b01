"""Runner of exported Slang by SlangPy, on a GPU or on software Vulkan."""

from __future__ import annotations

import time

import numpy as np

from neuralshade.gpu.gpu import Buffer, Gpu
from neuralshade.gpu.module_files import files_folder
from neuralshade.languages.harness import GROUP, Program
from neuralshade.languages.language import Printer
from neuralshade.model.shader_form import Golden
from neuralshade.verbs.export.check.slang_textures import textures_on
from neuralshade.verbs.export.check.timed_rows import ROWS, CheckRun, many_rows


def run_slang(
    gpu: Gpu, printer: Printer, program: Program, golden: Golden, words: Buffer | None = None
) -> CheckRun:
    """Run a program of Slang on an open GPU. Raises KernelError where it does not compile.

    ``words``: already on the GPU, instead of the printer's.
    """
    rows = many_rows(golden)
    answers = gpu.buffer(size=4 * ROWS * program.results)
    variables = {"rows": gpu.buffer(rows), "answers": answers}
    if printer.reads_words:
        variables[f"{printer.form.name}_words"] = words or gpu.buffer(printer.words)
    if printer.form.textures:
        variables |= textures_on(gpu, printer.form)
    files = printer.neighbors()
    folder = files_folder({name: text.decode() for name, text in files.items()}) if files else None
    kernel = gpu.kernel(program.text, program.entry, variables, folder=folder)
    steps = gpu.steps([(kernel, ROWS // GROUP)])
    least = float("inf")
    for _ in range(4):
        begun = time.perf_counter()
        commands = gpu.commands()
        commands.run(steps)
        commands.submit()
        gpu.wait()
        least = min(least, time.perf_counter() - begun)
    found = answers.read().view(np.float32)[: ROWS * program.results].reshape(ROWS, -1)
    return CheckRun(
        found[: len(golden.inputs)].copy(), least / ROWS * 1e9, f"{gpu.name}, {gpu.api}"
    )
