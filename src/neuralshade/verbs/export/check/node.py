"""Runner of an exported ES module, by Node.js."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from neuralshade.errors import DeviceError, KernelError
from neuralshade.languages.harness import function_of
from neuralshade.languages.language import Printer
from neuralshade.languages.scalar_values import Shapes
from neuralshade.model.shader_form import Golden
from neuralshade.verbs.export.check.timed_rows import CheckRun, many_rows

ROWS = 16_384
PATIENCE_SECONDS = 600
PROGRAM = """\
import {{ readFileSync, writeFileSync }} from 'node:fs';
import * as asset from './checked.mjs';
const floats = (file) => new Float32Array(new Uint8Array(readFileSync(file)).buffer);
if (asset.{name}$set_words) asset.{name}$set_words(floats('words').buffer);
const rows = floats('rows'), count = rows.length / {columns};
const answers = new Float32Array(count * {results});
let least = 1e30;
for (let time = 0; time < 5; ++time) {{
  const begun = performance.now();
  for (let i = 0; i < count; ++i) {{
    const found = asset.{function}({arguments});
    {kept}
  }}
  least = Math.min(least, performance.now() - begun);
}}
writeFileSync('answers', answers);
console.log(least / count * 1e6);
"""


def run_js(printer: Printer, golden: Golden) -> CheckRun:
    """Run a function of an exported module.

    Raises: DeviceError without Node.js; KernelError where the module fails.
    """
    node = shutil.which("node")
    if node is None:
        raise DeviceError("js: got no program node, need Node.js to check it. Install nodejs.")
    function = function_of(printer.form, golden)
    shapes = Shapes(printer.form.structs)
    columns = sum(len(shapes.leaves(one.type)) for one in function.parameters)
    count = len(shapes.leaves(function.result))
    kept = "answers[i] = found;" if count == 1 else (
        f"for (let j = 0; j < {count}; ++j) answers[i * {count} + j] = found[j];"
    )  # fmt: skip
    listed = ", ".join(f"rows[i * {columns} + {place}]" for place in range(columns))
    text = PROGRAM.format(name=printer.form.name, columns=columns, results=count, kept=kept,
                          function=function.name, arguments=listed)  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "checked.mjs").write_text(printer.text())
        (place / "check.mjs").write_text(text)
        printer.words.astype("<u4").tofile(place / "words")
        many_rows(golden, ROWS).tofile(place / "rows")
        ran = subprocess.run([node, "check.mjs"], cwd=folder, capture_output=True, text=True,
                             timeout=PATIENCE_SECONDS, check=False)  # fmt: skip
        if ran.returncode:
            raise KernelError(f"js: got an error of Node.js: {ran.stderr.strip()[-2000:]}")
        found = np.fromfile(place / "answers", np.float32).reshape(ROWS, count)
    return CheckRun(found[: len(golden.inputs)], float(ran.stdout), "Node.js, one thread")
