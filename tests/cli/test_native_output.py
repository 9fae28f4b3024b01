"""cli: standard output holds a command's results alone, whatever libraries in C print to it."""

import io
import json
import os
import subprocess
import sys

import pytest

from neuralshade.cli.streams import with_own_output

# A command, and what prints to the stream of C beside it.
COMMAND = """
import os
from neuralshade import __main__
from neuralshade.cli import main

def line():
    os.write(1, b"native\\n")
    print("said")
    os.write(1, b"native again\\n")
    os.system("echo a child")

main.main = line
__main__.main()
"""
WARNED = """
import neuralshade.model.trainable;

struct Task : ITask
{
    [Trainable(0.05)] float3 tint;

    [Differentiable]
    float loss(no_diff Thread thread)
    {
        int cut = thread.random.next_uniform().x;
        float3 d = tint - float3(0.25, 0.5, cut);
        return dot(d, d);
    }

    float3 render(float2 uv) { return tint; }
}
"""


@pytest.mark.parametrize("flags", [[], ["-u"]])
def test_what_libraries_print_is_no_result(flags):
    done = subprocess.run([sys.executable, *flags, "-c", COMMAND], capture_output=True, text=True,
                          check=True)  # fmt: skip
    assert (done.stdout, done.stderr) == ("said\n", "native\nnative again\na child\n")


def test_a_closed_standard_error_takes_it():
    done = subprocess.run([sys.executable, "-c", COMMAND], stdout=subprocess.PIPE, text=True,
                          check=True, preexec_fn=lambda: os.close(2))  # fmt: skip
    assert done.stdout == "said\n"


def test_a_terminal_has_both():
    """In order, as one reads them."""
    pty = pytest.importorskip("pty", reason="needs terminals")
    ours, theirs = pty.openpty()
    subprocess.run([sys.executable, "-c", COMMAND], stdout=theirs, stderr=theirs, check=True)
    os.close(theirs)
    said = os.read(ours, 1000).decode().replace("\r\n", "\n")
    assert said == "native\nsaid\nnative again\na child\n"
    os.close(ours)


def test_a_stream_in_memory_stays(monkeypatch):
    """As in a notebook."""
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert with_own_output(["report", "-o", "/dev/stdout"]) == ["report", "-o", "/dev/stdout"]
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO()))
    assert with_own_output(["--events=/dev/fd/1"]) == ["--events=/dev/fd/1"]
    monkeypatch.setattr(sys, "stdout", None)
    assert with_own_output(["-o", "/dev/fd/1"]) == ["-o", "/dev/fd/1"]


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="standard output has no name")
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1"])
@pytest.mark.parametrize("flag", ["--events {}", "--events={}"])
def test_a_file_that_is_standard_output(folder, name, flag):
    """It may be a file, not a pipe, which --events - takes."""
    command = [sys.executable, "-m", "neuralshade", "fit", "image", "a.png", "--steps", "1",
               "--quiet", *flag.format(name).split()]  # fmt: skip
    with open(folder / "out.txt", "w") as out:
        done = subprocess.run(command, cwd=folder, stdout=out, stderr=subprocess.PIPE, text=True,
                              check=True)  # fmt: skip
    last = (folder / "out.txt").read_text().splitlines()[-1]
    assert json.loads(last)["type"] == "result" and '"result"' not in done.stderr


@pytest.mark.slow  # compiles
def test_warnings_of_a_users_slang_are_not_in_json(device, tmp_path):
    (tmp_path / "t.slang").write_text(WARNED)
    command = [sys.executable, "-m", "neuralshade", "fit", "shader", "t.slang", "--steps", "2",
               "--threads", "8x8", "--device", device.info.type.name, "--json"]  # fmt: skip
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True,
                          env=os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")})  # fmt: skip
    assert json.loads(done.stdout)["steps"] == 2
    assert "t.slang:11" in done.stderr
