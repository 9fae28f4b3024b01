"""What --report adds to a fit: seconds of wall time and of a core, of each kind and each stage.

    python benchmarks/report_cost.py [--only mipmaps image] [--seconds 3] [--repeats 1]

Writes results/report_cost_<cpu or gpu>.json. Needs kodim05.png, the set ambientcg_Bark014 and
standard_surface_carpaint.mtlx below ../shared/data or the folder that NEURALSHADE_DATA names; what
is missing is left out, saying so. Every fit runs in a process of its own, as a command does: what
only a report loads is part of it. CPU seconds are those of all threads of the process; wall time
stands beside the load of the machine, the mean over the last minute before and after.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from shared.pictures import find_pictures
from shared.results import write_results

import neuralshade
from neuralshade.base import progress_scope
from neuralshade.fitting.job import Job
from neuralshade.fitting.options import FitOptions

Row = dict[str, Any]
Fit = Callable[..., Any]
LONG_SECONDS = 0.5  # stages from which on have a row
AROUND = 3  # works around a stage: what follows a training, the report, the count of its stages
# By kind: what is fitted, what fits it, and settings that leave out what reports do not wait for
KINDS: dict[str, tuple[str, Fit, Row]] = {
    "mipmaps": ("ambientcg_Bark014", neuralshade.fit_mipmaps, {}),
    "image": ("kodim05.png", neuralshade.fit_image, {"preset": "grid"}),
    "textures": ("ambientcg_Bark014", neuralshade.fit_textures, {"polish": 0}),
    "material": ("standard_surface_carpaint.mtlx", neuralshade.fit_material, {}),
}


class Watched:
    """What a report took, and each of its stages."""

    def __init__(self) -> None:
        self.report = self.fit = (0.0, 0.0)  # seconds, CPU seconds
        self.device = ""
        self.stages: list[Row] = []

    @contextmanager
    def run(self, listed: progress_scope.ProgressScope) -> Iterator[None]:
        """Take the time of a work, as ``progress_scope._run`` begins it."""
        begin, around = clocks(), len(progress_scope.open_scopes(AROUND + 1))
        with RUN(listed):
            yield
        wall, cpu = passed(begin)
        if wall >= LONG_SECONDS and around == AROUND:
            self.stages.append({"stage": listed.what, "wall_s": round(wall, 2),
                                "cpu_s": round(cpu, 2)})  # fmt: skip

    def written(self, job: Job[Any]) -> None:
        """Take the time of a report."""
        self.device = job.chosen.device_name
        begin = clocks()
        with patch.object(progress_scope, "_run", self.run):
            REPORT(job)
        self.report = passed(begin)


RUN, REPORT = progress_scope._run, Job._report


def clocks() -> tuple[float, float]:
    """Return seconds, and those that all threads of this process have computed."""
    return time.perf_counter(), time.process_time()


def passed(begin: tuple[float, float]) -> tuple[float, float]:
    """Return the seconds of both clocks since ``begin``."""
    wall, cpu = clocks()
    return wall - begin[0], cpu - begin[1]


def measured(kind: str, source: Path, seconds: float) -> dict[str, Any]:
    """Fit once in this process; return a row, rows of stages, and the device."""
    _, fit, settings = KINDS[kind]
    watched, load = Watched(), os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder, patch.object(
        Job, "_report", lambda job: watched.written(job)
    ):  # fmt: skip
        name = "levels" if kind == "mipmaps" else "fitted.nsh"
        begin = clocks()
        options = FitOptions(report=Path(folder) / "page.html")
        fit(source, Path(folder) / name, options=options, seconds=seconds, **settings)
        watched.fit = passed(begin)
        size = options.report.stat().st_size if isinstance(options.report, Path) else 0
    whole, report = watched.fit, watched.report
    row = {
        "fit": f"{kind} {source.name}",
        "report, s": round(report[0], 1), "report, CPU s": round(report[1], 1),
        "all else, s": round(whole[0] - report[0], 1),
        "all else, CPU s": round(whole[1] - report[1], 1),
        "load before": round(load, 1), "load after": round(os.getloadavg()[0], 1),
        "page, kB": round(size / 1000),
    }  # fmt: skip
    stages = [{"fit": kind, **stage} for stage in watched.stages]
    return {"row": row, "stages": stages, "device": watched.device}


def in_a_process(kind: str, source: Path, seconds: float) -> dict[str, Any]:
    """Return what ``measured`` does, of a process of its own."""
    command = [sys.executable, __file__, "--be", kind, "--source", str(source),
               "--seconds", str(seconds)]  # fmt: skip
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    print(found["row"], file=sys.stderr)
    return found


def where(devices: set[str]) -> str:
    """Return what the results are named by: a CPU alone, software Vulkan too, or a GPU."""
    return "gpu" if any("nvidia" in d.lower() or "amd" in d.lower() for d in devices) else "cpu"


def main() -> None:
    """Measure what was asked for and write it down."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--seconds", type=float, default=3.0, help="of each fit's training")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--be", choices=KINDS, help=argparse.SUPPRESS)
    parser.add_argument("--source", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.be is not None:
        print(json.dumps(measured(given.be, given.source, given.seconds)))
        return
    sources = find_pictures(sorted({KINDS[kind][0] for kind in given.only}))
    found = [in_a_process(kind, sources[KINDS[kind][0]], given.seconds)
             for kind in given.only if KINDS[kind][0] in sources
             for _ in range(given.repeats)]  # fmt: skip
    devices = {each["device"] for each in found}
    sections = {"What --report adds": [each["row"] for each in found],
                "Stages": [stage for each in found for stage in each["stages"]]}  # fmt: skip
    facts = {"training": f"{given.seconds:g} s", "device": ", ".join(sorted(devices))}
    write_results(f"report_cost_{where(devices)}", sections, facts)


if __name__ == "__main__":
    main()
