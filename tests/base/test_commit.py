"""base/commit: which commit a package is of, from git, from a build, or not known."""

import subprocess

import pytest

from neuralshade.base.commit import commit_of, version_with_commit
from neuralshade.base.version import VERSION


def git(root, *arguments):
    told = ["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
    return subprocess.run(told, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def package(tmp_path):
    folder = tmp_path / "src/neuralshade"
    folder.mkdir(parents=True)
    (folder / "a.py").write_text("1\n")
    return folder


def test_a_clone_has_a_commit_and_tells_of_changes(package, tmp_path):
    git(tmp_path, "init", "-q")
    assert commit_of(package) is None  # nothing is committed
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "one")
    head = git(tmp_path, "rev-parse", "HEAD")
    assert commit_of(package) == head[:12]
    (package / "a.py").write_text("2\n")
    assert commit_of(package) == f"{head[:12]}, changed"


def test_a_repository_further_above_is_somebody_elses(package, tmp_path):
    git(tmp_path.parent, "init", "-q", str(tmp_path.parent / "outer"))
    inner = tmp_path.parent / "outer/sub/src/neuralshade"
    inner.mkdir(parents=True)
    assert commit_of(inner) is None and commit_of(package) is None


def test_what_was_built_says_of_what(package):
    (package / "COMMIT").write_text("0123456789ab\n")
    assert commit_of(package) == "0123456789ab"


def test_without_git_there_is_the_version_alone(package, tmp_path, monkeypatch):
    (tmp_path / ".git").mkdir()
    monkeypatch.setenv("PATH", "")
    assert commit_of(package) is None
    monkeypatch.setattr("neuralshade.base.commit.PACKAGE", package)
    assert version_with_commit() == VERSION
