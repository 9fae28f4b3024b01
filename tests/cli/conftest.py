"""The command line in this process and in others, small pictures, and disks that refuse."""

import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from fixtures.disks import mounted

import neuralshade
from neuralshade.cli.main import main

COMMAND = ("from neuralshade.base import progress_scope;"
           "progress_scope.SILENT_SECONDS = float('inf');"
           "from neuralshade.__main__ import main; main()")  # fmt: skip
FEW = ["--steps", "30", "--encoding", "dense_grid:width=12,height=8", "--hidden-width", "8"]


def smooth(height=24, width=36, channels=3):
    """Return a smooth picture: float32 [height, width, channels] in [0.1, 0.9]."""
    row, col = np.mgrid[0:height, 0:width].astype(np.float32)
    waves = [0.5 + 0.4 * np.sin(row / (3 + i) + col / (5 + i)) for i in range(channels)]
    return np.stack(waves, axis=2).astype(np.float32)


@pytest.fixture(autouse=True)
def opened_once(one_device):
    """Spare every test a device of its own; what it starts in other processes opens one."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Stand in an empty folder, with a.png in it."""
    monkeypatch.chdir(tmp_path)
    neuralshade.save_picture("a.png", smooth(), "srgb")
    return tmp_path


@pytest.fixture
def few():
    """Give flags of a fit that takes milliseconds."""
    return list(FEW)


@pytest.fixture(scope="session")
def fitted_asset(tmp_path_factory):
    folder = tmp_path_factory.mktemp("asset")
    picture = neuralshade.picture_from_array(np.zeros((6, 5, 3), np.uint8))
    neuralshade.fit_image(picture, folder / "a.nsh", preset="tiny-9", steps=2)
    return folder / "a.nsh"


@pytest.fixture
def run(capsys):
    """Give a function that runs a command line here: code, out and err (lists of lines)."""

    def run(*arguments):
        capsys.readouterr()
        code = 0
        try:
            main([str(a) for a in arguments])
        except SystemExit as leaving:
            code = leaving.code
        out, err = capsys.readouterr()
        return SimpleNamespace(code=code, out=out.splitlines(), err=err.splitlines())

    return run


@pytest.fixture
def refused(run, folder):
    """Give a function that runs a command line, sees it refused, and returns the message.

    Refused: the exit code is 1, or 2 where the message begins with a flag that was typed (or as
    given), nothing on standard output, one line on standard error, and no file that was not there
    before.
    """

    def refused(*arguments, code=None):
        before = files_of(folder)
        done = run(*arguments)
        assert (done.out, len(done.err)) == ([], 1), done
        assert files_of(folder) == before
        name, _, message = done.err[0].partition(": ")
        assert name == "neuralshade"
        flag = f"--{message.partition(':')[0].removeprefix('--').replace('_', '-')}"
        typed = flag in [str(word).partition("=")[0] for word in arguments]
        typed = typed and flag != "--device"  # one that this machine lacks is no misuse
        assert done.code == (code or (2 if typed else 1)), done
        return message

    return refused


def files_of(folder):
    return {str(p): p.stat().st_size for p in folder.rglob("*")}


@pytest.fixture
def start():
    """Give a function that starts a command line in another process; ends what is left.

    Without PYTHONUNBUFFERED, as a person's shell is: what is printed waits in a buffer. It does
    not tell of work that takes long, which on a machine that others use any may.
    """
    started = []

    def start(*arguments, cwd, environment=(), **options):
        command = [sys.executable, "-c", COMMAND, *map(str, arguments)]
        environment = os.environ | {"OMP_NUM_THREADS": "1"} | dict(environment)
        environment.pop("PYTHONUNBUFFERED", None)
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | options
        started.append(subprocess.Popen(command, cwd=cwd, env=environment, **options))
        return started[-1]

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
            process.communicate()


@pytest.fixture
def wait_for():
    """Give a function that waits until a file is there, which another process writes."""

    def wait_for(path):
        deadline = time.monotonic() + 600
        while not path.exists():
            assert time.monotonic() < deadline, f"{path} never came"
            time.sleep(0.01)

    return wait_for


@pytest.fixture
def mount(tmp_path, tmp_path_factory, monkeypatch):
    """Give a function that mounts a small file system in memory; skip where forbidden.

    What a fit keeps where the disk is full goes to a folder of the test's own.
    """
    disk = tmp_path / "disk"
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path_factory.mktemp("elsewhere")))

    yield partial(mounted, disk)
    if os.path.ismount(disk):
        subprocess.run(["umount", str(disk)], check=True)
