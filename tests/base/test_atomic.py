"""atomic: files appear whole or not at all, and refusals come before the work."""

import errno
import os
import stat

import pytest

from neuralshade.base.atomic import check_writable, whole_file
from neuralshade.errors import OutputError, PictureError


def write(path, data=b"new"):
    with whole_file(path) as partial:
        partial.write_bytes(data)


def check(path):
    check_writable(path)


def refusal(action, path):
    with pytest.raises(OutputError) as caught:
        action(path)
    return str(caught.value)


def test_file_appears_only_at_the_end(tmp_path):
    path = tmp_path / "out.exr"
    with whole_file(path) as partial:
        assert (partial.parent, partial.suffix) == (tmp_path, ".exr")
        partial.write_bytes(b"new")
        assert not path.exists()
    assert os.listdir(tmp_path) == ["out.exr"] and path.read_bytes() == b"new"


def test_obeys_the_umask(tmp_path):
    before = os.umask(0o027)
    try:
        write(tmp_path / "out")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o640


def test_accepts_text_and_a_bare_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check_writable("out.bin")
    write("out.bin")
    assert (tmp_path / "out.bin").read_bytes() == b"new"


def test_accepts_the_longest_name(tmp_path):
    path = tmp_path / ("n" * 251 + ".png")
    write(path)
    assert path.read_bytes() == b"new"


def test_follows_a_symbolic_link(tmp_path):
    (tmp_path / "real").mkdir()
    link = tmp_path / "latest"
    link.symlink_to("real/out")
    write(link)
    assert link.is_symlink() and (tmp_path / "real/out").read_bytes() == b"new"


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, PictureError])
def test_exception_leaves_the_older_file(tmp_path, error):
    path = tmp_path / "out.bin"
    path.write_bytes(b"old")

    def interrupted():
        with whole_file(path) as partial:
            partial.write_bytes(b"half of the n")
            raise error

    with pytest.raises(error):
        interrupted()
    assert os.listdir(tmp_path) == ["out.bin"] and path.read_bytes() == b"old"


def test_missing_file_read_inside_the_block_is_not_a_missing_folder(tmp_path):
    with pytest.raises(FileNotFoundError), whole_file(tmp_path / "out"):
        (tmp_path / "absent").read_bytes()
    assert os.listdir(tmp_path) == []


def test_own_refusal_inside_the_block_passes_unchanged(tmp_path):
    def action(path):
        with whole_file(path):
            raise OutputError("inner")

    assert refusal(action, tmp_path / "out") == "inner"


def test_data_is_flushed_before_the_rename_and_the_folder_after(tmp_path, monkeypatch):
    steps = []
    fsync, replace = os.fsync, os.replace

    def record_fsync(descriptor):
        steps.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")
        fsync(descriptor)

    def record_replace(source, target):
        steps.append("rename")
        replace(source, target)

    monkeypatch.setattr(os, "fsync", record_fsync)
    monkeypatch.setattr(os, "replace", record_replace)
    write(tmp_path / "out")
    assert steps == ["file", "rename", "folder"]


def test_check_leaves_nothing(tmp_path):
    path = tmp_path / "out.bin"
    check_writable(path)
    assert os.listdir(tmp_path) == []
    path.write_bytes(b"old")
    check_writable(path)
    assert os.listdir(tmp_path) == ["out.bin"] and path.read_bytes() == b"old"


@pytest.mark.parametrize("action", [check, write])
def test_missing_folder_refused(tmp_path, action, same_message):
    path = tmp_path / "absent/out.png"
    same_message(refusal(action, path), path, "Create")


@pytest.mark.parametrize("action", [check, write])
def test_file_for_a_folder_refused(tmp_path, action, same_message):
    (tmp_path / "file").write_bytes(b"old")
    path = tmp_path / "file/out.png"
    same_message(refusal(action, path), path, "Choose")


@pytest.mark.parametrize("action", [check, write])
def test_folder_for_a_file_refused(tmp_path, action):
    assert refusal(action, tmp_path) == (
        f"{tmp_path}: got a folder, need a file name. Add a file name to it."
    )
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("action", [check, write])
def test_pipe_refused(tmp_path, action, same_message):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    same_message(refusal(action, path), path, "Choose")
    assert stat.S_ISFIFO(path.stat().st_mode)


@pytest.mark.parametrize("action", [check, write])
def test_read_only_disk_refused(read_only_disk, action, same_message):
    path = read_only_disk / "out.png"
    same_message(refusal(action, path), path, "Choose")


@pytest.mark.parametrize("action", [check, write])
@pytest.mark.parametrize("number", [errno.EACCES, errno.EPERM])
def test_folder_without_permission_refused(tmp_path, action, number, monkeypatch, same_message):
    # Through a stand-in: tests may run as root, whom permission bits do not stop.
    def refuse(path, *_):
        raise OSError(number, os.strerror(number), path)

    path = tmp_path / "out.png"
    monkeypatch.setattr(os, "open", refuse)
    same_message(refusal(action, path), path, "Choose")


@pytest.mark.skipif(os.geteuid() == 0, reason="permission bits do not stop root")
def test_folder_without_permission_bits_refused(tmp_path):
    tmp_path.chmod(0o555)
    path = tmp_path / "out.png"
    assert refusal(check, path) == (
        f"{path}: got a refusal to write there, need a writable folder. Choose another path."
    )


@pytest.mark.parametrize("older", [None, b"old"])
def test_full_disk_refused(small_disk, older, same_message):
    path = small_disk / "out.bin"
    if older is not None:
        path.write_bytes(older)

    def action(path):
        write(path, b"x" * 100_000)

    same_message(refusal(action, path), path, "Free")
    assert os.listdir(small_disk) == ([] if older is None else ["out.bin"])
    assert older is None or path.read_bytes() == older


def test_disk_that_fails_at_the_flush_refused(tmp_path, monkeypatch, same_message):
    def fail(descriptor):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    path = tmp_path / "out.bin"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", fail)
    same_message(refusal(write, path), path, "Choose")
    assert os.listdir(tmp_path) == ["out.bin"] and path.read_bytes() == b"old"


@pytest.mark.parametrize("action", [check, write])
def test_a_name_that_is_too_long_refused(tmp_path, action, same_message):
    path = tmp_path / ("n" * 252 + ".png")
    same_message(refusal(action, path), path, "Choose")
    assert os.listdir(tmp_path) == []


def test_a_name_that_is_all_suffix(tmp_path):
    path = tmp_path / ("a." + "n" * 250)
    write(path)
    assert path.read_bytes() == b"new"


@pytest.mark.parametrize("action", [check, write])
def test_a_working_folder_that_is_gone(tmp_path, action, monkeypatch, same_message):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    same_message(refusal(action, "out.png"), "out.png", "Create")
