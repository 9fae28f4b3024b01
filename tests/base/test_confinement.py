"""base/confinement: what a confined process reaches, tried from within."""

import json
import subprocess
import sys

import pytest

CODE = """
import json, os, socket, subprocess, sys, threading
from neuralshade.base.confinement import restrict_paths, limit_resources
mine, other = sys.argv[1], sys.argv[2]
held = open(other + "/held.txt")
system = ["/usr", "/lib", "/lib64", "/proc", *sys.path]
kept = restrict_paths(read=system, write=[mine, mine + "/no"])
tried = {"kept": kept}
def attempt(name, act):
    def run():
        try:
            act()
            tried[name] = "done"
        except OSError as error:
            tried[name] = type(error).__name__
    thread = threading.Thread(target=run)  # threads that begin later are confined too
    thread.start()
    thread.join()
def connect():
    with socket.socket() as link:
        link.connect(("127.0.0.1", int(sys.argv[3])))
attempt("write own", lambda: open(mine + "/a.txt", "w").write("a"))
attempt("read own", lambda: open(mine + "/a.txt").read())
attempt("remove own", lambda: os.remove(mine + "/a.txt"))
attempt("read other", lambda: open(other + "/secret.txt").read())
attempt("list other", lambda: os.listdir(other))
attempt("write other", lambda: open(other + "/secret.txt", "w"))
attempt("remove other", lambda: os.remove(other + "/secret.txt"))
attempt("make other", lambda: os.mkdir(other + "/new"))
attempt("start a program", lambda: subprocess.run(["/bin/true"], check=True))
attempt("open before", lambda: held.read())
attempt("write nowhere", lambda: open("/dev/null", "w").write("a"))
attempt("connect", connect)
print(json.dumps(tried))
"""
LIMITS = """
import sys
from neuralshade.base.confinement import limit_resources
limit_resources(memory=300 * 2**20, files=20, file_bytes=1000)
def attempt(act):
    try:
        act()
        return "done"
    except (OSError, MemoryError) as error:
        return type(error).__name__
def write(count):
    with open(sys.argv[1], "wb") as file:
        file.write(bytes(count))
print(attempt(lambda: bytearray(2**20)), attempt(lambda: bytearray(2**30)))
print(attempt(lambda: [open("/dev/null") for _ in range(10)]),
      attempt(lambda: [open("/dev/null") for _ in range(30)]))
print(attempt(lambda: write(1000)), attempt(lambda: write(10**6)))
"""


def told(code, *given):
    command = [sys.executable, "-c", code, *map(str, given)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Landlock is Linux's")
def test_only_its_folders_are_reached(tmp_path):
    import socket

    mine, other = tmp_path / "mine", tmp_path / "other"
    for folder in (mine, other):
        folder.mkdir()
    (other / "secret.txt").write_text("secret")
    (other / "held.txt").write_text("open before")
    with socket.create_server(("127.0.0.1", 0)) as server:
        tried = json.loads(told(CODE, mine, other, server.getsockname()[1]))
    if not tried.pop("kept"):
        pytest.skip("this kernel has no Landlock")
    assert (other / "secret.txt").read_text() == "secret"
    connected = tried.pop("connect")
    assert connected in ("PermissionError", "done")  # before version 4 of Landlock
    inside = ("write own", "read own", "remove own", "open before", "write nowhere")
    expected = {name: "done" if name in inside else "PermissionError" for name in tried}
    assert tried == expected


def test_resources_end(tmp_path):
    pytest.importorskip("resource")
    lines = told(LIMITS, tmp_path / "a.bin").splitlines()
    if sys.platform.startswith("linux"):  # others count memory in other ways
        assert lines[0] == "done MemoryError"
    assert lines[1:] == ["done OSError", "done OSError"]
