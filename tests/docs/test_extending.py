"""docs/extending.md: each diff applies, and what the page says of it then works."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PAGE = (ROOT / "docs/extending.md").read_text()
COPIED = ("src", "tests", "examples", "docs/slang-library.md", "pyproject.toml")
# by title of the section: what the tests that it runs have in their names
SECTIONS = {
    "An encoding": "powers",
    "An activation": "log_sigmoid",
    "A loss": "cauchy",
    "A kind": "ramp",
    "Outside the tree": "more",
    "An export target": "cpp",
}
# What the page runs, in one process: PyTorch takes seconds to load. Tests come last and together.
DRIVER = r"""
import re, shlex, subprocess, sys
import pytest
import neuralshade
from neuralshade.cli.main import main

print(neuralshade.__file__)
files, names = [], []
for fence, code in re.findall(r"^```(sh|python)\n(.*?)^```", sys.stdin.read(), re.M | re.S):
    if fence == "python":
        exec(code, {})
        continue
    for line in code.splitlines():
        command, *arguments = shlex.split(line)
        if command == "pip":  # without a network, and not into this environment
            alone = ["--no-deps", "--no-build-isolation", "--no-index", "--target", "installed"]
            subprocess.run([sys.executable, "-m", "pip", *arguments, *alone], check=True)
            sys.path.insert(0, "installed")
            continue
        if command == "pytest":
            *named, chosen = arguments if "-k" in arguments else [*arguments, "cpp or target"]
            files += [name for name in named if name != "-k"]
            names.append(chosen)
            continue
        print("$", line)
        try:
            main(arguments)
        except SystemExit as left:
            assert left.code in (None, 0), line
files = list(dict.fromkeys(files))
sys.exit(pytest.main(["-n0", "-v", "-p", "no:cacheprovider", "-k", " or ".join(names), *files]))
"""


def diff_of(title):
    """Return the one diff that a section names."""
    section = PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]
    (name,) = re.findall(r"\]\(\.\./(examples/extending/\w+\.diff)\)", section)
    return (ROOT / name).read_text()


@pytest.fixture
def checkout(tmp_path):
    """Return a folder with what is changed and what is run, without what was built."""
    left_out = shutil.ignore_patterns("__pycache__", "*.pyc")
    for name in COPIED:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tmp_path / name, ignore=left_out)
        else:
            shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def patched(folder, title, *flags):
    """Apply a section's diff; AssertionError with what git said where it refuses."""
    if shutil.which("git") is None:
        pytest.skip("needs git to apply diffs")
    # in a folder of a repository, git passes over what lies outside of it
    alone = {**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent)}
    done = subprocess.run(["git", "apply", *flags, "-"], input=diff_of(title), text=True,
                          cwd=folder, env=alone, capture_output=True)  # fmt: skip
    assert done.returncode == 0, f"{title}: {done.stderr}"


def test_there_is_a_diff_for_each_thing():
    assert re.findall(r"^## (.+)$", PAGE, re.M) == list(SECTIONS)
    assert len({diff_of(title) for title in SECTIONS}) == len(SECTIONS)


def test_each_diff_applies_by_itself(checkout):
    for title in SECTIONS:
        patched(checkout, title, "--check")


@pytest.mark.slow  # compiles a whole copy of the package, five ways changed
def test_what_the_page_runs_works(checkout, device):
    for title in SECTIONS:
        patched(checkout, title)
    settings = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}  # not its own
    place = os.pathsep.join(str(checkout / folder) for folder in ("src", "tests"))
    done = subprocess.run(
        [sys.executable, "-c", DRIVER], input=PAGE, text=True, capture_output=True, cwd=checkout,
        env={**settings, "PYTHONPATH": place},
    )  # fmt: skip
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert said.startswith(str(checkout / "src")), said
    for name in ("powers.nsh", "activated.nsh", "lost.nsh", "more.nsh", "ramp.png", "ramp.html"):
        assert (checkout / name).stat().st_size > 500
    assert "void smooth(ComputeVaryingInput* varyingInput" in said
    assert "\nplug-ins\n" in said  # of doctor, which a busy machine may keep from more
    passed = re.findall(r"^\S+\.py::(.+) PASSED", said, re.M)
    for title, name in SECTIONS.items():
        assert any(name in test for test in passed), f"{title}: {passed}"
    assert "FAILED" not in said and "SKIPPED" not in said
