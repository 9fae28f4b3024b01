"""locks/: they are whole and as constraints.txt says; a file with another hash is refused; what has
no wheel somewhere is left out there."""

import hashlib
import importlib.util
import pathlib
import re
import subprocess
import sys
import zipfile
from importlib.metadata import requires

import pytest
from packaging.requirements import Requirement

ROOT = pathlib.Path(__file__).parent.parent
LOCKS = sorted((ROOT / "locks").glob("*.txt"))
ENTRY = re.compile(
    r"([a-z][\w-]*)==([\w.+]+)(?: ; .+?)?((?: \\\n    --hash=sha256:[0-9a-f]{64})+)\n"
)


def read(path):
    """Return (name, version, hashes) of each entry; AssertionError for a line that is none."""
    text = re.sub(r"(?m)^ *#.*\n", "", path.read_text())
    assert ENTRY.sub("", text) == "", f"{path.name}: a line without a hash"
    return [(name, version, hashes.split(" \\\n")[1:]) for name, version, hashes in
            ENTRY.findall(text)]  # fmt: skip


def plain(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_entry_has_hashes_and_the_version_of_constraints():
    text = (ROOT / "constraints.txt").read_text()
    pins = {
        (plain(name), version) for name, version in re.findall(r"(?m)^([\w-]+)==([\w.]+)", text)
    }
    names = {name for name, _ in pins}
    found = {(name, version) for path in LOCKS for name, version, _ in read(path)}
    assert len(found) > 90
    others = {(n, v) for n, v in found - pins if n in names}
    assert {(n, v.partition("+")[0]) for n, v in others} <= pins, "run scripts/lock.py"


def test_all_that_setup_needs_is_locked():
    locked = {name for path in LOCKS for name, *_ in read(path)}
    needed = {
        plain(re.match(r"[\w-]+", need)[0])
        for need in requires("neuralshade") or []
        if not re.search(r"extra == ['\"](cuda|tensorboard|movie|docs)['\"]", need)
    }
    assert len(needed) > 20 and needed <= locked


def test_no_file_names_a_machine():
    for path in LOCKS:
        assert not re.search(r"(?m)://|^--|^ +#.*/", path.read_text()), path.name


@pytest.mark.slow
@pytest.mark.parametrize("right", [True, False])
def test_pip_refuses_another_hash(tmp_path, right):
    """With what scripts/setup gives it; ``--no-index``, since the wheel is made here."""
    wheel = tmp_path / "locked_thing-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        about = "Metadata-Version: 2.1\nName: locked-thing\nVersion: 1.0\n"
        archive.writestr("locked_thing-1.0.dist-info/METADATA", about)
        archive.writestr("locked_thing-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\n")
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    lock = tmp_path / "lock.txt"
    lock.write_text(f"locked-thing==1.0 \\\n    --hash=sha256:{digest if right else '0' * 64}\n")
    flags = re.search(
        r"pip install \$quiet (.+?) -r locks/all", (ROOT / "scripts/setup").read_text()
    )
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--no-index", "--find-links",
               str(tmp_path), *flags[1].split(), "-r", str(lock)]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode == 0) == right, done.stderr
    assert ("DO NOT MATCH THE HASHES" in done.stderr) != right


SYSTEMS = {  # what markers ask for
    "Linux x86_64": {"sys_platform": "linux", "platform_system": "Linux",
                     "platform_machine": "x86_64", "os_name": "posix"},
    "Linux aarch64": {"sys_platform": "linux", "platform_system": "Linux",
                      "platform_machine": "aarch64", "os_name": "posix"},
    "Windows": {"sys_platform": "win32", "platform_system": "Windows",
                "platform_machine": "AMD64", "os_name": "nt"},
    "macOS": {"sys_platform": "darwin", "platform_system": "Darwin", "platform_machine": "arm64",
              "os_name": "posix"},
}  # fmt: skip


def holds(requirement, system, python):
    versions = {"python_version": python, "python_full_version": f"{python}.9", "extra": ""}
    return not requirement.marker or requirement.marker.evaluate({**SYSTEMS[system], **versions})


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("python", ["3.10", "3.13", "3.14"])
def test_what_is_locked_for_each_system(system, python):
    """All that is needed there, once, and nothing that has no wheel."""
    lines = [line for path in LOCKS for line in path.read_text().splitlines()
             if "==" in line and not path.name.startswith("torch-cpu")]  # fmt: skip
    locked = [plain(r.name) for r in map(Requirement, (line.rstrip(" \\") for line in lines))
              if holds(r, system, python)]  # fmt: skip
    wanted = re.findall(r'(?m)^    "([\w-]+[>=].+?)",', (ROOT / "pyproject.toml").read_text())
    others = {"cuda-bindings", "nvidia-cuda-nvrtc", "nvidia-cuda-runtime"}  # of extras, for Linux
    others |= {"mkdocs", "mkdocs-material"}  # in an environment of their own
    needed = {plain(r.name) for r in map(Requirement, wanted) if holds(r, system, python)} - others
    assert len(set(locked)) == len(locked) and len(needed) > 25 and needed <= set(locked)
    wheelless = set()
    if system == "Linux aarch64":
        wheelless |= {"constriction", "flip-evaluator"}
    if python == "3.14":
        wheelless |= {"flip-evaluator"}
    assert {"constriction", "flip-evaluator"} - set(locked) == wheelless


@pytest.mark.skipif(sys.platform == "win32", reason="stands in for uv by a shell script")
def test_what_has_no_wheel_is_told(tmp_path):
    spec = importlib.util.spec_from_file_location("lock", ROOT / "scripts/lock.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    uv = tmp_path / "uv"
    uv.write_text("""#!/bin/sh
case "$*" in
    *--require-hashes*aarch64-manylinux*3.12*all.txt) echo no wheel of x >&2; exit 2 ;;
    *apple*) [ "$MACOSX_DEPLOYMENT_TARGET" ] || exit 1 ;;
esac
""")
    uv.chmod(0o755)
    told = ["all.txt on aarch64-manylinux_2_34, Python 3.12: no wheel of x"]
    assert script.missing_wheels(uv) == told
