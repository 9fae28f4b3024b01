"""live/connection_limit and the routes: a fit survives a flood of requests and leaves its asset."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[2] / "benchmarks" / "soak_live.py"
CONNECTIONS, DESCRIPTORS = 300, 128  # more than twice as many as the process may have
MOST_LOG_BYTES = 2**14  # of progress, and of one line for each kind of fault


@pytest.mark.slow  # three processes, each of which loads PyTorch
def test_a_fit_bears_more_connections_than_it_may_have_descriptors(tmp_path):
    arguments = ["--seconds", "4", "--rounds", "1", "--connections", str(CONNECTIONS),
                 "--descriptors", str(DESCRIPTORS), "--folder", str(tmp_path)]  # fmt: skip
    subprocess.run([sys.executable, PROGRAM, *arguments], check=True, timeout=300)
    found = json.loads((tmp_path / "soak_live.json").read_text())
    left = found["machine"]["asset, written while besieged"]
    assert left.startswith("psnr_db ") and left.endswith(", exit code 0")
    assert found["machine"]["most that it had"] < DESCRIPTORS
    held = found["What the fit's process holds"]
    assert any(row["besieged"] for row in held)
    assert held[-1]["log bytes"] < MOST_LOG_BYTES
    assert {row["fit"] for row in found["Speed"] if row["steps"]} == {"calm", "besieged"}
