"""Exported Slang on a GPU: numbers in the text, in a buffer, and as cooperative vectors."""

import time
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.engine.kernels.infer.field_inference import field_inference
from neuralshade.gpu.clock import Patience, steps_seconds
from neuralshade.gpu.gpu import Gpu
from neuralshade.kinds.material.references.reference_bsdf import ReferenceBsdf
from neuralshade.kinds.material.speed.evaluation import batched_evaluation, graph_evaluation
from neuralshade.kinds.material.speed.screen import Screen
from neuralshade.languages.halves import in_halves
from neuralshade.languages.harness import COUNTS, GROUP, function_of, harness
from neuralshade.languages.language import Printer
from neuralshade.languages.printers import printer_of
from neuralshade.model.shader_form import Golden, ShaderForm
from neuralshade.verbs.export.check.coopvec_on_gpu import BEST, converted
from neuralshade.verbs.export.check.slang_textures import textures_on
from neuralshade.verbs.export.check.timed_rows import error_of

Row = dict[str, Any]
Floats = npt.NDArray[np.float32]
PATIENCE = Patience(0.1, 5)
VECTOR_GPUS = ("vulkan", "d3d12")
SCREENS = {False: (1920, 1080), True: (320, 176)}  # by: in software
EVAL = """
float3 eval(float2 uv, float3 wi, float3 wo)
{{
    return {name}(uv, 0.0, wi, wo);
}}
"""


def printers(gpu: Gpu, form: ShaderForm) -> dict[str, Printer]:
    """Return what prints a form in each way that this GPU runs."""
    if not form.networks:
        return {"textures" if form.textures else "buffer": printer_of(form, "slang", False)}
    ways = {"text": printer_of(form, "slang", True), "buffer": printer_of(form, "slang", False),
            "half, text": printer_of(in_halves(form), "slang", True)}  # fmt: skip
    if gpu.api in VECTOR_GPUS and "cooperative_vector" in gpu.adapter.features:
        ways["vectors"] = ways["vectors, converted"] = printer_of(form, "slang-coopvec")
    return ways


def random_rows(form: ShaderForm, golden: Golden, count: int) -> Floats:
    """Return arguments within the range of golden ones, level 0; directions of length 1 and up."""
    rng, first, columns = np.random.default_rng(0), 0, []
    for one in function_of(form, golden).parameters:
        own = golden.inputs[:, first : first + COUNTS[one.type]]
        first += COUNTS[one.type]
        drawn = rng.uniform(own.min(0), own.max(0), (count, own.shape[1]))
        if one.name == "uv":
            drawn = rng.random((count, 2))
        elif one.name in ("wi", "wo"):
            drawn = rng.normal(size=(count, 3))
            drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
            drawn[:, 2] = np.abs(drawn[:, 2])
        elif one.name in ("level", "mip"):
            drawn[:] = 0
        elif one.type.startswith("int"):
            drawn = np.floor(drawn)
        columns.append(drawn)
    return np.concatenate(columns, axis=1).astype(np.float32)


def bound(gpu: Gpu, printer: Printer, way: str) -> tuple[str, dict[str, Any]]:
    """Return what stands before a text, and its words and textures."""
    name = printer.form.name
    if way == "vectors, converted":
        return BEST.format(name=name), {f"{name}_words": converted(gpu, printer)}
    textures = textures_on(gpu, printer.form) if printer.form.textures else {}
    words = {f"{name}_words": gpu.buffer(printer.words)} if printer.reads_words else {}
    return "", textures | words


def timed(
    gpu: Gpu, printer: Printer, way: str, golden: Golden, rows: Floats
) -> tuple[float, float, float]:
    """Return ns a row, the largest error of golden rows, and seconds to compile and time."""
    program = harness(printer, function_of(printer.form, golden))
    rows = rows.copy()
    rows[: len(golden.inputs)] = golden.inputs
    answers = gpu.buffer(size=4 * len(rows) * program.results)
    head, words = bound(gpu, printer, way)
    variables = {"rows": gpu.buffer(rows), "answers": answers, **words}
    begun = time.perf_counter()
    kernel = gpu.kernel(head + program.text, program.entry, variables)
    steps = gpu.steps([(kernel, len(rows) // GROUP)])
    seconds = steps_seconds(gpu, steps, PATIENCE)
    whole = time.perf_counter() - begun
    found = answers.read().view(np.float32)[: len(golden.inputs) * program.results]
    return 1e9 * seconds / len(rows), error_of(golden, found.reshape(-1, program.results)), whole


def function_rows(gpu: Gpu, form: ShaderForm, names: list[str], count: int) -> list[Row]:
    """Return a row for each of these functions."""
    rows = []
    for golden in form.golden:
        if golden.function not in names:
            continue
        found: Row = {"function": golden.function, "multiply-adds": form.multiply_adds}
        at = random_rows(form, golden, count)
        for way, printer in printers(gpu, form).items():
            ns, error, seconds = timed(gpu, printer, way, golden, at)
            found |= {f"{way} [ns]": round(ns, 4), f"{way}, error": f"{error:.1e}",
                      f"{way}, compiled and timed [s]": round(seconds, 2)}  # fmt: skip
        print(found, flush=True)
        rows.append(found)
    return rows


def field_ns(gpu: Gpu, opened: Any, at: Floats, exact: bool) -> tuple[float, str]:
    """Return ns a position of what the package itself evaluates a field with, and its way."""
    inference = field_inference(gpu, opened.field, codes=getattr(opened, "codes", None),
                                exact=exact)  # fmt: skip
    steps, _ = inference.positions_steps(at)
    return 1e9 * steps_seconds(gpu, steps, PATIENCE) / len(at), str(inference.path)


def material_rows(gpu: Gpu, opened: Any, name: str) -> list[Row]:
    """Return microseconds of a screen of points: the exported function and the package's own."""
    form, rows = opened.shader(name), []
    for scattered in (False, True):
        screen = Screen(*SCREENS[gpu.adapter.software], opened.side, scattered, 1)
        found: Row = {"points": "scattered" if scattered else "a plane"}
        nothing = graph_evaluation(gpu, None, screen).microseconds(PATIENCE)
        found["drawing points alone [us]"] = round(nothing, 1)
        for way, printer in printers(gpu, form).items():
            head, words = bound(gpu, printer, way)
            text = head + printer.text() + EVAL.format(name=name)
            took = graph_evaluation(gpu, ReferenceBsdf(name, text, (), words), screen)
            found[f"{way} [us]"] = round(took.microseconds(PATIENCE), 1)
        for way, matrices in (("own loops", False), ("own usual", True)):
            own = batched_evaluation(gpu, opened, screen, matrices=matrices)
            found[f"{way} [us]"] = round(own.microseconds(PATIENCE), 1)
            found[f"{way} is"] = own.path or gpu.api
        print(found, flush=True)
        rows.append(found)
    return rows
