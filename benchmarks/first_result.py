"""Time to the first result: whole commands with empty and with filled caches.

    python benchmarks/first_result.py [--device cuda] [--repeats 2] [--only "fit image"]

Runs `fit image`, `fit textures` and `fit material` as a user does, each in a process of its own:
first with empty caches of kernels, then again, then on a picture of another size. With archives of
`make kernels` in place the first is measured without them as well. `import torch` is timed beside
it: no fit begins before that. Writes results/first_result_<API>.json. Needs jeep.jpg, kodim05.png
and ambientcg_Bark014 below ../shared/data or the folder that NEURALSHADE_DATA names; what is
missing is left out, saying so. Without a hardware GPU it stops, unless --device names what to use.

Python's bytecode is there, as after an installation: a run before each command writes it. Without
it `import torch` took 3.6 s in place of 1.9 on an H200's host.
"""

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shared.devices import device_and_name
from shared.pictures import VARIABLE, data_folder
from shared.results import write_results

from neuralshade.gpu.shipped_kernels import FOLDER

Row = dict[str, Any]
ROOT = Path(__file__).parents[1]
FITS = {  # command -> what it fits, flags, another size, goals: seconds, cold and warm
    "fit image": ("jeep/jeep.jpg", ("--seconds", "0.1"), "kodak/kodim05.png", "3.0 / 1.5"),
    "fit textures": ("ambientcg_Bark014", ("--steps", "1000"), None, "5 / 2.5"),
    "fit material": (ROOT / "examples/material/antique_copper.toml", ("--seconds", "3"), None,
                     "12 / 6"),
}  # fmt: skip


def seconds_of(command: list[str], cache: Path) -> float:
    """Return the wall time of a process that keeps kernels below ``cache``."""
    start = time.perf_counter()
    subprocess.run(command, check=True, env={**os.environ, "XDG_CACHE_HOME": str(cache)},
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
    return time.perf_counter() - start


@contextlib.contextmanager
def bytecode_written() -> Iterator[None]:
    """Let processes inside the block keep bytecode in a folder of their own."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PYTHONPYCACHEPREFIX"] = folder
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        yield


@contextlib.contextmanager
def nothing_shipped() -> Iterator[None]:
    """Move archives of kernels away inside the block."""
    away = FOLDER.with_name("shipped.away")
    if FOLDER.exists():
        FOLDER.rename(away)
    try:
        yield
    finally:
        if away.exists():
            away.rename(FOLDER)


def measured(command: str, device: str, repeats: int) -> Row | None:
    """Return the row of a command; None where what it fits is missing."""
    subject, flags, other, goals = FITS[command]
    data = data_folder()
    if not (data / subject).exists():
        print(f"{command} left out: {data / subject} is missing; {VARIABLE} names the folder")
        return None

    def run(cache: Path, what: Any) -> float:
        return seconds_of(
            [
                sys.executable,
                "-m",
                "neuralshade",
                *command.split(),
                str(data / what),
                "-o",
                str(cache / "a.nsh"),
                "--device",
                device,
                *flags,
            ],
            cache,
        )

    with contextlib.ExitStack() as stack:
        caches = [Path(stack.enter_context(tempfile.TemporaryDirectory())) for _ in range(3)]
        run(caches[2], subject)  # writes bytecode
        row: Row = {"command": f"{command} {' '.join(flags)}", "goals s": goals}
        with nothing_shipped():
            row["empty caches s"] = round(run(caches[0], subject), 2)
        shipped = round(run(caches[1], subject), 2) if FOLDER.exists() else "-"
        row["empty caches, kernels shipped s"] = shipped
        row["again s"] = round(min(run(caches[0], subject) for _ in range(repeats)), 2)
        known = other is not None and (data / other).exists()
        row["another size s"] = round(run(caches[0], other), 2) if known else "-"
    print(row, flush=True)
    return row


def main() -> None:
    """Measure every command and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", help="API; by default the first with hardware")
    parser.add_argument("--repeats", type=int, default=2, help="of runs with filled caches")
    parser.add_argument("--only", nargs="+", choices=FITS, default=list(FITS))
    options = parser.parse_args()
    found = device_and_name(options.device)
    if found is None:
        return
    device, gpu_name = found
    with tempfile.TemporaryDirectory() as cache, bytecode_written():
        torch = [seconds_of([sys.executable, "-c", "import torch"], Path(cache)) for _ in range(3)]
        rows = [measured(command, device, options.repeats) for command in options.only]
    about = {
        "gpu": gpu_name,
        "cores": os.cpu_count(),
        "import torch alone, s": round(min(torch), 2),
        "archives": ", ".join(sorted(p.name for p in FOLDER.glob("*.zip"))) or "none",
    }
    write_results(f"first_result_{device}", {"Whole commands": [r for r in rows if r]}, about)


if __name__ == "__main__":
    main()
