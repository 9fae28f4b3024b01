"""Runner of an exported PyTorch module, in a process without neuralshade."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from neuralshade.errors import KernelError
from neuralshade.languages.harness import COUNTS, function_of
from neuralshade.languages.language import Printer
from neuralshade.model.shader_form import Golden
from neuralshade.verbs.export.check.timed_rows import CheckRun, many_rows

ROWS = 16_384
PATIENCE_SECONDS = 600
PROGRAM = """
import sys, time
import numpy, torch
sys.path.insert(0, {folder!r})
import checked_module
torch.set_num_threads(1)
asset = checked_module.{name}_asset()
rows = torch.from_numpy(numpy.fromfile({rows!r}, numpy.float32)).view(-1, sum({counts}))
with torch.no_grad():
    parts = rows.split({counts}, dim=1)
    least = 1e30
    for _ in range(3):
        begun = time.perf_counter()
        found = asset.{function}(*parts)
        least = min(least, time.perf_counter() - begun)
if not isinstance(found, torch.Tensor):
    found = torch.cat(list(vars(found).values()), dim=1)
found.expand(len(rows), -1).contiguous().numpy().tofile({answers!r})
assert "neuralshade" not in sys.modules
print(least / len(rows) * 1e9)
"""


def run_torch(printer: Printer, golden: Golden) -> CheckRun:
    """Run a function of an exported module. Raises KernelError where it fails."""
    function = function_of(printer.form, golden)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "checked_module.py").write_text(printer.text())
        for suffix, content in printer.companions().items():
            (place / f"checked_module{suffix}").write_bytes(content)
        rows, answers = place / "rows", place / "answers"
        many_rows(golden, ROWS).tofile(rows)
        text = PROGRAM.format(
            folder=folder, name=printer.form.name, rows=str(rows), answers=str(answers),
            function=function.name, counts=[COUNTS[one.type] for one in function.parameters],
        )  # fmt: skip
        ran = subprocess.run([sys.executable, "-I", "-c", text], capture_output=True, text=True,
                             timeout=PATIENCE_SECONDS, check=False)  # fmt: skip
        if ran.returncode:
            raise KernelError(f"torch: got an error: {ran.stderr.strip()[-2000:]}")
        found = np.fromfile(answers, np.float32).reshape(ROWS, -1)
    return CheckRun(found[: len(golden.inputs)], float(ran.stdout), "PyTorch, one thread")
