"""Write locks/: every package that `make setup` installs, with the hashes of its files.

    python scripts/lock.py [WHEEL ...]

Versions are those of constraints.txt, for every Python and system at once. uv resolves them; it
comes into an environment of its own, and asks the package index that its own settings name (pip's
are not asked). WHEEL: files of PyTorch builds without CUDA, which no index of packages lists: each
gets a file in locks/ for its Python and system. Those that are there stay while PyTorch's version
does.

    python scripts/lock.py --check

Says for which of PYTHONS and SYSTEMS a lock lacks a wheel, and exits with 1 where that is so; the
first form ends with this too. Nothing is installed, and no wheel loaded.
"""

import hashlib
import os
import pathlib
import re
import subprocess
import sys
import venv

ROOT = pathlib.Path(__file__).parent.parent
LOCKS = ROOT / "locks"
UV = "uv==0.13.9"
PYTHON = "3.10"  # the oldest of pyproject.toml
PYTHONS = (PYTHON, "3.11", "3.12", "3.13", "3.14")
SYSTEMS = {  # as uv names them, and the oldest release of each that slangpy has a wheel for
    "x86_64-manylinux_2_34": "", "aarch64-manylinux_2_34": "", "x86_64-pc-windows-msvc": "",
    "aarch64-apple-darwin": "26.0",
}  # fmt: skip
# What only PyTorch's CUDA builds bring, which are Linux's usual ones.
WITH_CUDA = re.compile(r"(torch|triton|cuda-[\w-]+|nvidia-[\w-]+)==")
WHEEL_NAME = re.compile(r"torch-([^-]+)-(cp\d+)-cp\d+-(\w+)\.whl")
HEADER = "# {what}\n# Written by scripts/lock.py of constraints.txt. Not to be changed by hand.\n"
WHATS = {
    "all.txt": "What `make setup` installs besides PyTorch.",
    "torch.txt": "PyTorch as package indexes have it, with what its CUDA builds need.",
}


def uv_program() -> pathlib.Path:
    """Return uv, installed into an environment of its own."""
    folder = ROOT / "build/lock"
    venv.create(folder, with_pip=True, clear=True)
    programs = folder / ("Scripts" if sys.platform == "win32" else "bin")
    subprocess.run([programs / "python", "-m", "pip", "install", "-qq", UV], check=True)
    return programs / "uv"


def resolved(uv: pathlib.Path) -> str:
    """Return all requirements with their hashes, as uv writes them."""
    command = [
        uv, "pip", "compile", "-q", "--universal", "--generate-hashes", "--only-binary", ":all:",
        "--no-header", "--no-emit-index-url", "--python-version", PYTHON, "--no-python-downloads",
        "-c", "constraints.txt", "--extra", "dev", "--extra", "gpu", "pyproject.toml",
    ]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout


def missing_wheels(uv: pathlib.Path) -> list[str]:
    """Return a line for each lock, Python and system that has not a wheel of all."""
    found = []
    for system, release in SYSTEMS.items():
        environment = os.environ | {"MACOSX_DEPLOYMENT_TARGET": release}
        for python in PYTHONS:
            for lock in WHATS:
                command = [
                    uv, "pip", "install", "-q", "--dry-run", "--require-hashes", "--no-deps",
                    "--only-binary", ":all:", "--no-python-downloads", "--python-platform", system,
                    "--python-version", python, "--target", ROOT / "build/lock/nothing",
                    "-r", LOCKS / lock,
                ]  # fmt: skip
                done = subprocess.run(command, env=environment, capture_output=True, text=True)
                if done.returncode:
                    found.append(f"{lock} on {system}, Python {python}: {done.stderr.strip()}")
    return found


def entries(text: str) -> list[str]:
    """Return the requirements of a lock, each with its hashes and with who needs it."""
    blocks = re.split(r"(?m)^(?=[a-z])", text)[1:]
    return [re.sub(r"(?m)^    # +-c constraints.txt\n", "", block) for block in blocks]


def cpu_lock(wheel: pathlib.Path) -> tuple[str, str]:
    """Return name and content of the lock of one PyTorch build without CUDA."""
    found = WHEEL_NAME.fullmatch(wheel.name)
    if found is None:
        sys.exit(f"lock: got {wheel.name}, need a wheel of PyTorch. Leave it out.")
    version, python, tag = found.groups()
    system = re.sub(r"^(?:many|musl)?linux(?:_\d+_\d+)?_", "linux-", tag)
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    content = f"torch=={version} \\\n    --hash=sha256:{digest}\n"
    what = "PyTorch without CUDA, for one Python and system, as PyTorch's makers build it."
    return f"torch-cpu.{python}-{system}.txt", HEADER.format(what=what) + content


def write(uv: pathlib.Path, wheels: list[str]) -> None:
    """Write all files anew; remove those of another PyTorch."""
    files: dict[str, list[str]] = {"all.txt": [], "torch.txt": []}
    for entry in entries(resolved(uv)):
        files["torch.txt" if WITH_CUDA.match(entry) else "all.txt"].append(entry)
    for name, lines in files.items():
        (LOCKS / name).write_text(HEADER.format(what=WHATS[name]) + "".join(lines))
    for name, content in (cpu_lock(pathlib.Path(wheel)) for wheel in wheels):
        (LOCKS / name).write_text(content)
    (version,) = re.findall(r"(?m)^torch==([\d.]+)", (LOCKS / "torch.txt").read_text())
    for path in LOCKS.glob("torch-cpu.*.txt"):
        if f"torch=={version}+" not in path.read_text():
            path.unlink()


def main(words: list[str]) -> None:
    """Write the locks unless they are only to be checked; check them."""
    uv = uv_program()
    if words != ["--check"]:
        write(uv, words)
    if missing := missing_wheels(uv):
        sys.exit("lock: " + "\nlock: ".join(missing))


if __name__ == "__main__":
    main(sys.argv[1:])
