"""gpu/cache_folder: where kernels are kept, and when they are not."""

import os

import pytest

from neuralshade.gpu import cache_folder as stem
from neuralshade.gpu.cache_folder import cache_folder


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """Give the user's cache folder, which is not there yet, in a process that has said nothing."""
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda name: str(tmp_path / name))
    stem.log_uncached.cache_clear()
    return tmp_path / "neuralshade"


def test_compiled_kernels_are_kept_in_the_user_s_cache(cache, caplog):
    assert cache_folder() == cache / "kernels"
    assert list((cache / "kernels").iterdir()) == [] == caplog.messages


def test_without_a_cache_kernels_are_compiled_each_time_and_it_says_so_once(cache, caplog):
    cache.write_text("in the way")
    assert cache_folder() is None and cache_folder() is None
    assert caplog.messages == [
        f"kernels: they are compiled anew, since {cache}/kernels cannot be written "
        f"([Errno 17] File exists: '{cache}')"
    ]


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="permission bits are POSIX's")
def test_a_cache_that_others_can_write_to_is_left_alone(cache, caplog):
    assert cache_folder() is not None
    cache.chmod(0o777)
    assert cache_folder() is None
    assert caplog.messages == [
        f"kernels: they are compiled anew, since others can write to {cache}: what lies there "
        "would be run. Remove it, or set XDG_CACHE_HOME to a folder of your own."
    ]


def test_a_disk_with_too_little_room_is_no_cache(cache, caplog, monkeypatch):
    def full(**settings):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(stem.tempfile, "TemporaryFile", full)
    assert cache_folder() is None
    assert caplog.messages == [
        f"kernels: they are compiled anew, since {cache}/kernels cannot be written "
        "([Errno 28] No space left on device)"
    ]
