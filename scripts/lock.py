"""Write locks/: every package that `make setup` installs, with the hashes of its files.

    python scripts/lock.py [WHEEL ...]

Versions are those of constraints.txt, for every Python and system at once. uv resolves them; it
comes into an environment of its own, and asks the package index that its own settings name (pip's
are not asked). WHEEL: files of PyTorch builds without CUDA, which no index of packages lists: each
gets a file in locks/ for its Python and system. Those that are there stay while PyTorch's version
does.
"""

import hashlib
import pathlib
import re
import subprocess
import sys
import venv

ROOT = pathlib.Path(__file__).parent.parent
LOCKS = ROOT / "locks"
UV = "uv==0.13.9"
PYTHON = "3.10"  # the oldest of pyproject.toml
# What only PyTorch's CUDA builds bring, which are Linux's usual ones.
WITH_CUDA = re.compile(r"(torch|triton|cuda-[\w-]+|nvidia-[\w-]+)==")
WHEEL_NAME = re.compile(r"torch-([^-]+)-(cp\d+)-cp\d+-(\w+)\.whl")
HEADER = "# {what}\n# Written by scripts/lock.py of constraints.txt. Not to be changed by hand.\n"
WHATS = {
    "all.txt": "What `make setup` installs besides PyTorch.",
    "torch.txt": "PyTorch as package indexes have it, with what its CUDA builds need.",
}


def resolved() -> str:
    """Return all requirements with their hashes, as uv writes them."""
    folder = ROOT / "build/lock"
    venv.create(folder, with_pip=True, clear=True)
    programs = folder / ("Scripts" if sys.platform == "win32" else "bin")
    subprocess.run([programs / "python", "-m", "pip", "install", "-qq", UV], check=True)
    command = [
        programs / "uv", "pip", "compile", "-q", "--universal", "--generate-hashes",
        "--only-binary", ":all:", "--no-header", "--no-emit-index-url", "--python-version",
        PYTHON, "--no-python-downloads", "-c", "constraints.txt", "--extra", "dev",
        "--extra", "gpu", "pyproject.toml",
    ]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout


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


def main(wheels: list[str]) -> None:
    """Write all files anew; remove those of another PyTorch."""
    files: dict[str, list[str]] = {"all.txt": [], "torch.txt": []}
    for entry in entries(resolved()):
        files["torch.txt" if WITH_CUDA.match(entry) else "all.txt"].append(entry)
    for name, lines in files.items():
        (LOCKS / name).write_text(HEADER.format(what=WHATS[name]) + "".join(lines))
    for name, content in (cpu_lock(pathlib.Path(wheel)) for wheel in wheels):
        (LOCKS / name).write_text(content)
    (version,) = re.findall(r"(?m)^torch==([\d.]+)", (LOCKS / "torch.txt").read_text())
    for path in LOCKS.glob("torch-cpu.*.txt"):
        if f"torch=={version}+" not in path.read_text():
            path.unlink()


if __name__ == "__main__":
    main(sys.argv[1:])
