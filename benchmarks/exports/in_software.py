"""Exported functions in each runtime of this machine, beside what the package draws on a CPU."""

import time
from typing import Any

import numpy as np
import torch

from neuralshade.languages.printers import printer_of
from neuralshade.measure.table import Row
from neuralshade.model.shader_form import ShaderForm
from neuralshade.verbs.export.check.checks import check_form

LANGUAGES = ("slang", "wgsl", "glsl", "glsl-es", "cpp")
PLAIN = ("slang", "hlsl", "wgsl", "glsl", "glsl-es", "cpp", "metal", "cuda")
TIMES = 3


def runtime_rows(form: ShaderForm, functions: list[str], languages: list[str]) -> list[Row]:
    """Return a row for each function: ns a call by language, the least of several checks."""
    rows: dict[str, Row] = {}
    for language in languages:
        least: dict[str, float] = {}
        for _ in range(TIMES):
            begun = time.perf_counter()
            for found in check_form(form, [language], None):
                if found["function"] not in functions:
                    continue
                row = rows.setdefault(found["function"], {"function": found["function"]})
                if found["ns"] is None:
                    row[f"{language} [ns]"] = found["why_not"]
                    continue
                least[found["function"]] = min(found["ns"], least.get(found["function"], 1e30))
                row[f"{language} [ns]"] = round(least[found["function"]])
                row[f"{language}, error"] = f"{found['error']:.1e}"
            whole = time.perf_counter() - begun
        for row in rows.values():  # compiling, opening the device and running it
            row[f"{language}, all functions checked in [s]"] = round(whole, 1)
    print(list(rows.values()), flush=True)
    return list(rows.values())


def text_rows(name: str, form: ShaderForm) -> list[Row]:
    """Return how long the texts of an asset are."""
    rows: list[Row] = []
    for language in PLAIN:
        text = printer_of(form, language).text()
        lines = text.splitlines()
        rows.append({"asset": name, "language": language, "lines": len(lines),
                     "of them with code": sum(line.strip(" {};") != "" and
                                              not line.strip().startswith("//") for line in lines),
                     "bytes": len(text)})  # fmt: skip
    return rows


def draw_ns(opened: Any, side: int = 512) -> float:
    """Return ns a pixel of what the package draws a picture with, on one thread."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    least = 1e30
    try:
        for _ in range(TIMES):
            begun = time.perf_counter()
            drawn = opened.draw(side, side)
            least = min(least, time.perf_counter() - begun)
    finally:
        torch.set_num_threads(threads)
    return least / np.asarray(drawn).size * np.asarray(drawn).shape[-1] * 1e9
