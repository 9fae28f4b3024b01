"""examples/export/mitsuba_ball: a ball of the example, by a process without neuralshade."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from fixtures.mitsuba_runs import LIBRARY, VARIANTS, llvm, skip_without
from PIL import Image

ROOT = Path(__file__).parents[2] / "examples/export"


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_ball_of_the_example(variant, tmp_path):
    skip_without(variant)
    output = tmp_path / "ball.png"
    command = [sys.executable, ROOT / "mitsuba_ball.py", ROOT / "mitsuba/rock.py", "--variant",
               variant, "--size", "16", "--samples", "4", "-o", output]  # fmt: skip
    environment = os.environ | ({LIBRARY: llvm()} if llvm() else {})
    environment["PYTHONDONTWRITEBYTECODE"] = "1"  # the example's folder holds what git has
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, env=environment)
    assert done.returncode == 0, done.stderr
    pixels = np.asarray(Image.open(output)).astype(float)
    corner, middle = pixels[0, 0], pixels[6:10, 6:10].mean((0, 1))
    assert pixels.shape == (16, 16, 3) and np.ptp(pixels[4:12, 4:12].mean(-1)) > 30
    assert np.abs(middle - corner).max() > 20
