"""cli: threads that wait soon leave the cores to others, unless the user says how they wait."""

import os
import subprocess
import sys

import pytest

NAMES = ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY", "OPENBLAS_THREAD_TIMEOUT")
COMMAND = """
import os, sys
from neuralshade import __main__
from neuralshade.cli import main

main.main = lambda: print([os.environ.get(name) for name in sys.argv[1:]])
assert "torch" not in sys.modules
__main__.main()
"""


@pytest.mark.parametrize("said, found", [
    ({}, ["10000", None, "16"]),
    ({"GOMP_SPINCOUNT": "7"}, ["7", None, "16"]),
    ({"OMP_WAIT_POLICY": "active"}, [None, "active", "16"]),
    ({"OPENBLAS_THREAD_TIMEOUT": "20"}, ["10000", None, "20"]),
])  # fmt: skip
def test_they_sleep_unless_told_otherwise(said, found):
    kept = {name: value for name, value in os.environ.items() if name not in NAMES}
    done = subprocess.run([sys.executable, "-c", COMMAND, *NAMES], env=kept | said,
                          capture_output=True, text=True, check=True)  # fmt: skip
    assert done.stdout == f"{found}\n"
