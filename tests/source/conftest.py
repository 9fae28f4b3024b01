"""Fixtures of the picture source: seeded values, and disks that refuse."""

import shutil
import subprocess

import numpy as np
import pytest


@pytest.fixture
def rng():
    return np.random.default_rng(20)


def mounted(folder, options):
    """Mount a small file system in memory at ``folder``; skip, saying so, where forbidden."""
    if shutil.which("mount") is None:
        pytest.skip("needs mount to make a small disk")
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"needs the right to mount a small disk: {done.stderr.strip()}")
    return folder


@pytest.fixture
def small_disk(tmp_path):
    """An empty disk of 64 KiB."""
    folder = mounted(tmp_path / "disk", "size=64k")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture
def read_only_disk(tmp_path):
    folder = mounted(tmp_path / "disk", "size=64k,ro")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)
