"""locks/: they are whole and as constraints.txt says; a file with another hash is refused."""

import hashlib
import pathlib
import re
import subprocess
import sys
import zipfile
from importlib.metadata import requires

import pytest

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
        if not re.search(r"extra == ['\"](cuda|tensorboard|movie)['\"]", need)
    }
    assert len(needed) > 20 and needed <= locked


def test_no_file_names_a_machine():
    for path in LOCKS:
        assert not re.search(r"(?m)://|^--|^ +#.*/", path.read_text()), path.name


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
