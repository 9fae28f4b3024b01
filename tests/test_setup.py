"""scripts: which Python .venv is made of, what is installed, and apt entries for backports."""

import importlib.util
import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parent.parent
PATH = ROOT / "scripts/software_vulkan.py"
KNOWN = {("http://mirror.example/debian", "bookworm"), ("http://mirror.example/debian", "stable")}


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("software_vulkan", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "line, twin",
    [
        (
            "deb http://mirror.example/debian bookworm main",
            "deb http://mirror.example/debian bookworm-backports main",
        ),
        (
            "deb [arch=amd64 signed-by=/k] http://mirror.example/debian/ stable main # x",
            "deb [arch=amd64 signed-by=/k] http://mirror.example/debian/ bookworm-backports main",
        ),
        ("# deb http://mirror.example/debian bookworm main", None),
        ("deb-src http://mirror.example/debian bookworm main", None),
        ("deb http://mirror.example/debian-security bookworm-security main", None),
        ("deb https://other.example/apt bookworm main", None),
        ("", None),
    ],
)
def test_one_line_entries(script, line, twin):
    assert script.backports_line(line, "bookworm", KNOWN) == twin


def test_stanza_keeps_mirror_and_key(script):
    stanza = (
        "# the mirror next door\nTypes: deb deb-src\nURIs: http://mirror.example/debian/\n"
        "Suites: bookworm bookworm-updates\nComponents: main\n"
        "Signed-By:\n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n abc\n"
    )
    assert script.backports_stanza(stanza, "bookworm", KNOWN) == (
        "types: deb\nuris: http://mirror.example/debian/\nsuites: bookworm-backports\n"
        "components: main\nsigned-by:\n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n abc\n"
    )


@pytest.mark.parametrize(
    "stanza",
    [
        "Types: deb\nURIs: https://other.example/apt\nSuites: bookworm\nComponents: main\n",
        "Types: deb\nURIs: http://mirror.example/debian\nSuites: bookworm-updates\n",
        "Enabled: no\nTypes: deb\nURIs: http://mirror.example/debian\nSuites: bookworm\n",
        "# nothing but a comment\n",
    ],
)
def test_other_stanzas_get_no_twin(script, stanza):
    assert script.backports_stanza(stanza, "bookworm", KNOWN) is None


# Stands in for an interpreter: says its version, makes .venv of itself, writes down the rest.
PYTHON = """#!/bin/sh
case "$*" in
    *python_version*) echo {version} ;;
    *"sys.version_info < (3, 10)"*) [ {version} != 3.9.2 ] ;;
    "-m venv "*) mkdir -p .venv/bin && cp "$0" .venv/bin/python && echo "made of {version}" >>log ;;
    *sysconfig*) echo cp311-test ;;
    *"pip --disable-pip-version-check index "*) cat offered 2>&- || {{ echo no route; exit 1; }} ;;
    *"pip --disable-pip-version-check check") [ ! -f broken ] ;;
    "-m pip "*) echo "{version} installs" >>log; echo "$*" >>installed ;;
esac
"""


@pytest.fixture
def checkout(tmp_path):
    """Give a folder with what the set-up reads, and pythons in bin/."""
    (tmp_path / "scripts/__pycache__").mkdir(parents=True)
    (tmp_path / "bin").mkdir()
    for name in ("Makefile", "scripts/setup", "scripts/software_vulkan.py"):
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "locks").mkdir()
    (tmp_path / "locks/all.txt").write_text("six==1.16.0")
    add_python(tmp_path, "python3", "3.11.2")
    add_python(tmp_path, "python3.12", "3.12.4")
    add_tool(tmp_path, "chromium", "exit 0")
    return tmp_path


def add_python(folder, name, version):
    add_tool(folder, name, PYTHON.format(version=version).removeprefix("#!/bin/sh\n"))


def add_tool(folder, name, script):
    path = folder / "bin" / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def run_set_up(folder, python=None, path=None):
    (folder / "log").write_text("")
    environment = {n: v for n, v in os.environ.items() if n != "PYTHON"}
    environment["PATH"] = path or f"{folder}/bin:{environment['PATH']}"
    if python is not None:
        environment["PYTHON"] = python
    return subprocess.run(
        ["scripts/setup"], cwd=folder, env=environment, capture_output=True, text=True
    )


def set_up(folder, python=None):
    """Run the set-up; return what was made and installed, and what it says on standard error."""
    done = run_set_up(folder, python)
    return (folder / "log").read_text().splitlines(), done.stderr


def made_of(version):
    return [f"made of {version}", *[f"{version} installs"] * 2], ""


NOTHING = ([], "")


def test_the_second_run_does_nothing(checkout):
    assert set_up(checkout) == made_of("3.11.2")
    assert set_up(checkout) == NOTHING


def test_the_python_that_was_named_stays(checkout):
    assert set_up(checkout, "python3.12") == made_of("3.12.4")
    assert set_up(checkout) == NOTHING
    assert set_up(checkout, "python3.12") == NOTHING
    (checkout / "locks/all.txt").write_text("six==1.17.0")
    assert set_up(checkout) == (["3.12.4 installs"] * 2, "")
    assert set_up(checkout, "python3") == made_of("3.11.2")


HASHED = "install -qq --require-hashes --no-deps --only-binary :all: -r locks/all.txt -r "


@pytest.mark.parametrize("offered, torch", [
    ("torch (2.13.0+cpu)\nAvailable versions: 2.13.0+cpu, 2.12.0", "torch-cpu.cp311-test.txt"),
    ("torch (2.13.0)\nAvailable versions: 2.13.0, 2.12.0", "torch.txt"),
])  # fmt: skip
def test_only_what_the_locks_list_is_installed(checkout, offered, torch):
    (checkout / "locks/torch-cpu.cp311-test.txt").write_text("torch==2.13.0+cpu \\\n  --hash=x\n")
    (checkout / "offered").write_text(offered)
    assert set_up(checkout) == made_of("3.11.2")
    installed = (checkout / "installed").read_text().replace("-m pip ", "").splitlines()
    assert [line.removeprefix("--disable-pip-version-check ") for line in installed] == [
        HASHED + f"locks/{torch}", "install -qq --no-deps --no-index --no-build-isolation -e .",
    ]  # fmt: skip


def test_without_an_answer_from_the_index_nothing_is_installed(checkout):
    (checkout / "locks/torch-cpu.cp311-test.txt").write_text("torch==2.13.0+cpu\n")
    made, said = set_up(checkout)
    assert made == ["made of 3.11.2"]
    assert said == (
        "setup: got no answer from pip's index about torch, need one. pip says: no route\n"
    )


def test_a_lock_that_is_not_whole_is_refused(checkout):
    (checkout / "broken").write_text("")
    assert set_up(checkout)[1] == (
        "setup: got packages that miss others, need none. Run: .venv/bin/pip check\n"
    )
    assert set_up(checkout)[0] == ["3.11.2 installs"] * 2  # the next run tries again


@pytest.mark.parametrize("change", ["upgraded", "gone", "unfinished"])
def test_a_venv_that_does_not_work_is_made_afresh(checkout, change):
    set_up(checkout, "python3.12")
    if change == "upgraded":
        add_python(checkout, "python3.12", "3.12.5")
        shutil.copy(checkout / "bin/python3.12", checkout / ".venv/bin/python")
    elif change == "gone":
        (checkout / ".venv/bin/python").unlink()
    else:
        (checkout / ".venv/setup-place").unlink()
    assert set_up(checkout) == made_of("3.11.2")


def test_a_checkout_that_moved(checkout):
    set_up(checkout)
    moved = checkout.with_name("moved")
    checkout.rename(moved)
    assert set_up(moved) == made_of("3.11.2")


def test_an_old_python_is_refused(checkout):
    add_python(checkout, "python3", "3.9.2")
    assert set_up(checkout) == (
        [],
        "setup: got Python 3.9.2, need >= 3.10. Name a newer one, once: "
        "make setup PYTHON=python3.11.\n",
    )
    assert set_up(checkout, "python3.12") == made_of("3.12.4")
    assert set_up(checkout) == NOTHING


def test_a_python_that_is_absent_is_refused(checkout):
    assert set_up(checkout, "python4") == (
        [],
        "setup: got no python4, need Python >= 3.10. Install it (Debian, Ubuntu: python3 "
        "python3-venv).\n",
    )


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
@pytest.mark.parametrize("target", ["test", "lint", "demo", "lowest"])
def test_make_uses_the_venv_whatever_python_it_is_made_of(checkout, target):
    command = ["make", "--dry-run", "--no-print-directory", target, "PYTHON=python3.12"]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=True)
    assert ".venv/bin/python " in done.stdout and "python3.12" not in done.stdout


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_make_hands_python_to_the_set_up(checkout):
    environment = os.environ | {"PATH": f"{checkout}/bin:{os.environ['PATH']}"}
    command = ["make", "setup", "PYTHON=python3.12"]
    subprocess.run(command, cwd=checkout, env=environment, capture_output=True, check=True)
    assert "made of 3.12.4" in (checkout / "log").read_text()


@pytest.mark.parametrize("root", [True, False])
def test_a_browser_is_installed_where_that_can_be(checkout, root):
    (checkout / "bin/chromium").unlink()
    for name in ("cat", "cksum", "mkdir", "cp", "env", "dirname", "sh", "grep", "sed"):
        (checkout / "bin" / name).symlink_to(shutil.which(name))
    add_tool(checkout, "id", "echo 0" if root else "echo 1000")
    add_tool(checkout, "apt-get", 'echo "apt-get $*" >>log')
    done = run_set_up(checkout, path=str(checkout / "bin"))
    log = (checkout / "log").read_text()
    assert done.returncode == 0, done.stderr
    assert ("apt-get install -y -qq --no-install-recommends chromium" in log) == root
    assert ("tests of the live page will be skipped" in done.stdout) != root
