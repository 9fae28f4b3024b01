"""benchmarks/soak_kills: its short form; `make soak` kills hundreds."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow  # a dozen processes, each of which loads PyTorch
def test_a_handful_of_kills():
    command = [sys.executable, "benchmarks/soak_kills.py", "--kills", "5", "--seed", "3",
               "--cases", "image, all outputs;render exr", "--no-results"]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "\n5 kills, 0 faults\n" in done.stdout
