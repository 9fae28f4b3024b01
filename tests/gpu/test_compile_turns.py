"""gpu/compile_turns: of processes that need one kernel, one compiles it."""

import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

from neuralshade.base.temp_files import locks
from neuralshade.gpu import compile_turns
from neuralshade.gpu.compile_turns import compile_turn

pytestmark = pytest.mark.skipif(locks is None, reason="this system has no locks of files")
KEYS = "0a" * 32, "0b" * 32
BUILD = """
import pathlib, sys, time
from neuralshade.gpu.compile_turns import compile_turn
folder, key = pathlib.Path(sys.argv[1]), sys.argv[2]
with compile_turn(folder, key):
    if not (folder / key).exists():
        with (folder / "log").open("a") as log:
            log.write(key + chr(10))
        time.sleep(float(sys.argv[3]))
        (folder / key).touch()
"""


def build(folder: pathlib.Path, key: str, seconds: float = 0.05) -> subprocess.Popen[bytes]:
    """Start a process that compiles ``key``, which takes so long, unless it is there."""
    return subprocess.Popen([sys.executable, "-c", BUILD, str(folder), key, str(seconds)])


def compiled(folder: pathlib.Path) -> list[str]:
    """Return the keys that processes began to compile."""
    log = folder / "log"
    return log.read_text().split() if log.exists() else []


def test_each_kernel_is_compiled_once(tmp_path):
    processes = [build(tmp_path, key) for key in KEYS * 3]
    assert [process.wait() for process in processes] == [0] * 6
    assert sorted(compiled(tmp_path)) == sorted(KEYS)


def test_a_killed_process_keeps_nobody_waiting(tmp_path):
    killed = build(tmp_path, KEYS[0], 600.0)
    while not compiled(tmp_path):
        time.sleep(0.01)
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    with compile_turn(tmp_path, KEYS[0]) as waited:
        assert not waited and not (tmp_path / KEYS[0]).exists()


def test_who_waited_is_told(tmp_path, monkeypatch):
    other = build(tmp_path, KEYS[0], 600.0)
    while not compiled(tmp_path):
        time.sleep(0.01)
    monkeypatch.setattr(
        compile_turns.time, "sleep", lambda _: other.kill()
    )  # the first look was in vain
    with compile_turn(tmp_path, KEYS[0]) as waited:
        assert waited
    other.wait()


def test_kernels_do_not_wait_for_each_other(tmp_path):
    other = build(tmp_path, KEYS[0], 600.0)
    while not compiled(tmp_path):
        time.sleep(0.01)
    with compile_turn(tmp_path, KEYS[1]):
        assert other.poll() is None
    other.kill()
    other.wait()


def test_a_folder_that_cannot_be_written_needs_no_turns(tmp_path):
    (tmp_path / "file").touch()
    with compile_turn(tmp_path / "file", KEYS[0]):
        pass
