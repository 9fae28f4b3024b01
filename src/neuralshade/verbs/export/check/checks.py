"""Check of an export in every language that runs here, against PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing, suppress
from functools import cache
from typing import Any

from neuralshade.base.progress_scope import part
from neuralshade.errors import DeviceError, KernelError
from neuralshade.gpu.gpu import Gpu
from neuralshade.gpu.open import open_gpu
from neuralshade.languages.harness import function_of, harness
from neuralshade.languages.language import Printer
from neuralshade.languages.printers import printer_of
from neuralshade.languages.program_calls import SpirvProgramPrinter
from neuralshade.languages.spirv import Spirv
from neuralshade.measure.table import Column, Row, Table
from neuralshade.model.shader_form import Golden, ShaderForm
from neuralshade.verbs.export.check.timed_rows import CheckRun, error_of

Runner = Callable[..., CheckRun]
COLUMNS = (
    Column("target", "target", right=False),
    Column("function", "function", right=False),
    Column("ran on", lambda row: row["ran_on"] or row["why_not"], right=False),
    Column("largest error", "error", ".1e"),
    Column("allowed", "allowed", ".1e"),
    Column("ns a call", "ns", ",.0f"),
    Column("right", lambda row: {True: "yes", False: "NO", None: None}[row["right"]]),
)
ONLY_PRINTED = {
    "spirv-coopvec": "not run: made of the text of slang-coopvec, which runs",
    "metal": "not run: no Metal compiler but Apple's",
}


def check_form(
    form: ShaderForm, languages: Sequence[str], in_text: bool | None, units: bool = True
) -> Table:
    """Return a row for each language and golden table; ``units``: as in ``printer_of``.

    Rows have target, function, ran_on (None where it did not run, and then why_not), error (the
    largest, in the measure of ``allowed``), allowed, ns (wall clock, a call) and right (None where
    it did not run).
    """
    rows: list[Row] = []
    with ExitStack() as held:

        @cache
        def gpu(api: str = "auto") -> Gpu:
            opened = held.enter_context(closing(open_gpu(api)))
            if api == "auto" and form.textures and opened.api == "cuda":  # where it binds none
                opened = held.enter_context(closing(open_gpu("vulkan")))
            return opened

        for language in languages:
            printer = printer_of(form, language, in_text, units)
            for golden in form.golden:
                with part(f"checking {language}: {golden.function}"):
                    rows.append(_row(printer, golden, gpu))
    return Table(rows, COLUMNS)


def _row(printer: Printer, golden: Golden, gpu: Callable[..., Gpu]) -> Row:
    row: Row = {"target": printer.name, "function": golden.function, "ran_on": None,
                "why_not": None, "error": None, "allowed": printer.allowed(golden), "ns": None,
                "right": None}  # fmt: skip
    if printer.form.program is not None and printer.form.program.untrusted:
        return row | {"why_not": "not run: this code is somebody else's; a fit of your own runs"}
    if isinstance(printer, SpirvProgramPrinter):
        return row | {"why_not": "not run: loops of Slang's in SPIR-V take naga minutes; see slang"}
    if printer.name in ONLY_PRINTED:
        return row | {"why_not": ONLY_PRINTED[printer.name]}
    try:
        if printer.name == "torch":
            from neuralshade.verbs.export.check.torch_alone import run_torch

            return row | _found(row, golden, run_torch(printer, golden))
        if printer.name == "js":
            from neuralshade.verbs.export.check.node import run_js

            return row | _found(row, golden, run_js(printer, golden))
        if isinstance(printer, Spirv):
            from neuralshade.verbs.export.check.webgpu import run_spirv

            return row | _found(row, golden, run_spirv(printer, golden))
        program = harness(printer, function_of(printer.form, golden))
        ran = _runner(printer.name, gpu)(printer, program, golden)
    except DeviceError as error:
        return row | {"why_not": f"not run: {_line(error)}"}
    except KernelError as error:
        return row | {"why_not": _line(error), "right": False}
    return row | _found(row, golden, ran)


def _line(error: Exception) -> str:
    return " ".join(str(error).split())


def _found(row: Row, golden: Golden, ran: CheckRun) -> Row:
    off = error_of(golden, ran.results)
    return {"ran_on": ran.on, "error": off, "ns": ran.ns, "right": off <= row["allowed"]}


def _runner(language: str, gpu: Callable[..., Gpu]) -> Runner:
    """Return the runner of a language. ``gpu``: opens one, once for all functions."""
    if language == "slang":
        from neuralshade.verbs.export.check.slang_on_gpu import run_slang

        return lambda *rows: run_slang(gpu(), *rows)
    if language == "slang-coopvec":
        return lambda *rows: _run_vectors(gpu, *rows)
    if language == "wgsl":
        from neuralshade.verbs.export.check.webgpu import run_wgsl

        return run_wgsl
    if language == "hlsl":
        from neuralshade.verbs.export.check.hlsl_by_dxc import run_hlsl

        return run_hlsl
    if language == "cuda":
        from neuralshade.verbs.export.check.cuda_by_nvrtc import run_cuda

        return lambda *rows: run_cuda(gpu, *rows)
    if language == "cpp":
        from neuralshade.verbs.export.check.compiled_cpp import run_cpp

        return run_cpp
    from neuralshade.verbs.export.check.opengl import run_glsl, run_glsl_es

    return run_glsl if language == "glsl" else run_glsl_es


def _run_vectors(gpu: Callable[..., Gpu], *rows: Any) -> CheckRun:
    """Run cooperative vectors on Vulkan where supported, else as loops on the CPU."""
    from neuralshade.verbs.export.check.coopvec_on_gpu import run_vectors
    from neuralshade.verbs.export.check.slang_on_cpu import run_on_cpu

    with suppress(DeviceError):
        vulkan = gpu("vulkan")
        if "cooperative_vector" in vulkan.adapter.features:
            return run_vectors(vulkan, *rows)
    return run_on_cpu(*rows)
