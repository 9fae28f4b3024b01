"""live/live: a fit that a page shows warns a person as any does."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import numpy as np, neuralshade
from neuralshade import FitOptions
picture = neuralshade.picture_from_array(np.zeros((24, 32, 3), np.uint8))
with neuralshade.Live(port=0) as live:
    {call}
"""
NAMED = "picture, 'a.nsh', preset='tiny-9', steps=2"
CALLS = [f"neuralshade.fit_image({NAMED}, options=FitOptions(live=live))",
         f"live.run(neuralshade.fit_image, {NAMED})"]  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_warnings_of_a_fit_in_python_are_printed(call, tmp_path):
    program = PROGRAM.format(call=call)
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True,
                          text=True, env=os.environ | {"OMP_NUM_THREADS": "1"})  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("fit: ended at its 2 steps") == 1
