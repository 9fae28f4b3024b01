"""held: what a killed process left goes at the next start; what a living one has stays."""

import os
import signal
import subprocess
import sys
import tempfile

import pytest

from neuralshade.base import atomic
from neuralshade.base.atomic import PARTIAL, check_writable, whole_file
from neuralshade.base.temp_files import (
    TEMP_PREFIX,
    TempFolder,
    fresh_name,
    lock,
    machine,
    remove_stale,
)
from neuralshade.errors import OutputError

WRITER = """
import sys, time
from neuralshade.base.atomic import whole_file
from neuralshade.base.temp_files import TempFolder
folder = TempFolder()
(folder.path / "inner").mkdir()
with whole_file(sys.argv[1]) as partial:
    partial.write_bytes(b"half")
    print("writing", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def writer(tmp_path):
    """Give a process in the middle of writing tmp_path/out/a.nsh, with a folder in tmp_path/tmp."""
    for name in ("out", "tmp"):
        (tmp_path / name).mkdir()
    environment = os.environ | {"TMPDIR": str(tmp_path / "tmp")}
    process = subprocess.Popen([sys.executable, "-c", WRITER, tmp_path / "out/a.nsh"],
                               stdout=subprocess.PIPE, text=True, env=environment)  # fmt: skip
    assert process.stdout.readline() == "writing\n"
    yield process
    process.kill()
    process.communicate()


def left(tmp_path):
    return [len(os.listdir(tmp_path / name)) for name in ("out", "tmp")]


def test_what_a_killed_process_left_goes_and_what_a_living_one_has_stays(writer, tmp_path):
    for folder, prefix in (("out", PARTIAL), ("tmp", TEMP_PREFIX)):
        remove_stale(tmp_path / folder, prefix)
    assert left(tmp_path) == [1, 1]
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    assert left(tmp_path) == [1, 1]
    check_writable(tmp_path / "out/b.nsh")  # as at the start of whatever writes there
    remove_stale(tmp_path / "tmp", TEMP_PREFIX)
    assert left(tmp_path) == [0, 0]


def test_what_may_be_another_machines_stays(tmp_path):
    """Its locks may not be seen here, so nobody knows whether it is being written."""
    names = (".neuralshade-0123456789abcdef", f".neuralshade-x{machine()}-0123", "a.nsh")
    others = [tmp_path / name for name in names]
    for path in others:
        path.touch()
    remove_stale(tmp_path, PARTIAL)
    assert all(path.exists() for path in others)


def test_nothing_is_followed_or_waited_for(tmp_path):
    kept = tmp_path / "kept"
    kept.touch()
    link, pipe = (tmp_path / fresh_name(PARTIAL) for _ in range(2))
    link.symlink_to(kept)
    os.mkfifo(pipe)
    remove_stale(tmp_path, PARTIAL)
    assert kept.exists() and link.is_symlink() and pipe.exists()


def test_a_file_that_is_taken_for_left_over_is_made_anew(tmp_path, monkeypatch):
    """Between its making and its lock another process may sweep."""
    taken = []

    def sweeping(path, descriptor):
        if not taken:
            remove_stale(tmp_path, PARTIAL)
            taken.append(not path.exists())
        return lock(path, descriptor)

    monkeypatch.setattr(atomic, "lock", sweeping)
    with whole_file(tmp_path / "a.nsh") as partial:
        partial.write_bytes(b"whole")
    assert taken == [True] and (tmp_path / "a.nsh").read_bytes() == b"whole"


def test_without_locks_nothing_is_removed(tmp_path, monkeypatch):
    def refuse(*given):
        raise OSError(95, "Operation not supported")

    path = tmp_path / fresh_name(PARTIAL)
    path.touch()
    monkeypatch.setattr("neuralshade.base.temp_files.locks.flock", refuse)
    remove_stale(tmp_path, PARTIAL)
    assert path.exists()
    with whole_file(tmp_path / "a.nsh") as partial:
        partial.write_bytes(b"whole")
    assert (tmp_path / "a.nsh").read_bytes() == b"whole"


def test_a_scratch_folder_goes_with_its_close(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with TempFolder() as folder:
        (folder.path / "a").write_text("a")
        assert folder.path.parent == tmp_path
    assert os.listdir(tmp_path) == []


def test_a_temporary_folder_that_takes_nothing(tmp_path, monkeypatch, refusal, same_message):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    same_message(refusal(OutputError, TempFolder), "temporary folder", "Set")
