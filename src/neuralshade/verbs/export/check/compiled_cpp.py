"""Runner of exported C++, by the compiler of this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from neuralshade.errors import DeviceError, KernelError
from neuralshade.languages.harness import Program
from neuralshade.languages.language import Printer
from neuralshade.model.shader_form import Golden
from neuralshade.verbs.export.check.timed_rows import CheckRun, many_rows

COMPILERS = ("g++", "clang++", "c++")
# Contraction would fuse products and sums, which other languages do not: a few units more apart.
FLAGS = ("-std=c++17", "-O3", "-march=native", "-ffp-contract=off")
PATIENCE_SECONDS = 600
ROWS = 16_384


def run_cpp(printer: Printer, program: Program, golden: Golden) -> CheckRun:
    """Compile and run a program of C++; DeviceError without a compiler, KernelError if it fails."""
    compiler = next(filter(None, map(shutil.which, (os.environ.get("CXX", ""), *COMPILERS))), None)
    if compiler is None:
        raise DeviceError("cpp: got no C++ compiler, need one to check it. Install g++ or clang++.")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        source, rows, answers = place / "check.cpp", place / "rows", place / "answers"
        words = place / "words"
        source.write_text(program.text)
        many_rows(golden, ROWS).tofile(rows)
        printer.words.tofile(words)
        run = place / "check"
        made = subprocess.run([compiler, *FLAGS, source, "-o", run], capture_output=True,
                              text=True, timeout=PATIENCE_SECONDS, check=False)  # fmt: skip
        if made.returncode:
            raise KernelError(f"cpp: got an error of {compiler}: {made.stderr[:2000]}")
        printed = subprocess.run([run, rows, answers, words], capture_output=True, text=True,
                              check=True, timeout=PATIENCE_SECONDS).stdout  # fmt: skip
        found = np.fromfile(answers, np.float32).reshape(ROWS, -1)
    return CheckRun(found[: len(golden.inputs)], float(printed), Path(compiler).name)
