"""Version with its git commit, for bug reports."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from neuralshade.base.version import VERSION

PACKAGE = Path(__file__).parents[1]
BUILT_FROM = PACKAGE / "COMMIT"  # written by scripts/sbom.py into what is built from git
GIT_S = 5.0


def version_with_commit() -> str:
    """Return the version, with the commit where it was built from git or runs in a clone."""
    commit = commit_of(PACKAGE)
    return VERSION if commit is None else f"{VERSION} ({commit})"


def commit_of(package: Path) -> str | None:
    """Return the commit of ``package``, followed by "changed" where files differ from it.

    None where it is unknown: without git, or outside of a clone's own src folder.
    """
    try:
        return (package / BUILT_FROM.name).read_text(encoding="ascii").strip() or None
    except (OSError, ValueError):
        pass
    root = package.parents[1]
    if package.parent.name != "src" or not os.path.exists(root / ".git"):
        return None
    commit = _git(root, "rev-parse", "--short=12", "HEAD")
    if not commit:
        return None
    return f"{commit}, changed" if _git(root, "status", "--porcelain", "-uno") else commit


def _git(root: Path, *arguments: str) -> str:
    """Return git's output; an empty text where git fails."""
    try:
        done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True,
                              timeout=GIT_S, check=True)  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode(errors="replace").strip()
