"""cli: a key that bounces loses no fit; Ctrl-C before there is one ends in one line."""

import os
import signal
import subprocess
import sys
import time

import pytest

LONG = ["--steps", "1000000", "--hidden-width", "8", "--batch", "256"]


OTHERS = [pytest.param(pause, marks=pytest.mark.slow) for pause in (0.0, 0.02, 0.2)]


@pytest.mark.slow
@pytest.mark.parametrize("pause", [0.005, *OTHERS])
def test_a_key_that_bounces_leaves_a_checkpoint(folder, start, wait_for, pause):
    process = start("fit", "image", "a.png", "-o", "x.nsh", "--snapshots", "snaps", *LONG,
                    cwd=folder)  # fmt: skip
    wait_for(folder / "snaps/prediction_0000064.png")
    for _ in range(2):
        process.send_signal(signal.SIGINT)
        time.sleep(pause)
    out, err = process.communicate(timeout=600)
    assert (process.returncode, out) == (130, "")
    assert "the fit is kept in x.checkpoint.nsh. Go on with: neuralshade fit" in err
    assert "Traceback" not in err
    assert (folder / "x.checkpoint.nsh").exists()


def test_ctrl_c_while_the_command_loads(tmp_path):
    """The command's own modules are in the middle of being imported."""
    (tmp_path / "click").mkdir()
    (tmp_path / "click/__init__.py").write_text(
        "import time; print('loading', flush=True); time.sleep(60)"
    )
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    process = subprocess.Popen([sys.executable, "-m", "neuralshade", "--version"], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=environment)  # fmt: skip
    assert process.stdout.readline() == "loading\n"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=600)
    assert (process.returncode, err) == (130, "neuralshade: interrupted.\n")
