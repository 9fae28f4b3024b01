"""base/private_dirs: folders that others can write to, and keys that they can read, are refused."""

import os
import secrets
import stat

import pytest

from neuralshade.base.private_dirs import make_private_dir, user_key, why_not_private

pytestmark = pytest.mark.skipif(not hasattr(os, "getuid"), reason="permission bits are POSIX's")


@pytest.fixture
def folder(tmp_path):
    """Give a folder two levels below one that may be opened to others."""
    make_private_dir(tmp_path / "above/own")
    return tmp_path / "above/own"


def test_what_is_made_is_this_user_s_alone(folder):
    assert why_not_private(folder) is None
    assert [stat.S_IMODE(path.stat().st_mode) for path in (folder.parent, folder)] == [0o700] * 2


@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777, 0o1777])
def test_a_folder_that_others_could_write_to(folder, mode):
    folder.chmod(mode)
    assert why_not_private(folder) == f"others can write to {folder}"


@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777])
def test_a_folder_that_others_could_put_another_in_place_of(folder, mode):
    folder.parent.chmod(mode)
    assert why_not_private(folder) == f"others can write to {folder.parent}"
    folder.parent.chmod(mode | stat.S_ISVTX)  # as /tmp is: only owners may move what lies there
    assert why_not_private(folder) is None


def test_a_link_is_somebody_s_word_for_a_folder(folder):
    link = folder.with_name("link")
    link.symlink_to(folder)
    assert why_not_private(link) == f"{link} is no folder"


def test_what_a_parent_s_link_leads_to_is_looked_at_too(tmp_path, folder):
    (tmp_path / "link").symlink_to(folder)
    make_private_dir(tmp_path / "link/below/own")
    assert why_not_private(tmp_path / "link/below/own") is None
    folder.parent.chmod(0o777)
    assert why_not_private(tmp_path / "link/below/own") == f"others can write to {folder.parent}"


@pytest.mark.parametrize("name", ["above", "above/own", "above/own/deep/file"])
def test_what_somebody_else_owns(tmp_path, folder, monkeypatch, name):
    (folder / "deep").mkdir()
    (folder / "deep/file").touch()
    as_seen, other = os.lstat, tmp_path / name

    def lstat(path, **named):
        found = as_seen(path, **named)
        if os.fspath(path) != str(other):
            return found
        return os.stat_result((*found[:4], os.getuid() + 1, *found[5:]))

    monkeypatch.setattr(os, "lstat", lstat)
    assert why_not_private(folder) == f"somebody else owns {other}"


def test_what_another_process_takes_away_meanwhile_is_nobody_s(folder, monkeypatch):
    gone = [(str(folder), ["folder"], ["file"])]
    monkeypatch.setattr(os, "walk", lambda place: gone)
    assert why_not_private(folder) is None


def test_what_is_not_there(tmp_path):
    assert why_not_private(tmp_path / "none") == f"{tmp_path / 'none'} is no folder"


def test_a_key_is_made_once_and_for_this_user_alone(folder):
    key = user_key(folder / "deep/key")
    assert isinstance(key, bytes) and len(key) == 32 and len(set(key)) > 8
    assert user_key(folder / "deep/key") == key != user_key(folder / "other")
    assert stat.S_IMODE((folder / "deep/key").stat().st_mode) == 0o600
    assert os.listdir(folder / "deep") == ["key"]


@pytest.mark.parametrize("change", ["readable", "short", "link", "folder", "parent"])
def test_a_key_that_others_may_know_is_none(folder, change):
    path = folder / "key"
    user_key(path)
    if change == "readable":
        path.chmod(0o640)
    elif change == "short":
        path.write_bytes(b"")
    elif change == "link":
        path.rename(folder / "elsewhere")
        path.symlink_to(folder / "elsewhere")
    elif change == "folder":
        path.unlink()
        path.mkdir()
    else:
        folder.chmod(0o777)
    assert user_key(path) is None


def test_of_two_that_make_a_key_at_once_both_have_the_one_that_stays(folder, monkeypatch):
    """What one signs by a key that the other then replaces would be nobody's."""
    made, others = secrets.token_bytes, []

    def overtaken(count):
        if not others:
            others.append(None)
            others.append(user_key(folder / "key"))  # meanwhile somebody else is done
        return made(count)

    monkeypatch.setattr(secrets, "token_bytes", overtaken)
    key = user_key(folder / "key")
    assert key is not None and key == others[1] == user_key(folder / "key")
    assert [path.name for path in folder.iterdir()] == ["key"]


def test_a_key_that_cannot_be_kept_is_none(tmp_path):
    (tmp_path / "file").write_text("in the way")
    assert user_key(tmp_path / "file/key") is None
