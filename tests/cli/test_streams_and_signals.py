"""cli: closed and full standard streams end no command; SIGTERM removes what is half-written."""

import os
import signal
import subprocess
import sys

import pytest

# The command line with one command more, which needs nothing that takes long to load.
COMMAND = r"""
import atexit, os, sys, time
import click
from neuralshade import __main__
from neuralshade.base.atomic import whole_file
from neuralshade.base.temp_files import TempFolder
from neuralshade.cli.main import commands
from neuralshade.errors import PictureError

class Kept:
    def __del__(self, write=os.write):
        write(1, b"taken apart\n")

if "KEPT" in os.environ:
    sys.kept = Kept()
    atexit.register(print, "done at the end")

@commands.command()
@click.argument("what")
@click.argument("name", default="a.nsh")
def do(what, name):
    print("going on", file=sys.stderr)
    with whole_file(name) as partial, TempFolder():
        with partial.open("wb") as file:
            file.write(b"whole")
        if what == "wait":
            print("writing", flush=True)
            time.sleep(60)
    if what == "refuse":
        raise PictureError(f"{name}: refused.")
    print(name)

__main__.main()
"""


@pytest.fixture
def begin(tmp_path):
    """Give a function that starts the command in tmp_path/out; temporary files go beside it."""
    started = []
    for folder in ("out", "tmp"):
        (tmp_path / folder).mkdir()

    def begin(*words, environment=(), before=None, **options):
        given = os.environ | {"TMPDIR": str(tmp_path / "tmp")} | dict(environment)
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
        started.append(subprocess.Popen([sys.executable, "-c", COMMAND, "do", *words],
                                        cwd=tmp_path / "out", env=given, preexec_fn=before,
                                        **options))  # fmt: skip
        return started[-1]

    yield begin
    for process in started:
        process.kill()
        process.communicate()


def closing(*descriptors):
    def close():
        for descriptor in descriptors:
            os.close(descriptor)

    return close


@pytest.mark.parametrize("number, code", [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_command_that_is_told_to_end_leaves_nothing(begin, tmp_path, number, code):
    process = begin("wait", before=lambda: signal.signal(number, signal.SIG_DFL))  # nohup's, say
    assert process.stdout.readline() == b"writing\n"
    process.send_signal(number)
    process.send_signal(number)  # as some do; the tidying goes on
    _, err = process.communicate(timeout=600)
    assert (process.returncode, err) == (code, b"going on\nneuralshade: terminated.\n")
    assert [os.listdir(tmp_path / name) for name in ("out", "tmp")] == [[], []]


@pytest.mark.parametrize("number, code", [
    (signal.SIGINT, 130), pytest.param(signal.SIGTERM, 143, marks=pytest.mark.slow),
])  # fmt: skip
def test_nothing_is_taken_apart_at_the_end(begin, tmp_path, number, code):
    """As PyTorch would be for a second; but what is to be done at the end is done."""
    process = begin("wait", environment={"KEPT": "yes"},
                    before=lambda: signal.signal(number, signal.SIG_DFL))  # fmt: skip
    assert process.stdout.readline() == b"writing\n"
    process.send_signal(number)
    out, _ = process.communicate(timeout=600)
    assert (process.returncode, out) == (code, b"done at the end\n")
    process = begin("write", environment={"KEPT": "yes"})
    assert process.communicate(timeout=600)[0] == b"a.nsh\ndone at the end\n"


def test_what_it_was_started_to_ignore_is_ignored(begin, tmp_path):
    """As with nohup."""
    process = begin("wait", before=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    assert process.stdout.readline() == b"writing\n"
    process.send_signal(signal.SIGHUP)
    process.send_signal(signal.SIGTERM)
    assert process.communicate(timeout=600)[1] == b"going on\nneuralshade: terminated.\n"


@pytest.mark.parametrize("closed", [
    pytest.param((2,), marks=pytest.mark.slow), pytest.param((0, 2), marks=pytest.mark.slow),
    (0, 1, 2),
])  # fmt: skip
def test_closed_streams(begin, tmp_path, closed):
    """What is written is not taken for one of them, either."""
    process = begin("write", before=closing(*closed))
    out, _ = process.communicate(timeout=600)
    assert (process.returncode, out) == (0, b"" if 1 in closed else b"a.nsh\n")
    assert (tmp_path / "out/a.nsh").read_bytes() == b"whole"


def test_a_refusal_does_not_move_to_standard_output(begin):
    process = begin("refuse", before=closing(2))
    assert (process.communicate(timeout=600)[0], process.returncode) == (b"", 1)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_standard_error_that_takes_nothing(begin, tmp_path):
    with open("/dev/full", "w") as full:
        process = begin("write", stderr=full)
    assert (process.communicate(timeout=600)[0], process.returncode) == (b"a.nsh\n", 0)
    reading, writing = os.pipe()
    os.close(reading)  # as of a terminal that was closed
    process = begin("write", stderr=writing)
    os.close(writing)
    assert (process.communicate(timeout=600)[0], process.returncode) == (b"a.nsh\n", 0)


ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0"}


UTF8 = pytest.param({"LC_ALL": "C.UTF-8"}, marks=pytest.mark.slow)


@pytest.mark.parametrize("environment", [ASCII, UTF8])
@pytest.mark.parametrize("name", [b"\xc3\xbc.nsh", b"\xe4\xff.nsh"])
def test_names_are_printed_as_they_are(begin, tmp_path, environment, name):
    for what in ("write", "refuse"):
        process = begin(what, name, environment=environment)
        out, err = process.communicate(timeout=600)
        if what == "write":
            assert (process.returncode, out) == (0, name + b"\n")
        else:
            told = b"going on\nneuralshade: " + name + b": refused.\n"
            assert (process.returncode, err) == (1, told)
    assert os.listdir(os.fsencode(tmp_path / "out")) == [name]


def test_a_working_folder_that_is_gone(begin, tmp_path):
    process = begin("write", before=lambda: os.rmdir(tmp_path / "out"))
    assert (process.communicate(timeout=600)[1], process.returncode) == (
        b"neuralshade: working folder: got 'No such file or directory', need one that is there. "
        b"Change to another one first.\n",
        1,
    )
